//! A `tokenizer.json` of byte-level BPE as metadata: tokens, merges, and the name of its pre-tokenizer.

use super::{CONTROL, NORMAL, Tokens, UNUSED, USER_DEFINED, special::Special, too_many};
use crate::{Error, Result, files::read};
use foldhash::HashMap;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The largest published ones have 35 MB.
const MOST_BYTES: u64 = 256 << 20;

/// How the patterns of known pre-tokenizers start, which is where they differ, and their names.
const PATTERNS: [(&str, &str); 2] = [
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*",
        "qwen2",
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*",
        "llama-bpe",
    ),
];

pub(super) struct Bpe {
    pub(super) tokens: Tokens,
    merges: Vec<String>,
    pre: &'static str,
}

#[derive(Deserialize)]
struct Json {
    model: Model,
    #[serde(default)]
    added_tokens: Vec<Added>,
    #[serde(default)]
    pre_tokenizer: Value,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: HashMap<String, usize>,
    #[serde(default)]
    merges: Vec<Merge>,
}

/// Older files have both halves in one string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    One(String),
    Two(String, String),
}

#[derive(Deserialize)]
struct Added {
    id: usize,
    content: String,
    #[serde(default)]
    special: bool,
}

/// Reads a tokenizer with at most so many tokens.
pub(super) fn read(path: &Path, size: usize) -> Result<Bpe> {
    let text = read::all(path, MOST_BYTES)?;
    let json: Json = serde_json::from_slice(&text)
        .map_err(|e| Error::damaged(path, "the file", format!("is invalid: {e}")))?;
    let unsupported = |key: &str, what: &str| {
        let remedy = "convert the model to GGUF with llama.cpp";
        Error::unsupported(path, format!("key `{key}`"), what, remedy)
    };
    if json.model.kind.as_deref().is_some_and(|kind| kind != "BPE") {
        return Err(unsupported("model.type", "a tokenizer other than byte-level BPE"));
    }
    let Some(pre) = pre_tokenizer(&json.pre_tokenizer) else {
        return Err(unsupported("pre_tokenizer", "this way to split text"));
    };
    let mut tokens = Tokens { list: Vec::new() };
    let added = json.added_tokens.into_iter().map(|added| {
        let kind = if added.special { CONTROL } else { USER_DEFINED };
        (added.id, added.content, kind)
    });
    let named = json.model.vocab.into_iter().map(|(text, id)| (id, text, NORMAL));
    // Those that are both are added ones.
    for (id, text, kind) in named.chain(added) {
        if id >= size {
            return Err(too_many(path, id, size));
        }
        if id >= tokens.list.len() {
            tokens.fill(id + 1);
        }
        tokens.list[id] = (text.into_bytes(), kind);
    }
    let merges = json.model.merges.into_iter().map(|merge| match merge {
        Merge::One(both) => both,
        Merge::Two(left, right) => format!("{left} {right}"),
    });
    Ok(Bpe { tokens, merges: merges.collect(), pre })
}

/// The name that GGUF files have for a pre-tokenizer.
fn pre_tokenizer(json: &Value) -> Option<&'static str> {
    let steps = match json["type"].as_str()? {
        "Sequence" => json["pretokenizers"].as_array()?.as_slice(),
        _ => std::slice::from_ref(json),
    };
    let is_bytes = |step: &Value| step["type"] == "ByteLevel" && step["add_prefix_space"] != true;
    match steps {
        [bytes] if is_bytes(bytes) && bytes["use_regex"] != false => Some("gpt-2"),
        [split, bytes] if is_bytes(bytes) && bytes["use_regex"] == false => {
            let pattern = split["pattern"]["Regex"].as_str()?;
            let known = PATTERNS.iter().find(|(start, _)| pattern.starts_with(start));
            known.filter(|_| split["behavior"] == "Isolated").map(|(_, name)| *name)
        }
        _ => None,
    }
}

impl Bpe {
    pub(super) fn set(self, keys: &mut super::Keys, special: &Special) -> Result<()> {
        keys.set("tokenizer.ggml.model", "gpt2")?;
        keys.set("tokenizer.ggml.pre", self.pre)?;
        self.tokens.set(keys)?;
        keys.set("tokenizer.ggml.merges", super::Array::of_strings(&self.merges))?;
        // Without a configuration there is at most the token that ends and parts texts.
        let parts = "<|endoftext|>";
        let roles = [
            ("bos_token_id", special.token("bos_token")),
            ("eos_token_id", special.token("eos_token").or(Some(parts))),
            ("unknown_token_id", special.token("unk_token")),
            ("padding_token_id", special.token("pad_token")),
        ];
        for (key, text) in roles {
            let is_named = |(token, kind): &(Vec<u8>, i32)| {
                *kind != UNUSED && text.is_some_and(|text| token == text.as_bytes())
            };
            if let Some(id) = self.tokens.list.iter().position(is_named) {
                keys.set(&format!("tokenizer.ggml.{key}"), id as u32)?;
            }
        }
        match &special.template {
            Some(template) => keys.set("tokenizer.chat_template", template.as_str()),
            None => Ok(()),
        }
    }
}
