//! Files that appear whole or not at all.

use crate::{Error, Result};
use bessemer_files::NewFile;
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// A file under construction: written beside its place, moved into it by [`AtomicFile::finish`].
/// Dropped before that, it leaves nothing behind.
///
/// ```
/// use bessemer_llm::files::AtomicFile;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("note.txt");
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AtomicFile {
    path: PathBuf,
    out: BufWriter<NewFile>,
}

impl AtomicFile {
    /// Starts a file that will be `path`, in the same folder so that moving it is one step. What is
    /// there and is no file, such as a folder or a device, is never replaced.
    pub fn create(path: impl AsRef<Path>) -> Result<AtomicFile> {
        let path = path.as_ref();
        let file = NewFile::create(path).map_err(|e| Error::io(path, "create", e))?;
        Ok(AtomicFile { path: path.to_owned(), out: BufWriter::with_capacity(1 << 20, file) })
    }

    /// Writes all to disk and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let AtomicFile { path, mut out } = self;
        // Flushed by hand: `into_inner` would keep what could not be written, and try again when dropped.
        let written = out.flush().and_then(|()| out.get_ref().sync());
        let (file, _) = out.into_parts();
        written.map_err(|e| Error::io(&path, "write", e))?;
        file.finish().map_err(|e| Error::io(&path, "replace", e))
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn devices_and_folders_stay_and_errors_name_what_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        for there in [Path::new("/dev/null"), folder.path()] {
            let error = AtomicFile::create(there).err().unwrap().to_string();
            assert!(error.contains("not a regular file"), "{error}");
        }
        let missing = folder.path().join("no/x.gguf");
        let error = AtomicFile::create(missing).err().unwrap().to_string();
        assert!(
            error.contains("no/x.gguf: cannot create") && !error.contains(".bessemer"),
            "{error}"
        );
    }
}
