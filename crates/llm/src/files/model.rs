//! A model file of either format.

use super::{
    Gguf, Safetensors, Tensors,
    rwkv::{self, Source},
};
use crate::Result;
use std::path::Path;

/// A model's files, whatever their format.
///
/// ```
/// use bessemer_llm::{files::ModelFile, model::Config, tiny};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model.gguf");
/// std::fs::write(&path, tiny::gguf())?;
/// let file = ModelFile::open(&path)?;
/// assert!(matches!(file, ModelFile::Gguf(_)));
/// assert_eq!(Config::of(&file)?.architecture, "llama");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub enum ModelFile {
    /// GGUF: weights, configuration, tokenizer and template in one. RWKV models of other files are
    /// presented as this.
    Gguf(Box<Gguf>),
    /// safetensors, with JSON files beside it.
    Safetensors(Box<Safetensors>),
}

impl ModelFile {
    /// Opens a model: a GGUF file, a safetensors file or index, or a folder with either. RWKV models may
    /// also be in files that PyTorch saved, or in safetensors files of web-rwkv (`.st`).
    pub fn open(path: impl AsRef<Path>) -> Result<ModelFile> {
        let path = path.as_ref();
        let named = |end: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(end));
        let is_pth = rwkv::is_pth_model(path)?;
        if !is_pth && !path.is_dir() && !["safetensors", "st", "json"].into_iter().any(named) {
            return Ok(ModelFile::Gguf(Box::new(Gguf::open(path)?)));
        }
        if let Some(gguf) = only_gguf(path) {
            return Ok(ModelFile::Gguf(Box::new(Gguf::open(gguf)?)));
        }
        if is_pth {
            return Ok(ModelFile::Gguf(Box::new(rwkv::open(path, None)?)));
        }
        let files = Safetensors::open(path)?;
        Ok(match rwkv::read(&Source::of_safetensors(&files, path), None)? {
            Some(file) => ModelFile::Gguf(Box::new(file)),
            None => ModelFile::Safetensors(Box::new(files)),
        })
    }

    /// Its tensors.
    pub fn tensors(&self) -> &Tensors {
        match self {
            ModelFile::Gguf(file) => file.tensors(),
            ModelFile::Safetensors(files) => files.tensors(),
        }
    }
}

/// The GGUF file of a folder that holds just one, or the first of its shards.
fn only_gguf(folder: &Path) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut found: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf")))
        .collect();
    found.sort();
    let shards = found.first().and_then(|p| super::names::ShardName::parse(p));
    let expected = shards.map_or(1, |shard| shard.count);
    (found.len() == expected).then(|| found.swap_remove(0))
}
