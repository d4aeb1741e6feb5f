//! Typed access to metadata, with errors that name file, key and byte.

use super::value::{Array, Value};
use crate::{Error, Result};
use foldhash::HashMap;
use std::path::{Path, PathBuf};

/// The keys and values at the head of a file, in their order.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    path: PathBuf,
    entries: Vec<Entry>,
    by_key: HashMap<String, usize>,
}

/// One key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Where the value stands in the file.
    pub at: usize,
}

/// What a metadata value can be read as.
pub trait FromValue<'a>: Sized {
    /// What is expected, for errors.
    const EXPECTED: &'static str;

    /// The value as this type; `None` if it is something else or does not fit.
    fn from_value(value: &'a Value) -> Option<Self>;
}

impl Metadata {
    pub(crate) fn new(path: &Path) -> Metadata {
        Metadata { path: path.to_owned(), ..Metadata::default() }
    }

    pub(crate) fn insert(&mut self, entry: Entry) -> Result<()> {
        let index = self.entries.len();
        if self.by_key.insert(entry.key.clone(), index).is_some() {
            let place = format!("key `{}` (byte {})", entry.key, entry.at);
            return Err(Error::damaged(&self.path, place, "occurs twice"));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All keys and values.
    ///
    /// ```
    /// use bessemer_llm::{files::Gguf, tiny};
    ///
    /// let file = Gguf::from_bytes(tiny::gguf())?;
    /// assert!(file.metadata().iter().any(|entry| entry.key == "general.architecture"));
    /// # Ok::<(), bessemer_llm::Error>(())
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// The value of a key as `T`; `None` if the file has no such key, an error if the value is
    /// something else. Integers of every width and sign are taken where they fit.
    ///
    /// ```
    /// use bessemer_llm::files::{Gguf, GgufWriter};
    ///
    /// let mut writer = GgufWriter::new();
    /// writer.set("llama.block_count", 30u32);
    /// let file = Gguf::from_bytes(writer.to_bytes(&[])?)?;
    /// assert_eq!(file.metadata().get::<u64>("llama.block_count")?, Some(30));
    /// assert_eq!(file.metadata().get::<u64>("llama.rope")?, None);
    /// let error = file.metadata().get::<&str>("llama.block_count").unwrap_err();
    /// assert!(error.to_string().contains("`llama.block_count` (byte 53)"), "{error}");
    /// # Ok::<(), bessemer_llm::Error>(())
    /// ```
    pub fn get<'a, T: FromValue<'a>>(&'a self, key: &str) -> Result<Option<T>> {
        let Some(&index) = self.by_key.get(key) else {
            return Ok(None);
        };
        let entry = &self.entries[index];
        match T::from_value(&entry.value) {
            Some(value) => Ok(Some(value)),
            None => {
                let why = format!("is {}, not {}", describe(&entry.value), T::EXPECTED);
                Err(self.broken(entry, why))
            }
        }
    }

    /// The value of a key as `T`; an error if the file lacks it.
    ///
    /// ```
    /// use bessemer_llm::{files::Gguf, tiny};
    ///
    /// let file = Gguf::from_bytes(tiny::gguf())?;
    /// assert_eq!(file.metadata().require::<&str>("general.architecture")?, "llama");
    /// let error = file.metadata().require::<u32>("llama.experts").unwrap_err();
    /// assert!(error.to_string().contains("`llama.experts`"), "{error}");
    /// # Ok::<(), bessemer_llm::Error>(())
    /// ```
    pub fn require<'a, T: FromValue<'a>>(&'a self, key: &str) -> Result<T> {
        self.get(key)?.ok_or_else(|| self.missing(key))
    }

    /// An error about a key that is not there.
    pub(crate) fn missing(&self, key: &str) -> Error {
        Error::broken(
            &self.path,
            format!("key `{key}`"),
            "is missing",
            "the file is incomplete; download it again or use another conversion of the model",
        )
    }

    /// An error about the value of `key`.
    pub(crate) fn refuse(&self, key: &str, why: impl Into<String>) -> Error {
        match self.by_key.get(key) {
            Some(&index) => self.broken(&self.entries[index], why.into()),
            None => Error::damaged(&self.path, format!("key `{key}`"), why),
        }
    }

    fn broken(&self, entry: &Entry, why: String) -> Error {
        let place = format!("key `{}` (byte {})", entry.key, entry.at);
        Error::damaged(&self.path, place, why)
    }
}

/// A value in a few words.
fn describe(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() > 40 => format!("a string of {} bytes", text.len()),
        Value::String(text) => format!("the string {text:?}"),
        Value::Array(array) => format!("a list of {} {:?}", array.len(), array.kind()),
        Value::Bool(x) => x.to_string(),
        other => other.as_number().map_or_else(String::new, |x| x.to_string()),
    }
}

macro_rules! integers {
    ($($type:ty),*) => {
        $(impl FromValue<'_> for $type {
            const EXPECTED: &'static str = concat!("an integer that fits ", stringify!($type));

            fn from_value(value: &Value) -> Option<$type> {
                value.as_integer()?.try_into().ok()
            }
        })*
    };
}

integers!(u16, u32, u64, usize, i32, i64);

impl FromValue<'_> for f32 {
    const EXPECTED: &'static str = "a number";

    fn from_value(value: &Value) -> Option<f32> {
        value.as_number().map(|x| x as f32)
    }
}

impl FromValue<'_> for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_value(value: &Value) -> Option<bool> {
        match value {
            Value::Bool(x) => Some(*x),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for &'a str {
    const EXPECTED: &'static str = "a string";

    fn from_value(value: &'a Value) -> Option<&'a str> {
        match value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for &'a Array {
    const EXPECTED: &'static str = "a list";

    fn from_value(value: &'a Value) -> Option<&'a Array> {
        match value {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }
}

/// A list of numbers, or of strings.
impl<'a, T: FromListed> FromValue<'a> for Vec<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_value(value: &'a Value) -> Option<Vec<T>> {
        match value {
            Value::Array(array) => T::all(array),
            _ => None,
        }
    }
}

/// What the values of a list can be read as.
pub trait FromListed: Sized {
    /// What is expected, for errors.
    const EXPECTED: &'static str;

    /// All values; `None` if one is something else.
    fn all(array: &Array) -> Option<Vec<Self>>;
}

macro_rules! listed {
    ($($type:ty => $expected:literal),*) => {
        $(impl FromListed for $type {
            const EXPECTED: &'static str = $expected;

            fn all(array: &Array) -> Option<Vec<$type>> {
                array.scalars()?.map(|value| <$type>::from_value(&value)).collect()
            }
        })*
    };
}

listed!(i32 => "a list of integers", u32 => "a list of unsigned integers",
        usize => "a list of unsigned integers", f32 => "a list of numbers");

impl FromListed for String {
    const EXPECTED: &'static str = "a list of UTF-8 strings";

    fn all(array: &Array) -> Option<Vec<String>> {
        let text = |bytes: &[u8]| std::str::from_utf8(bytes).map(str::to_owned).ok();
        array.strings()?.map(text).collect()
    }
}
