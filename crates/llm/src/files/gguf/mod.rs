//! GGUF, versions 2 and 3: reading, with shards, and writing.

mod cursor;
mod metadata;
mod read;
mod shards;
mod types;
mod value;
mod write;

pub use metadata::{Entry, FromListed, FromValue, Metadata};
pub use types::Kind;
pub use value::{Array, Value};
pub use write::{GgufStream, GgufWriter};

use super::{map::map, names::ShardName, tensors::Tensors};
use crate::Result;
use bessemer_core::HostMemory;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A GGUF model, mapped. Its file should not be changed while it is in use: what is computed then is
/// wrong, or an error if the file was truncated.
///
/// ```
/// use bessemer_core::{DType, Shape};
/// use bessemer_llm::files::{Gguf, GgufWriter};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("tiny.gguf");
/// let mut writer = GgufWriter::new();
/// writer.set("general.architecture", "llama");
/// writer.tensor("token_embd.weight", DType::F32, Shape::new(&[2, 3])?)?;
/// let mut stream = writer.begin(&path)?;
/// stream.tensor(&[0; 24])?;
/// stream.finish()?;
///
/// let file = Gguf::open(&path)?;
/// assert_eq!(file.metadata().require::<&str>("general.architecture")?, "llama");
/// let tensor = file.tensors().require("token_embd.weight")?;
/// assert_eq!((tensor.dtype, &*tensor.shape), (DType::F32, &[2, 3][..]));
/// assert_eq!(file.tensors().bytes(tensor), &[0; 24]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Gguf {
    version: u32,
    metadata: Metadata,
    tensors: Tensors,
}

impl Gguf {
    /// Opens a file; of a model in shards, any one opens them all.
    pub fn open(path: impl AsRef<Path>) -> Result<Gguf> {
        let path = path.as_ref();
        match ShardName::parse(path) {
            Some(shard) if shard.count > 1 => shards::open(path, &shard),
            _ => Gguf::map(path),
        }
    }

    /// Reads a file that is in memory already.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Gguf> {
        Gguf::from_memory(HostMemory::new(Arc::new(bytes)))
    }

    /// Reads a file from memory that stays as it is: one that is compiled in, for instance.
    pub fn from_memory(memory: HostMemory) -> Result<Gguf> {
        Gguf::read(&PathBuf::from("<memory>"), memory)
    }

    fn map(path: &Path) -> Result<Gguf> {
        let map = map(path)?;
        let read = Gguf::read(path, map.memory()?);
        // What looks damaged may have been truncated just now.
        map.check()?;
        let mut file = read?;
        file.tensors.watch(map)?;
        Ok(file)
    }

    fn read(path: &Path, data: HostMemory) -> Result<Gguf> {
        let head = read::head(path, &data)?;
        let mut tensors = Tensors::new();
        tensors.add(path, data, head.tensors)?;
        Ok(Gguf { version: head.version, metadata: head.metadata, tensors })
    }

    /// What a file of these would be.
    pub(super) fn assembled(metadata: Metadata, tensors: Tensors) -> Gguf {
        Gguf { version: 3, metadata, tensors }
    }

    /// The version of the format: 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Its keys and values; of a model in shards, those of the first.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Its tensors, of all shards.
    pub fn tensors(&self) -> &Tensors {
        &self.tensors
    }
}
