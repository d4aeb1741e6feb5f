//! Opening what should be a regular file: a FIFO never blocks, and nothing that is no file is read.

use crate::{
    Error, Result,
    error::{DAMAGED, grouped},
};
use std::{
    fs::{File, FileType, Metadata, OpenOptions},
    io::Read,
    path::Path,
};

/// Opens a regular file that is not empty.
pub(crate) fn open(path: &Path) -> Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a FIFO waits for a writer otherwise; regular files do not care.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let opened = options.open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (meta, file) = match opened {
        Ok((meta, file)) => (meta, file),
        // Sockets cannot be opened, and on Windows folders cannot.
        Err(error) => match std::fs::metadata(path) {
            Ok(meta) if !meta.is_file() => return Err(irregular(path, meta.file_type())),
            _ => return Err(Error::io(path, "open", error)),
        },
    };
    if !meta.is_file() {
        return Err(irregular(path, meta.file_type()));
    }
    if meta.len() == 0 {
        let (why, remedy) = match path.starts_with("/proc") || path.starts_with("/sys") {
            true => ("has no size of its own", "copy its content to a regular file"),
            false => ("has 0 bytes", DAMAGED),
        };
        return Err(Error::broken(path, "the file", why, remedy));
    }
    Ok((file, meta))
}

/// All bytes of a file that has at most `most`.
pub(crate) fn all(path: &Path, most: u64) -> Result<Vec<u8>> {
    let (file, meta) = open(path)?;
    let mut bytes = Vec::new();
    if meta.len() <= most {
        // What grows while it is read is too long, too.
        let read = file.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|e| Error::io(path, "read", e))?;
    }
    let len = meta.len().max(bytes.len() as u64);
    if len > most {
        let (len, most) = (grouped(len as usize), grouped(most as usize));
        let why = format!("has {len} bytes, more than the {most} that are read");
        return Err(Error::broken(
            path,
            "the file",
            why,
            "use the file that the model's authors published",
        ));
    }
    Ok(bytes)
}

/// The same for a text.
pub(crate) fn text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(all(path, most)?)
        .map_err(|e| Error::damaged(path, "the file", format!("is not UTF-8: {}", e.utf8_error())))
}

fn irregular(path: &Path, kind: FileType) -> Error {
    let (what, remedy) = match kind {
        kind if kind.is_dir() => ("is a folder", "pass a file in it"),
        kind => (special(kind), "pass a regular file"),
    };
    Error::broken(path, "the file", what, remedy)
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_fifo() => "is a FIFO",
        kind if kind.is_socket() => "is a socket",
        kind if kind.is_char_device() => "is a character device",
        kind if kind.is_block_device() => "is a block device",
        _ => "is not a regular file",
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "is not a regular file"
}
