//! The files that both sides read.

use crate::{
    random,
    shape::{Shape, is_needed},
    web_rwkv,
};
use anyhow::{Context, Result};
use bessemer::llm::files::Gguf;
use bessemer_models_bench::quantized::quantized;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The formats. Of `Q4_K` it is the small mix.
pub(crate) const KINDS: [&str; 4] = ["Q4_0", "Q8_0", "Q4_K_S", "F16"];

/// A model file.
pub(crate) struct File {
    /// What reports call it.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Bytes of the weights that a token reads.
    pub(crate) weights: usize,
    /// Bytes of the state.
    pub(crate) state: usize,
}

/// A folder of files that are made when they are asked for first, and kept.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Random weights of a shape in a format.
    pub(crate) fn file(&self, shape: &Shape, kind: &str) -> Result<File> {
        let source = self.source(shape)?;
        let path = match kind {
            "F16" => source,
            _ => quantized(&source, &self.path(shape, &format!("{kind}.gguf")), kind)?,
        };
        let weights = (Gguf::open(&path)?.tensors().iter())
            .filter(|tensor| is_needed(&tensor.name))
            .map(|tensor| tensor.range.len())
            .sum();
        let name = format!("{} {kind}", shape.name);
        Ok(File { name, path, weights, state: shape.state_bytes() })
    }

    /// The weights of a shape in F16, as web-rwkv reads them.
    pub(crate) fn safetensors(&self, shape: &Shape) -> Result<PathBuf> {
        let source = self.source(shape)?;
        made(&self.path(shape, "st"), |path| web_rwkv::convert(&Gguf::open(source)?, path))
    }

    /// Removes that file.
    pub(crate) fn forget_safetensors(&self, shape: &Shape) {
        let _ = fs::remove_file(self.path(shape, "st"));
    }

    fn source(&self, shape: &Shape) -> Result<PathBuf> {
        made(&self.path(shape, "F16.gguf"), |path| random::write(shape, path))
    }

    fn path(&self, shape: &Shape, extension: &str) -> PathBuf {
        let name = shape.name.replace(' ', "-").to_lowercase();
        self.0.join(format!("rwkv7-{name}.{extension}"))
    }
}

/// Has `make` write a file if it is not there yet: the whole of it, or nothing.
fn made(to: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    if !to.exists() {
        eprintln!("making {}", to.display());
        let part = to.with_extension("part");
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        make(&part)
            .and_then(|()| Ok(fs::rename(&part, to)?))
            .with_context(|| format!("making {}", to.display()))?;
    }
    Ok(to.to_owned())
}
