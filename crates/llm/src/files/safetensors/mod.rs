//! safetensors files and folders as Hugging Face lays them out: weights, index, `config.json`.

mod config;
mod header;
mod index;

pub use config::Config;
pub(super) use index::open as index_of;

use super::{map::map, names::ShardName, tensors::Tensors};
use crate::{Error, Result};
use bessemer_core::HostMemory;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

const SINGLE: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";

/// A model of safetensors files, mapped. They should not be changed while it is in use: what is computed
/// then is wrong, or an error if a file was truncated.
///
/// ```
/// use bessemer_core::DType;
/// use bessemer_llm::files::Safetensors;
///
/// let header = br#"{"bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
/// let mut file = (header.len() as u64).to_le_bytes().to_vec();
/// file.extend(header);
/// file.extend([1.0f32, -2.0].iter().flat_map(|x| x.to_le_bytes()));
/// let model = Safetensors::from_bytes(file)?;
/// assert_eq!(model.tensors().require("bias")?.dtype, DType::F32);
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone)]
pub struct Safetensors {
    folder: PathBuf,
    config: Option<Config>,
    tensors: Tensors,
}

impl Safetensors {
    /// Opens a model's folder, its index, its only file, or any one of its shards. A
    /// `config.json` beside it is read too.
    pub fn open(path: impl AsRef<Path>) -> Result<Safetensors> {
        let path = path.as_ref();
        let entry = if path.is_dir() { entry_of(path)? } else { path.to_owned() };
        let folder = entry.parent().unwrap_or(Path::new("")).to_owned();
        let tensors = if entry.extension().is_some_and(|e| e == "json") {
            index_of(&entry, add_mapped)?
        } else {
            match ShardName::parse(&entry) {
                Some(shard) if shard.count > 1 => {
                    let index = folder.join(INDEX);
                    if !index.exists() {
                        let remedy = "download it too, as it lists the tensors of each shard";
                        let why = "is missing beside the shards";
                        return Err(Error::broken(&index, "the file", why, remedy));
                    }
                    index_of(&index, add_mapped)?
                }
                _ => {
                    let mut tensors = Tensors::new();
                    add_mapped(&mut tensors, &entry)?;
                    tensors
                }
            }
        };
        let config = Config::beside(&folder)?;
        Ok(Safetensors { folder, config, tensors })
    }

    /// Reads a file that is in memory already.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Safetensors> {
        let mut tensors = Tensors::new();
        let data = HostMemory::new(Arc::new(bytes));
        add(&mut tensors, Path::new("<memory>"), data)?;
        Ok(Safetensors { folder: PathBuf::new(), config: None, tensors })
    }

    /// The folder the files are in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The model's `config.json`, if there is one.
    pub fn config(&self) -> Option<&Config> {
        self.config.as_ref()
    }

    /// The model's `config.json`, or an error that names where it should be.
    pub fn require_config(&self) -> Result<&Config> {
        self.config.as_ref().ok_or_else(|| {
            let remedy = "download it too, as it describes the model";
            let path = self.folder.join("config.json");
            Error::broken(&path, "the file", "is missing beside the weights", remedy)
        })
    }

    /// Its tensors, of all files.
    pub fn tensors(&self) -> &Tensors {
        &self.tensors
    }
}

pub(super) fn entry_of(folder: &Path) -> Result<PathBuf> {
    let found = [INDEX, SINGLE].map(|name| folder.join(name));
    found.into_iter().find(|p| p.exists()).ok_or_else(|| {
        let why = format!("has neither {SINGLE} nor {INDEX}");
        let remedy = "pass the model's file or its folder";
        Error::broken(folder, "the folder", why, remedy)
    })
}

fn add_mapped(tensors: &mut Tensors, path: &Path) -> Result<()> {
    let map = map(path)?;
    let added = add(tensors, path, map.memory()?);
    // What looks damaged may have been truncated just now.
    tensors.watch(map)?;
    added
}

fn add(tensors: &mut Tensors, path: &Path, data: HostMemory) -> Result<()> {
    let found = header::read(path, data.bytes())?;
    tensors.add(path, data, found)
}
