//! Downloading a file: resumable, verified, and atomic.
//!
//! A partial download is stored next to its destination under a hidden name with the version of the file,
//! so that parts of two versions are never mixed.

use super::{
    Progress,
    http::{Answer, Client, network},
};
use crate::{Error, Result};
use sha2::{Digest, Sha256};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// A connection may be lost this often in a row with nothing gained.
const ATTEMPTS: u32 = 5;

/// The first pause after that; each next one is twice as long.
const PAUSE: Duration = Duration::from_millis(100);

/// What is asked for.
pub(super) struct Wanted<'a> {
    pub(super) url: &'a str,
    /// The SHA-256 it must have, if that is known from elsewhere.
    pub(super) sha256: Option<&'a str>,
    /// Where it goes.
    pub(super) path: &'a Path,
    /// What people call it.
    pub(super) what: &'a str,
}

/// Gets a file. Says whether its SHA-256 was known and right; its size always is.
pub(super) fn download(
    client: &Client,
    wanted: &Wanted<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<bool> {
    let mut part: Option<Part> = None;
    let mut failures = 0;
    loop {
        let done = part.as_ref().map_or(0, |part| part.done);
        let attempt = attempt(client, wanted, &mut part, progress);
        let error = match attempt {
            Ok(()) => break,
            Err(error @ Error::Network { .. }) => error,
            Err(error) => return Err(error),
        };
        let gained = part.as_ref().is_some_and(|part| part.done > done);
        failures = if gained { 0 } else { failures + 1 };
        if failures == ATTEMPTS {
            return Err(error);
        }
        thread::sleep(PAUSE * 2u32.pow(failures));
    }
    match part {
        Some(part) => part.finish(wanted),
        None => Err(network(wanted.url, "nothing came".to_owned())),
    }
}

/// Gets as much as one connection gives; `Ok` if that is all.
fn attempt(
    client: &Client,
    wanted: &Wanted<'_>,
    part: &mut Option<Part>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<()> {
    let part = match part {
        Some(part) => part,
        // The first answer tells the version, and with it whether there is a part of it.
        None => {
            let answer = client.get(wanted.url, 0)?;
            let opened = part.insert(Part::open(wanted, &answer)?);
            if opened.done == 0 {
                return opened.take(wanted, answer, progress);
            }
            opened
        }
    };
    if part.total.is_some_and(|total| part.done >= total) {
        return Ok(());
    }
    let answer = client.get(wanted.url, part.done)?;
    let resumes = answer.status == 206 && answer.start == part.done;
    if !resumes || answer.version.is_some() && answer.version != part.version {
        // The server can't resume, or has another file by now.
        part.restart(&answer)?;
        if answer.start != 0 || answer.status == 416 {
            return Err(network(wanted.url, "the file has changed on the way".to_owned()));
        }
    }
    part.take(wanted, answer, progress)
}

/// What has come of a file.
struct Part {
    path: PathBuf,
    file: File,
    hash: Sha256,
    done: u64,
    total: Option<u64>,
    version: Option<String>,
    sha256: Option<String>,
}

impl Part {
    /// Opens what has come of this version earlier, or starts anew. Parts of others are removed.
    fn open(wanted: &Wanted<'_>, answer: &Answer) -> Result<Part> {
        let path = part_path(wanted.path, answer);
        remove_others(&path, wanted.path);
        let failed = |e| Error::io(&path, "write", e);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy(wanted.path.to_owned())),
            // Some file systems have no locks; then nobody is kept out.
            Err(TryLockError::Error(_)) => {}
        }
        let mut hash = Sha256::new();
        let length = file.metadata().map_err(failed)?.len();
        let too_long = answer.size.is_none_or(|size| length > size);
        let done = if length == 0 || too_long {
            file.set_len(0).or_else(not_for_devices).map_err(failed)?;
            0
        } else {
            io::copy(&mut file, &mut HashWriter(&mut hash)).map_err(failed)?
        };
        Ok(Part {
            file,
            hash,
            done,
            total: answer.size,
            version: answer.version.clone(),
            sha256: answer.sha256.clone(),
            path,
        })
    }

    fn restart(&mut self, answer: &Answer) -> Result<()> {
        let failed = |e| Error::io(&self.path, "write", e);
        self.file.set_len(0).map_err(failed)?;
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.hash = Sha256::new();
        self.done = 0;
        self.total = answer.size;
        self.version.clone_from(&answer.version);
        self.sha256.clone_from(&answer.sha256);
        Ok(())
    }

    /// Writes down what an answer brings.
    fn take(
        &mut self,
        wanted: &Wanted<'_>,
        mut answer: Answer,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<()> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            progress(Progress { what: wanted.what, done: self.done, total: self.total });
            let count = match answer.body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(self.lost(wanted, &e.to_string())),
            };
            self.file.write_all(&buffer[..count]).map_err(|e| self.unwritten(e))?;
            self.hash.update(&buffer[..count]);
            self.done += count as u64;
            if let Some(total) = self.total.filter(|&total| self.done > total) {
                let why = format!("more came than the {total} bytes announced");
                return Err(self.refuse(wanted, why));
            }
        }
        match self.total {
            Some(total) if self.done < total => Err(self.lost(wanted, "the connection was closed")),
            _ => Ok(()),
        }
    }

    /// Checks what has come and puts it in its place.
    fn finish(mut self, wanted: &Wanted<'_>) -> Result<bool> {
        let found = hex(&self.hash.finalize_reset());
        let known = wanted.sha256.map(str::to_lowercase).or(self.sha256.clone());
        if let Some(expected) = known.as_ref().filter(|&expected| *expected != found) {
            let why = format!("its SHA-256 is {found}, not {expected}");
            return Err(self.refuse(wanted, why));
        }
        self.file.sync_all().map_err(|e| self.unwritten(e))?;
        fs::rename(&self.path, wanted.path).map_err(|e| Error::io(wanted.path, "replace", e))?;
        Ok(known.is_some())
    }

    fn lost(&self, wanted: &Wanted<'_>, why: &str) -> Error {
        let of = self.total.map_or(String::new(), |total| format!(" of {total}"));
        network(wanted.url, format!("{why} after {}{of} bytes", self.done))
    }

    fn unwritten(&self, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Error::DiskFull { path: self.path.clone(), done: self.done, total: self.total }
            }
            _ => Error::io(&self.path, "write", error),
        }
    }

    /// Bytes that are wrong are of no use to anybody.
    fn refuse(&self, wanted: &Wanted<'_>, why: String) -> Error {
        // The first error is the one to tell.
        let _ = fs::remove_file(&self.path);
        Error::Wrong { what: wanted.url.to_owned(), why }
    }
}

/// `.NAME.VERSION.part` beside `NAME`.
fn part_path(path: &Path, answer: &Answer) -> PathBuf {
    let version = answer.sha256.as_ref().or(answer.version.as_ref());
    let version = version.map_or(String::new(), |v| hex(&Sha256::digest(v))[..16].to_owned());
    let mut name = prefix(path);
    name.push(format!("{version}.part"));
    path.with_file_name(name)
}

fn prefix(path: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    name
}

/// Removes parts of other versions of the same file. Those that can't be do no harm.
fn remove_others(part: &Path, path: &Path) {
    let prefix = prefix(path).to_string_lossy().into_owned();
    let entries = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    for other in entries.into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = other.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if other != part && name.starts_with(&prefix) && name.ends_with(".part") {
            let _ = fs::remove_file(other);
        }
    }
}

/// Devices such as `/dev/full` have no length to set.
fn not_for_devices(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::InvalidInput { Ok(()) } else { Err(error) }
}

/// A hash that can be written to.
pub(super) struct HashWriter<'a>(pub(super) &'a mut Sha256);

impl Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
