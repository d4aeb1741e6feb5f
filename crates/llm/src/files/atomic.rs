//! Files that appear whole or not at all.

use crate::{Error, Result};
use std::{
    fs::{self, File},
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
    out: BufWriter<NamedTempFile<File>>,
}

impl AtomicFile {
    /// Starts a file that will be `path`, in the same folder so that moving it is one step. What is
    /// there and is no file, such as a folder or a device, is never replaced.
    pub fn create(path: impl AsRef<Path>) -> Result<AtomicFile> {
        let path = path.as_ref();
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(Error::io(path, "replace", io::Error::other("it is no regular file")));
        }
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bessemer-");
        // A file as any other, not one that only its owner may read or that Windows keeps off the disk.
        let file = builder
            .make_in(folder, |path| File::create_new(path))
            .map_err(|e| Error::io(path, "create", plain(e)))?;
        Ok(AtomicFile { path: path.to_owned(), out: BufWriter::with_capacity(1 << 20, file) })
    }

    /// Writes all to disk and puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let AtomicFile { path, out } = self;
        let file =
            out.into_inner().map_err(|e| Error::io(&path, "write", plain(e.into_error())))?;
        file.as_file().sync_all().map_err(|e| Error::io(&path, "write", e))?;
        // Not `persist`: on Windows it fails while the old file is open or mapped, as a model is that
        // replaces itself. What the standard library does there works.
        let mut temporary = file.into_temp_path();
        fs::rename(&temporary, &path).map_err(|e| Error::io(&path, "replace", e))?;
        temporary.disable_cleanup(true);
        Ok(())
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(plain)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(plain)
    }
}

/// What the system said, without the name of a file that nobody asked for: `tempfile` puts it behind,
/// and gives the error that it was told to nobody.
fn plain(error: io::Error) -> io::Error {
    let said = error.to_string();
    match said.split_once(" at path \"") {
        Some((said, _)) => io::Error::new(error.kind(), said),
        None => error,
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
            assert!(error.contains("it is no regular file"), "{error}");
        }
        let missing = folder.path().join("no/x.gguf");
        let error = AtomicFile::create(missing).err().unwrap().to_string();
        assert!(
            error.contains("no/x.gguf: cannot create") && !error.contains(".bessemer"),
            "{error}"
        );
    }
}
