//! The head of a file: version, metadata, and where its tensors lie.

use super::{
    cursor::Cursor,
    metadata::{Entry, Metadata},
    types::{Kind, dtype_of},
    value::{Array, Value},
};
use crate::{Error, Result, files::Tensor, files::tensors::tensor_bytes};
use bessemer_core::{HostMemory, Shape};
use std::path::Path;

/// Fewest bytes of a key with its value, and of a tensor's entry.
const LEAST_ENTRY: usize = 8 + 4 + 1;
const LEAST_TENSOR: usize = 8 + 4 + 4 + 8;

/// Lists of lists are legal; nobody nests them deeper than this.
const DEEPEST: usize = 4;

/// GGML tensors have at most this many dimensions.
const MOST_DIMENSIONS: u32 = 4;

pub(super) struct Head {
    pub(super) version: u32,
    pub(super) metadata: Metadata,
    pub(super) tensors: Vec<Tensor>,
}

pub(super) fn head(path: &Path, data: &HostMemory) -> Result<Head> {
    let mut cursor = Cursor::new(path, data.bytes());
    let version = version(&mut cursor)?;
    let tensor_count = cursor.count(LEAST_TENSOR, "the number of", "tensors")?;
    let entry_count = cursor.count(LEAST_ENTRY, "the number of", "metadata entries")?;
    let mut metadata = Metadata::new(path);
    for _ in 0..entry_count {
        metadata.insert(entry(&mut cursor, data)?)?;
    }
    let alignment = alignment(&metadata)?;
    let mut found = Vec::new();
    for _ in 0..tensor_count {
        found.push(tensor(&mut cursor, alignment)?);
    }
    let start = cursor.at().next_multiple_of(alignment);
    let tensors = found
        .into_iter()
        .map(|(tensor, at)| place(path, tensor, at, start))
        .collect::<Result<_>>()?;
    Ok(Head { version, metadata, tensors })
}

fn version(cursor: &mut Cursor<'_>) -> Result<u32> {
    let path = cursor.path;
    let magic = cursor.take(4, "the magic")?;
    if magic != b"GGUF" {
        let remedy = match magic {
            b"ggml" | b"ggjt" | b"ggla" | b"tjgg" | b"fmgg" | b"lmgg" => {
                "the format is older than GGUF, so convert the model again or download a GGUF file"
            }
            b"<!DO" | b"<htm" | b"vers" => {
                "it is a web page or a Git LFS pointer, so download the model itself"
            }
            _ => "pass a GGUF or a safetensors file",
        };
        let why = format!("starts with {:?}, not with \"GGUF\"", String::from_utf8_lossy(magic));
        return Err(Error::broken(path, "the file", why, remedy));
    }
    let version = cursor.u32("the version")?;
    match version {
        2 | 3 => Ok(version),
        1 => {
            let remedy = "convert the model again, to version 3";
            Err(Error::unsupported(path, "byte 4", "GGUF version 1", remedy))
        }
        v if matches!(v.swap_bytes(), 1..=3) => {
            let remedy = "download the little-endian file";
            Err(Error::unsupported(path, "byte 4", "a big-endian GGUF file", remedy))
        }
        v => {
            let remedy = "use a file of version 2 or 3, or a newer bessemer";
            let what = format!("GGUF version {v}");
            Err(Error::unsupported(path, "byte 4", what, remedy))
        }
    }
}

fn entry(cursor: &mut Cursor<'_>, data: &HostMemory) -> Result<Entry> {
    let key = cursor.string("a key")?;
    if key.is_empty() {
        return Err(cursor.damaged("a metadata key is empty"));
    }
    let what = format!("the value of `{key}`");
    let kind = kind(cursor, &what)?;
    let at = cursor.at();
    let value = if kind == Kind::Array {
        Value::Array(array(cursor, data, &what)?)
    } else {
        Value::read_scalar(kind, cursor, &what)?
    };
    Ok(Entry { key: key.to_owned(), value, at })
}

fn kind(cursor: &mut Cursor<'_>, what: &str) -> Result<Kind> {
    let at = cursor.at();
    let id = cursor.u32(what)?;
    Kind::from_id(id).ok_or_else(|| {
        let why = format!("{what} has the unknown kind {id}");
        Error::damaged(cursor.path, format!("byte {at}:"), why)
    })
}

fn array(cursor: &mut Cursor<'_>, data: &HostMemory, what: &str) -> Result<Array> {
    let (kind, len) = array_head(cursor, what)?;
    let start = cursor.at();
    skip(cursor, kind, len, what, 1)?;
    let bytes = data.slice(start..cursor.at())?;
    Ok(Array::in_file(kind, len, bytes))
}

fn array_head(cursor: &mut Cursor<'_>, what: &str) -> Result<(Kind, usize)> {
    let kind = kind(cursor, what)?;
    let len = cursor.count(kind.least_bytes(), "the length of", what)?;
    Ok((kind, len))
}

/// Steps over `len` values, checking that they are all there.
fn skip(cursor: &mut Cursor<'_>, kind: Kind, len: usize, what: &str, depth: usize) -> Result<()> {
    match kind {
        // Does not overflow: `len` was checked against the rest of the file.
        _ if kind.is_fixed() => cursor.take(len * kind.least_bytes(), what).map(drop),
        Kind::String => (0..len).try_for_each(|_| cursor.string_bytes(what).map(drop)),
        _ if depth >= DEEPEST => {
            Err(cursor.damaged(format!("{what} nests lists more than {DEEPEST} deep")))
        }
        _ => (0..len).try_for_each(|_| {
            let (kind, len) = array_head(cursor, what)?;
            skip(cursor, kind, len, what, depth + 1)
        }),
    }
}

fn alignment(metadata: &Metadata) -> Result<usize> {
    const KEY: &str = "general.alignment";
    let alignment = metadata.get::<u32>(KEY)?.unwrap_or(32);
    // The upper bound keeps a lie from moving the data anywhere.
    if !alignment.is_power_of_two() || alignment > 1 << 20 {
        let why = format!("is {alignment}, not a power of two up to 1,048,576");
        return Err(metadata.refuse(KEY, why));
    }
    Ok(alignment as usize)
}

/// Reads a tensor's entry; its data's place comes beside it, counted from the start of all data.
fn tensor(cursor: &mut Cursor<'_>, alignment: usize) -> Result<(Tensor, u64)> {
    let name = cursor.string("a tensor's name")?;
    let at = cursor.at();
    let place = || format!("tensor `{name}` (byte {at})");
    let path = cursor.path;
    let damaged = |why: String| Error::damaged(path, place(), why);

    let rank = cursor.u32("a tensor's number of dimensions")?;
    if rank > MOST_DIMENSIONS {
        return Err(damaged(format!("has {rank} dimensions, more than {MOST_DIMENSIONS}")));
    }
    let mut dims = Vec::with_capacity(rank as usize);
    for _ in 0..rank {
        let size = cursor.u64("a tensor's size")?;
        dims.push(usize::try_from(size).unwrap_or(usize::MAX));
    }
    // GGUF has the fastest dimension first.
    dims.reverse();
    let shape = Shape::new(&dims).map_err(|e| damaged(format!("has no valid shape: {e}")))?;
    let id = cursor.u32("a tensor's type")?;
    let dtype = dtype_of(id).map_err(|lacking| match lacking {
        Some(name) => Error::unsupported(
            path,
            place(),
            format!("tensor type {name}"),
            "download the model in another quantisation, such as Q4_K_M, Q8_0 or F16",
        ),
        None => damaged(format!("has the unknown type {id}")),
    })?;
    let offset = cursor.u64("a tensor's offset")?;
    if offset % alignment as u64 != 0 {
        return Err(damaged(format!("starts at offset {offset}, not a multiple of {alignment}")));
    }
    let bytes = tensor_bytes(dtype, &shape).map_err(damaged)?;
    let tensor = Tensor { name: name.to_owned(), dtype, shape, file: 0, range: 0..bytes };
    Ok((tensor, offset))
}

/// Puts a tensor where it lies in the file; whether that is within it is checked with its peers.
fn place(path: &Path, mut tensor: Tensor, offset: u64, data: usize) -> Result<Tensor> {
    let start = usize::try_from(offset).ok().and_then(|offset| data.checked_add(offset));
    let end = start.and_then(|start| start.checked_add(tensor.range.end));
    match (start, end) {
        (Some(start), Some(end)) => {
            tensor.range = start..end;
            Ok(tensor)
        }
        _ => {
            let why = format!("starts at offset {offset}, past the end of any file");
            let place = format!("tensor `{}`", tensor.name);
            Err(Error::damaged(path, place, why))
        }
    }
}
