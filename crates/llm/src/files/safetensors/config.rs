//! `config.json`: typed access with errors that name file and key.

use crate::{Error, Result, files::read};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Published ones have a few KB.
const MOST_BYTES: u64 = 4 << 20;

/// A model's `config.json`.
///
/// ```
/// use bessemer_llm::files::Config;
///
/// let config = Config::parse("config.json", br#"{"num_hidden_layers": 30, "rope": {"base": 1e4}}"#)?;
/// assert_eq!(config.require::<usize>("num_hidden_layers")?, 30);
/// assert_eq!(config.get::<f64>("rope.base")?, Some(10000.0));
/// assert_eq!(config.get::<bool>("tie_word_embeddings")?, None);
/// assert!(config.require::<usize>("hidden_size").is_err());
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    path: PathBuf,
    value: Value,
}

impl Config {
    /// The `config.json` of a folder; `None` if it has none.
    pub(in crate::files) fn beside(folder: &Path) -> Result<Option<Config>> {
        let path = folder.join("config.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = read::all(&path, MOST_BYTES)?;
        Config::parse(&path, &text).map(Some)
    }

    /// Reads JSON that was found at `path`.
    pub fn parse(path: impl AsRef<Path>, json: &[u8]) -> Result<Config> {
        let path = path.as_ref();
        let value = serde_json::from_slice(json)
            .map_err(|e| Error::damaged(path, "the file", format!("is invalid: {e}")))?;
        Ok(Config { path: path.to_owned(), value })
    }

    /// The value of a key as `T`; dots reach into objects. `None` if it is absent or `null`.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        let found = key.split('.').try_fold(&self.value, |v, part| v.get(part));
        match found {
            None | Some(Value::Null) => Ok(None),
            Some(value) => T::deserialize(value).map(Some).map_err(|e| {
                let remedy = "the file is damaged, or describes an unsupported model";
                Error::broken(&self.path, format!("key `{key}`:"), e.to_string(), remedy)
            }),
        }
    }

    /// The value of a key as `T`; an error if the file lacks it.
    pub fn require<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        self.get(key)?.ok_or_else(|| self.missing(key))
    }

    /// An error about a key that is not there.
    pub(crate) fn missing(&self, key: &str) -> Error {
        let remedy = "the file is incomplete, or describes an unsupported model";
        Error::broken(&self.path, format!("key `{key}`"), "is missing", remedy)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole file.
    pub fn json(&self) -> &Value {
        &self.value
    }
}
