//! A model as large as SmolLM2-135M in Q4_1, all of whose weights are zero, and a text through it.

use bessemer_core::{DType, Device, Shape};
use bessemer_llm::{
    GenerateOptions, Llm, SessionOptions,
    files::{GgufWriter, gguf::Array},
    sampling::Sampling,
};
use std::{error::Error, sync::Arc};

const LAYERS: usize = 30;
const HIDDEN: usize = 576;
const FEED_FORWARD: usize = 1536;
const HEADS: usize = 9;
const KV_HEADS: usize = 3;
const HEAD_SIZE: usize = 64;
const VOCABULARY: usize = 49152;
const CONTEXT: usize = 2048;

/// The file.
pub(crate) fn smollm2() -> Vec<u8> {
    let mut writer = GgufWriter::new();
    writer.set("general.architecture", "llama");
    for (name, size) in [
        ("block_count", LAYERS),
        ("embedding_length", HIDDEN),
        ("feed_forward_length", FEED_FORWARD),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", KV_HEADS),
        ("rope.dimension_count", HEAD_SIZE),
        ("context_length", CONTEXT),
    ] {
        writer.set(&format!("llama.{name}"), size as u32);
    }
    writer.set("llama.attention.layer_norm_rms_epsilon", 1e-5f32);
    writer.set("tokenizer.ggml.model", "gpt2");
    // Some letters, so that there is a prompt.
    let token = |i: usize| match i {
        0..26 => char::from(b'a' + i as u8).to_string(),
        _ => format!("<{i}>"),
    };
    writer.set("tokenizer.ggml.tokens", Array::of_strings((0..VOCABULARY).map(token)));
    writer.set("tokenizer.ggml.token_type", Array::of_i32((0..VOCABULARY).map(|_| 1)));
    writer.set("tokenizer.ggml.merges", Array::of_strings([""; 0]));
    writer.set("tokenizer.ggml.eos_token_id", 0u32);
    let (q, kv) = (HEADS * HEAD_SIZE, KV_HEADS * HEAD_SIZE);
    let mut tensors = Vec::new();
    let mut tensor = |name: String, shape: &[usize]| {
        let dtype = if shape.len() == 1 { DType::F32 } else { DType::Q4_1 };
        let shape = Shape::new(shape).expect("a sound shape");
        let bytes = dtype.bytes_for(shape.elements()).expect("whole blocks");
        writer.tensor(&name, dtype, shape).expect("a sound tensor");
        tensors.push(vec![0; bytes]);
    };
    tensor("token_embd.weight".into(), &[VOCABULARY, HIDDEN]);
    tensor("output_norm.weight".into(), &[HIDDEN]);
    for layer in 0..LAYERS {
        for (part, shape) in [
            ("attn_norm", &[HIDDEN][..]),
            ("attn_q", &[q, HIDDEN]),
            ("attn_k", &[kv, HIDDEN]),
            ("attn_v", &[kv, HIDDEN]),
            ("attn_output", &[HIDDEN, q]),
            ("ffn_norm", &[HIDDEN]),
            ("ffn_gate", &[FEED_FORWARD, HIDDEN]),
            ("ffn_up", &[FEED_FORWARD, HIDDEN]),
            ("ffn_down", &[HIDDEN, FEED_FORWARD]),
        ] {
            tensor(format!("blk.{layer}.{part}.weight"), shape);
        }
    }
    let tensors: Vec<&[u8]> = tensors.iter().map(Vec::as_slice).collect();
    writer.to_bytes(&tensors).expect("as planned")
}

/// A prompt, tokens one by one and a few at once, and a text that the device chooses.
pub(crate) fn run(device: &Arc<dyn Device>, file: &[u8]) -> Result<(), Box<dyn Error>> {
    let llm = Llm::from_bytes(file.to_vec(), device)?;
    for cache in [DType::F16, DType::Q8_0] {
        let options = SessionOptions { context: Some(CONTEXT), cache, ..Default::default() };
        let mut session = llm.session(options)?;
        for count in [20, 1, 4] {
            let tokens: Vec<u32> = (1..=count).collect();
            session.extend(&tokens)?;
        }
        let mut session = llm.session(options)?;
        let sampling = Sampling::greedy();
        let options = GenerateOptions {
            sampling,
            max_tokens: Some(3),
            ignore_end: true,
            ..Default::default()
        };
        llm.generate(&mut session, "some", &options)?.finish()?;
    }
    Ok(())
}
