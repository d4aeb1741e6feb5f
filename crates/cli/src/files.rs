//! Writing files whole or not at all.

use anyhow::{Context, Result};
use std::{fs, path::Path};

/// Replaces `path` by `bytes`. Whoever looks, or interrupts, finds the old file or the new one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // Whatever there is of it; the first error is the one to tell.
        let _ = fs::remove_file(&part);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}
