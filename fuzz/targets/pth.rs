//! Runs `bessemer_hostile::pth` on what libFuzzer finds.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bessemer_hostile::pth(data));
