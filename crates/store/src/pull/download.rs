//! Downloading a file: resumable, verified, and atomic.

use super::{
    Patience, Progress, Tell,
    connection::Connection,
    contents::{Contents, ENOUGH},
    http::{Client, Head, bad_answer, network},
};
use crate::{Error, Record, Result, digest, part};
use bessemer_files::{Locked, NotLocked, fs};
use sha2::{Digest, Sha256};
use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
};

/// A connection that brings less than this counts as a failure: whoever sends a byte at a time is no
/// better than who sends nothing.
const WORTHWHILE: u64 = 1 << 14;

/// A file whose size the server does not tell may be this long.
const LONGEST_UNKNOWN: u64 = 1 << 26;

/// What is asked for.
pub(super) struct Wanted<'a> {
    pub(super) url: &'a str,
    /// The SHA-256 it must have, if that is known from elsewhere.
    pub(super) sha256: Option<&'a str>,
    pub(super) contents: Contents,
    /// Where it goes.
    pub(super) path: &'a Path,
    /// What is known of a damaged file at `path` that may begin as this one does.
    pub(super) damaged: Option<&'a Record>,
    /// What people call it.
    pub(super) what: &'a str,
}

/// Downloads a file, verified and still beside its place. What fails is kept if it can be resumed.
pub(super) fn download(
    client: &Client,
    wanted: &Wanted<'_>,
    patience: &Patience,
    progress: Tell<'_>,
) -> Result<Part> {
    let mut part: Option<Part> = None;
    let (mut failures, mut anew) = (0, false);
    loop {
        let done = part.as_ref().map_or(0, |part| part.done);
        let error = match attempt(client, wanted, patience, &mut part, progress) {
            Ok(()) => {
                let Some(mut complete) = part.take() else { continue };
                match complete.verify(wanted) {
                    None => return Ok(complete),
                    // Bytes of several connections may not belong together: once more from the start.
                    Some(_) if complete.is_pieced && !anew => {
                        anew = true;
                        complete.clear()?;
                        part = Some(complete);
                        continue;
                    }
                    Some(why) => return Err(complete.refuse(wanted, why)),
                }
            }
            Err(error @ Error::Network { .. }) => error,
            Err(error) => return Err(error),
        };
        let now = part.as_ref().map_or(0, |part| part.done);
        failures = if now >= done + WORTHWHILE { 0 } else { failures + 1 };
        if failures >= patience.attempts {
            return Err(error);
        }
        thread::sleep(patience.pause * 2u32.pow(failures.min(8)));
    }
}

/// Downloads as much as one connection gives; `Ok` if that is all.
fn attempt(
    client: &Client,
    wanted: &Wanted<'_>,
    patience: &Patience,
    part: &mut Option<Part>,
    progress: Tell<'_>,
) -> Result<()> {
    let known = part.as_ref().map_or((0, None), |part| (part.done, part.total));
    let mut open = |(start, total): (u64, Option<u64>)| {
        Connection::open(client, wanted.url, start, patience, &mut |waited| {
            let (what, done, stalled) = (wanted.what, start, Some(waited));
            progress(Progress { what, done, total, stalled });
        })
    };
    let (mut connection, mut head) = open(known)?;
    let part = match part {
        Some(part) => part,
        // The first answer tells the version, and with it whether there is a part of it.
        None => {
            let found = part.insert(Part::open(wanted, &head)?);
            if found.done > 0 {
                if found.total == Some(found.done) {
                    return Ok(());
                }
                (connection, head) = open((found.done, found.total))?;
            }
            found
        }
    };
    part.fit(wanted, &head)?;
    part.take(wanted, &connection, progress)
}

/// What has come of a file. Dropped, it stays if it can be resumed.
pub(super) struct Part {
    path: PathBuf,
    file: Locked,
    hash: Sha256,
    done: u64,
    total: Option<u64>,
    version: Option<String>,
    sha256: Option<String>,
    /// Not all of it came by one connection.
    is_pieced: bool,
    /// It has moved to its place.
    is_finished: bool,
}

impl Part {
    /// Opens what has come of this version earlier, or starts anew. Parts of others are removed.
    fn open(wanted: &Wanted<'_>, head: &Head) -> Result<Part> {
        let version = head.sha256.as_ref().or(head.version.as_ref());
        let path = part::path_of(wanted.path, version.map_or("", String::as_str), head.size);
        for other in part::all_of(wanted.path).iter().filter(|other| **other != path) {
            // One that another process is at, or that can't be removed, does no harm.
            let _ = part::remove(other);
        }
        let file = Locked::open_or_create(&path).map_err(|e| match e {
            NotLocked::Busy => Error::Busy(wanted.path.to_owned()),
            NotLocked::Io(e) => Error::io(&path, "write", e),
        })?;
        let mut part = Part {
            file,
            hash: Sha256::new(),
            done: 0,
            total: head.size,
            version: head.version.clone(),
            sha256: head.sha256.clone(),
            is_pieced: false,
            is_finished: false,
            path,
        };
        // Without a version, nothing tells whether what is there belongs to this file.
        let resumed = match version {
            Some(_) => part.resume(wanted)?,
            None => false,
        };
        if !resumed {
            part.clear()?;
        }
        Ok(part)
    }

    /// Takes what is there as the beginning of the file, if it can be.
    fn resume(&mut self, wanted: &Wanted<'_>) -> Result<bool> {
        let failed = |e| Error::io(&self.path, "read", e);
        let file = &mut self.file.0;
        let mut length = file.metadata().map_err(failed)?.len();
        let damaged = wanted.damaged.filter(|record| Some(&record.sha256) == self.sha256.as_ref());
        if length == 0 && damaged.is_some_and(|record| shorter(wanted.path, record.bytes)) {
            length = copy(wanted.path, file).map_err(|e| self.unwritten(e))?;
        }
        let file = &mut self.file.0;
        if length == 0 || self.total.is_none_or(|total| length > total) {
            return Ok(false);
        }
        let mut start = Vec::new();
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        Read::take(&mut *file, ENOUGH as u64).read_to_end(&mut start).map_err(failed)?;
        if wanted.contents.check_start(&start, self.total).is_err() {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.done = digest::feed(&mut self.hash, file, &mut |_| ()).map_err(failed)?;
        self.is_pieced = true;
        Ok(true)
    }

    /// Forgets all that has come.
    fn clear(&mut self) -> Result<()> {
        let failed = |e| Error::io(&self.path, "write", e);
        self.file.0.set_len(0).map_err(failed)?;
        self.file.0.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.hash = Sha256::new();
        self.done = 0;
        self.is_pieced = false;
        Ok(())
    }

    /// Sees to it that an answer continues what is there, if need be by forgetting that.
    fn fit(&mut self, wanted: &Wanted<'_>, head: &Head) -> Result<()> {
        wanted
            .contents
            .check_type(head.content_type.as_deref())
            .map_err(|why| self.refuse(wanted, why))?;
        let changed = self.done > 0
            && (head.version.is_some() && head.version != self.version || head.size != self.total);
        if self.done > 0 && (head.status == 416 || head.status == 206 && changed) {
            self.clear()?;
            return Err(network(wanted.url, "the file has changed during the download".to_owned()));
        }
        let (found, asked) = (head.start, self.done);
        if head.status == 416 || head.status == 206 && found != asked {
            let why = format!("the server sent bytes from {found} on instead of {asked}");
            return Err(bad_answer(wanted.url, why));
        }
        if head.status == 200 {
            // From the start: the server can't resume.
            self.clear()?;
            self.total = head.size;
            self.version.clone_from(&head.version);
            self.sha256.clone_from(&head.sha256);
        }
        self.is_pieced |= self.done > 0;
        Ok(())
    }

    /// Writes down what a connection brings.
    fn take(
        &mut self,
        wanted: &Wanted<'_>,
        connection: &Connection,
        progress: Tell<'_>,
    ) -> Result<()> {
        // The first bytes are held back until they tell what the file is.
        let mut held = Vec::new();
        loop {
            let now =
                Progress { what: wanted.what, done: self.done, total: self.total, stalled: None };
            progress(now);
            let next =
                connection.next(&mut |waited| progress(Progress { stalled: Some(waited), ..now }));
            let bytes = match next {
                Err(Error::Network { why, .. }) => return Err(self.lost(wanted, &why)),
                bytes => bytes?,
            };
            let is_end = bytes.is_none();
            held.extend(bytes.unwrap_or_default());
            let come = self.done + held.len() as u64;
            if come > self.total.unwrap_or(LONGEST_UNKNOWN) {
                let why = match self.total {
                    Some(total) => {
                        format!("the server sent more than the {total} bytes it announced")
                    }
                    None => {
                        format!(
                            "the server sent more than {LONGEST_UNKNOWN} bytes without announcing a size"
                        )
                    }
                };
                return Err(self.refuse(wanted, why));
            }
            if is_end && self.total.is_some_and(|total| come < total) {
                return Err(self.lost(wanted, "the connection was closed"));
            }
            if self.done == 0 {
                if held.len() < ENOUGH && !is_end {
                    continue;
                }
                let start = wanted.contents.check_start(&held, self.total);
                start.map_err(|why| self.refuse(wanted, why))?;
            }
            self.write(&held)?;
            held.clear();
            if is_end {
                return Ok(());
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if let Err(error) = self.file.0.write_all(bytes) {
            // Nobody knows how much of it was written: back to where it was.
            let _ = self.file.0.set_len(self.done);
            return Err(self.unwritten(error));
        }
        self.hash.update(bytes);
        self.done += bytes.len() as u64;
        Ok(())
    }

    /// Compares all that has come with what was announced: what is wrong, if anything is.
    fn verify(&self, wanted: &Wanted<'_>) -> Option<String> {
        let (found, expected) = (self.sha256(), self.expected(wanted)?);
        (found != expected)
            .then(|| format!("the file has the SHA-256 {found} instead of {expected}"))
    }

    fn expected(&self, wanted: &Wanted<'_>) -> Option<String> {
        wanted.sha256.map(str::to_lowercase).or(self.sha256.clone())
    }

    fn sha256(&self) -> String {
        digest::hex(&self.hash.clone().finalize())
    }

    /// Puts a verified file in its place, with a record of it. Says what it was compared with.
    pub(super) fn finish(mut self, wanted: &Wanted<'_>, source: String) -> Result<&'static str> {
        self.file.0.sync_all().map_err(|e| self.unwritten(e))?;
        fs::rename(&self.path, wanted.path).map_err(|e| Error::io(wanted.path, "replace", e))?;
        self.is_finished = true;
        // Should this fail, the next pull compares the file with its source.
        Record { source, bytes: self.done, sha256: self.sha256() }.write(wanted.path)?;
        Ok(match self.expected(wanted) {
            Some(_) => "size and SHA-256",
            None => "size",
        })
    }

    /// The file, from its start.
    pub(super) fn contents(&mut self) -> Result<&mut fs::File> {
        let file = &mut self.file.0;
        file.seek(SeekFrom::Start(0)).map_err(|e| Error::io(&self.path, "read", e))?;
        Ok(file)
    }

    /// Removes it: it is of no further use.
    pub(super) fn discard(&self) {
        // What can't be removed is listed as partial, and can be removed then.
        let _ = fs::remove_file(&self.path);
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
        self.discard();
        Error::Wrong { what: wanted.url.to_owned(), why }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Without a version and a size, no later pull could tell whether to go on from there.
        let has_version = self.sha256.is_some() || self.version.is_some();
        let can_resume = self.done > 0 && has_version && self.total.is_some();
        if !can_resume && !self.is_finished {
            self.discard();
        }
    }
}

/// Whether a file is there and shorter than it should be.
fn shorter(path: &Path, bytes: u64) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() < bytes)
}

/// Copies a file to the start of another; gives how long it is.
fn copy(from: &Path, to: &mut fs::File) -> io::Result<u64> {
    io::copy(&mut fs::File::open(from)?, to)
}
