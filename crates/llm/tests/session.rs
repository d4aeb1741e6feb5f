//! A tiny model with random weights: whatever way a text gets there, the logits are the same.

use bessemer_core::{DType, Device, Element, Shape};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_llm::{
    Model, Session, SessionOptions,
    files::{Gguf, GgufWriter},
};
use std::sync::Arc;

const VOCABULARY: usize = 50;
const HIDDEN: usize = 48;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD_SIZE: usize = 12;
const FEED_FORWARD: usize = 80;
const LAYERS: usize = 2;

/// A file of `architecture`, with weights that look random.
fn file(architecture: &str) -> Gguf {
    let mut writer = GgufWriter::new();
    let key = |name: &str| format!("{architecture}.{name}");
    writer.set("general.architecture", architecture);
    for (name, size) in [
        ("block_count", LAYERS),
        ("embedding_length", HIDDEN),
        ("feed_forward_length", FEED_FORWARD),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", KV_HEADS),
        ("attention.key_length", HEAD_SIZE),
        ("rope.dimension_count", HEAD_SIZE),
        ("context_length", 64),
    ] {
        writer.set(&key(name), size as u32);
    }
    let (q, kv) = (HEADS * HEAD_SIZE, KV_HEADS * HEAD_SIZE);
    let mut shapes = vec![
        ("token_embd.weight".to_owned(), vec![VOCABULARY, HIDDEN]),
        ("output_norm.weight".to_owned(), vec![HIDDEN]),
    ];
    for layer in 0..LAYERS {
        let mut push = |part: &str, shape: &[usize]| {
            shapes.push((format!("blk.{layer}.{part}"), shape.to_vec()));
        };
        push("attn_norm.weight", &[HIDDEN]);
        push("ffn_norm.weight", &[HIDDEN]);
        push("attn_q.weight", &[q, HIDDEN]);
        push("attn_k.weight", &[kv, HIDDEN]);
        push("attn_v.weight", &[kv, HIDDEN]);
        push("attn_output.weight", &[HIDDEN, q]);
        push("ffn_gate.weight", &[FEED_FORWARD, HIDDEN]);
        push("ffn_up.weight", &[FEED_FORWARD, HIDDEN]);
        push("ffn_down.weight", &[HIDDEN, FEED_FORWARD]);
        match architecture {
            "qwen2" => ["q", "k", "v"].iter().zip([q, kv, kv]).for_each(|(name, size)| {
                push(&format!("attn_{name}.bias"), &[size]);
            }),
            "qwen3" => {
                push("attn_q_norm.weight", &[HEAD_SIZE]);
                push("attn_k_norm.weight", &[HEAD_SIZE]);
            }
            _ => {}
        }
    }
    let mut state = 1u32;
    let mut tensors: Vec<Vec<u8>> = Vec::new();
    for (name, shape) in &shapes {
        writer.tensor(name, DType::F32, Shape::new(shape).unwrap()).unwrap();
        let values: Vec<f32> = (0..shape.iter().product())
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let number = (state >> 8) as f32 / (1 << 24) as f32 - 0.5;
                if name.contains("norm") { 1.0 + 0.2 * number } else { 0.4 * number }
            })
            .collect();
        tensors.push(f32::as_bytes(&values).to_vec());
    }
    let tensors: Vec<&[u8]> = tensors.iter().map(Vec::as_slice).collect();
    Gguf::from_bytes(writer.to_bytes(&tensors).unwrap()).unwrap()
}

fn cpu() -> Arc<dyn Device> {
    Arc::new(Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap())
}

fn session(architecture: &str, device: &Arc<dyn Device>, options: SessionOptions) -> Session {
    let model = Arc::new(Model::of_gguf(&file(architecture), device).unwrap());
    Session::new(&model, options).unwrap()
}

const EXACT: SessionOptions = SessionOptions { context: None, cache: DType::F32, chunk: 512 };
const TEXT: [u32; 9] = [3, 1, 4, 1, 5, 9, 2, 6, 5];

fn assert_near(found: &[f32], wanted: &[f32], bound: f32) {
    let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far <= bound, "{far} is more than {bound}");
    assert!(wanted.iter().any(|x| x.abs() > 0.1), "logits that say something");
}

#[test]
fn the_cpu_agrees_with_the_reference() {
    for architecture in ["llama", "qwen2", "qwen3"] {
        let reference: Arc<dyn Device> = Arc::new(Reference::new());
        let wanted = session(architecture, &reference, EXACT).extend(&TEXT).unwrap().to_vec();
        let found = session(architecture, &cpu(), EXACT).extend(&TEXT).unwrap().to_vec();
        assert_near(&found, &wanted, 1e-4);
    }
}

#[test]
fn chunks_single_tokens_and_rewinding_come_to_the_same() {
    let device = cpu();
    let wanted = session("llama", &device, EXACT).extend(&TEXT).unwrap().to_vec();
    let chunked = SessionOptions { chunk: 4, ..EXACT };
    assert_near(session("llama", &device, chunked).extend(&TEXT).unwrap(), &wanted, 1e-5);

    let mut single = session("llama", &device, EXACT);
    for token in TEXT {
        single.extend(&[token]).unwrap();
    }
    single.rewind(4);
    single.extend(&[7, 7, 7, 7]).unwrap();
    assert_near(single.become_text(&TEXT).unwrap(), &wanted, 1e-5);
    assert_eq!(single.tokens(), TEXT);
    assert_near(single.become_text(&TEXT).unwrap(), &wanted, 1e-5);
}

#[test]
fn smaller_caches_come_near() {
    let device = cpu();
    let wanted = session("llama", &device, EXACT).extend(&TEXT).unwrap().to_vec();
    let f16 = SessionOptions { cache: DType::F16, ..EXACT };
    assert_near(session("llama", &device, f16).extend(&TEXT).unwrap(), &wanted, 5e-3);
    // Heads of 12 are not whole blocks of 32.
    let q8 = SessionOptions { cache: DType::Q8_0, ..EXACT };
    let model = Arc::new(Model::of_gguf(&file("llama"), &device).unwrap());
    assert!(Session::new(&model, q8).is_err());
}

#[test]
fn a_token_is_one_submission_and_no_allocation() {
    let device = cpu();
    let mut session = session("llama", &device, EXACT);
    session.extend(&TEXT).unwrap();
    let before = device.stats();
    for token in TEXT {
        session.extend(&[token]).unwrap();
    }
    let after = device.stats();
    assert_eq!(after.submissions - before.submissions, TEXT.len() as u64);
    assert_eq!(after.pool, before.pool);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let device = cpu();
    let small = SessionOptions { context: Some(4), ..EXACT };
    let mut session = session("llama", &device, small);
    session.extend(&TEXT[..3]).unwrap();
    for (tokens, says) in [
        (&TEXT[..2], "2 more tokens do not fit: the context has 4 and 1 are left"),
        (&[], "no tokens"),
        (&[50], "token 50 is not in the vocabulary of 50"),
    ] {
        let error = session.extend(tokens).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(session.tokens().len(), 3);
    }
}

#[test]
fn an_architecture_that_is_not_there_is_named() {
    let error = Model::of_gguf(&file("mamba"), &cpu()).unwrap_err().to_string();
    assert!(error.contains("`mamba`") && error.contains("llama"), "{error}");
}
