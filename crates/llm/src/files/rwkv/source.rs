//! The files that an RWKV model may be in, opened but not understood yet.

use crate::{
    Error, Result,
    files::{Config, Pth, Safetensors, Tensors, pth, read, safetensors},
};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Tensors, and what lies beside them.
pub(in crate::files) struct Source {
    pub(super) tensors: Tensors,
    pub(super) config: Option<Config>,
    /// Where a vocabulary may be.
    pub(super) folder: PathBuf,
    /// What to call the model.
    pub(super) name: String,
    /// Whether the file is named as those of web-rwkv.
    pub(super) is_st: bool,
}

/// How PyTorch's files are named in folders of Hugging Face's libraries.
const SINGLE: &str = "pytorch_model.bin";
const INDEX: &str = "pytorch_model.bin.index.json";

impl Source {
    /// Opens a file or a folder that is not GGUF.
    pub(in crate::files) fn open(path: &Path) -> Result<Source> {
        if path.is_dir() {
            return match in_folder(path) {
                Some(file) => Source::open_file(&file, path),
                None => Ok(Source::of_safetensors(&Safetensors::open(path)?, path)),
            };
        }
        Source::open_file(path, path)
    }

    fn open_file(path: &Path, named: &Path) -> Result<Source> {
        let tensors = if path.ends_with(INDEX) {
            safetensors::index_of(path, pth::add_mapped)?
        } else if is_pth(path)? {
            Pth::open(path)?.tensors().clone()
        } else {
            let files = Safetensors::open(path)?;
            return Ok(Source { name: name_of(named), ..Source::of_safetensors(&files, path) });
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let config = Config::beside(&folder)?;
        Ok(Source { tensors, config, folder, name: name_of(named), is_st: false })
    }

    pub(in crate::files) fn of_safetensors(files: &Safetensors, path: &Path) -> Source {
        let is_st = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("st"));
        Source {
            tensors: files.tensors().clone(),
            config: files.config().cloned(),
            folder: files.folder().to_owned(),
            name: name_of(path),
            is_st,
        }
    }

    /// Tensors with nothing beside them.
    pub(super) fn alone(tensors: Tensors) -> Source {
        let (folder, name) = (PathBuf::from("<memory>"), String::new());
        Source { tensors, config: None, folder, name, is_st: false }
    }

    /// The first file, for errors.
    pub(super) fn path(&self) -> &Path {
        self.tensors.files().next().unwrap_or(&self.folder)
    }
}

/// Whether a file, or what a folder holds, is only read as an RWKV model.
pub(in crate::files) fn is_pth_model(path: &Path) -> Result<bool> {
    match path.is_dir() {
        true => Ok(in_folder(path).is_some()),
        false => Ok(path.ends_with(INDEX) || is_pth(path)?),
    }
}

/// Whether a file is PyTorch's, by its name or by how it starts.
fn is_pth(path: &Path) -> Result<bool> {
    let named = |end: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(end));
    if named("pth") || named("pt") {
        return Ok(true);
    }
    if named("gguf") || named("safetensors") || named("st") || named("json") {
        return Ok(false);
    }
    let (file, _) = read::open(path)?;
    let mut start = Vec::new();
    file.take(4).read_to_end(&mut start).map_err(|e| Error::io(path, "read", e))?;
    Ok(pth::is_zip(&start))
}

/// PyTorch's files in a folder, or the only file in it that may be an RWKV model.
fn in_folder(folder: &Path) -> Option<PathBuf> {
    let safetensors = safetensors::entry_of(folder).ok();
    let known = [INDEX, SINGLE].map(|name| folder.join(name));
    let known = known.into_iter().find(|path| safetensors.is_none() && path.exists());
    if known.is_some() || safetensors.is_some() {
        return known;
    }
    let is_model = |path: &PathBuf| {
        let end = path.extension().unwrap_or_default();
        ["pth", "st"].iter().any(|e| end.eq_ignore_ascii_case(e))
    };
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(is_model).collect();
    (found.len() == 1).then(|| found.remove(0))
}

/// The name of a file without its ending, or of a folder.
fn name_of(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}
