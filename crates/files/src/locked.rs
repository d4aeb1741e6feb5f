//! A file at a fixed path that one process at a time works on.

use crate::fs::File;
use std::{fs, io, path::Path};

/// A file that is locked until it is closed.
#[derive(Debug)]
pub struct Locked(pub File);

/// Why a file could not be had.
#[derive(Debug)]
pub enum NotLocked {
    /// Another process works on it.
    Busy,
    /// The system would not open it.
    Io(io::Error),
}

/// A file may be removed or moved just before it is locked; it is opened anew this often.
const TRIES: usize = 8;

impl Locked {
    /// Opens and locks a file, never through a link.
    pub fn open(path: &Path) -> Result<Locked, NotLocked> {
        Locked::lock(path, File::open_in_place)
    }

    /// The same, or creates it.
    pub fn open_or_create(path: &Path) -> Result<Locked, NotLocked> {
        Locked::lock(path, |path| match File::open_in_place(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => File::create_new(path),
            file => file,
        })
    }

    fn lock(path: &Path, open: impl Fn(&Path) -> io::Result<File>) -> Result<Locked, NotLocked> {
        for _ in 0..TRIES {
            let file = match open(path) {
                // Somebody else has created it in between.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file.map_err(NotLocked::Io)?,
            };
            if file.try_lock() == Some(false) {
                return Err(NotLocked::Busy);
            }
            // Who had the lock before may have moved the file elsewhere.
            if is_at(&file, path).map_err(NotLocked::Io)? {
                return Ok(Locked(file));
            }
        }
        Err(NotLocked::Busy)
    }
}

/// Whether `path` still leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let here = file.metadata()?;
    let there = fs::symlink_metadata(path);
    Ok(there.is_ok_and(|there| (there.dev(), there.ino()) == (here.dev(), here.ino())))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(path).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        assert!(matches!(Locked::open(&path), Err(NotLocked::Io(_))));
        let first = Locked::open_or_create(&path).unwrap();
        assert!(matches!(Locked::open(&path), Err(NotLocked::Busy)));
        drop(first);
        Locked::open(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_folders_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("x"), folder.path().join("other"));
        fs::write(&other, b"precious").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        for path in [path.as_path(), folder.path()] {
            assert!(matches!(Locked::open_or_create(path), Err(NotLocked::Io(_))));
        }
        assert_eq!(fs::read(&other).unwrap(), b"precious");
    }
}
