//! The folder of models: listing, finding by name, removing.

use crate::{
    Error, Listed, Partial, Record, Result, Source, choose::choose, digest, error::FOLDER_VARIABLE,
    part,
};
use bessemer_files::fs as files;
use etcetera::BaseStrategy;
use std::{
    env,
    ffi::OsStr,
    fs, io,
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
    /// Its name: that of the catalogue, or the path within the folder without `.gguf`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

/// Whether a model is what was pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Intact,
    /// It is not, for this reason.
    Damaged(String),
    /// It was not pulled, so nothing is known of it.
    Unknown,
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
        for (path, bytes) in walk(&self.folder)? {
            let kind = path.extension().map(|e| e.to_string_lossy().to_lowercase());
            if !is_hidden(&path) && matches!(kind.as_deref(), Some("gguf" | "safetensors")) {
                found.push(Entry { name: self.name_of(&path), path, bytes });
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// What interrupted pulls left, to be resumed by the next pull or removed.
    pub fn partials(&self) -> Result<Vec<Partial>> {
        let mut found = Vec::new();
        for (path, bytes) in walk(&self.folder)? {
            if let Some((of, total)) = part::parse(&path) {
                let name = self.name_of(&of);
                let inside = of.strip_prefix(&self.folder).unwrap_or(&of).to_string_lossy();
                let source = match name.parse::<Source>() {
                    Ok(_) => name.clone(),
                    Err(_) => format!("hf:{}", inside.replace('\\', "/")),
                };
                found.push(Partial { name, source, path, bytes, total });
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The name of the model at a path in the folder.
    pub(crate) fn name_of(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.folder).unwrap_or(path);
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        if let [owner, repo, file @ ..] = &parts[..]
            && let Some(listed) = Listed::of_file(owner, repo, &file.join("/"))
        {
            return listed.name().to_owned();
        }
        let name = parts.join("/");
        name.strip_suffix(".gguf").unwrap_or(&name).to_owned()
    }

    /// The model of this name: one of the catalogue, `hf:OWNER/REPO`, its path within the folder, or an
    /// end of that which no other has. Capitals, `hf:` and `.gguf` make no difference.
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
    pub fn find(&self, name: impl AsRef<OsStr>) -> Result<Option<Entry>> {
        let (name, mut entries) = (name.as_ref(), self.list()?);
        // A name need not be text: then only its very bytes will do.
        let path = self.folder.join(name);
        let exact = |entry: &Entry| entry.path == path || entry.path.with_extension("") == path;
        if let Some(at) = entries.iter().position(exact) {
            return Ok(Some(entries.swap_remove(at)));
        }
        let Some(name) = name.to_str() else { return Ok(None) };
        if let Ok(source) = name.parse()
            && let Some(path) = self.downloaded(&source, &entries)
        {
            return Ok(entries.into_iter().find(|entry| entry.path == path));
        }
        one_of(name, entries, |entry| &entry.name)
    }

    /// Where a source was downloaded to, if it was.
    fn downloaded(&self, source: &Source, entries: &[Entry]) -> Option<PathBuf> {
        let place = self.folder.join(source.place());
        let Source::Repo { quant, .. } = source else { return Some(place) };
        let inside =
            |entry: &'_ Entry| entry.path.strip_prefix(&place).ok()?.to_str().map(str::to_owned);
        let files: Vec<String> = entries.iter().filter_map(inside).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        choose(&files, quant.as_deref()).ok().map(|file| place.join(file))
    }

    /// What an interrupted pull left of the model of this name; names are as for [`Store::find`].
    pub fn find_partial(&self, name: &str) -> Result<Option<Partial>> {
        let partials = self.partials()?;
        if let Ok(source) = name.parse::<Source>() {
            let wanted = source.name();
            return Ok(partials.into_iter().find(|partial| partial.name == wanted));
        }
        one_of(name, partials, |partial| &partial.name)
    }

    /// The source that a name stands for: what can be pulled by it, or what was.
    pub fn source_of(&self, name: &str) -> Result<Source> {
        name.parse().or_else(|error| {
            let Some(entry) = self.find(name)? else { return Err(error) };
            Record::of(&entry.path)?.map_or(Err(error), |record| record.source.parse())
        })
    }

    /// What to do about a damaged model at `path`, if it was pulled into this folder.
    ///
    /// ```
    /// use bessemer_store::Store;
    ///
    /// let store = Store::at("/models");
    /// let remedy = store.remedy("/models/smollm2.gguf".as_ref());
    /// assert_eq!(remedy.unwrap(), "run \"bessemer pull smollm2 --force\" to download it again");
    /// assert!(store.remedy("/elsewhere/smollm2.gguf".as_ref()).is_none());
    /// ```
    pub fn remedy(&self, path: &Path) -> Option<String> {
        path.strip_prefix(&self.folder).ok()?;
        let name = self.name_of(path);
        let source = match name.parse::<Source>() {
            Ok(_) => name,
            Err(_) => Record::of(path).ok()??.source,
        };
        Some(format!("run \"bessemer pull {source} --force\" to download it again"))
    }

    /// Compares a model with what was recorded when it was pulled. `progress` hears how many bytes are
    /// done.
    pub fn verify(&self, entry: &Entry, progress: &mut dyn FnMut(u64)) -> Result<Verdict> {
        let Some(record) = Record::of(&entry.path)? else { return Ok(Verdict::Unknown) };
        let damage = damage(&entry.path, record.bytes, Some(&record.sha256), progress)?;
        Ok(damage.map_or(Verdict::Intact, Verdict::Damaged))
    }

    /// Removes a model with what is known of it, and folders that are empty then.
    pub fn remove(&self, entry: &Entry) -> Result<()> {
        files::remove_file(&entry.path).map_err(|e| Error::io(&entry.path, "remove", e))?;
        for part in part::all_of(&entry.path) {
            part::remove(&part)?;
        }
        Record::remove(&entry.path)?;
        self.tidy(&entry.path);
        Ok(())
    }

    /// Removes what an interrupted pull left, unless it is going on.
    pub fn remove_partial(&self, partial: &Partial) -> Result<()> {
        part::remove(&partial.path)?;
        self.tidy(&partial.path);
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

/// How the file at `path` differs from what it should be; `None` if it does not.
pub(crate) fn damage(
    path: &Path,
    bytes: u64,
    sha256: Option<&str>,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<String>> {
    let found = files::metadata(path).map_err(|e| Error::io(path, "read", e))?.len();
    if found != bytes {
        return Ok(Some(format!("the file has {found} bytes instead of {bytes}")));
    }
    let Some(sha256) = sha256 else { return Ok(None) };
    let (found, _) = digest::of_file(path, progress)?;
    let differ = !found.eq_ignore_ascii_case(sha256);
    Ok(differ.then(|| format!("the file has the SHA-256 {found} instead of {sha256}")))
}

/// The only one whose name is, or ends with, the one that was typed.
fn one_of<T>(typed: &str, all: Vec<T>, name: impl Fn(&T) -> &String) -> Result<Option<T>> {
    let wanted = typed.strip_prefix("hf:").unwrap_or(typed).to_lowercase();
    let wanted = wanted.strip_suffix(".gguf").unwrap_or(&wanted);
    let mut ends: Vec<T> = Vec::new();
    for one in all {
        let has = name(&one).to_lowercase();
        if has == wanted {
            return Ok(Some(one));
        }
        if has.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/')) {
            ends.push(one);
        }
    }
    if ends.len() > 1 {
        let candidates = ends.iter().map(|one| name(one).clone()).collect();
        return Err(Error::Ambiguous { name: typed.to_owned(), candidates });
    }
    Ok(ends.pop())
}

/// Nobody nests models deeper.
const DEEPEST: usize = 8;

/// All files under a folder, with their sizes.
fn walk(folder: &Path) -> Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    collect(folder, 0, &mut found)?;
    Ok(found)
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, u64)>) -> Result<()> {
    let entries = match files::list(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|e| Error::io(folder, "list", e))?,
    };
    for path in entries {
        // Somebody may remove it in between.
        let Ok(meta) = fs::metadata(&path) else { continue };
        if meta.is_dir() && !is_hidden(&path) && depth < DEEPEST {
            collect(&path, depth + 1, found)?;
        } else if meta.is_file() {
            found.push((path, meta.len()));
        }
    }
    Ok(())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}
