//! Tiny models of every architecture, from files of both kinds, on both devices: the logits are
//! those that `transformers` found, however the text gets through the model.

use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_llm::{
    Model, Session, SessionOptions,
    files::{ModelFile, Safetensors, Tensors},
    inspect::Summary,
};
use std::{path::PathBuf, sync::Arc};

const MODELS: [&str; 14] = [
    "gemma2",
    "gemma3",
    "lfm2",
    "llama2",
    "llama3",
    "llama_yarn",
    "mistral",
    "mixtral",
    "phi3",
    "qwen2",
    "qwen2_moe",
    "qwen2_window",
    "qwen3",
    "qwen3_moe",
];

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/models").join(name)
}

/// The model of a folder, from either kind of file.
fn sources(name: &str) -> [ModelFile; 2] {
    let files = Safetensors::open(folder(name).join(match name {
        "llama3" => "model.safetensors.index.json",
        _ => "model.safetensors",
    }));
    let gguf = ModelFile::open(folder(name).join("model.gguf")).unwrap();
    [ModelFile::Safetensors(Box::new(files.unwrap())), gguf]
}

/// A text, and the logits after each of its tokens.
struct Text {
    tokens: Vec<u32>,
    logits: Vec<Vec<f32>>,
}

fn texts(name: &str) -> Vec<Text> {
    let files = Safetensors::open(folder(name).join("expected.safetensors")).unwrap();
    let words = |tensors: &Tensors, name: &str| -> Vec<[u8; 4]> {
        tensors.bytes(tensors.require(name).unwrap()).as_chunks().0.to_vec()
    };
    let text = |i: usize| {
        let tokens = words(files.tensors(), &format!("tokens.{i}"));
        let logits = words(files.tensors(), &format!("logits.{i}"));
        let logits: Vec<f32> = logits.into_iter().map(f32::from_le_bytes).collect();
        let width = logits.len() / tokens.len();
        Text {
            tokens: tokens.into_iter().map(u32::from_le_bytes).collect(),
            logits: logits.chunks(width).map(<[f32]>::to_vec).collect(),
        }
    };
    (0..3).map(text).collect()
}

fn assert_near(found: &[f32], wanted: &[f32], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far <= 1e-4, "{what}: off by {far}");
    assert!(found.iter().all(|x| x.is_finite()), "{what}");
    assert!(wanted.iter().any(|x| x.abs() > 0.1), "{what}: logits that say something");
}

/// A session with room for a text: of phi-3, those of up to 16 tokens are turned otherwise than
/// longer ones.
fn session(model: &Arc<Model>, text: &Text, chunk: usize) -> Session {
    let context = Some(if text.tokens.len() <= 16 { 16 } else { 64 });
    Session::new(model, SessionOptions { context, cache: DType::F32, chunk, ..Default::default() })
        .unwrap()
}

fn all_agree(device: &Arc<dyn Device>) {
    for name in MODELS {
        for (kind, file) in ["safetensors", "gguf"].iter().zip(sources(name)) {
            let model = Arc::new(Model::of(&file, device).unwrap());
            for text in texts(name) {
                let last = text.logits.last().unwrap();
                let what = |how: &str| format!("{name} ({kind}), {} {how}", text.tokens.len());
                let found = session(&model, &text, 64).extend(&text.tokens).unwrap().to_vec();
                assert_near(&found, last, &what("in one pass"));
                let found = session(&model, &text, 5).extend(&text.tokens).unwrap().to_vec();
                assert_near(&found, last, &what("in chunks"));
                let mut session = session(&model, &text, 1);
                for (i, (&token, wanted)) in text.tokens.iter().zip(&text.logits).enumerate() {
                    let found = session.extend(&[token]).unwrap();
                    assert_near(found, wanted, &what(&format!("one by one, at {i}")));
                }
            }
        }
    }
}

#[test]
fn logits_are_those_of_transformers_on_the_cpu() {
    all_agree(
        &(Arc::new(Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap())
            as Arc<dyn Device>),
    );
}

#[test]
fn logits_are_those_of_transformers_on_the_reference() {
    all_agree(&(Arc::new(Reference::new()) as Arc<dyn Device>));
}

#[test]
fn sessions_take_the_memory_that_was_estimated() {
    for name in MODELS {
        for file in sources(name) {
            let device: Arc<dyn Device> = Arc::new(Reference::new());
            let model = Arc::new(Model::of(&file, &device).unwrap());
            let before = device.stats().pool.live_bytes;
            let options = SessionOptions {
                context: Some(600),
                cache: DType::F16,
                ..SessionOptions::default()
            };
            let _session = Session::new(&model, options).unwrap();
            let found = device.stats().pool.live_bytes - before;
            let memory = Summary::new(&file, 600, DType::F16).unwrap().memory;
            let wanted = memory.kv_cache.unwrap() + memory.work.unwrap();
            // Buffers come in sizes an eighth of an octave apart.
            assert!((wanted..=wanted * 9 / 8 + 8192).contains(&found), "{name}: {found}, {wanted}");
        }
    }
}
