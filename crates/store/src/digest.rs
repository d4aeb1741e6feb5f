//! SHA-256 of files.

use crate::{Error, Result};
use bessemer_files::fs::File;
use sha2::{Digest, Sha256};
use std::{io::Read, path::Path};

/// The SHA-256 of a file, in hexadecimal, and its length. `progress` hears how many bytes are done.
pub(crate) fn of_file(path: &Path, progress: &mut dyn FnMut(u64)) -> Result<(String, u64)> {
    let mut file = File::open(path).map_err(|e| Error::io(path, "open", e))?;
    let mut hash = Sha256::new();
    let done = feed(&mut hash, &mut file, progress).map_err(|e| Error::io(path, "read", e))?;
    Ok((hex(&hash.finalize()), done))
}

/// Hashes the rest of a file; gives how long that is.
pub(crate) fn feed(
    hash: &mut Sha256,
    file: &mut File,
    progress: &mut dyn FnMut(u64),
) -> std::io::Result<u64> {
    let (mut done, mut buffer) = (0, vec![0; 1 << 18]);
    loop {
        progress(done);
        match file.read(&mut buffer)? {
            0 => return Ok(done),
            count => {
                hash.update(&buffer[..count]);
                done += count as u64;
            }
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether this is a SHA-256 in hexadecimal.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}
