//! The names of sharded files: `NAME-00002-of-00005.gguf`.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// The most files one model may be split into; real ones have a few dozen.
pub(crate) const MOST_SHARDS: usize = 4096;

/// A shard's place in its series, read off its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShardName {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) count: usize,
    folder: PathBuf,
    /// Need not be UTF-8.
    stem: OsString,
    extension: OsString,
}

/// What follows the stem: `-00002-of-00005`.
const SUFFIX: usize = 15;

impl ShardName {
    /// Takes a path apart; `None` if it is not named as a shard.
    pub(crate) fn parse(path: &Path) -> Option<ShardName> {
        let name = path.file_stem()?.as_encoded_bytes();
        let (stem, suffix) = name.split_at_checked(name.len().checked_sub(SUFFIX)?)?;
        let suffix = std::str::from_utf8(suffix).ok()?;
        let (number, count) = suffix.strip_prefix('-')?.split_once("-of-")?;
        let digits = |s: &str| s.len() == 5 && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(number) || !digits(count) {
            return None;
        }
        let (number, count) = (number.parse().ok()?, count.parse().ok()?);
        let extension = path.extension()?.to_owned();
        // SAFETY: these are the bytes of a name up to a part of it that is UTF-8.
        let stem = unsafe { OsStr::from_encoded_bytes_unchecked(stem) };
        (1..=count).contains(&number).then(|| ShardName {
            number,
            count,
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            stem: stem.to_owned(),
            extension,
        })
    }

    /// The paths of all shards, in order.
    pub(crate) fn all(&self) -> Vec<PathBuf> {
        let path = |i: usize| {
            let mut name = self.stem.clone();
            name.push(format!("-{i:05}-of-{:05}.", self.count));
            name.push(&self.extension);
            self.folder.join(name)
        };
        (1..=self.count).map(path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shard_names_round_trip() {
        let path = Path::new("/m/big-model-00002-of-00003.gguf");
        let shard = ShardName::parse(path).unwrap();
        assert_eq!((shard.number, shard.count), (2, 3));
        assert_eq!(shard.all()[1], path);
        assert_eq!(shard.all().len(), 3);
        for plain in [
            "model.gguf",
            "m-00004-of-00003.gguf",
            "m-1-of-2.gguf",
            "m-00000-of-00002.gguf",
            "m-00001-of-00002",
            "é-0001-of-000002.gguf",
        ] {
            assert_eq!(ShardName::parse(Path::new(plain)), None, "{plain}");
        }
    }
}
