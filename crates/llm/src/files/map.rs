//! Files mapped into memory.

use crate::{Error, Result, error::DAMAGED};
use bessemer_core::HostMemory;
use memmap2::Mmap;
use std::{fs::File, path::Path, sync::Arc};

/// Maps a file, read-only. Its pages come in as they are touched.
pub(crate) fn map(path: &Path) -> Result<HostMemory> {
    let file = File::open(path).map_err(|e| Error::io(path, "open", e))?;
    let meta = file.metadata().map_err(|e| Error::io(path, "open", e))?;
    if meta.is_dir() {
        return Err(Error::broken(path, "path", "is a folder", "name a file in it"));
    }
    if meta.len() == 0 {
        return Err(Error::broken(path, "byte 0", "is empty", DAMAGED));
    }
    // SAFETY: nobody may shrink or rewrite a model file while it is in use: that is the stated
    // contract of `files`, and what every reader of mapped weights asks for. Bytes that change
    // under us are only ever read as plain numbers or re-checked text.
    let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::io(path, "map", e))?;
    Ok(HostMemory::mapped(Arc::new(map), file))
}
