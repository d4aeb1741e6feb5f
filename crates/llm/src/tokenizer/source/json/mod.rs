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
    error::{PUBLISHED, grouped},
    files::read,
    tokenizer::{
        Roles, Tokenizer,
        added::{Added, AddedTokens},
        limits::{
            MOST_ADDED, MOST_BACKTRACKING, MOST_CONFIG_BYTES, MOST_PART_BYTES, MOST_PATTERNS,
            MOST_STEPS,
        },
        model::Model,
        split::{Pattern, Split, VISIBLE_SPACE},
    },
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};
use std::{cell::Cell, path::Path};
use vocabulary::AtMost;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(default)]
    added_tokens: AtMost<MOST_ADDED, Added>,
    #[serde(borrow)]
    normalizer: Option<&'a RawValue>,
    #[serde(borrow)]
    pre_tokenizer: Option<&'a RawValue>,
    #[serde(borrow)]
    post_processor: Option<&'a RawValue>,
    #[serde(borrow)]
    decoder: Option<&'a RawValue>,
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
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Config {
        bos_token: Value,
        eos_token: Value,
        unk_token: Value,
    }
    let json = read::all(path, MOST_CONFIG_BYTES)?;
    let config: Config = serde_json::from_slice(&json).map_err(|e| syntax(path, &e))?;
    // A token is its content, or an object with it.
    let name = |token: Value| {
        let content = token.as_str().or_else(|| token["content"].as_str());
        content.map(str::to_owned)
    };
    Ok(RoleNames {
        bos: name(config.bos_token),
        eos: name(config.eos_token),
        unknown: name(config.unk_token),
    })
}

pub(super) fn parse(path: &Path, json: &[u8], roles: Option<&RoleNames>) -> Result<Tokenizer> {
    let file: File<'_> = serde_json::from_slice(json).map_err(|e| syntax(path, &e))?;
    let added_tokens = file.added_tokens.0;
    let at = Place { path, place: String::new(), patterns: &Patterns::default() };
    let part = at.of("normalizer");
    let mut normalizers = Vec::new();
    let spells_first = normalizers::read(&part, &part.value(file.normalizer)?, &mut normalizers)?;
    part.check_count(normalizers.len())?;
    let part = at.of("pre_tokenizer");
    let mut splits = Vec::new();
    splits::read(&part, &part.value(file.pre_tokenizer)?, &mut splits)?;
    part.check_count(splits.len())?;
    let spelled = splits.iter().any(|split| matches!(split, Split::Spell)) || spells_first;

    let model_json = file.model.get();
    let models::Read { vocab, model, unknown } =
        models::read(&at.of("model"), model_json, &added_tokens, spelled)?;

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
    let part = at.of("decoder");
    let decoder = decoders::read(&part, &part.value(file.decoder)?, bytes)?;
    part.check_count(decoder.steps.len())?;
    let part = at.of("post_processor");
    let (before, after) = affixes::read(&part, &part.value(file.post_processor)?, vocab.len())?;

    let find = |name: &Option<String>| {
        let name = name.as_deref()?;
        let added = added_tokens.iter().find(|token| token.content == name);
        added.map(|token| token.id)
    };
    let (mut bos, mut eos) = (None, None);
    let mut unknown = unknown;
    if let Some(roles) = roles {
        (bos, eos) = (find(&roles.bos), find(&roles.eos));
        unknown = find(&roles.unknown).or(unknown);
    }
    let mut special: Vec<u32> =
        added_tokens.iter().filter(|token| token.special).map(|token| token.id).collect();
    special.sort_unstable();
    Ok(Tokenizer {
        roles: Roles { bos, eos, unknown, ends: ends(&added_tokens, eos), special },
        added: AddedTokens::new(added_tokens, &normalizers)
            .map_err(|e| at.of("added_tokens").excessive(e))?,
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
    Error::damaged(path, "the file", format!("is invalid: {error}"))
}

/// Where in a file something is, for errors.
struct Place<'a> {
    path: &'a Path,
    place: String,
    patterns: &'a Patterns,
}

/// How many expressions the file has, and how many of them go back.
#[derive(Default)]
struct Patterns {
    all: Cell<usize>,
    backtracking: Cell<usize>,
}

/// Steps within steps: real files go two deep.
const DEEPEST: usize = 8;

impl Place<'_> {
    fn of(&self, part: &str) -> Place<'_> {
        let dot = if self.place.is_empty() { "" } else { "." };
        let place = format!("{}{dot}{part}", self.place);
        Place { path: self.path, place, patterns: self.patterns }
    }

    fn damaged(&self, why: impl Into<String>) -> Error {
        Error::damaged(self.path, &self.place, why)
    }

    /// More than any published file asks for.
    fn excessive(&self, why: impl Into<String>) -> Error {
        Error::broken(self.path, &self.place, why, PUBLISHED)
    }

    /// Something a tokenizer may have that is not known here.
    fn unsupported(&self, what: impl Into<String>) -> Error {
        let remedy = "use the model as a GGUF file, or a newer bessemer";
        Error::unsupported(self.path, &self.place, what, remedy)
    }

    /// A part of the file; null if there is none.
    fn value(&self, json: Option<&RawValue>) -> Result<Value> {
        let json = json.map_or("null", RawValue::get);
        if json.len() > MOST_PART_BYTES {
            let (len, most) = (grouped(json.len()), grouped(MOST_PART_BYTES));
            return Err(self.excessive(format!("has {len} bytes, more than {most}")));
        }
        serde_json::from_str(json).map_err(|e| self.damaged(format!("is invalid: {e}")))
    }

    /// An error if there are too many steps.
    fn check_count(&self, steps: usize) -> Result<()> {
        match steps > MOST_STEPS {
            true => Err(self.excessive(format!("has {steps} steps, more than {MOST_STEPS}"))),
            false => Ok(()),
        }
    }

    /// Compiles an expression; an error if there are too many.
    fn regex(&self, source: &str) -> Result<Pattern> {
        let pattern = Pattern::regex(source).map_err(|e| self.unsupported(e))?;
        let (Patterns { all, backtracking }, cost) = (self.patterns, pattern.cost());
        all.set(all.get() + usize::from(cost.0));
        backtracking.set(backtracking.get() + usize::from(cost.1));
        if all.get() > MOST_PATTERNS {
            return Err(self.excessive(format!("is one of more than {MOST_PATTERNS} patterns")));
        }
        if backtracking.get() > MOST_BACKTRACKING {
            let why = format!("is one of more than {MOST_BACKTRACKING} patterns that look around");
            return Err(self.damaged(why));
        }
        Ok(pattern)
    }

    /// The parameters of a step.
    fn parse<T: DeserializeOwned>(&self, value: &Value) -> Result<T> {
        T::deserialize(value).map_err(|e| self.damaged(format!("is invalid: {e}")))
    }

    /// The steps of a sequence; an error if they are nested too deep.
    fn steps<'v>(&self, value: &'v Value, key: &str) -> Result<&'v [Value]> {
        if self.place.matches("Sequence").count() > DEEPEST {
            return Err(self.excessive(format!("is nested more than {DEEPEST} deep")));
        }
        let steps = value[key].as_array();
        Ok(steps.ok_or_else(|| self.damaged(format!("has no list `{key}`")))?)
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
    fn read(self, at: &Place<'_>) -> Result<Pattern> {
        match self {
            PatternJson::String(text) => Ok(Pattern::Text(text)),
            PatternJson::Regex(source) => at.regex(&source),
        }
    }
}
