//! Files that appear whole or not at all.

use crate::{Error, Result};
use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

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
    out: BufWriter<NamedTempFile>,
}

impl AtomicFile {
    /// Starts a file that will be `path`, in the same folder so that moving it is one step.
    pub fn create(path: impl AsRef<Path>) -> Result<AtomicFile> {
        let path = path.as_ref();
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bessemer-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for any other new file: what the user's mask leaves of this.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|e| Error::io(path, "create", e))?;
        Ok(AtomicFile { path: path.to_owned(), out: BufWriter::with_capacity(1 << 20, file) })
    }

    /// Writes all to disk and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let AtomicFile { path, out } = self;
        let file = out.into_inner().map_err(|e| Error::io(&path, "write", e.into_error()))?;
        file.as_file().sync_all().map_err(|e| Error::io(&path, "write", e))?;
        file.persist(&path).map_err(|e| Error::io(&path, "replace", e.error))?;
        Ok(())
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
