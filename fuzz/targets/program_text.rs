//! Runs `bessemer_hostile::program_text` on what libFuzzer finds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bessemer_hostile::program_text(data));
