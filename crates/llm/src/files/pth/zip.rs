//! The zip around a `.pth` file: which entry lies where. Read by hand, as tensors are used where they lie
//! and the `zip` crate looks for the directory of a truncated file in all of it.

use crate::{Error, Result};
use std::{ops::Range, path::Path};

const END: &[u8; 4] = b"PK\x05\x06";
const END_64: &[u8; 4] = b"PK\x06\x06";
const LOCATOR_64: &[u8; 4] = b"PK\x06\x07";
const IN_DIRECTORY: &[u8; 4] = b"PK\x01\x02";
const BEFORE_DATA: &[u8; 4] = b"PK\x03\x04";

/// The sizes of these records, without what may follow them.
const END_LEN: usize = 22;
const LOCATOR_LEN: usize = 20;
const IN_DIRECTORY_LEN: usize = 46;
const BEFORE_DATA_LEN: usize = 30;

/// The longest comment that can follow the end record.
const LONGEST_COMMENT: usize = u16::MAX as usize;

/// What stands for a number that takes 64 bits and is found elsewhere.
const ELSEWHERE: u64 = u32::MAX as u64;

/// The kind of extra field that holds such numbers.
const EXTRA_64: u16 = 1;

/// A file in the zip.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    /// Its bytes, which are stored as they are.
    pub(super) data: Range<usize>,
    /// The same with the header before it.
    whole: Range<usize>,
}

/// All entries, apart from each other.
pub(super) fn entries<'a>(path: &Path, bytes: &'a [u8]) -> Result<Vec<Entry<'a>>> {
    let directory = directory(path, bytes)?;
    let mut at = directory.start;
    let mut found = Vec::new();
    while at < directory.end {
        let short = || Error::damaged(path, format!("byte {at}:"), "the zip directory ends early");
        let record = Record { bytes: &bytes[..directory.end], at };
        if record.take(0, 4) != Some(IN_DIRECTORY) {
            let why = "the zip directory has no entry there";
            return Err(Error::damaged(path, format!("byte {at}:"), why));
        }
        let lengths = [28, 30, 32].map(|offset| record.u16(offset));
        let [Some(name), Some(extra), Some(comment)] = lengths else {
            return Err(short());
        };
        let [name, extra, comment] = [name, extra, comment].map(usize::from);
        let next = at + IN_DIRECTORY_LEN + name + extra + comment;
        if next > directory.end {
            return Err(short());
        }
        found.push(entry(path, bytes, &record, name, extra, directory.start)?);
        at = next;
    }
    check_apart(path, &found)?;
    Ok(found)
}

/// Where the directory lies, which ends the file.
fn directory(path: &Path, bytes: &[u8]) -> Result<Range<usize>> {
    let first = bytes.len().saturating_sub(END_LEN + LONGEST_COMMENT);
    let ends_file = |&at: &usize| {
        let record = Record { bytes, at };
        let comment = record.u16(20).map(usize::from);
        record.take(0, 4) == Some(END) && comment.is_some_and(|c| at + END_LEN + c == bytes.len())
    };
    let Some(end) = (first..bytes.len()).rev().find(ends_file) else {
        let why = "has no zip directory at its end";
        return Err(Error::damaged(path, "the file", why));
    };
    let record = Record { bytes, at: end };
    let mut place = record.u32(16).zip(record.u32(12));
    let locator = end.checked_sub(LOCATOR_LEN).map(|at| Record { bytes, at });
    let locator = locator.filter(|locator| locator.take(0, 4) == Some(LOCATOR_64));
    if let Some(locator) = locator {
        let at = locator.u64(8).and_then(|at| usize::try_from(at).ok());
        let record = at.map(|at| Record { bytes, at });
        let record = record.filter(|record| record.take(0, 4) == Some(END_64));
        place = record.and_then(|record| record.u64(48).zip(record.u64(40)));
    }
    let range = place.and_then(|(start, len)| range(start, len)).filter(|range| range.end <= end);
    range.ok_or_else(|| {
        let why = "the zip directory lies outside of the file";
        Error::damaged(path, format!("byte {end}:"), why)
    })
}

/// Reads one entry of the directory, whose name and extra fields have these lengths. Data lies before the
/// directory.
fn entry<'a>(
    path: &Path,
    bytes: &'a [u8],
    record: &Record<'a>,
    name_len: usize,
    extra_len: usize,
    limit: usize,
) -> Result<Entry<'a>> {
    let name = record.take(IN_DIRECTORY_LEN, name_len).unwrap_or_default();
    let name = std::str::from_utf8(name).map_err(|e| {
        let why = format!("the name of a zip entry is not UTF-8: {e}");
        Error::damaged(path, format!("byte {}:", record.at + IN_DIRECTORY_LEN), why)
    })?;
    let place = || format!("zip entry `{name}`");
    let damaged = |why: String| Error::damaged(path, place(), why);
    let unsupported = |what: &str| {
        let remedy = "save the model again with torch.save";
        Error::unsupported(path, place(), what, remedy)
    };
    let extra = record.take(IN_DIRECTORY_LEN + name_len, extra_len).unwrap_or_default();
    let Some([stored, size, start]) = sizes(record, extra) else {
        return Err(damaged("lacks its size or its place".to_owned()));
    };
    if record.u16(8).is_none_or(|flags| flags & 1 != 0) {
        return Err(unsupported("encryption"));
    }
    if record.u16(10) != Some(0) {
        return Err(unsupported("compression"));
    }
    if stored != size {
        return Err(damaged(format!("has {size} bytes, but is stored as {stored}")));
    }
    let header = usize::try_from(start).ok().map(|at| Record { bytes, at });
    let header = header.filter(|header| header.take(0, 4) == Some(BEFORE_DATA));
    let lengths = header.as_ref().and_then(|header| header.u16(26).zip(header.u16(28)));
    let (Some(header), Some((name_again, extra))) = (header, lengths) else {
        return Err(damaged(format!("has no header at byte {start}")));
    };
    if header.take(BEFORE_DATA_LEN, usize::from(name_again)) != Some(name.as_bytes()) {
        return Err(damaged(format!("has another name at byte {start}")));
    }
    let before = BEFORE_DATA_LEN + usize::from(name_again) + usize::from(extra);
    let data = range(header.at as u64 + before as u64, size).filter(|data| data.end <= limit);
    match data {
        Some(data) => Ok(Entry { name, whole: header.at..data.end, data }),
        None => {
            let why = format!("has {size} bytes from byte {start} on, past the byte {limit}");
            Err(damaged(format!("{why} that the zip directory starts at")))
        }
    }
}

/// How many bytes an entry is stored as, how many it has, and where its header is.
fn sizes(record: &Record<'_>, extra: &[u8]) -> Option<[u64; 3]> {
    let (mut stored, mut size, mut start) = (record.u32(20)?, record.u32(24)?, record.u32(42)?);
    // Those that do not fit are in an extra field, in this order.
    let mut wide: Vec<&mut u64> = [&mut size, &mut stored, &mut start]
        .into_iter()
        .filter(|number| **number == ELSEWHERE)
        .collect();
    if !wide.is_empty() {
        let numbers = extra_64(extra)?;
        if numbers.len() < wide.len() * 8 {
            return None;
        }
        let numbers = numbers.as_chunks().0;
        wide.iter_mut().zip(numbers).for_each(|(to, from)| **to = u64::from_le_bytes(*from));
    }
    Some([stored, size, start])
}

/// The extra field that holds numbers of 64 bits.
fn extra_64(mut extra: &[u8]) -> Option<&[u8]> {
    loop {
        let (head, rest) = extra.split_first_chunk::<4>()?;
        let [kind, len] = [[head[0], head[1]], [head[2], head[3]]].map(u16::from_le_bytes);
        let (field, rest) = rest.split_at_checked(usize::from(len))?;
        if kind == EXTRA_64 {
            return Some(field);
        }
        extra = rest;
    }
}

fn check_apart(path: &Path, entries: &[Entry<'_>]) -> Result<()> {
    let mut order: Vec<&Entry<'_>> = entries.iter().collect();
    order.sort_by_key(|entry| entry.whole.start);
    for pair in order.windows(2) {
        if pair[1].whole.start < pair[0].whole.end {
            let why = format!(
                "at bytes {:?} overlaps `{}` at {:?}",
                pair[1].whole, pair[0].name, pair[0].whole
            );
            return Err(Error::damaged(path, format!("zip entry `{}`", pair[1].name), why));
        }
    }
    Ok(())
}

fn range(start: u64, len: u64) -> Option<Range<usize>> {
    let end = start.checked_add(len)?;
    Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// A record that starts at a byte; its fields are `None` if they are past the end.
struct Record<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Record<'a> {
    fn take(&self, offset: usize, len: usize) -> Option<&'a [u8]> {
        let start = self.at.checked_add(offset)?;
        self.bytes.get(start..start.checked_add(len)?)
    }

    fn array<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        self.take(offset, N)?.try_into().ok()
    }

    fn u16(&self, offset: usize) -> Option<u16> {
        self.array(offset).map(u16::from_le_bytes)
    }

    fn u32(&self, offset: usize) -> Option<u64> {
        self.array(offset).map(u32::from_le_bytes).map(u64::from)
    }

    fn u64(&self, offset: usize) -> Option<u64> {
        self.array(offset).map(u64::from_le_bytes)
    }
}
