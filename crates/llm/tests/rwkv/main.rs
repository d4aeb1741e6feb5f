//! Tiny RWKV models of every version: the logits are those of `fixtures/rwkv_reference.py` and of the
//! `rwkv` package, from every kind of file, on every device, however the text gets through the model.

mod devices;
mod sessions;
mod sources;
mod story;

use bessemer_core::Device;
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_llm::{
    Model, Session, SessionOptions,
    files::{ModelFile, Safetensors, Tensors},
};
use std::{path::PathBuf, sync::Arc};

const MODELS: [&str; 11] = [
    "arwkv7",
    "arwkv7_gate",
    "rwkv4",
    "rwkv5_0",
    "rwkv5_1",
    "rwkv5_2",
    "rwkv6",
    "rwkv6_old",
    "rwkv6qwen2",
    "rwkv7",
    "rwkv7_eps",
];

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/rwkv").join(name)
}

fn model(name: &str, device: &Arc<dyn Device>) -> Arc<Model> {
    let file = ModelFile::open(folder(name).join("model.gguf")).unwrap();
    Arc::new(Model::of(&file, device).unwrap())
}

/// A text, and the logits after each of its tokens.
struct Text {
    tokens: Vec<u32>,
    logits: Vec<Vec<f32>>,
}

fn texts(name: &str) -> Vec<Text> {
    texts_of(name, "expected.safetensors")
}

fn texts_of(name: &str, file: &str) -> Vec<Text> {
    let files = Safetensors::open(folder(name).join(file)).unwrap();
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
    let count = files.tensors().iter().filter(|t| t.name.starts_with("tokens.")).count();
    assert!(count >= 3, "{name}");
    (0..count).map(text).collect()
}

/// The largest difference, for each unit of the largest logit if that is above 1: norms of heads that are
/// nearly zero amplify the last bits.
fn far(found: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(found.len(), wanted.len());
    assert!(found.iter().all(|x| x.is_finite()));
    let most = wanted.iter().map(|x| x.abs()).fold(1.0, f32::max);
    found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) / most
}

fn session(model: &Arc<Model>, chunk: usize) -> Session {
    Session::new(model, SessionOptions { chunk, ..Default::default() }).unwrap()
}

/// `bound` is how far logits may be off if more than 32 tokens go through the model at once.
fn all_agree(device: &Arc<dyn Device>, bound: f32) {
    for name in MODELS {
        let model = model(name, device);
        for text in texts(name) {
            let last = text.logits.last().unwrap();
            assert!(last.iter().any(|x| x.abs() > 0.1), "{name}: logits that say something");
            for chunk in [1, 7, 64, 512] {
                let found = session(&model, chunk).extend(&text.tokens).unwrap().to_vec();
                let far = far(&found, last);
                let bound = if chunk > 32 { bound } else { 1e-4 };
                assert!(far <= bound, "{name}, chunks of {chunk} of {}: {far}", text.tokens.len());
            }
            let mut session = session(&model, 1);
            for (i, (&token, wanted)) in text.tokens.iter().zip(&text.logits).enumerate() {
                let far = far(session.extend(&[token]).unwrap(), wanted);
                assert!(far <= 1e-4, "{name}, after token {i}: {far}");
            }
        }
    }
}

fn cpu(precise: bool) -> Arc<dyn Device> {
    let options = CpuOptions { threads: Some(2), precise, ..Default::default() };
    Arc::new(Cpu::open(options).unwrap())
}

#[test]
fn logits_are_those_of_the_package_on_the_cpu() {
    all_agree(&cpu(true), 1e-4);
}

/// Long prompts through matrices of f16 round activations to 14 bits.
#[test]
fn logits_are_near_those_of_the_package_by_default() {
    all_agree(&cpu(false), 5e-3);
}

#[test]
fn logits_are_those_of_the_package_on_the_reference() {
    all_agree(&(Arc::new(Reference::new()) as Arc<dyn Device>), 1e-4);
}
