//! Atomic updates of files by several processes and threads: one after another, and readers see the old
//! file or the new one, never a part.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// Replaces `path` by what `write` makes of it: it gets the file as it is now, if there is one, and where
/// to write the new one, and says whether it did. Others who replace it wait; false if it stays as it was.
pub(crate) fn replace(path: &Path, write: impl FnOnce(Option<&Path>, &Path) -> bool) -> bool {
    let Ok(lock) = File::options().create(true).append(true).open(beside(path, "lock")) else {
        return false;
    };
    // Held until it is dropped; the system lets go of it if this process ends.
    if lock.lock().is_err() {
        return false;
    }
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let new = beside(path, &format!("{}-{number}.new", std::process::id()));
    let written = write(path.exists().then_some(path), &new) && fs::rename(&new, path).is_ok();
    if !written {
        // It may never have been there.
        let _ = fs::remove_file(&new);
    }
    written
}

fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(extension);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(path: &Path, line: &str) -> bool {
        replace(path, |old, new| {
            let mut text = old.map_or_else(String::new, |old| fs::read_to_string(old).unwrap());
            text.push_str(line);
            fs::write(new, text).is_ok()
        })
    }

    #[test]
    fn nobody_loses_what_others_have_added() {
        let folder = std::env::temp_dir().join(format!("bessemer-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("some.metalarchive");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for round in 0..10 {
                        assert!(append(path, &format!("{thread}-{round}\n")));
                        // Whoever reads it finds whole lines.
                        assert!(fs::read_to_string(path).unwrap().ends_with('\n'));
                    }
                });
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 80, "{text}");
        // What goes wrong leaves the file as it was, and nothing beside it but the lock.
        assert!(!replace(&path, |_, new| fs::write(new, "half").is_err()));
        assert!(!replace(&path, |_, _| true), "nothing was written");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(&folder).unwrap();
        assert!(!append(&path, "no folder"));
    }
}
