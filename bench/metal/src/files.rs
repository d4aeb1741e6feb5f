//! The files of SmolLM2-135M: in four formats, and with its first layers alone.

use anyhow::Result;
use bessemer::llm::files::{Gguf, gguf::GgufWriter};
use bessemer_models_bench::quantized::quantized;
use std::path::{Path, PathBuf};

/// The formats.
pub(crate) const KINDS: [&str; 4] = ["Q4_1", "Q8_0", "Q4_K_M", "F16"];

/// The file in a format, made if it is not there yet.
pub(crate) fn of_kind(kind: &str, source: &Path, folder: &Path) -> Result<PathBuf> {
    match kind {
        "Q4_1" => Ok(source.to_owned()),
        _ => quantized(source, &folder.join(format!("smollm2.{kind}.gguf")), kind),
    }
}

/// A model in memory of which only the first layers are left. Layers are alike, so what one of them
/// does can be told from two such models.
pub(crate) fn first_layers(path: &Path, layers: usize) -> Result<Gguf> {
    let file = Gguf::open(path)?;
    let mut writer = GgufWriter::new();
    for entry in file.metadata().iter() {
        writer.set(&entry.key, entry.value.clone());
    }
    writer.set("llama.block_count", layers as u32);
    let kept = |name: &str| match name.strip_prefix("blk.").and_then(|rest| rest.split_once('.')) {
        Some((number, _)) => number.parse::<usize>().is_ok_and(|number| number < layers),
        None => true,
    };
    let tensors = file.tensors();
    let mut bytes = Vec::new();
    for tensor in tensors.iter().filter(|tensor| kept(&tensor.name)) {
        writer.tensor(&tensor.name, tensor.dtype, tensor.shape)?;
        bytes.push(tensors.bytes(tensor));
    }
    Ok(Gguf::from_bytes(writer.to_bytes(&bytes)?)?)
}

/// Bytes of the weights that a token needs: all of them, but for an embedding that is no output.
pub(crate) fn weight_bytes(file: &Gguf) -> u64 {
    let tied = !file.tensors().iter().any(|tensor| tensor.name == "output.weight");
    let needed = file.tensors().iter().filter(|tensor| tied || tensor.name != "token_embd.weight");
    needed.map(|tensor| tensor.range.len() as u64).sum()
}
