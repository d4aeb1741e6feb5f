//! Models in several files: all must be there, and agree on how many they are.

use super::{Gguf, read};
use crate::{
    Error, Result,
    files::{
        map::map,
        names::{MOST_SHARDS, ShardName},
        tensors::Tensors,
    },
};
use std::path::Path;

pub(super) fn open(asked: &Path, shard: &ShardName) -> Result<Gguf> {
    if shard.count > MOST_SHARDS {
        let why = format!("counts {} shards, more than {MOST_SHARDS}", shard.count);
        return Err(Error::broken(asked, "the file name", why, "rename the file"));
    }
    let mut tensors = Tensors::new();
    let mut first = None;
    for (index, path) in shard.all().iter().enumerate() {
        if !path.exists() {
            let why = format!("is missing (shard {} of {})", index + 1, shard.count);
            let remedy = "put all shards into one folder";
            return Err(Error::broken(path, "the file", why, remedy));
        }
        let map = map(path)?;
        let data = map.memory()?;
        let head = read::head(path, &data);
        // What looks damaged may have been truncated just now.
        tensors.watch(map)?;
        let head = head?;
        let agree = |key: &str, expected: usize| match head.metadata.get::<usize>(key)? {
            Some(found) if found != expected => {
                let why = format!("is {found}, but the file's name says {expected}");
                Err(head.metadata.refuse(key, why))
            }
            _ => Ok(()),
        };
        agree("split.count", shard.count)?;
        agree("split.no", index)?;
        tensors.add(path, data, head.tensors)?;
        first.get_or_insert((head.version, head.metadata));
    }
    let (version, metadata) = first.expect("a shard's name counts at least one");
    const TOTAL: &str = "split.tensors.count";
    match metadata.get::<usize>(TOTAL)? {
        Some(total) if total != tensors.len() => {
            let why = format!("is {total}, but the shards hold {} tensors", tensors.len());
            Err(metadata.refuse(TOTAL, why))
        }
        _ => Ok(Gguf { version, metadata, tensors }),
    }
}
