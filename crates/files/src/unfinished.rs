//! Files and folders under construction: beside their place, under hidden names, locked by the process
//! that makes them. Whatever a killed process left behind is removed by the next one.

use crate::fs::{self, File};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

/// How the names of all that is under construction start.
const PREFIX: &str = ".bessemer-";

/// The file in a folder under construction that holds its lock.
const LOCK: &str = ".lock";

/// What this process has under construction.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished { paths: Vec::new(), closed: false });

struct Unfinished {
    paths: Vec<PathBuf>,
    /// Nothing can be finished any more.
    closed: bool,
}

/// A file under construction: it takes its place when it is [finished](NewFile::finish). Dropped before
/// that, it leaves nothing behind.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    in_place: bool,
}

impl NewFile {
    /// Starts a file that will be `path`, in the same folder so that moving it is one step. What is
    /// there and is no regular file, such as a folder or a device, is never replaced. What killed
    /// processes left in that folder is removed.
    pub fn create(path: &Path) -> io::Result<NewFile> {
        if let Some(odd) = fs::metadata(path).ok().and_then(|there| crate::oddity(&there)) {
            return Err(io::Error::other(format!("it is {odd}, not a regular file")));
        }
        let folder = folder_of(path);
        sweep(folder);
        loop {
            let temporary = fresh(folder);
            let file = match registered(&temporary, || File::create_new(&temporary)) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            let new = NewFile { file, temporary, path: path.to_owned(), in_place: false };
            // Another process may have swept it up before it was locked.
            if new.file.try_lock() != Some(false) && new.temporary.exists() {
                return Ok(new);
            }
        }
    }

    /// Waits until all of it is on disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> io::Result<()> {
        let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        if unfinished.closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        fs::rename(&self.temporary, &self.path)?;
        self.in_place = true;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.in_place {
            // What can't be removed now is swept up later.
            let _ = fs::remove_file(&self.temporary);
        }
        forget(&self.temporary);
    }
}

/// A folder for passing use, removed with all that is in it when dropped.
#[derive(Debug)]
pub struct NewFolder {
    path: PathBuf,
    /// Locked while this lives.
    lock: Option<File>,
}

impl NewFolder {
    /// Creates one in `folder`. What killed processes left there is removed.
    pub fn create_in(folder: &Path) -> io::Result<NewFolder> {
        sweep(folder);
        let path = fresh(folder);
        let lock = registered(&path, || {
            fs::create_dir_all(&path)?;
            File::create_new(&path.join(LOCK))
        });
        let lock = lock.inspect_err(|_| _ = std::fs::remove_dir_all(&path))?;
        lock.try_lock();
        Ok(NewFolder { path, lock: Some(lock) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // Windows removes no folder with an open file in it.
        self.lock.take();
        // What can't be removed now is swept up later.
        let _ = std::fs::remove_dir_all(&self.path);
        forget(&self.path);
    }
}

/// Removes all that this process has under construction; nothing can be finished after that. For those
/// who are about to end the process.
pub fn abandon() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    unfinished.closed = true;
    for path in unfinished.paths.drain(..) {
        remove(&path);
    }
}

/// Removes what processes that are gone had under construction in a folder. What has a living owner is
/// locked and stays; so does everything on file systems without locks.
pub fn sweep(folder: &Path) {
    for path in fs::list(folder).unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(PREFIX) {
            continue;
        }
        let is_folder = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        let lock = if is_folder { path.join(LOCK) } else { path.clone() };
        match File::open_in_place(&lock) {
            Ok(file) if file.try_lock() == Some(true) => {
                drop(file);
                remove(&path);
            }
            // Its owner died before it could lock it, or is about to: an empty folder is no loss.
            Err(e) if is_folder && e.kind() == io::ErrorKind::NotFound => {
                let _ = std::fs::remove_dir(&path);
            }
            _ => {}
        }
    }
}

fn remove(path: &Path) {
    // There is nobody to tell, and the next sweep tries again.
    let _ = match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(path),
        _ => std::fs::remove_file(path),
    };
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A name that is most likely not taken.
fn fresh(folder: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    folder.join(format!("{PREFIX}{}-{count}-{time:08x}", process::id()))
}

/// Creates what lies at `path`, known to [`abandon`] from the moment it is there.
fn registered<T>(path: &Path, create: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    if unfinished.closed {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let created = create()?;
    unfinished.paths.push(path.to_owned());
    Ok(created)
}

fn forget(path: &Path) {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    unfinished.paths.retain(|known| known != path);
}
