//! The names of sharded files: `NAME-00002-of-00005.gguf`.

use std::path::{Path, PathBuf};

/// The most files one model may be split into; real ones have a few dozen.
pub(crate) const MOST_SHARDS: usize = 4096;

/// A shard's place in its series, read off its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShardName {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) count: usize,
    folder: PathBuf,
    stem: String,
    extension: String,
}

impl ShardName {
    /// Takes a path apart; `None` if it is not named as a shard.
    pub(crate) fn parse(path: &Path) -> Option<ShardName> {
        let name = path.file_name()?.to_str()?;
        let (rest, extension) = name.rsplit_once('.')?;
        let (rest, count) = rest.rsplit_once("-of-")?;
        let (stem, number) = rest.rsplit_once('-')?;
        let digits = |s: &str| s.len() == 5 && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(number) || !digits(count) {
            return None;
        }
        let (number, count) = (number.parse().ok()?, count.parse().ok()?);
        (1..=count).contains(&number).then(|| ShardName {
            number,
            count,
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            stem: stem.to_owned(),
            extension: extension.to_owned(),
        })
    }

    /// The paths of all shards, in order.
    pub(crate) fn all(&self) -> Vec<PathBuf> {
        let name = |i| format!("{}-{i:05}-of-{:05}.{}", self.stem, self.count, self.extension);
        (1..=self.count).map(|i| self.folder.join(name(i))).collect()
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
        for plain in
            ["model.gguf", "m-00004-of-00003.gguf", "m-1-of-2.gguf", "m-00000-of-00002.gguf"]
        {
            assert_eq!(ShardName::parse(Path::new(plain)), None, "{plain}");
        }
    }
}
