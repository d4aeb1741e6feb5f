//! Errors of the store and of downloads: each says what was asked, what is wrong, and what to do.

use std::{
    io,
    path::{Path, PathBuf},
};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a model could not be found, downloaded or removed.
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
        "{}: the disk is full after {done} bytes{}; free some space or set {FOLDER_VARIABLE} to a folder \
         on another disk, then pull again to resume",
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

    /// Something in the place of a model that is no file.
    #[error("{}: it is {what}, not a regular file; move it away", path.display())]
    NotAFile {
        /// Where it is.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },

    /// Nowhere to keep models.
    #[error("folder of models: {0}; set {FOLDER_VARIABLE} to a folder")]
    NoFolder(String),

    /// Something that is not the name of a model to download.
    #[error("{name}: {why}")]
    BadName {
        /// What was typed.
        name: String,
        /// What is wrong with it, and what to do.
        why: String,
    },

    /// A short name that several models have.
    #[error("{name}: {} models have this name; use one of {}", candidates.len(), candidates.join(", "))]
    Ambiguous {
        /// What was typed.
        name: String,
        /// What it could mean.
        candidates: Vec<String>,
    },

    /// A model that is not downloaded.
    #[error("{name}: this model is not downloaded; run \"bessemer pull {source_name}\"")]
    NotPulled {
        /// What was typed.
        name: String,
        /// What to pull.
        source_name: String,
    },

    /// A name that means nothing here.
    #[error("{name}: no such file or model; {}", near.as_ref().map_or(LISTS.to_owned(), |near| mean(near)))]
    Unknown {
        /// What was typed.
        name: String,
        /// The one that was most likely meant.
        near: Option<String>,
    },

    /// A server that can't be reached, or is lost again and again.
    #[error("{url}: {why}; check the network and pull again to resume")]
    Network {
        /// What was asked for.
        url: String,
        /// What happened.
        why: String,
    },

    /// A server that says no.
    #[error("{url}: the server answered with status {status}; {remedy}")]
    Refused {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What that may mean, and what to do.
        remedy: &'static str,
    },

    /// An answer that breaks the rules of HTTP, or leads where it should not.
    #[error("{url}: {why}; try again later, or report it to the owner of the server")]
    BadAnswer {
        /// What was asked for.
        url: String,
        /// What is wrong with the answer.
        why: String,
    },

    /// What came is not what was announced, or no model.
    #[error("{what}: {why}; nothing was kept; pull again, or report it to the owner of the file")]
    Wrong {
        /// The file.
        what: String,
        /// What differs.
        why: String,
    },

    /// A file that was not pulled, and is not what would be.
    #[error(
        "{}: {why}; run \"bessemer pull {source_name} --force\" to replace it", path.display()
    )]
    Differs {
        /// The file.
        path: PathBuf,
        /// What differs.
        why: String,
        /// What to pull.
        source_name: String,
    },

    /// Somebody else is pulling the same file.
    #[error("{}: another process is downloading this file; wait until it ends", .0.display())]
    Busy(PathBuf),

    /// A repository without a file to choose.
    #[error("hf:{repo}: {why}")]
    NoChoice {
        /// The owner and the repository.
        repo: String,
        /// What is missing, and what to do.
        why: String,
    },

    /// Python's package installer is missing or failed.
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

/// Where names are listed.
const LISTS: &str =
    "\"bessemer models\" lists downloaded models and \"bessemer pull --list\" those to download";

/// Asks whether a name was meant.
pub(crate) fn mean(near: &str) -> String {
    format!("did you mean \"{near}\"?")
}

/// What to do about a folder that cannot be written to.
fn elsewhere(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!("; set {FOLDER_VARIABLE} to a folder that you can write to")
        }
        _ => String::new(),
    }
}

impl Error {
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Error {
        Error::Io { path: path.to_owned(), action, source }
    }
}
