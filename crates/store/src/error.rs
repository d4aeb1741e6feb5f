//! Errors of the store and of downloads: each says what failed and what to do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a model could not be found, got or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system would not let a file be read, written or removed.
    #[error("{}: cannot {action}: {source}{}", path.display(), elsewhere(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },

    /// There is no room left for a file.
    #[error(
        "{}: the disk is full after {done} bytes{}: free some space, or let {FOLDER_VARIABLE} name \
         a folder elsewhere, and pull again: it goes on from there",
        path.display(),
        total.map_or(String::new(), |total| format!(" of {total}"))
    )]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// The bytes that are there.
        done: u64,
        /// The bytes there should be, if known.
        total: Option<u64>,
    },

    /// Nowhere to keep models.
    #[error("there is no folder for models ({0}): let {FOLDER_VARIABLE} name one")]
    NoFolder(String),

    /// Something that is not the name of a model.
    #[error("`{name}` names no model to pull: {why}")]
    BadName {
        /// What was said.
        name: String,
        /// What is wrong with it.
        why: String,
    },

    /// A short name that several models have.
    #[error("`{name}` is short for several models: say one of {}", candidates.join(", "))]
    Ambiguous {
        /// What was said.
        name: String,
        /// What it could mean.
        candidates: Vec<String>,
    },

    /// A model that could be pulled and was not yet.
    #[error("`{name}` is not here yet: get it with `bessemer pull {source_name}`")]
    NotPulled {
        /// What was said.
        name: String,
        /// What to pull.
        source_name: String,
    },

    /// A name that means nothing here.
    #[error(
        "`{name}` is neither a file nor a model here ({}){}: check the path, or get a model with \
         `bessemer pull smollm2` or `bessemer pull hf:OWNER/REPO/FILE`",
        known.join(", "),
        near.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?"))
    )]
    Unknown {
        /// What was said.
        name: String,
        /// The models that are here.
        known: Vec<String>,
        /// The one that was most likely meant.
        near: Option<String>,
    },

    /// A server that can't be reached, or is lost again and again.
    #[error("{url}: {why}; {remedy}")]
    Network {
        /// What was asked for.
        url: String,
        /// What happened.
        why: String,
        /// What to do.
        remedy: String,
    },

    /// A server that says no.
    #[error("{url}: the server answers {status}: {remedy}")]
    Refused {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What that may mean, and what to do.
        remedy: String,
    },

    /// What came is not what was announced.
    #[error(
        "{what}: {why}; nothing of it was kept: pull again, and if that does not help, report it to whoever offers the file"
    )]
    Wrong {
        /// The file.
        what: String,
        /// What differs.
        why: String,
    },

    /// Somebody else is pulling the same file.
    #[error("{}: another process is pulling this file: wait for it to end", .0.display())]
    Busy(PathBuf),

    /// Python's package installer is not there or will not do it.
    #[error("pip: {why}; {remedy}")]
    Pip {
        /// What happened.
        why: String,
        /// What to do.
        remedy: &'static str,
    },
}

/// The environment variable with the folder of models.
pub(crate) const FOLDER_VARIABLE: &str = "BESSEMER_MODELS";

/// What to do about a folder that cannot be written to.
fn elsewhere(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!("; let {FOLDER_VARIABLE} name a folder that is yours to change")
        }
        _ => String::new(),
    }
}

impl Error {
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Error {
        Error::Io { path: path.to_owned(), action, source }
    }
}
