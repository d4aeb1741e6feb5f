//! The built-in model on the WebGPU device: the text it writes on the CPU, with one submission and no
//! memory from the pool for each token. A machine without an adapter fails here.

#![cfg(target_os = "linux")]

use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{GenerateOptions, Llm, Session, SessionOptions, sampling::Sampling};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use std::sync::Arc;

const EMBER: &[u8] = include_bytes!("../../../models/ember/ember.gguf");
const PROMPT: &str = "Once upon a time";
const TOKENS: usize = 24;

fn webgpu(portable: bool) -> Arc<dyn Device> {
    Arc::new(WebGpu::open(WebGpuOptions { portable, ..Default::default() }).unwrap())
}

fn session(llm: &Llm) -> Session {
    llm.session(SessionOptions { context: Some(64), ..Default::default() }).unwrap()
}

fn text(device: &Arc<dyn Device>) -> String {
    let llm = Llm::from_static(EMBER, device).unwrap();
    let sampling = Sampling::greedy();
    let options = GenerateOptions { sampling, max_tokens: Some(TOKENS), ..Default::default() };
    llm.generate(&mut session(&llm), PROMPT, &options).unwrap().finish().unwrap().text
}

#[test]
fn the_built_in_model_writes_what_it_writes_on_the_cpu() {
    // Otherwise it rounds activations to 8 bits, which GPUs do not.
    let precise = CpuOptions { precise: true, ..Default::default() };
    let cpu: Arc<dyn Device> = Arc::new(Cpu::open(precise).unwrap());
    let expected = text(&cpu);
    assert_eq!(text(&webgpu(false)), expected);
    assert_eq!(text(&webgpu(true)), expected, "with as little as any adapter has");
}

#[test]
fn a_token_is_one_submission_and_takes_nothing_from_the_pool() {
    let device = webgpu(false);
    let llm = Llm::from_static(EMBER, &device).unwrap();
    let mut session = session(&llm);
    session.extend(&[3, 4, 5, 6]).unwrap();
    session.extend(&[7]).unwrap();
    let before = device.stats();
    for token in 8..12 {
        session.extend(&[token]).unwrap();
    }
    let after = device.stats();
    assert_eq!(after.submissions - before.submissions, 4);
    assert_eq!(after.pool, before.pool);
}
