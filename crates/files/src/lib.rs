//! Writing files: whole or not at all, never through a link, locked while they are written, and swept up
//! after a crash. What is in the files is the business of the crates above.
//!
//! ```
//! use bessemer_files::NewFile;
//! use std::io::Write;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("note.txt");
//! let mut file = NewFile::create(&path)?;
//! file.write_all(b"all of it")?;
//! assert!(!path.exists());
//! file.finish()?;
//! assert_eq!(std::fs::read(&path)?, b"all of it");
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod faults;
pub mod fs;
mod locked;
mod unfinished;

pub use locked::{Locked, NotLocked};
pub use unfinished::{NewFile, NewFolder, abandon, sweep};

use std::fs::Metadata;

/// What a file is, for errors: `None` if it is a regular file.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// assert_eq!(bessemer_files::oddity(&std::fs::metadata(folder.path())?), Some("a directory"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn oddity(meta: &Metadata) -> Option<&'static str> {
    let kind = meta.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a FIFO");
        } else if kind.is_socket() {
            return Some("a socket");
        } else if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    match () {
        () if kind.is_dir() => Some("a directory"),
        () if kind.is_symlink() => Some("a symbolic link"),
        () if kind.is_file() => None,
        () => Some("a special file"),
    }
}
