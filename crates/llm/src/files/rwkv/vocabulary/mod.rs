//! The vocabulary of a model, from the file beside it to the metadata of a GGUF file.

mod bpe;
mod special;
mod world;

use super::keys::Keys;
use crate::{Error, Result, error::grouped, files::gguf::Array};
use std::path::{Path, PathBuf};

/// The types of tokens, as GGUF files number them.
const NORMAL: i32 = 1;
const CONTROL: i32 = 3;
const USER_DEFINED: i32 = 4;
const UNUSED: i32 = 5;

/// Token by token, what is written for it and its type.
struct Tokens {
    list: Vec<(Vec<u8>, i32)>,
}

/// A vocabulary that was read.
enum Vocabulary {
    World(world::World),
    Bpe(bpe::Bpe),
}

/// Sets the keys of a vocabulary: that of `asked`, or of the first file beside the model that fits its
/// number of tokens. A model without any can compute, but has no text.
pub(super) fn set(keys: &mut Keys, asked: Option<&Path>, folder: &Path, size: usize) -> Result<()> {
    let found = match asked {
        Some(path) => Some(read(path, size)?),
        None => {
            let mut found = None;
            let mut refusal = None;
            for path in beside(folder) {
                match read(&path, size) {
                    Ok(vocabulary) => {
                        found = Some(vocabulary);
                        break;
                    }
                    Err(error) => refusal = refusal.or(Some(error)),
                }
            }
            match (found, refusal) {
                (None, Some(refusal)) => return Err(refusal),
                (found, _) => found,
            }
        }
    };
    let special = special::Special::beside(asked.and_then(Path::parent).unwrap_or(folder))?;
    match found {
        Some(Vocabulary::World(world)) => world.set(keys, &special),
        Some(Vocabulary::Bpe(bpe)) => bpe.set(keys, &special),
        None => Ok(()),
    }
}

/// The files of a folder that may be the vocabulary, best first.
fn beside(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_world = |name: &str| name.starts_with("rwkv_vocab") && name.ends_with(".txt");
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_world))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    let json = ["20B_tokenizer.json", "tokenizer.json"].map(|name| folder.join(name));
    found.extend(json.into_iter().filter(|path| path.exists()));
    found
}

/// Reads a vocabulary for a model with so many tokens.
fn read(path: &Path, size: usize) -> Result<Vocabulary> {
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    Ok(match is_json {
        true => {
            let mut bpe = bpe::read(path, size)?;
            bpe.tokens.fill(size);
            Vocabulary::Bpe(bpe)
        }
        false => Vocabulary::World(world::read(path, size)?),
    })
}

impl Tokens {
    /// Fills up with tokens that stand for nothing.
    fn fill(&mut self, size: usize) {
        let missing = self.list.len()..size;
        self.list.extend(missing.map(|id| (format!("[PAD{id}]").into_bytes(), UNUSED)));
    }

    fn set(&self, keys: &mut Keys) -> Result<()> {
        let texts = Array::of_strings(self.list.iter().map(|(text, _)| text));
        keys.set("tokenizer.ggml.tokens", texts)?;
        let types = Array::of_i32(self.list.iter().map(|(_, kind)| *kind));
        keys.set("tokenizer.ggml.token_type", types)
    }
}

/// The error for a token that a model of so many has not.
fn too_many(path: &Path, id: usize, size: usize) -> Error {
    let (id, size) = (grouped(id), grouped(size));
    let why = format!("has a token {id}, but the model has {size} tokens");
    Error::broken(path, "the vocabulary", why, "use the vocabulary that the model was trained with")
}
