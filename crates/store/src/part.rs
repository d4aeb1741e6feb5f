//! Partial downloads: their names, finding and removing them. A part lies beside its destination as
//! `.NAME.VERSION-TOTAL.part`, so that parts of two versions of a file are never mixed.

use crate::{Error, Result};
use bessemer_files::{Locked, NotLocked, fs};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The part of a file that an interrupted pull left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The name the model will have.
    pub name: String,
    /// What to pull to resume it.
    pub source: String,
    /// The part.
    pub path: PathBuf,
    /// The bytes that are there.
    pub bytes: u64,
    /// The bytes of the whole file, if known.
    pub total: Option<u64>,
}

const SUFFIX: &str = ".part";

/// Where the part of a version of `path` lies.
#[cfg(feature = "pull")]
pub(crate) fn path_of(path: &Path, version: &str, total: Option<u64>) -> PathBuf {
    use sha2::{Digest, Sha256};
    use std::ffi::OsString;
    let version = crate::digest::hex(&Sha256::digest(version));
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    name.push(&version[..16]);
    name.push(total.map_or(String::new(), |total| format!("-{total}")));
    name.push(SUFFIX);
    path.with_file_name(name)
}

/// What a part is of, and how long that is, by the part's name.
pub(crate) fn parse(part: &Path) -> Option<(PathBuf, Option<u64>)> {
    let name = part.file_name()?.to_str()?;
    let name = name.strip_prefix('.')?.strip_suffix(SUFFIX)?;
    let (name, version) = name.rsplit_once('.')?;
    let (version, total) = match version.split_once('-') {
        Some((version, total)) => (version, Some(total.parse().ok()?)),
        None => (version, None),
    };
    let is_version = version.len() == 16 && version.bytes().all(|b| b.is_ascii_hexdigit());
    is_version.then(|| (part.with_file_name(name), total))
}

/// The parts of the file at `path`.
pub(crate) fn all_of(path: &Path) -> Vec<PathBuf> {
    let parts = fs::list(path.parent().unwrap_or(Path::new("."))).unwrap_or_default();
    let name = |path: &Path| path.file_name().map(OsStr::to_owned);
    let is_part = |part: &PathBuf| parse(part).is_some_and(|(of, _)| name(&of) == name(path));
    parts.into_iter().filter(is_part).collect()
}

/// Removes a part, unless a process is at it.
pub(crate) fn remove(part: &Path) -> Result<()> {
    let of = parse(part).map_or(part.to_owned(), |(of, _)| of);
    match Locked::open(part) {
        Err(NotLocked::Busy) => Err(Error::Busy(of)),
        // Whatever it is, it is removed while nobody else can lock it.
        _lock => fs::remove_file(part).map_err(|e| Error::io(part, "remove", e)),
    }
}

#[cfg(all(test, feature = "pull"))]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        let path = Path::new("a/x.Q4_0.gguf");
        for total in [None, Some(12)] {
            let part = path_of(path, "etag", total);
            assert_eq!(parse(&part), Some((path.to_owned(), total)));
        }
        for other in [".x.part", "x.gguf", ".x.0123456789abcdeg.part", ".x.0123456789abcdef-y.part"]
        {
            assert_eq!(parse(Path::new(other)), None, "{other}");
        }
    }
}
