//! The disk cache: files by digest, written whole or not at all, verified when read. Nothing
//! that goes wrong here may break a run: every failure is a miss.

use crate::error::{Result, io};
use std::hash::{Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A digest of some strings, 32 hexadecimal digits.
pub(crate) fn digest(parts: &[&str]) -> String {
    let mut out = String::new();
    for seed in [0x51ed_270bu64, 0xb492_b66f] {
        // SipHash with fixed keys. Another release may hash differently: that is a miss.
        let mut h = std::hash::DefaultHasher::new();
        seed.hash(&mut h);
        parts.hash(&mut h);
        out.push_str(&format!("{:016x}", h.finish()));
    }
    out
}

fn sum(bytes: &[u8]) -> [u8; 8] {
    let mut h = std::hash::DefaultHasher::new();
    h.write(bytes);
    h.finish().to_le_bytes()
}

/// Ends every file, after the digest of what comes before.
const MARK: &[u8; 8] = b"softmtl1";

/// A folder of cached files, or none.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// `SOFTMETAL_CACHE`, or the user's cache folder, or the system's temporary one.
    pub(crate) fn standard() -> Cache {
        let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let folder = var("SOFTMETAL_CACHE")
            .or_else(|| var("XDG_CACHE_HOME").map(|p| p.join("softmetal")))
            .or_else(|| var("HOME").map(|p| p.join(".cache/softmetal")))
            .unwrap_or_else(|| std::env::temp_dir().join("softmetal"));
        Cache::at(folder)
    }

    pub(crate) fn at(folder: PathBuf) -> Cache {
        let usable = std::fs::create_dir_all(&folder).is_ok();
        Cache { folder: usable.then_some(folder) }
    }

    fn path(&self, key: &str, kind: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.{kind}")))
    }

    /// The contents of a file, if it is there and whole.
    pub(crate) fn read(&self, key: &str, kind: &str) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(self.path(key, kind)?).ok()?;
        let body = bytes.len().checked_sub(16)?;
        if &bytes[body + 8..] != MARK || bytes[body..body + 8] != sum(&bytes[..body]) {
            return None;
        }
        bytes.truncate(body);
        Some(bytes)
    }

    /// Writes a file under a name of its own and moves it into place.
    pub(crate) fn write(&self, key: &str, kind: &str, bytes: &[u8]) {
        let Some(path) = self.path(key, kind) else {
            return;
        };
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{kind}.{}.{n}", std::process::id()));
        let mut whole = Vec::with_capacity(bytes.len() + 16);
        whole.extend_from_slice(bytes);
        whole.extend_from_slice(&sum(bytes));
        whole.extend_from_slice(MARK);
        if std::fs::write(&temporary, whole).is_err() || std::fs::rename(&temporary, &path).is_err()
        {
            let _ = std::fs::remove_file(&temporary);
        }
    }

    /// A verified file that can be opened by path.
    pub(crate) fn hold(&self, key: &str, kind: &str) -> Option<Held> {
        self.read(key, kind)?;
        Some(Held { path: self.path(key, kind)?, _own: None })
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

/// A file to load, removed afterwards if it is this run's own.
#[derive(Debug)]
pub(crate) struct Held {
    path: PathBuf,
    _own: Option<Scratch>,
}

impl Held {
    /// Writes bytes to a temporary file.
    pub(crate) fn private(bytes: &[u8]) -> Result<Held> {
        let own = Scratch::new("so")?;
        std::fs::write(own.path(), bytes)
            .map_err(|e| io(format!("writing {}", own.path().display()), e))?;
        Ok(Held { path: own.path().to_path_buf(), _own: Some(own) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A temporary file of this process, gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// An empty file under a name that nobody else has.
    pub(crate) fn new(kind: &str) -> Result<Scratch> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut tries = 0;
        loop {
            let path = own_folder()?.join(format!("{n}.{kind}"));
            match std::fs::File::create(&path) {
                Ok(_) => return Ok(Scratch { path }),
                // Another thread has just dropped the last file, and with it the folder.
                Err(_) if tries < 100 => tries += 1,
                Err(e) => return Err(io(format!("making {}", path.display()), e)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        std::fs::read(&self.path).map_err(|e| io(format!("reading {}", self.path.display()), e))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        // Only the last to go succeeds: a folder that is not empty stays.
        if let Some(folder) = self.path.parent() {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// A folder for this process alone.
pub(crate) fn own_folder() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("softmetal-{}", std::process::id()));
    let mut tries = 0;
    loop {
        match std::fs::create_dir_all(&folder) {
            Ok(()) => return Ok(folder),
            // It was there, and went while `create_dir_all` looked: see `Scratch::new`.
            Err(e) if e.kind() == ErrorKind::AlreadyExists && tries < 100 => tries += 1,
            Err(e) => return Err(io(format!("making {}", folder.display()), e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_is_not_there() {
        let folder =
            std::env::temp_dir().join(format!("softmetal-cache-test-{}", std::process::id()));
        let cache = Cache::at(folder.clone());
        cache.write("k", "unit", b"hello");
        assert_eq!(cache.read("k", "unit").as_deref(), Some(&b"hello"[..]));
        let path = folder.join("k.unit");
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(cache.read("k", "unit"), None);
        }
        for at in 0..whole.len() {
            let mut bad = whole.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            assert_eq!(cache.read("k", "unit"), None, "byte {at}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
        cache.write("k", "unit", b"hello");
        assert_eq!(cache.read("k", "unit"), None);
    }

    #[test]
    fn threads_do_not_take_the_folder_from_one_another() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..2000).for_each(|_| drop(Scratch::new("tmp").unwrap())));
            }
        });
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_cache() {
        let cache = Cache::at(PathBuf::from("/proc/no/such/folder"));
        cache.write("k", "so", b"x");
        assert!(cache.hold("k", "so").is_none());
    }
}
