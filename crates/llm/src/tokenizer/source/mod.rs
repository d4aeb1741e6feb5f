//! Where tokenizers come from: GGUF metadata and `tokenizer.json`.

mod ends;
mod gguf;
mod json;
mod parts;

use super::{Tokenizer, limits::MOST_JSON_BYTES};
use crate::{
    Result,
    files::{Gguf, ModelFile, read},
};
use std::path::Path;

impl Tokenizer {
    /// The tokenizer in a GGUF file.
    pub fn from_gguf(file: &Gguf) -> Result<Tokenizer> {
        gguf::read(file.metadata())
    }

    /// Reads the JSON of a `tokenizer.json` that was found at `path`.
    pub fn from_json(path: impl AsRef<Path>, json: &[u8]) -> Result<Tokenizer> {
        json::parse(path.as_ref(), json, None)
    }

    /// Opens a `tokenizer.json`. If there is a `tokenizer_config.json` beside it, that says which
    /// tokens begin and end a text.
    pub fn open(path: impl AsRef<Path>) -> Result<Tokenizer> {
        let path = path.as_ref();
        let json = read::all(path, MOST_JSON_BYTES)?;
        let config = path.with_file_name("tokenizer_config.json");
        let roles = config.exists().then(|| json::roles(&config)).transpose()?;
        json::parse(path, &json, roles.as_ref())
    }

    /// The tokenizer of a model: in its file, or beside it.
    pub fn of(model: &ModelFile) -> Result<Tokenizer> {
        match model {
            ModelFile::Gguf(file) => Tokenizer::from_gguf(file),
            ModelFile::Safetensors(files) => Tokenizer::open(files.folder().join("tokenizer.json")),
        }
    }
}
