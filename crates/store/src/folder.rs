//! The folder of models: listing, finding by name, removing.

use crate::{Error, Result, error::FOLDER_VARIABLE};
use etcetera::BaseStrategy;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// The folder models are kept in.
///
/// ```
/// use bessemer_store::Store;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir_all(folder.path().join("someone/repo"))?;
/// std::fs::write(folder.path().join("someone/repo/Tiny.Q4_0.gguf"), b"GGUF")?;
/// let store = Store::at(folder.path());
/// assert_eq!(store.list()?.len(), 1);
/// // Any end of the name will do, as long as it is the only one.
/// let entry = store.find("tiny.q4_0")?.unwrap();
/// assert_eq!(entry.name, "someone/repo/Tiny.Q4_0");
/// store.remove(&entry)?;
/// assert!(store.list()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A model in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name: the path within the folder, without `.gguf`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

impl Store {
    /// The folder that `BESSEMER_MODELS` names, or one in the system's folder for caches. It need
    /// not be there yet.
    pub fn of_user() -> Result<Store> {
        match env::var_os(FOLDER_VARIABLE) {
            Some(folder) if !folder.is_empty() => Ok(Store::at(PathBuf::from(folder))),
            _ => {
                let system = etcetera::base_strategy::choose_native_strategy()
                    .map_err(|e| Error::NoFolder(e.to_string()))?;
                Ok(Store::at(system.cache_dir().join("bessemer").join("models")))
            }
        }
    }

    /// A folder of one's own.
    pub fn at(folder: impl Into<PathBuf>) -> Store {
        Store { folder: folder.into() }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All models, by name.
    pub fn list(&self) -> Result<Vec<Entry>> {
        let mut found = Vec::new();
        collect(&self.folder, &self.folder, 0, &mut found)?;
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The model of this name: all of it, or an end of it that no other has. Capitals, `hf:` and
    /// `.gguf` make no difference.
    ///
    /// ```
    /// use bessemer_store::Store;
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("tiny-q4.gguf"), b"GGUF")?;
    /// let store = Store::at(folder.path());
    /// assert_eq!(store.find("TINY-Q4.gguf")?.unwrap().bytes, 4);
    /// assert!(store.find("large")?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(&self, name: &str) -> Result<Option<Entry>> {
        let wanted = name.strip_prefix("hf:").unwrap_or(name).to_lowercase();
        let wanted = wanted.strip_suffix(".gguf").unwrap_or(&wanted);
        let mut ends: Vec<Entry> = Vec::new();
        for entry in self.list()? {
            let has = entry.name.to_lowercase();
            if has == wanted {
                return Ok(Some(entry));
            }
            if has.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/')) {
                ends.push(entry);
            }
        }
        if ends.len() > 1 {
            let candidates = ends.into_iter().map(|entry| entry.name).collect();
            return Err(Error::Ambiguous { name: name.to_owned(), candidates });
        }
        Ok(ends.pop())
    }

    /// Removes a model, and folders that are empty then.
    pub fn remove(&self, entry: &Entry) -> Result<()> {
        fs::remove_file(&entry.path).map_err(|e| Error::io(&entry.path, "remove", e))?;
        self.tidy(&entry.path);
        Ok(())
    }

    /// Removes the folders that a file would be in, as far as they are empty.
    pub(crate) fn tidy(&self, file: &Path) {
        let mut folder = file.parent();
        while let Some(path) = folder.filter(|path| *path != self.folder) {
            // Not empty is the usual reason to stop.
            if !path.starts_with(&self.folder) || fs::remove_dir(path).is_err() {
                break;
            }
            folder = path.parent();
        }
    }
}

/// Nobody nests models deeper.
const DEEPEST: usize = 8;

fn collect(root: &Path, folder: &Path, depth: usize, found: &mut Vec<Entry>) -> Result<()> {
    let failed = |e| Error::io(folder, "list", e);
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        // Somebody may remove it in between.
        let Ok(meta) = fs::metadata(&path) else { continue };
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if meta.is_dir() && !hidden && depth < DEEPEST {
            collect(root, &path, depth + 1, found)?;
        } else if meta.is_file() && !hidden {
            let kind = path.extension().map(|e| e.to_string_lossy().to_lowercase());
            if !matches!(kind.as_deref(), Some("gguf" | "safetensors")) {
                continue;
            }
            let inside = path.strip_prefix(root).unwrap_or(&path);
            let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
            let name = parts.join("/");
            let name = name.strip_suffix(".gguf").unwrap_or(&name).to_owned();
            found.push(Entry { name, path, bytes: meta.len() });
        }
    }
    Ok(())
}
