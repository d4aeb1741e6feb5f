//! The built-in model on the WebGPU device: the text it writes on the CPU, with one submission and no
//! memory from the pool for each token. A machine without an adapter fails here.

#![cfg(target_os = "linux")]

use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{
    GenerateOptions, Llm, Session, SessionOptions,
    files::{Gguf, ModelFile},
    sampling::Sampling,
    tiny::Tiny,
};
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
    // Layers in few launches: those of one activation go together.
    let dispatches = (after.dispatches - before.dispatches) / 4;
    let layers = llm.model().config().layers as u64;
    assert!(dispatches <= 8 * layers + 4, "{dispatches} dispatches for {layers} layers");
}

/// The logits after 2040 tokens of a prompt, and after each of 8 more.
fn after_long_context(device: &Arc<dyn Device>) -> Vec<Vec<f32>> {
    let file = Tiny { context: 2048, ..Tiny::default() }.gguf(|_, _| {});
    let llm = Llm::from_bytes(file, device).unwrap();
    let options = SessionOptions { context: Some(2048), ..Default::default() };
    let mut session = llm.session(options).unwrap();
    let tokens: Vec<u32> = (0..2048).map(|i| i * 31 % 256).collect();
    let (prompt, answer) = tokens.split_at(2040);
    let mut all = vec![session.extend(prompt).unwrap().to_vec()];
    all.extend(answer.iter().map(|&token| session.extend(&[token]).unwrap().to_vec()));
    all
}

#[test]
fn a_long_context_is_seen_as_on_the_cpu() {
    let cpu: Arc<dyn Device> = Arc::new(Cpu::open(CpuOptions::default()).unwrap());
    let wanted = after_long_context(&cpu);
    for portable in [false, true] {
        for (here, wanted) in after_long_context(&webgpu(portable)).iter().zip(&wanted) {
            let apart = here.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-3, "logits are {apart} apart");
        }
    }
}

#[test]
fn a_model_for_which_there_is_no_memory_leaves_nothing_behind() {
    let file = ModelFile::Gguf(Box::new(Gguf::from_bytes(EMBER.to_vec()).unwrap()));
    // The weights would fit, but not the file they are in.
    let options = WebGpuOptions { memory_limit: Some(EMBER.len() - 1), ..Default::default() };
    let device: Arc<dyn Device> = Arc::new(WebGpu::open(options).unwrap());
    let error = Llm::from_file(&file, &device).unwrap_err().to_string();
    let name = device.info().name.clone();
    let size = EMBER.len().to_string();
    assert!(["loading `", &name, &size].iter().all(|part| error.contains(*part)), "{error}");
    let stats = device.stats();
    assert_eq!((stats.adopted_bytes, stats.pool.live_bytes), (0, 0));
}
