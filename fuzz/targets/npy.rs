//! Runs `bessemer_hostile::npy` on what libFuzzer finds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bessemer_hostile::npy(data));
