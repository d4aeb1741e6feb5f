//! The vocabulary of a file: pieces with ids, which need not be in order or without holes.

use super::Place;
use crate::{
    Result,
    error::grouped,
    tokenizer::{added::Added, limits::MOST_TOKENS, vocab::Vocab},
};
use foldhash::HashMap;
use serde::{
    Deserialize,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt, marker::PhantomData};

/// Pieces and their ids, as the file lists them.
pub(super) struct Listed<'a>(pub(super) Vec<(Cow<'a, str>, u32)>);

/// Builds the vocabulary. `bytes` gives the bytes a piece stands for; a piece without is kept as
/// it is, but text cannot become it.
pub(super) fn build(
    at: &Place<'_>,
    listed: &[(Cow<'_, str>, u32)],
    added: &[Added],
    bytes: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vocab> {
    let listed_ids = listed.iter().map(|(_, id)| *id);
    let highest = listed_ids.chain(added.iter().map(|token| token.id)).max();
    let len = highest.map_or(0, |id| id as usize + 1);
    // Real vocabularies have few holes; an id of four billion is a lie.
    let most = (listed.len() + added.len()) * 16 + 65_536;
    if len > most.min(MOST_TOKENS) {
        return Err(at.damaged(format!(
            "has a token {}, out of range for {} pieces",
            len - 1,
            listed.len()
        )));
    }
    let mut pieces: Vec<Option<&str>> = vec![None; len];
    for (piece, id) in listed {
        if pieces[*id as usize].replace(piece).is_some() {
            return Err(at.damaged(format!("has two pieces for token {id}, one of them {piece:?}")));
        }
    }
    // What is only added is never the end of merges.
    let added: HashMap<u32, &str> =
        added.iter().map(|token| (token.id, token.content.as_str())).collect();
    let mut vocab = Vocab::new();
    for (id, piece) in pieces.into_iter().enumerate() {
        let pushed = match piece {
            Some(piece) => match bytes(piece) {
                Some(bytes) => vocab.push(&bytes, true),
                None => vocab.push(piece.as_bytes(), false),
            },
            None => {
                let content = added.get(&(id as u32)).copied().unwrap_or("");
                vocab.push(content.as_bytes(), false)
            }
        };
        pushed.map_err(|e| at.excessive(e))?;
    }
    Ok(vocab)
}

impl<'de> Deserialize<'de> for Listed<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Listed<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of pieces and their tokens")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Listed<'de>, A::Error> {
                let mut listed = Vec::new();
                while let Some(Text(piece)) = map.next_key()? {
                    if listed.len() == MOST_TOKENS {
                        return Err(too_many(MOST_TOKENS));
                    }
                    listed.push((piece, map.next_value()?));
                }
                Ok(Listed(listed))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

/// A list of at most `MOST` things: more is refused before memory is taken for it.
pub(super) struct AtMost<const MOST: usize, T>(pub(super) Vec<T>);

impl<const MOST: usize, T> Default for AtMost<MOST, T> {
    fn default() -> Self {
        AtMost(Vec::new())
    }
}

impl<'de, const MOST: usize, T: Deserialize<'de>> Deserialize<'de> for AtMost<MOST, T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect<const MOST: usize, T>(PhantomData<T>);

        impl<'de, const MOST: usize, T: Deserialize<'de>> Visitor<'de> for Collect<MOST, T> {
            type Value = AtMost<MOST, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut listed = Vec::new();
                while let Some(item) = seq.next_element()? {
                    if listed.len() == MOST {
                        return Err(too_many(MOST));
                    }
                    listed.push(item);
                }
                Ok(AtMost(listed))
            }
        }

        deserializer.deserialize_seq(Collect(PhantomData))
    }
}

fn too_many<E: de::Error>(most: usize) -> E {
    E::custom(format_args!("more than {} entries", grouped(most)))
}

/// A string that is borrowed where it has no escapes.
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Take;

        impl<'de> Visitor<'de> for Take {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Take)
    }
}
