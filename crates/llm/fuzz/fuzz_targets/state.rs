//! Any bytes as a saved state: an error or a text, and a session that works afterwards.
#![no_main]

use bessemer_core::Device;
use bessemer_cpu::Cpu;
use bessemer_llm::{Llm, Session, hostile, tiny};
use std::{cell::RefCell, sync::Arc};

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new({
        let device: Arc<dyn Device> = Arc::new(Cpu::open(Default::default()).unwrap());
        Llm::from_bytes(tiny::gguf(), &device).unwrap().session(Default::default()).unwrap()
    });
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    SESSION.with(|session| hostile::state(&mut session.borrow_mut(), data));
});
