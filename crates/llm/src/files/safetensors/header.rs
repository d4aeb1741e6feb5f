//! The JSON header of one file. Read by hand rather than by the `safetensors` crate, whose errors
//! do not say which tensor they are about; tests compare the two.

use crate::{
    Error, Result,
    error::grouped,
    files::{Tensor, tensors::tensor_bytes},
};
use bessemer_core::{DType, Shape};
use serde::{
    Deserialize,
    de::{IgnoredAny, MapAccess, Visitor},
};
use std::{fmt, path::Path};

/// The format's own limit.
const MOST_HEADER_BYTES: usize = 100_000_000;

const PREFIX: usize = 8;

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Tensor>> {
    let header = header(path, bytes)?;
    let data = PREFIX + header.len();
    let entries: Entries = serde_json::from_slice(header).map_err(|e| {
        let place = format!("byte {}:", position(header, &e));
        Error::damaged(path, place, format!("the header is invalid: {e}"))
    })?;
    let mut total = 0usize;
    let mut tensors = Vec::with_capacity(entries.0.len());
    for (name, info) in entries.0 {
        let tensor = tensor(path, name, info, data)?;
        total = total.saturating_add(tensor.range.len());
        tensors.push(tensor);
    }
    let held = bytes.len() - data;
    if total != held {
        let (total, held) = (grouped(total), grouped(held));
        let why = format!("the tensors take {total} bytes, but {held} follow the header");
        return Err(Error::damaged(path, format!("byte {data}:"), why));
    }
    Ok(tensors)
}

fn header<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a [u8]> {
    let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX>() else {
        let why = format!("has {} bytes, too few for a safetensors file", bytes.len());
        return Err(Error::damaged(path, "the file", why));
    };
    let len = u64::from_le_bytes(*prefix);
    if rest.first() != Some(&b'{') {
        let remedy = "pass a safetensors or a GGUF file";
        let why = "is not in the safetensors format";
        return Err(Error::broken(path, "the file", why, remedy));
    }
    match usize::try_from(len) {
        Ok(len) if len <= MOST_HEADER_BYTES && len <= rest.len() => Ok(&rest[..len]),
        _ => {
            let most = grouped(rest.len().min(MOST_HEADER_BYTES));
            let why = format!("the header takes {len} bytes, more than the {most} possible");
            Err(Error::damaged(path, "byte 0:", why))
        }
    }
}

fn tensor(path: &Path, name: String, info: Info, data: usize) -> Result<Tensor> {
    let place = || format!("tensor `{name}`");
    let damaged = |why: String| Error::damaged(path, place(), why);
    let dtype = match info.dtype.as_str() {
        "F32" => DType::F32,
        "F16" => DType::F16,
        "BF16" => DType::BF16,
        "I32" => DType::I32,
        "U32" => DType::U32,
        "U8" => DType::U8,
        "BOOL" => DType::Bool,
        other => {
            let what = format!("dtype {other}");
            let remedy = "download the model in F32, F16 or BF16, or as a GGUF file";
            return Err(Error::unsupported(path, place(), what, remedy));
        }
    };
    let shape = Shape::new(&info.shape).map_err(|e| damaged(format!("has no valid shape: {e}")))?;
    let bytes = tensor_bytes(dtype, &shape).map_err(damaged)?;
    let [start, end] = info.data_offsets;
    if end.checked_sub(start) != Some(bytes) {
        return Err(damaged(format!(
            "lies at bytes {start}..{end}, but {dtype} {shape} takes {bytes} bytes"
        )));
    }
    let range = match (data.checked_add(start), data.checked_add(end)) {
        (Some(start), Some(end)) => start..end,
        _ => {
            return Err(damaged(format!("lies at bytes {start}..{end}, past the end of any file")));
        }
    };
    Ok(Tensor { name, dtype, shape, file: 0, range })
}

/// The byte of the file an error of the header's JSON is at.
fn position(header: &[u8], error: &serde_json::Error) -> usize {
    let before: usize = header
        .split_inclusive(|&b| b == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    PREFIX + before + error.column()
}

#[derive(Deserialize)]
struct Info {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// Names and infos in their order, with the same name possible twice: a map would hide that.
struct Entries(Vec<(String, Info)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if name == "__metadata__" {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        entries.push((name, map.next_value()?));
                    }
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}
