//! Files mapped into memory.

use super::read;
#[cfg(unix)]
use super::sigbus::Guard;
use crate::{Error, Result, error::grouped};
use bessemer_core::HostMemory;
use memmap2::Mmap;
use std::{
    fs::{File, Metadata},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

/// A file that is mapped, read-only. Its pages come in as they are touched.
pub(crate) struct Mapped {
    path: PathBuf,
    file: File,
    len: u64,
    modified: Option<SystemTime>,
    /// Before the map: it must be dropped first. Windows lets nobody truncate a mapped file.
    #[cfg(unix)]
    guard: Guard,
    map: Mmap,
}

/// Maps a file.
pub(crate) fn map(path: &Path) -> Result<Arc<Mapped>> {
    let (file, meta) = read::open(path)?;
    // SAFETY: files may be changed by others while they are mapped. Bytes that change are only ever
    // read as plain numbers or re-checked text, and a truncated file is guarded against. `Mapped`
    // reports both: see `check` and `check_unchanged`.
    let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::io(path, "map", e))?;
    Ok(Arc::new(Mapped {
        path: path.to_owned(),
        len: meta.len(),
        modified: meta.modified().ok(),
        file,
        #[cfg(unix)]
        guard: Guard::new(&map),
        map,
    }))
}

impl Mapped {
    /// Its bytes, for devices.
    pub(crate) fn memory(self: &Arc<Mapped>) -> Result<HostMemory> {
        let file = self.file.try_clone().map_err(|e| Error::io(&self.path, "open", e))?;
        Ok(HostMemory::mapped(self.clone(), file))
    }

    /// An error if bytes were read that the file no longer has: whatever was made of them is wrong.
    /// This costs next to nothing.
    pub(crate) fn check(&self) -> Result<()> {
        #[cfg(unix)]
        if self.guard.has_faulted() {
            let len = self.file.metadata().map_or(0, |meta| meta.len());
            return Err(self.truncated(len));
        }
        Ok(())
    }

    /// An error if the file has changed since it was mapped, by its length and time.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        self.check()?;
        let meta: Metadata = self.file.metadata().map_err(|e| Error::io(&self.path, "read", e))?;
        if meta.len() < self.len {
            return Err(self.truncated(meta.len()));
        }
        if meta.len() != self.len || meta.modified().ok() != self.modified {
            let why = "was changed while it was in use";
            return Err(Error::broken(&self.path, "the file", why, "open the model again"));
        }
        Ok(())
    }

    fn truncated(&self, len: u64) -> Error {
        let (len, was) = (grouped(len as usize), grouped(self.len as usize));
        let why = format!("was truncated from {was} to {len} bytes while it was in use");
        Error::broken(&self.path, "the file", why, "restore the file and open the model again")
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}
