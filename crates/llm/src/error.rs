//! Errors of model files and text: each names the file, the place in it, and what to do.

use std::{
    io,
    path::{Path, PathBuf},
};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a model, a tokenizer or a template was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system would not open, map, read or write a file.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },

    /// A file whose bytes break the rules of its format.
    #[error("{}: {place} {why}; {remedy}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where in it: a key, a tensor, a byte position.
        place: String,
        /// What is wrong there, such as "is 0".
        why: String,
        /// What to do.
        remedy: String,
    },

    /// A sound file that asks for something bessemer lacks.
    #[error("{}: {place}: {what} is not supported; {remedy}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: String,
        /// What it asks for.
        what: String,
        /// What to do.
        remedy: String,
    },

    /// A chat template that does not parse, fails or does not end.
    #[error("chat template: {why}; {remedy}")]
    Template {
        /// What it said, with the line.
        why: String,
        /// What to do.
        remedy: &'static str,
    },

    /// Text or tokens that a tokenizer cannot take.
    #[error("tokenizer: {0}")]
    Tokenizer(String),

    /// What a session cannot do.
    #[error("{0}")]
    Session(String),

    /// A state that could not be saved or restored.
    #[error("{0}")]
    State(String),

    /// A model or a text that a device has no room for, known before anything was taken.
    #[error("{0}")]
    NoRoom(String),

    /// A tensor that a device would not take.
    #[error("loading `{tensor}`, {bytes} bytes: {source}")]
    Load {
        /// Its name.
        tensor: String,
        /// Its length.
        bytes: usize,
        /// What the device said.
        source: bessemer_core::Error,
    },

    /// A setting of sampling that makes no sense.
    #[error(transparent)]
    Sampling(#[from] crate::sampling::BadSetting),

    /// Something the layers below refused.
    #[error(transparent)]
    Core(#[from] bessemer_core::Error),
}

/// The remedy for what no published file asks for.
pub(crate) const PUBLISHED: &str = "use the tokenizer that the model's authors published";

/// The usual remedy for bytes that make no sense.
pub(crate) const DAMAGED: &str = "the file is damaged or incomplete; download it again";

impl Error {
    /// The same error with a better remedy for a damaged file, if `remedy` knows one for its path.
    pub fn with_remedy(mut self, better: impl FnOnce(&Path) -> Option<String>) -> Error {
        if let Error::Broken { path, remedy, .. } = &mut self
            && remedy == DAMAGED
            && let Some(better) = better(path)
        {
            *remedy = better;
        }
        self
    }

    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Error {
        Error::Io { path: path.to_owned(), action, source }
    }

    /// A file that is damaged at `place`.
    pub(crate) fn damaged(path: &Path, place: impl Into<String>, why: impl Into<String>) -> Error {
        Error::broken(path, place, why, DAMAGED)
    }

    /// The damaged file that this error is about, and what to do, which is to download it again. A
    /// program that knows where the file came from can say how.
    ///
    /// ```
    /// let mut error = bessemer_llm::files::Gguf::from_bytes(b"GGUF".to_vec()).err().unwrap();
    /// let (path, remedy) = error.damaged_file().unwrap();
    /// assert_eq!(path.to_str(), Some("<memory>"));
    /// *remedy = "run \"bessemer pull smollm2 --force\" to download it again".into();
    /// assert!(error.to_string().ends_with("--force\" to download it again"));
    /// ```
    pub fn damaged_file(&mut self) -> Option<(&Path, &mut String)> {
        match self {
            Error::Broken { path, remedy, .. } if remedy == DAMAGED => Some((path, remedy)),
            _ => None,
        }
    }

    pub(crate) fn broken(
        path: &Path,
        place: impl Into<String>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Error {
        Error::Broken {
            path: path.to_owned(),
            place: short(place.into()),
            why: short(why.into()),
            remedy: remedy.into(),
        }
    }

    pub(crate) fn unsupported(
        path: &Path,
        place: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Error {
        Error::Unsupported {
            path: path.to_owned(),
            place: short(place.into()),
            what: short(what.into()),
            remedy: remedy.into(),
        }
    }
}

/// Names and texts of strangers may be endless; their start tells them apart.
pub(crate) fn short(mut text: String) -> String {
    const MOST: usize = 240;
    if text.len() > MOST {
        text.truncate(text.floor_char_boundary(MOST));
        text.push('…');
    }
    text.replace('\n', " ")
}

/// A count with its digits in groups of three: 98,362,432.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (98_362_432, "98,362,432")] {
            assert_eq!(grouped(count), text);
        }
    }
}
