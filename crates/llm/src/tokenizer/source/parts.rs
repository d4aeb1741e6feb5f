//! What both sources make tokenizers of.

use crate::tokenizer::{
    byte_alphabet,
    model::{bpe::Merges, merge::NO_TOKEN},
    split::VISIBLE_SPACE,
    vocab::Vocab,
};

/// The tokens of single bytes in a vocabulary of bytes.
pub(super) fn bytes_as_they_are(vocab: &Vocab) -> Box<[u32; 256]> {
    table(|byte| vocab.id(&[byte]))
}

/// The tokens `<0x00>` to `<0xFF>`.
pub(super) fn bytes_by_name(id: impl Fn(&str) -> Option<u32>) -> Box<[u32; 256]> {
    table(|byte| id(&format!("<0x{byte:02X}>")))
}

fn table(id: impl Fn(u8) -> Option<u32>) -> Box<[u32; 256]> {
    let mut tokens = Box::new([NO_TOKEN; 256]);
    for byte in 0..=255 {
        tokens[usize::from(byte)] = id(byte).unwrap_or(NO_TOKEN);
    }
    tokens
}

/// A token of byte-level BPE as the bytes it stands for; `None` if it is not spelled in the byte
/// alphabet, as added tokens are not.
pub(super) fn unspelled(token: &str) -> Option<Vec<u8>> {
    byte_alphabet::read(token)
}

/// The same, appended; `false` if it is not spelled in the byte alphabet.
pub(super) fn unspell_into(token: &str, out: &mut Vec<u8>) -> bool {
    token.chars().all(|c| {
        byte_alphabet::byte_of(c).is_some_and(|byte| {
            out.push(byte);
            true
        })
    })
}

/// Whether no token has a visible space after something else: words can then be taken one by one.
pub(super) fn spaces_start_tokens<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut mark = [0; 4];
    let mark = VISIBLE_SPACE.encode_utf8(&mut mark).as_bytes();
    let mut pieces = pieces;
    pieces.all(|piece| {
        // The part after the leading visible spaces must not have another.
        let mut rest = piece;
        while let Some(after) = rest.strip_prefix(mark) {
            rest = after;
        }
        !rest.windows(mark.len()).any(|window| window == mark)
    })
}

/// Adds a merge of the two halves of `whole`, which parts at `middle`; the first of equal ones
/// counts. `false` if the vocabulary lacks one of the three tokens.
pub(super) fn add_merge(
    merges: &mut Merges,
    vocab: &Vocab,
    rank: u32,
    whole: &[u8],
    middle: usize,
    continuing_prefix: &[u8],
) -> bool {
    let (left, right) = whole.split_at(middle);
    // The prefix is part of the right token, but not of both together.
    let id = match right.strip_prefix(continuing_prefix) {
        Some(tail) if !continuing_prefix.is_empty() => vocab.id(&[left, tail].concat()),
        _ => vocab.id(whole),
    };
    match (vocab.id(left), vocab.id(right), id) {
        (Some(left), Some(right), Some(whole)) => {
            merges.entry((left, right)).or_insert((rank, whole));
            true
        }
        _ => false,
    }
}
