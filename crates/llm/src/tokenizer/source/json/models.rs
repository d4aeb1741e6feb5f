//! The `model` of a file.

use super::{
    Place,
    vocabulary::{AtMost, Listed, Text, build},
};
use crate::{
    Result,
    tokenizer::{
        added::Added,
        limits::{MOST_MARK_BYTES, MOST_MERGES, MOST_TOKENS, MOST_WORD_CHARS},
        model::{
            Model,
            bpe::{Bpe, Chars, Merges, Start},
            unigram::Unigram,
            word_piece::WordPiece,
        },
        source::parts,
        vocab::Vocab,
    },
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The fields of all kinds of models.
#[derive(Deserialize)]
struct ModelJson<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    vocab: &'a RawValue,
    #[serde(borrow)]
    merges: Option<AtMost<MOST_MERGES, Merge<'a>>>,
    unk_token: Option<String>,
    unk_id: Option<usize>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    max_input_chars_per_word: Option<usize>,
    #[serde(default)]
    fuse_unk: bool,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
}

/// `"a b"`, or `["a", "b"]` in newer files.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge<'a> {
    #[serde(borrow)]
    Joined(Text<'a>),
    #[serde(borrow)]
    Pair((Text<'a>, Text<'a>)),
}

pub(super) struct Read {
    pub(super) vocab: Vocab,
    pub(super) model: Model,
    pub(super) unknown: Option<u32>,
}

/// `spelled` says that words come in the byte alphabet.
pub(super) fn read(at: &Place<'_>, json: &str, added: &[Added], spelled: bool) -> Result<Read> {
    let json: ModelJson<'_> =
        serde_json::from_str(json).map_err(|e| at.damaged(format!("is invalid: {e}")))?;
    let kind = json.kind.as_deref().unwrap_or_else(|| json.guess());
    let at = &at.of(kind);
    match kind {
        "BPE" => json.bpe(at, added, spelled),
        "Unigram" => json.unigram(at, added),
        "WordPiece" | "WordLevel" => json.words(at, added, kind == "WordLevel"),
        other => Err(at.unsupported(format!("model {other:?}"))),
    }
}

impl ModelJson<'_> {
    /// The kind of a model in a file from before kinds were named.
    fn guess(&self) -> &'static str {
        match self {
            _ if self.merges.is_some() => "BPE",
            _ if self.vocab.get().starts_with('[') => "Unigram",
            _ if self.continuing_subword_prefix.is_some() => "WordPiece",
            _ => "WordLevel",
        }
    }

    fn listed(&self, at: &Place<'_>) -> Result<Listed<'_>> {
        let json = self.vocab.get();
        serde_json::from_str(json).map_err(|e| at.of("vocab").damaged(format!("is invalid: {e}")))
    }

    fn unknown(&self, vocab: &Vocab) -> Option<u32> {
        vocab.id(self.unk_token.as_deref()?.as_bytes())
    }

    fn bpe(&self, at: &Place<'_>, added: &[Added], spelled: bool) -> Result<Read> {
        let bytes_of = |piece: &str| match spelled {
            true => parts::unspelled(piece),
            false => Some(piece.as_bytes().to_vec()),
        };
        let vocab = build(&at.of("vocab"), &self.listed(at)?.0, added, bytes_of)?;
        let unknown = self.unknown(&vocab);
        let prefix = mark(at, "continuing_subword_prefix", &self.continuing_subword_prefix)?;
        let suffix = mark(at, "end_of_word_suffix", &self.end_of_word_suffix)?;
        let mut merges = Merges::default();
        let listed = self.merges.as_ref().map_or(&[][..], |merges| &merges.0);
        merges.reserve(listed.len());
        let mut whole = Vec::new();
        for (rank, merge) in listed.iter().enumerate() {
            let at = &at.of("merges");
            let (left, right) = match merge {
                Merge::Pair((left, right)) => (&*left.0, &*right.0),
                Merge::Joined(Text(text)) => text.split_once(' ').ok_or_else(|| {
                    at.damaged(format!("has an entry {rank}, {text:?}, that is not two tokens"))
                })?,
            };
            whole.clear();
            let middle;
            let known = if spelled {
                let is_spelled = parts::unspell_into(left, &mut whole);
                middle = whole.len();
                is_spelled && parts::unspell_into(right, &mut whole)
            } else {
                middle = left.len();
                whole.extend_from_slice(left.as_bytes());
                whole.extend_from_slice(right.as_bytes());
                true
            };
            let prefix = prefix.as_bytes();
            let known =
                known && parts::add_merge(&mut merges, &vocab, rank as u32, &whole, middle, prefix);
            if !known {
                let why = format!("has an entry {rank}, {left:?} {right:?}, without tokens for it");
                return Err(at.damaged(why));
            }
        }
        let start = if spelled {
            Start::Bytes(parts::bytes_as_they_are(&vocab))
        } else {
            let by_name = || parts::bytes_by_name(|name| vocab.id(name.as_bytes()));
            Start::Chars(Chars {
                continuing_prefix: prefix,
                word_suffix: suffix,
                byte_tokens: self.byte_fallback.then(by_name),
                unknown,
                fuse_unknown: self.fuse_unk,
            })
        };
        let model = Model::Bpe(Bpe { merges, whole_words: self.ignore_merges, start });
        Ok(Read { vocab, model, unknown })
    }

    fn unigram(&self, at: &Place<'_>, added: &[Added]) -> Result<Read> {
        let json = self.vocab.get();
        let AtMost::<MOST_TOKENS, (Text<'_>, f64)>(listed) = serde_json::from_str(json)
            .map_err(|e| at.of("vocab").damaged(format!("is invalid: {e}")))?;
        let scores: Vec<f64> = listed.iter().map(|(_, score)| *score).collect();
        let numbered = listed.into_iter().zip(0..);
        let listed: Vec<(Cow<'_, str>, u32)> =
            numbered.map(|((Text(piece), _), id)| (piece, id)).collect();
        let bytes_of = |piece: &str| Some(piece.as_bytes().to_vec());
        let vocab = build(&at.of("vocab"), &listed, added, bytes_of)?;
        let unknown = match self.unk_id {
            Some(id) if id >= listed.len() => {
                return Err(at
                    .of("unk_id")
                    .damaged(format!("is {id}, out of range for {} tokens", listed.len())));
            }
            id => id.map(|id| id as u32),
        };
        let by_name = || parts::bytes_by_name(|name| vocab.id(name.as_bytes()));
        let bytes = self.byte_fallback.then(by_name);
        let is_listed = |id: u32| (id as usize) < listed.len();
        let model = Unigram::new(&vocab, scores, is_listed, unknown, bytes)
            .map_err(|e| at.of("vocab").excessive(e))?;
        Ok(Read { model: Model::Unigram(model), vocab, unknown })
    }

    fn words(&self, at: &Place<'_>, added: &[Added], whole: bool) -> Result<Read> {
        let bytes_of = |piece: &str| Some(piece.as_bytes().to_vec());
        let vocab = build(&at.of("vocab"), &self.listed(at)?.0, added, bytes_of)?;
        let unknown = self.unknown(&vocab);
        let model = if whole {
            Model::WordLevel(unknown)
        } else {
            let prefix = self.continuing_subword_prefix.clone().unwrap_or_else(|| "##".into());
            let most_chars = self.max_input_chars_per_word.unwrap_or(100);
            if most_chars > MOST_WORD_CHARS {
                let why = format!("is {most_chars}, more than {MOST_WORD_CHARS}");
                return Err(at.of("max_input_chars_per_word").excessive(why));
            }
            Model::WordPiece(WordPiece {
                first_prefix: String::new(),
                continuing_prefix: mark(at, "continuing_subword_prefix", &Some(prefix))?,
                unknown,
                most_chars,
            })
        };
        Ok(Read { vocab, model, unknown })
    }
}

/// What is put before or after parts of words.
fn mark(at: &Place<'_>, key: &str, mark: &Option<String>) -> Result<String> {
    let mark = mark.as_deref().unwrap_or("");
    if mark.len() > MOST_MARK_BYTES {
        let why = format!("has {} bytes, more than {MOST_MARK_BYTES}", mark.len());
        return Err(at.of(key).excessive(why));
    }
    Ok(mark.to_owned())
}
