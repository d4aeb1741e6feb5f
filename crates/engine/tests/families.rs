//! The same promise for tiny models of every family: windows, soft caps, experts, recurrences.

mod common;

use bessemer_core::Device;
use bessemer_engine::{EngineOptions, Request};
use bessemer_llm::{
    Llm,
    files::{Gguf, GgufWriter},
    tiny::Tiny,
};
use common::*;
use std::{path::PathBuf, sync::Arc};

/// The model of a fixture, which has no words, with those of the tiny one.
fn family(name: &str, device: &Arc<dyn Device>) -> Llm {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../llm/fixtures");
    let file = Gguf::open(fixtures.join(name).join("model.gguf")).unwrap();
    let vocabulary = file.tensors().require("token_embd.weight").unwrap().shape[0];
    let words = Tiny { vocabulary: vocabulary.min(259), ..Tiny::default() }.gguf(|_, _| {});
    let words = Gguf::from_bytes(words).unwrap();
    let mut writer = GgufWriter::new();
    let is_word = |key: &str| key.starts_with("tokenizer.");
    let own = file.metadata().iter().filter(|entry| !is_word(&entry.key));
    for entry in own.chain(words.metadata().iter().filter(|entry| is_word(&entry.key))) {
        writer.set(&entry.key, entry.value.clone());
    }
    writer.set("tokenizer.ggml.eos_token_id", vocabulary.min(259) as u32 - 1);
    let tensors = file.tensors();
    for tensor in tensors.iter() {
        writer.tensor(&tensor.name, tensor.dtype, tensor.shape).unwrap();
    }
    let bytes: Vec<&[u8]> = tensors.iter().map(|tensor| tensors.bytes(tensor)).collect();
    Llm::from_bytes(writer.to_bytes(&bytes).unwrap(), device).unwrap()
}

fn asks_of(llm: &Llm, count: usize) -> Vec<Ask> {
    let known = llm.tokenizer().len() as u32;
    let mut asks = asks(21, count, 150);
    asks.iter_mut().flat_map(|ask| &mut ask.prompt).for_each(|token| *token %= known);
    asks.iter_mut().for_each(|ask| ask.options.max_tokens = Some(8));
    asks
}

fn check(names: &[&str]) {
    for name in names {
        let llm = family(name, &cpu());
        let options = EngineOptions { most_running: 4, ..small() };
        check_mix(&llm, options, &asks_of(&llm, 6));
    }
}

#[test]
fn families_that_attend() {
    check(&[
        "models/gemma2",
        "models/gemma3",
        "models/llama3",
        "models/llama_yarn",
        "models/phi3",
        "models/qwen2_window",
        "models/qwen3",
    ]);
}

#[test]
fn mixtures_of_experts() {
    check(&["models/mixtral", "models/qwen2_moe", "models/qwen3_moe"]);
}

#[test]
fn families_that_recur() {
    check(&[
        "models/lfm2",
        "rwkv/rwkv4",
        "rwkv/rwkv5_2",
        "rwkv/rwkv6",
        "rwkv/rwkv7",
        "rwkv/arwkv7",
    ]);
}

#[test]
fn what_recurs_is_given_out_and_taken_back() {
    let llm = family("rwkv/rwkv7", &cpu());
    let engine = engine(&llm, small());
    let prompt = asks_of(&llm, 1)[0].prompt.clone();
    let first = Request { keep_state: true, ..request(prompt.clone()) };
    let first = engine.submit(first).unwrap().finish().unwrap();
    let state = first.end.state.expect("it was asked for");
    let mut text = prompt.clone();
    text.extend(first.tokens.iter().map(|token| token.id));
    // What the same text has in one go.
    let whole = engine.submit(Request::new(prompt, options(8))).unwrap().finish().unwrap();
    let more = Request { state: Some(state.clone()), ..request(text.clone()) };
    let more = engine.submit(more).unwrap().finish().unwrap();
    assert_eq!(more.end.usage.reused, text.len() - 1);
    assert_eq!(more.tokens, whole.tokens[4..]);
    let other = Request { state: Some(state), ..request(vec![1, 2, 3]) };
    let why = engine.submit(other).unwrap().finish().unwrap_err().to_string();
    assert!(why.contains("does not begin with the tokens of the state"), "{why}");
    let broken = Request { state: Some(vec![7; 40]), ..request(text) };
    assert!(engine.submit(broken).unwrap().finish().is_err());
}

fn request(prompt: Vec<u32>) -> Request {
    Request::new(prompt, options(4))
}
