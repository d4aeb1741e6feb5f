//! Tokenizers from Hugging Face's `tokenizer.json`.

mod affixes;
mod decoders;
mod models;
mod normalizers;
mod splits;
mod vocabulary;

use super::ends::ends;
use crate::{
    Error, Result,
    tokenizer::{
        Roles, Tokenizer,
        added::{Added, AddedTokens},
        model::Model,
        split::{Split, VISIBLE_SPACE},
    },
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};
use std::path::Path;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(default)]
    added_tokens: Vec<Added>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    decoder: Value,
    #[serde(borrow)]
    model: &'a RawValue,
}

/// Which tokens begin and end a text, by their content.
#[derive(Default)]
pub(super) struct RoleNames {
    bos: Option<String>,
    eos: Option<String>,
    unknown: Option<String>,
}

/// Reads `tokenizer_config.json`.
pub(super) fn roles(path: &Path) -> Result<RoleNames> {
    let json = std::fs::read(path).map_err(|e| Error::io(path, "read", e))?;
    let value: Value = serde_json::from_slice(&json).map_err(|e| syntax(path, &e))?;
    // A token is its content, or an object with it.
    let name = |key: &str| {
        let token = &value[key];
        let content = token.as_str().or_else(|| token["content"].as_str());
        content.map(str::to_owned)
    };
    Ok(RoleNames { bos: name("bos_token"), eos: name("eos_token"), unknown: name("unk_token") })
}

pub(super) fn read(path: &Path, json: &[u8], roles: Option<&RoleNames>) -> Result<Tokenizer> {
    let file: File<'_> = serde_json::from_slice(json).map_err(|e| syntax(path, &e))?;
    let at = Place { path, place: String::new() };
    let mut normalizers = Vec::new();
    let spells_first = normalizers::read(&at.of("normalizer"), &file.normalizer, &mut normalizers)?;
    let mut splits = Vec::new();
    splits::read(&at.of("pre_tokenizer"), &file.pre_tokenizer, &mut splits)?;
    let spelled = splits.iter().any(|split| matches!(split, Split::Spell)) || spells_first;

    let model_json = file.model.get();
    let models::Read { vocab, model, unknown } =
        models::read(&at.of("model"), model_json, &file.added_tokens, spelled)?;

    let bytes = spelled && matches!(model, Model::Bpe(_));
    let mut still_spelled = bytes;
    if bytes && !spells_first && matches!(splits.last(), Some(Split::Spell)) {
        // Spelling words only to read them again is work for nothing.
        splits.pop();
        still_spelled = splits.iter().any(|split| matches!(split, Split::Spell));
    }
    if splits.is_empty() && can_cut_at_spaces(&model, &vocab) {
        splits.push(Split::AtVisibleSpaces);
    }
    let decoder = decoders::read(&at.of("decoder"), &file.decoder, bytes)?;
    let (before, after) =
        affixes::read(&at.of("post_processor"), &file.post_processor, vocab.len())?;

    let find = |name: &Option<String>| {
        let name = name.as_deref()?;
        let added = file.added_tokens.iter().find(|token| token.content == name);
        added.map(|token| token.id)
    };
    let (mut bos, mut eos) = (None, None);
    let mut unknown = unknown;
    if let Some(roles) = roles {
        (bos, eos) = (find(&roles.bos), find(&roles.eos));
        unknown = find(&roles.unknown).or(unknown);
    }
    let mut special: Vec<u32> =
        file.added_tokens.iter().filter(|token| token.special).map(|token| token.id).collect();
    special.sort_unstable();
    Ok(Tokenizer {
        roles: Roles { bos, eos, unknown, ends: ends(&file.added_tokens, eos), special },
        added: AddedTokens::new(file.added_tokens, &normalizers)?,
        vocab,
        normalizers,
        splits,
        spelled: still_spelled,
        model,
        decoder,
        before,
        after,
    })
}

/// Whether each run of spaces with what follows can be taken for itself.
fn can_cut_at_spaces(model: &Model, vocab: &crate::tokenizer::vocab::Vocab) -> bool {
    let mut mark = [0; 4];
    let mark = VISIBLE_SPACE.encode_utf8(&mut mark).as_bytes();
    matches!(model, Model::Bpe(bpe) if bpe.is_by_plain_chars())
        && vocab.id(mark).is_some()
        && super::parts::spaces_start_tokens(vocab.iter())
}

fn syntax(path: &Path, error: &serde_json::Error) -> Error {
    let place = format!("line {}, column {}", error.line(), error.column());
    Error::damaged(path, place, error.to_string())
}

/// Where in a file something is, for errors.
struct Place<'a> {
    path: &'a Path,
    place: String,
}

/// Steps within steps: real files go two deep.
const DEEPEST: usize = 8;

impl Place<'_> {
    fn of(&self, part: &str) -> Place<'_> {
        let dot = if self.place.is_empty() { "" } else { "." };
        Place { path: self.path, place: format!("{}{dot}{part}", self.place) }
    }

    fn damaged(&self, why: impl Into<String>) -> Error {
        Error::damaged(self.path, &self.place, why)
    }

    /// Something a tokenizer may have that is not known here.
    fn unsupported(&self, what: impl Into<String>) -> Error {
        let remedy = "get the model as a GGUF file, or a newer bessemer";
        Error::unsupported(self.path, &self.place, what, remedy)
    }

    /// The parameters of a step.
    fn parse<T: DeserializeOwned>(&self, value: &Value) -> Result<T> {
        T::deserialize(value).map_err(|e| self.damaged(e.to_string()))
    }

    /// The steps of a sequence; an error if they are nested too deep.
    fn steps<'v>(&self, value: &'v Value, key: &str) -> Result<&'v [Value]> {
        if self.place.matches("Sequence").count() > DEEPEST {
            return Err(self.damaged(format!("sequences are nested deeper than {DEEPEST}")));
        }
        let steps = value[key].as_array();
        Ok(steps.ok_or_else(|| self.damaged(format!("`{key}` is not a list")))?)
    }
}

/// The type of a step.
fn type_of(value: &Value) -> &str {
    value["type"].as_str().unwrap_or("")
}

/// A pattern, as a text or an expression.
#[derive(Deserialize)]
enum PatternJson {
    String(String),
    Regex(String),
}

impl PatternJson {
    fn read(self, at: &Place<'_>) -> Result<crate::tokenizer::split::Pattern> {
        use crate::tokenizer::split::Pattern;
        match self {
            PatternJson::String(text) => Ok(Pattern::Text(text)),
            PatternJson::Regex(source) => Pattern::regex(&source).map_err(|e| at.unsupported(e)),
        }
    }
}
