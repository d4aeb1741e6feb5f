//! Downloading models. Each kind of source has its own file; all share `download`, which resumes and
//! verifies a file and makes it visible only when it is complete.

mod download;
mod http;
mod hub;
mod smollm2;

use crate::{Entry, Error, Result, Source, Store};
use std::fs;

/// How far a pull is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being done.
    pub what: &'a str,
    /// The bytes that are here.
    pub done: u64,
    /// The bytes there will be, if known.
    pub total: Option<u64>,
}

/// A model that is here now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The model.
    pub entry: Entry,
    /// Whether it was here before.
    pub was_here: bool,
    /// What its bytes were held to.
    pub checked: Option<&'static str>,
}

impl Store {
    /// Gets a model, unless it is here. What was got of it before an interruption is used.
    ///
    /// `progress` is told now and then how far it is.
    pub fn pull(&self, source: &Source, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Pulled> {
        let path = self.folder().join(source.place());
        let entry = |bytes| Entry { name: source.name(), path: path.clone(), bytes };
        if let Ok(meta) = fs::metadata(&path) {
            return Ok(Pulled { entry: entry(meta.len()), was_here: true, checked: None });
        }
        let folder = path.parent().unwrap_or(self.folder());
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
        let checked = match source {
            Source::SmolLm2 => smollm2::pull(&path, progress),
            Source::Hub { owner, repo, file } => hub::pull(owner, repo, file, &path, progress),
        };
        // What has come of it lies there; if nothing has, no folder is left for a wrong name.
        let checked = checked.inspect_err(|_| self.tidy(&path))?;
        let meta = fs::metadata(&path).map_err(|e| Error::io(&path, "read", e))?;
        Ok(Pulled { entry: entry(meta.len()), was_here: false, checked: Some(checked) })
    }
}
