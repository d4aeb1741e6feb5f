//! Decoding on a GPU, where the device chooses the likeliest tokens itself: the text is the one that
//! all logits give, and nothing comes from the CPU between two tokens.

#![cfg(target_os = "linux")]

use bessemer_core::Device;
use bessemer_llm::{
    Answer, GenerateOptions, Llm, Session, SessionOptions, StopReason, WhenFull,
    sampling::Sampling, tiny::Tiny,
};
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Soft, SoftOptions},
};
use std::sync::Arc;

const EMBER: &[u8] = include_bytes!("../../../models/ember/ember.gguf");

fn metal() -> Arc<Metal<Soft>> {
    Arc::new(Metal::open_soft(&MetalOptions::default(), &SoftOptions::default()).unwrap())
}

fn tiny(metal: &Arc<Metal<Soft>>) -> Llm {
    let device: Arc<dyn Device> = Arc::clone(metal) as _;
    Llm::from_bytes(Tiny::default().gguf(|_, _| {}), &device).unwrap()
}

fn options(sampling: Sampling, max_tokens: usize) -> GenerateOptions {
    let max_tokens = Some(max_tokens);
    GenerateOptions { max_tokens, sampling, ignore_end: true, ..Default::default() }
}

/// The same, with a reason to see all logits.
fn by_all_logits(mut options: GenerateOptions) -> GenerateOptions {
    options.sampling.logit_bias = vec![(0, 0.0)];
    options
}

fn session(llm: &Llm, context: usize) -> Session {
    llm.session(SessionOptions { context: Some(context), ..Default::default() }).unwrap()
}

fn answer(llm: &Llm, context: usize, options: &GenerateOptions) -> Answer {
    llm.generate(&mut session(llm, context), "Once", options).unwrap().finish().unwrap()
}

#[test]
fn the_built_in_model_writes_the_same_with_one_command_buffer_per_token() {
    let metal = metal();
    let device: Arc<dyn Device> = Arc::clone(&metal) as _;
    let llm = Llm::from_static(EMBER, &device).unwrap();
    let mut session = session(&llm, 64);
    let greedy = options(Sampling::greedy(), 24);
    let mut text = llm.generate(&mut session, "Once upon a time", &greedy).unwrap();
    // The prompt, a token of it, two passes that are new.
    text.by_ref().take(4).for_each(|piece| drop(piece.unwrap()));
    let (made, before) = (text.tokens().len(), metal.counters());
    let pool = metal.stats().pool;
    text.by_ref().for_each(|piece| drop(piece.unwrap()));
    let (tokens, after) = (text.tokens().to_vec(), metal.counters());
    drop(text);
    // One was under way, and none is started that nobody wants.
    let more = (tokens.len() - made - 1) as u64;
    assert_eq!(after.command_buffers - before.command_buffers, more);
    assert_eq!(after.plans, before.plans);
    assert_eq!(metal.stats().pool, pool, "a token takes nothing from the pool");
    let all = by_all_logits(greedy);
    let plain = llm.generate(&mut session, "Once upon a time", &all).unwrap().finish().unwrap();
    assert_eq!(tokens, plain.tokens);
}

#[test]
fn drawn_texts_are_the_same() {
    let llm = tiny(&metal());
    for top_k in [1, 7, 40] {
        let drawn =
            options(Sampling { top_k, seed: 5, temperature: 1.3, ..Default::default() }, 20);
        assert_eq!(answer(&llm, 64, &drawn).tokens, answer(&llm, 64, &by_all_logits(drawn)).tokens);
    }
}

/// Whether the device chooses the likeliest to draw from or all logits are read, the next command buffer
/// is encoded while the GPU runs the last.
#[test]
fn passes_of_drawn_texts_are_encoded_while_others_run() {
    let metal = metal();
    let llm = tiny(&metal);
    let drawn = options(Sampling { top_k: 7, temperature: 1.3, ..Default::default() }, 20);
    for options in [drawn.clone(), by_all_logits(drawn)] {
        let before = metal.counters();
        assert_eq!(answer(&llm, 64, &options).tokens.len(), 20);
        let after = metal.counters();
        let (all, ahead) =
            (after.command_buffers - before.command_buffers, after.ahead - before.ahead);
        // All but the prompt, and the first passes, which nobody could expect.
        assert!((20..=22).contains(&all) && (17..=19).contains(&ahead), "{ahead} of {all}");
    }
}

#[test]
fn texts_that_stop_early_fill_up_or_shift_are_the_same() {
    let llm = tiny(&metal());
    let greedy = options(Sampling::greedy(), 40);
    let full = answer(&llm, 16, &greedy);
    assert_eq!(full.stop, StopReason::ContextFull);
    assert_eq!(full.tokens, answer(&llm, 16, &by_all_logits(greedy.clone())).tokens);
    let shifts = GenerateOptions { when_full: WhenFull::Shift { keep: 2 }, ..greedy.clone() };
    let shifted = answer(&llm, 16, &shifts);
    assert_eq!(shifted.tokens.len(), 40);
    assert_eq!(shifted.tokens, answer(&llm, 16, &by_all_logits(shifts)).tokens);

    // Left in the middle, with a pass under way; then on along another way, and back.
    let mut session = session(&llm, 64);
    let mut text = llm.generate(&mut session, "Once", &greedy).unwrap();
    text.by_ref().take(5).for_each(|piece| drop(piece.unwrap()));
    drop(text);
    session.rewind(6);
    session.extend(&[9, 8]).unwrap();
    let again = llm.generate(&mut session, "Once", &greedy).unwrap().finish().unwrap();
    assert_eq!(again.tokens, answer(&llm, 64, &by_all_logits(greedy)).tokens);
}

#[test]
fn no_kernel_is_compiled_between_the_first_tokens() {
    let metal = metal();
    let device: Arc<dyn Device> = Arc::clone(&metal) as _;
    let llm = Llm::from_static(EMBER, &device).unwrap();
    let mut session = session(&llm, 64);
    metal.wait_for_pipelines();
    let made = metal.counters().pipelines;
    assert!(made > 0);
    // Long enough for the kernels of many rows: those of few are compiled for their number.
    let prompt = "Once upon a time there was a small dragon who lived in a house by the sea.";
    assert!(llm.tokens(&prompt.into()).unwrap().len() > 10);
    let text = llm.generate(&mut session, prompt, &options(Sampling::greedy(), 4)).unwrap();
    assert_eq!(text.finish().unwrap().tokens.len(), 4);
    assert_eq!(metal.counters().pipelines, made, "{:#?}", metal.details());
}
