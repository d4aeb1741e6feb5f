//! Files mapped into memory.

use super::read;
use crate::{Error, Result};
use bessemer_core::HostMemory;
use memmap2::Mmap;
use std::{path::Path, sync::Arc};

/// Maps a file, read-only. Its pages come in as they are touched.
pub(crate) fn map(path: &Path) -> Result<HostMemory> {
    let (file, _) = read::open(path)?;
    // SAFETY: nobody may shrink or rewrite a model file while it is in use: that is the stated
    // contract of `files`, and what every reader of mapped weights asks for. Bytes that change
    // under us are only ever read as plain numbers or re-checked text.
    let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::io(path, "map", e))?;
    Ok(HostMemory::mapped(Arc::new(map), file))
}
