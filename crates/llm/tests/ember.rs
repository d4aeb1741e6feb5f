//! The built-in model: small enough to be compiled in, and it tells stories that end.

use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{GenerateOptions, Llm, SessionOptions, StopReason, sampling::Sampling};
use std::sync::Arc;

const EMBER: &[u8] = include_bytes!("../../../models/ember/ember.gguf");

#[test]
fn it_is_small_enough_to_be_compiled_in() {
    assert!(EMBER.len() <= 4_000_000, "{} bytes", EMBER.len());
}

#[test]
fn it_tells_stories_that_end() {
    let device: Arc<dyn Device> = Arc::new(Cpu::open(CpuOptions::default()).unwrap());
    let llm = Llm::from_static(EMBER, &device).unwrap();
    let prompts = ["Once upon a time", "The little fox", "One day, Lily", "In the deep sea"];
    for prompt in prompts {
        let sampling = Sampling { seed: 1, ..Sampling::default() };
        let options = GenerateOptions { sampling, ..GenerateOptions::default() };
        let mut session = llm.session(SessionOptions::default()).unwrap();
        let answer = llm.generate(&mut session, prompt, &options).unwrap().finish().unwrap();
        let story = format!("{prompt}{}", answer.text);
        assert!(story.split_whitespace().count() >= 60, "{story}");
        assert!(matches!(answer.stop, StopReason::End(_)), "{story}");
        assert!(story.trim_end().ends_with(['.', '!', '?', '"']), "{story}");
    }
}
