//! `.pth` files: the tensors that PyTorch's `torch.save` wrote. Of the pickle in them only what tensors
//! need is read, and nothing is run.

mod pickle;
mod tensors;
mod values;
mod zip;

use super::{map::map, tensors::Tensors};
use crate::{Error, Result};
use bessemer_core::HostMemory;
use std::{path::Path, sync::Arc};

/// What zips start with.
const ZIP: &[u8] = b"PK\x03\x04";

/// A file that PyTorch 1.6 or newer has saved, mapped. It should not be changed while it is in use: what
/// is computed then is wrong, or an error if it was truncated.
///
/// Tensors are used where they lie; those whose elements do not follow each other are copied.
///
/// ```no_run
/// use bessemer_llm::files::Pth;
///
/// let file = Pth::open("RWKV-x070-World-0.1B-v2.8-20241210-ctx4096.pth")?;
/// let embeddings = file.tensors().require("emb.weight")?;
/// assert_eq!(*embeddings.shape, [65536, 768]);
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone)]
pub struct Pth {
    tensors: Tensors,
}

impl Pth {
    /// Opens a file.
    pub fn open(path: impl AsRef<Path>) -> Result<Pth> {
        let mut tensors = Tensors::new();
        add_mapped(&mut tensors, path.as_ref())?;
        Ok(Pth { tensors })
    }

    /// Reads a file that is in memory already.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Pth> {
        let mut tensors = Tensors::new();
        add(&mut tensors, Path::new("<memory>"), HostMemory::new(Arc::new(bytes)))?;
        Ok(Pth { tensors })
    }

    /// Its tensors.
    pub fn tensors(&self) -> &Tensors {
        &self.tensors
    }
}

pub(super) fn add_mapped(tensors: &mut Tensors, path: &Path) -> Result<()> {
    let map = map(path)?;
    let added = add(tensors, path, map.memory()?);
    // What looks damaged may have been truncated just now.
    tensors.watch(map)?;
    added
}

/// Whether bytes start as files of this kind do.
pub(super) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(ZIP)
}

fn add(tensors: &mut Tensors, path: &Path, data: HostMemory) -> Result<()> {
    let bytes = data.bytes();
    if !is_zip(bytes) {
        // Before 1.6 a file was several pickles in a row.
        let (why, remedy) = match bytes.first() {
            Some(0x80) => (
                "was saved in the format of PyTorch 1.5 or older",
                "load it and save it again with a newer PyTorch",
            ),
            _ => ("was not written by torch.save", "pass a .pth, safetensors or GGUF file"),
        };
        return Err(Error::broken(path, "the file", why, remedy));
    }
    let entries = zip::entries(path, bytes)?;
    let found = tensors::find(path, bytes, &entries)?;
    tensors.add_views(path, data.clone(), found.in_place)?;
    if found.copied.is_empty() {
        return Ok(());
    }
    tensors.add_views(path, HostMemory::new(Arc::new(found.memory)), found.copied)
}
