//! The files both sides read. All are made by llama.cpp's own quantiser, so that nobody can say
//! that ours suits us.

use anyhow::{Context, Result};
use bessemer::{
    DType, Shape,
    llm::files::{Gguf, gguf::GgufWriter},
};
use bessemer_models_bench::peer::{Peer, Side};
use half::f16;
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A model file.
pub(crate) struct File {
    /// What reports call it.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The same weights in f32, where exact logits are asked for.
    pub(crate) exact: Option<PathBuf>,
    /// Bytes of its weights.
    pub(crate) bytes: f64,
}

/// SmolLM2-135M in each format.
pub(crate) fn small(
    source: &Path,
    folder: &Path,
    python: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<File>> {
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let mut files = Vec::new();
    // What prompts are compared with, llama.cpp's fastest, comes first.
    for kind in ["Q4_0", "Q4_1", "Q8_0", "Q4_K_M", "F16"] {
        let name = format!("SmolLM2-135M {kind}");
        if !wanted(&name) {
            continue;
        }
        let path = match kind {
            "Q4_1" => source.to_owned(),
            _ => quantized(source, &folder.join(format!("smollm2.{kind}.gguf")), kind, python)?,
        };
        let exact = folder.join(format!("smollm2.{kind}.exact.gguf"));
        let exact = Some(quantized(&path, &exact, "F32", python)?);
        let bytes = weight_bytes(&path)?;
        files.push(File { name, path, exact, bytes });
    }
    Ok(files)
}

/// A model of the shape of Llama-3.2-1B with random weights.
pub(crate) fn large(
    folder: &Path,
    python: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for kind in ["Q4_0", "Q4_K_S"] {
        let name = format!("1B shape {kind}");
        if !wanted(&name) {
            continue;
        }
        let path = folder.join(format!("1b.{kind}.gguf"));
        if !path.exists() {
            let source = folder.join("1b.F16.gguf");
            random_1b(&source).with_context(|| format!("making {}", source.display()))?;
            quantized(&source, &path, kind, python)?;
        }
        let bytes = weight_bytes(&path)?;
        files.push(File { name, path, exact: None, bytes });
    }
    // Two gigabytes that nothing needs any more.
    let _ = fs::remove_file(folder.join("1b.F16.gguf"));
    Ok(files)
}

/// Has llama.cpp make a file, if it is not there yet.
fn quantized(source: &Path, to: &Path, kind: &str, python: &Path) -> Result<PathBuf> {
    if !to.exists() {
        let part = to.with_extension("part");
        let mut llama = Peer::start(Side::Llama, python)?;
        llama.ask("quantize", json!({ "source": source, "to": part, "kind": kind }))?;
        fs::rename(&part, to)?;
    }
    Ok(to.to_owned())
}

fn weight_bytes(path: &Path) -> Result<f64> {
    let file = Gguf::open(path)?;
    let separate = file.tensors().get("output.weight").is_some();
    let read = |name: &str| !(separate && name == "token_embd.weight");
    let read = file.tensors().iter().filter(|tensor| read(&tensor.name));
    Ok(read.map(|tensor| tensor.range.len() as f64).sum())
}

/// Random weights of a size that keeps activations tame, and no vocabulary.
fn random_1b(path: &Path) -> Result<()> {
    const LAYERS: usize = 16;
    const HIDDEN: usize = 2048;
    const VOCABULARY: usize = 128_256;
    let mut plan = GgufWriter::new();
    plan.set("general.architecture", "llama").set("tokenizer.ggml.model", "none");
    plan.set("llama.attention.layer_norm_rms_epsilon", 1e-5f32);
    plan.set("llama.rope.freq_base", 500_000f32);
    for (key, value) in [
        ("block_count", LAYERS),
        ("context_length", 131_072),
        ("embedding_length", HIDDEN),
        ("feed_forward_length", 8192),
        ("attention.head_count", 32),
        ("attention.head_count_kv", 8),
        ("rope.dimension_count", 64),
        ("vocab_size", VOCABULARY),
    ] {
        plan.set(&format!("llama.{key}"), value as u32);
    }
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), vec![VOCABULARY, HIDDEN]),
        ("output_norm.weight".to_owned(), vec![HIDDEN]),
    ];
    for layer in 0..LAYERS {
        for (name, dims) in [
            ("attn_norm", vec![HIDDEN]),
            ("attn_q", vec![HIDDEN, HIDDEN]),
            ("attn_k", vec![512, HIDDEN]),
            ("attn_v", vec![512, HIDDEN]),
            ("attn_output", vec![HIDDEN, HIDDEN]),
            ("ffn_norm", vec![HIDDEN]),
            ("ffn_gate", vec![8192, HIDDEN]),
            ("ffn_up", vec![8192, HIDDEN]),
            ("ffn_down", vec![HIDDEN, 8192]),
        ] {
            tensors.push((format!("blk.{layer}.{name}.weight"), dims));
        }
    }
    for (name, dims) in &tensors {
        let dtype = if dims.len() == 1 { DType::F32 } else { DType::F16 };
        plan.tensor(name, dtype, Shape::new(dims)?)?;
    }
    let mut file = plan.begin(path)?;
    let mut seed = 1u64;
    for (_, dims) in &tensors {
        match dims[..] {
            [n, k] => file.tensor(&random(n * k, 1.7 / (k as f32).sqrt(), &mut seed))?,
            _ => file.tensor(&1f32.to_le_bytes().repeat(dims[0]))?,
        }
    }
    Ok(file.finish()?)
}

/// Numbers from `-scale` to `scale`, as halves.
fn random(count: usize, scale: f32, seed: &mut u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * count);
    for _ in 0..count {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let unit = (*seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        bytes.extend(f16::from_f32(unit * scale).to_le_bytes());
    }
    bytes
}
