//! Refusals of RWKV models that are not GGUF files, and of their vocabularies.

use crate::{
    common::rwkv::{HIDDEN, Source, VOCABULARY, world},
    text,
};
use bessemer_core::DType;
use bessemer_llm::files::{ModelFile, rwkv};
use std::fs;

pub(crate) fn said() -> Vec<String> {
    let mut said = tensors();
    said.extend(configs());
    said.extend(vocabularies());
    said
}

/// What is said of a model with this `config.json`.
fn model(source: &Source, config: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    fs::write(&path, source.safetensors(DType::F16)).unwrap();
    if let Some(config) = config {
        fs::write(folder.path().join("config.json"), config).unwrap();
    }
    text(rwkv::open(&path, None).err().unwrap(), folder.path())
}

fn tensors() -> Vec<String> {
    let seven = Source::new("7");
    let without = |name: &str| {
        let mut source = seven.clone();
        source.0.retain(|part| part.name != name);
        model(&source, None)
    };
    let reshaped = |name: &str, shape: &[usize]| {
        let source = seven.changed(|part| {
            if part.name == name {
                part.shape = shape.into();
                part.values.resize(shape.iter().product(), 0.0);
            }
        });
        model(&source, None)
    };
    let mut more = seven.clone();
    more.add("blocks.0.ffn.s_emb.weight", &[VOCABULARY, HIDDEN]);
    let mut other = Source(Vec::new());
    other.add("model.layers.0.self_attn.q_proj.weight", &[HIDDEN, HIDDEN]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let mut bytes = seven.safetensors(DType::F32);
    let at = bytes.windows(3).position(|three| three == b"F32").unwrap();
    bytes[at..at + 3].copy_from_slice(b"I32");
    fs::write(&path, bytes).unwrap();
    vec![
        without("blocks.1.att.key.weight"),
        without("emb.weight"),
        reshaped("blocks.1.att.key.weight", &[HIDDEN, 3]),
        reshaped("emb.weight", &[VOCABULARY * HIDDEN]),
        reshaped("blocks.0.att.r_k", &[3, 5]),
        model(&more, None),
        model(&other, None),
        text(ModelFile::open(&path).err().unwrap(), folder.path()),
    ]
}

fn configs() -> Vec<String> {
    let (six, seven) = (Source::in_qwen("6"), Source::in_qwen("7"));
    let mut other = Source(Vec::new());
    other.add("model.layers.0.self_attn.q_proj.weight", &[HIDDEN, HIDDEN]);
    let hybrid = |keys: &str| {
        let config = format!(r#"{{"model_type": "rwkv_hybrid", "rms_norm_eps": 1e-6{keys}}}"#);
        model(&seven, Some(&config))
    };
    vec![
        model(&Source::new("7"), Some(r#"{"model_type": "rwkv6"}"#)),
        model(&other, Some(r#"{"model_type": "rwkv6"}"#)),
        model(&six, None),
        model(&six, Some(r#"{"model_type": "rwkv6qwen2"}"#)),
        hybrid(r#", "wkv_version": 6"#),
        hybrid(r#", "wkv_layers": [0]"#),
    ]
}

fn vocabularies() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("model.pth"), Source::new("4").pth(DType::F16)).unwrap();
    let with = |name: &str, content: &str| {
        fs::write(at(name), content).unwrap();
        text(rwkv::open(at("model.pth"), Some(&at(name))).err().unwrap(), folder.path())
    };
    let bpe = |model: &str, pre: &str| {
        format!(r#"{{"model": {{"type": "{model}", "vocab": {{}}}}, "pre_tokenizer": {pre}}}"#)
    };
    let mut said = vec![
        with("world.txt", &world(40)),
        with("world.txt", "1 'a'\n"),
        with("world.txt", "1 a 1\n"),
        with("world.txt", "1 'a' 2\n"),
        with("world.txt", "1 'a' 1\n1 'b' 1\n"),
        with("bpe.json", "{"),
        with("bpe.json", &bpe("Unigram", "null")),
        with("bpe.json", &bpe("BPE", r#"{"type": "Whitespace"}"#)),
    ];
    fs::write(at("tokenizer_config.json"), "{").unwrap();
    said.push(with("world.txt", &world(3)));
    said
}
