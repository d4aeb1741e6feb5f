//! The index of a model in several files: which tensor is in which.

use crate::{
    Error, Result,
    files::{names::MOST_SHARDS, read, tensors::Tensors},
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path},
};

/// The largest published index has 6 MB.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

/// Opens all files of an index; `add` reads one.
pub(in crate::files) fn open(
    path: &Path,
    add: impl Fn(&mut Tensors, &Path) -> Result<()>,
) -> Result<Tensors> {
    let text = read::all(path, MOST_BYTES)?;
    let index: Index = serde_json::from_slice(&text)
        .map_err(|e| Error::damaged(path, "the file", format!("is invalid: {e}")))?;
    let files: BTreeSet<&str> = index.weight_map.values().map(String::as_str).collect();
    if files.len() > MOST_SHARDS {
        let why = format!("names {} files, more than {MOST_SHARDS}", files.len());
        return Err(Error::damaged(path, "`weight_map`", why));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut tensors = Tensors::new();
    for name in files {
        // An index from elsewhere must not reach out of its folder.
        let mut parts = Path::new(name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            let why = format!("names the file {name:?}, which is not a plain file name");
            return Err(Error::damaged(path, "`weight_map`", why));
        }
        let file = folder.join(name);
        if !file.exists() {
            let remedy = "put all shards into one folder";
            return Err(Error::broken(&file, "the file", "is missing (a shard)", remedy));
        }
        add(&mut tensors, &file)?;
    }
    for (name, file) in &index.weight_map {
        if tensors.get(name).is_none() {
            let why = format!("places tensor `{name}` in {file}, which lacks it");
            return Err(Error::damaged(path, "`weight_map`", why));
        }
    }
    Ok(tensors)
}
