//! Any bytes as a file: an error or a use, never a crash.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bessemer_llm::hostile::safetensors(data));
