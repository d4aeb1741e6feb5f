//! Where tokenizers come from: GGUF metadata, `tokenizer.json` and the vocabularies of RWKV.

mod ends;
mod gguf;
mod json;
mod parts;

use super::{
    Tokenizer,
    limits::{MOST_JSON_BYTES, MOST_WORLD_BYTES},
    world,
};
use crate::{
    Result,
    files::{
        Gguf, ModelFile,
        gguf::{Entry, Metadata},
        read,
    },
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

    /// Reads the text of a vocabulary of RWKV's world models that was found at `path`, such as
    /// `rwkv_vocab_v20230424.txt`. Each of its lines is a token: its id, its text or bytes as Python
    /// writes them, and how many bytes those are.
    ///
    /// ```
    /// use bessemer_llm::tokenizer::{Encode, Tokenizer};
    ///
    /// let text = r"1 'a' 1
    /// 2 'ab' 2
    /// 3 b'\xff' 1
    /// 4 '\n\n' 2";
    /// let tokenizer = Tokenizer::from_world("vocab.txt", text.as_bytes())?;
    /// assert_eq!(tokenizer.encode("aab", Encode::PLAIN)?, [1, 2]);
    /// assert_eq!(tokenizer.encode_bytes(b"ab\xFF")?, [2, 3]);
    /// assert!(tokenizer.is_end(0) && tokenizer.is_end(4));
    /// # Ok::<(), bessemer_llm::Error>(())
    /// ```
    pub fn from_world(path: impl AsRef<Path>, text: &[u8]) -> Result<Tokenizer> {
        let tokens = world::parse_vocabulary(path.as_ref(), text)?;
        let mut metadata = Metadata::new(path.as_ref());
        for (key, value) in world::metadata(&tokens, 0) {
            metadata.insert(Entry { key: key.to_owned(), value, at: 0 })?;
        }
        gguf::read(&metadata)
    }

    /// Opens a `tokenizer.json`, or a vocabulary of RWKV's world models if the name ends in `.txt`. If
    /// there is a `tokenizer_config.json` beside a `tokenizer.json`, that says which tokens begin and
    /// end a text.
    pub fn open(path: impl AsRef<Path>) -> Result<Tokenizer> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension == "txt") {
            return Tokenizer::from_world(path, &read::all(path, MOST_WORLD_BYTES)?);
        }
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
