//! Runs `bessemer_hostile::program_built` on what libFuzzer finds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bessemer_hostile::program_built(data));
