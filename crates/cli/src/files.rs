//! Writing files whole or not at all.

use anyhow::{Context, Result};
use bessemer_files::NewFile;
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Replaces `path` by `bytes`. Whoever looks, or interrupts, finds the old file or the new one. What
/// is no file, as a pipe or `/dev/stdout`, is written to; a link stays one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, |file| Ok(file.write_all(bytes)?))
}

/// The same for what `write` writes.
pub(crate) fn write_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let written = match fs::metadata(path) {
        Ok(there) if !there.is_file() => fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(Into::into)
            .and_then(|mut file| write(&mut file)),
        Ok(_) => fs::canonicalize(path).map_err(Into::into).and_then(|path| replace(&path, write)),
        Err(_) => replace(path, write),
    };
    written.with_context(|| format!("{}: cannot be written", path.display()))
}

/// Whether [`write_whole`] will be able to write `path`, as far as can be told now: for those who
/// would find out after much work. Nothing is changed.
pub(crate) fn may_write(path: &Path) -> Result<()> {
    let may = match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(()),
        Ok(_) => fs::canonicalize(path).and_then(|path| probe(&path)),
        Err(_) => probe(path),
    };
    may.with_context(|| format!("{}: cannot be written", path.display()))
}

fn probe(path: &Path) -> io::Result<()> {
    named(path).and_then(NewFile::create).map(drop)
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut file = named(path).and_then(NewFile::create)?;
    write(&mut file)?;
    Ok(file.finish()?)
}

/// A path that a file can have.
fn named(path: &Path) -> io::Result<&Path> {
    path.file_name().map(|_| path).ok_or(io::ErrorKind::InvalidFilename.into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::{fs::FileTypeExt, fs::symlink};

    #[test]
    fn only_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write_whole(&file, b"old").unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left over");

        let device = folder.path().join("device");
        symlink("/dev/null", &device).unwrap();
        write_whole(&device, b"x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let error = write_whole(folder.path(), b"x").unwrap_err();
        assert!(format!("{error:#}").contains(": cannot be written: "), "{error:#}");
    }

    #[test]
    fn whether_a_file_can_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        may_write(&file).unwrap();
        assert!(!file.exists());
        write_whole(&file, b"old").unwrap();
        may_write(&file).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        may_write(Path::new("/dev/null")).unwrap();
        for wrong in [folder.path(), &folder.path().join("no/file"), &file.join("x"), Path::new("")]
        {
            let error = may_write(wrong).unwrap_err();
            assert!(format!("{error:#}").contains(": cannot be written: "), "{error:#}");
        }
    }
}
