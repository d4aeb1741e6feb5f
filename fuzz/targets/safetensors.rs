//! Runs `bessemer_hostile::safetensors` on what libFuzzer finds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bessemer_hostile::safetensors(data));
