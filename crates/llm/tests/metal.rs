//! The built-in model on Metal, in software: the CPU's text, logits that are near, few and large
//! command buffers, and no more memory than there is.

#![cfg(target_os = "linux")]

use bessemer_core::{Device, Stats};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{Llm, Session, SessionOptions};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Soft, SoftOptions},
};
use std::sync::Arc;

const EMBER: &[u8] = include_bytes!("../../../models/ember/ember.gguf");
/// By how much of their spread logits may differ.
const BOUND: f64 = 0.01;

fn metal(memory_limit: Option<usize>) -> Arc<Metal<Soft>> {
    let options = MetalOptions { memory_limit, ..Default::default() };
    Arc::new(Metal::open_soft(&options, &SoftOptions::default()).unwrap())
}

fn ember(device: &Arc<dyn Device>) -> bessemer_llm::Result<Llm> {
    Llm::from_bytes(EMBER.to_vec(), device)
}

fn session(llm: &Llm, context: usize) -> bessemer_llm::Result<Session> {
    llm.session(SessionOptions { context: Some(context), ..Default::default() })
}

fn likeliest(logits: &[f32]) -> u32 {
    let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
    best.unwrap() as u32
}

/// The root of the mean square difference over the standard deviation of `right`.
fn error(found: &[f32], right: &[f32]) -> f64 {
    let mean = right.iter().map(|&x| f64::from(x)).sum::<f64>() / right.len() as f64;
    let square = |a: f64, b: f64| (a - b) * (a - b);
    let off: f64 = found.iter().zip(right).map(|(&a, &b)| square(a.into(), b.into())).sum();
    let spread: f64 = right.iter().map(|&x| square(x.into(), mean)).sum();
    (off / spread).sqrt()
}

#[test]
fn thirty_two_tokens_are_those_of_the_cpu() {
    let device: Arc<dyn Device> = metal(None);
    // Otherwise it rounds activations to 8 bits, which Metal does not.
    let precise = CpuOptions { precise: true, ..Default::default() };
    let cpu: Arc<dyn Device> = Arc::new(Cpu::open(precise).unwrap());
    let (llm, other) = (ember(&device).unwrap(), ember(&cpu).unwrap());
    let (mut on_metal, mut on_cpu) = (session(&llm, 64).unwrap(), session(&other, 64).unwrap());
    // More rows than a matrix times a few vectors takes: tiles are part of it.
    let prompt = "Once upon a time there was a small dragon who lived in a house by the sea.";
    let mut tokens = llm.tokens(&prompt.into()).unwrap();
    assert!(tokens.len() > 8);
    for number in 0..32 {
        let found = on_metal.extend(&tokens).unwrap();
        let right = on_cpu.extend(&tokens).unwrap();
        let error = error(found, right);
        assert!(error <= BOUND, "token {number}: {error}");
        assert_eq!(likeliest(found), likeliest(right), "token {number}");
        tokens = vec![likeliest(found)];
    }
}

#[test]
fn a_token_is_one_command_buffer_and_takes_no_memory() {
    let metal = metal(None);
    let device: Arc<dyn Device> = Arc::clone(&metal) as _;
    let llm = ember(&device).unwrap();
    let mut session = session(&llm, 64).unwrap();
    for _ in 0..2 {
        session.extend(&[1]).unwrap();
    }
    let (before, pool) = (metal.counters(), device.stats().pool);
    session.extend(&[1]).unwrap();
    let after = metal.counters();
    assert_eq!(device.stats().pool, pool);
    assert_eq!(after.command_buffers - before.command_buffers, 1);
    assert_eq!(after.plans, before.plans);
    // Eight of each layer, and the embedding, the first norm and the logits.
    let most = 8 * llm.model().config().layers as u64 + 3;
    assert!(after.dispatches - before.dispatches <= most);
    assert!(after.barriers - before.barriers <= most);
}

#[test]
fn what_does_not_fit_is_told_before_anything_is_taken() {
    let nothing = |stats: Stats| stats.pool.live_bytes + stats.adopted_bytes == 0;
    let device: Arc<dyn Device> = metal(Some(500_000));
    let error = ember(&device).unwrap_err().to_string();
    for words in ["the weights: 1.", "of 0.5 MB", "`cpu`"] {
        assert!(error.contains(words), "`{words}` is not in: {error}");
    }
    assert!(nothing(device.stats()));

    let device: Arc<dyn Device> = metal(Some(4_000_000));
    let llm = ember(&device).unwrap();
    let held = device.stats().pool.live_bytes;
    let error = session(&llm, 100_000).unwrap_err().to_string();
    for words in ["a context of 100000 tokens: ", "of 4.0 MB", "a smaller context"] {
        assert!(error.contains(words), "`{words}` is not in: {error}");
    }
    assert_eq!(device.stats().pool.live_bytes, held);
    drop(llm);
    assert!(nothing(device.stats()));
}
