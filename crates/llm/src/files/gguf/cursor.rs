//! Reading the head of a file byte by byte; every step is checked against its end.

use crate::{Error, Result, error::grouped};
use std::path::Path;

/// A position in a file's bytes.
pub(crate) struct Cursor<'a> {
    pub(crate) path: &'a Path,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { path, bytes, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes, which hold `what`.
    pub(crate) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let Some(taken) = rest.get(..count) else {
            let why = format!(
                "{what} takes {} bytes, but the file has {} more",
                grouped(count),
                grouped(rest.len())
            );
            return Err(self.damaged(why));
        };
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, what: &str) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// How many of `what` there are, which take at least `least` bytes each: more than could follow is
    /// a lie. `count_of` are the words before `what`.
    pub(crate) fn count(&mut self, least: usize, count_of: &str, what: &str) -> Result<usize> {
        let start = self.at;
        let count = self.u64(what)?;
        match usize::try_from(count) {
            Ok(n) if n <= self.remaining() / least => Ok(n),
            _ => {
                let why = format!(
                    "{count_of} {what} is {count}, more than the rest of the file has room for"
                );
                Err(Error::damaged(self.path, format!("byte {start}:"), why))
            }
        }
    }

    /// The bytes of a string.
    pub(crate) fn string_bytes(&mut self, what: &str) -> Result<&'a [u8]> {
        let len = self.count(1, "the length of", what)?;
        self.take(len, what)
    }

    pub(crate) fn string(&mut self, what: &str) -> Result<&'a str> {
        let start = self.at;
        let bytes = self.string_bytes(what)?;
        std::str::from_utf8(bytes).map_err(|e| {
            let why = format!("{what} is not UTF-8: {e}");
            Error::damaged(self.path, format!("byte {start}:"), why)
        })
    }

    /// An error at the current position.
    pub(crate) fn damaged(&self, why: impl Into<String>) -> Error {
        Error::damaged(self.path, format!("byte {}:", self.at), why)
    }
}
