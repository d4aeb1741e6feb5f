//! What is known of a pulled file: its source, size and SHA-256, in a small hidden file beside it. It is
//! written when the file is in its place, so a file without a record is one that nothing is known of.

use crate::{Error, Result, digest::is_sha256};
use bessemer_files::{NewFile, fs};
use serde_json::{Value, json};
use std::{
    ffi::OsString,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// What is known of a pulled file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What to pull to have it again.
    pub source: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// A record has three short entries.
const LONGEST: u64 = 1 << 16;

impl Record {
    /// The record of the file at `path`. One that is missing or makes no sense is none.
    pub fn of(path: &Path) -> Result<Option<Record>> {
        let place = place(path);
        match fs::read_short(&place, LONGEST) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            bytes => Ok(Record::parse(&bytes.map_err(|e| Error::io(&place, "read", e))?)),
        }
    }

    fn parse(bytes: &[u8]) -> Option<Record> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Record {
            source: text("source")?,
            bytes: value["bytes"].as_u64()?,
            sha256: text("sha256").filter(|sha256| is_sha256(sha256))?,
        })
    }

    /// Writes it beside the file at `path`.
    pub fn write(&self, path: &Path) -> Result<()> {
        let place = place(path);
        let Record { source, bytes, sha256 } = self;
        let value = json!({ "source": source, "bytes": bytes, "sha256": sha256 });
        let write = || {
            let mut file = NewFile::create(&place)?;
            writeln!(file, "{value:#}")?;
            file.finish()
        };
        write().map_err(|e| Error::io(&place, "write", e))
    }

    /// Removes the record of the file at `path`, if there is one.
    pub(crate) fn remove(path: &Path) -> Result<()> {
        let place = place(path);
        match fs::remove_file(&place) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::io(&place, "remove", e)),
            _ => Ok(()),
        }
    }
}

/// `.NAME.pulled.json` beside `NAME`. Names of hub files never start with a dot, so it is none of them.
fn place(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".pulled.json");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_kept_and_nonsense_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.gguf");
        let record =
            Record { source: "hf:a/b/x.gguf".to_owned(), bytes: 7, sha256: "0f".repeat(32) };
        assert_eq!(Record::of(&path).unwrap(), None);
        record.write(&path).unwrap();
        assert_eq!(Record::of(&path).unwrap(), Some(record));
        for nonsense in ["", "{}", "[1", r#"{"source": "x", "bytes": -1, "sha256": "00"}"#] {
            std::fs::write(folder.path().join(".x.gguf.pulled.json"), nonsense).unwrap();
            assert_eq!(Record::of(&path).unwrap(), None, "{nonsense}");
        }
        Record::remove(&path).unwrap();
        Record::remove(&path).unwrap();
    }
}
