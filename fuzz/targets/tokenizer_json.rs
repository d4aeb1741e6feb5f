//! Runs `bessemer_hostile::tokenizer_json` on what libFuzzer finds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bessemer_hostile::tokenizer_json(data));
