//! The file operations that writing takes, each a call that tests can make fail.

use crate::faults::point;
use std::{
    fs::{self, Metadata, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// An open file.
#[derive(Debug)]
pub struct File(fs::File);

impl File {
    /// Opens a file for reading.
    pub fn open(path: &Path) -> io::Result<File> {
        point("open")?;
        fs::File::open(path).map(File)
    }

    /// Creates a file that is not there yet; a link counts as there.
    pub fn create_new(path: &Path) -> io::Result<File> {
        point("create")?;
        OpenOptions::new().read(true).write(true).create_new(true).open(path).map(File)
    }

    /// Opens a file for reading and writing, never the target of a link.
    pub fn open_in_place(path: &Path) -> io::Result<File> {
        point("open")?;
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        no_follow(&mut options);
        let file = options.open(path)?;
        // On Windows the link itself is opened.
        match crate::oddity(&file.metadata()?) {
            Some(odd) => Err(io::Error::other(format!("it is {odd}, not a regular file"))),
            None => Ok(File(file)),
        }
    }

    /// What the system knows of it.
    pub fn metadata(&self) -> io::Result<Metadata> {
        point("metadata")?;
        self.0.metadata()
    }

    /// Cuts it to a length.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        point("truncate")?;
        self.0.set_len(length)
    }

    /// Waits until all of it is on disk.
    pub fn sync_all(&self) -> io::Result<()> {
        point("sync")?;
        self.0.sync_all()
    }

    /// Locks it, if nobody else has: `false` if somebody has. Some file systems have no locks; then
    /// nobody is kept out, and the answer is `None`.
    pub fn try_lock(&self) -> Option<bool> {
        match self.0.try_lock() {
            Ok(()) => Some(true),
            Err(TryLockError::WouldBlock) => Some(false),
            Err(TryLockError::Error(_)) => None,
        }
    }
}

#[cfg(unix)]
fn no_follow(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // Not waiting: a FIFO would wait for its other end.
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
}

#[cfg(windows)]
fn no_follow(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
}

#[cfg(not(any(unix, windows)))]
fn no_follow(_: &mut OpenOptions) {}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        point("read")?;
        self.0.read(buffer)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(fault) = point("write") {
            // As a disk that fills up does: some of it is written.
            self.0.write_all(&bytes[..bytes.len() / 2])?;
            return Err(fault);
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        point("seek")?;
        self.0.seek(to)
    }
}

/// Moves a file, replacing what is there.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    point("rename")?;
    fs::rename(from, to)
}

/// Removes a file, or a link to one.
pub fn remove_file(path: &Path) -> io::Result<()> {
    point("remove")?;
    fs::remove_file(path)
}

/// Creates a folder and those it is in.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    point("create folder")?;
    fs::create_dir_all(path)
}

/// What the system knows of a file, or of what a link leads to.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    point("metadata")?;
    fs::metadata(path)
}

/// The paths in a folder.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    point("list")?;
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// A whole file that should be short: more than `most` bytes are an error.
pub fn read_short(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}
