//! RWKV's world model: always the longest token that fits, from left to right.

use super::{Scratch, Words};
use crate::{
    Result,
    tokenizer::{limits::Watch, trie::Trie, vocab::Vocab},
};

/// A world model. Its tokens are bytes, and so is what it encodes.
///
/// A place that no token fits, which vocabularies with a token for each byte do not have, becomes the
/// unknown token, or nothing if there is none; the text goes on with the next byte.
#[derive(Clone)]
pub(crate) struct World {
    tokens: Trie,
    unknown: Option<u32>,
}

impl World {
    /// A model of these tokens; the error says what does not fit.
    pub(crate) fn new<'t>(
        tokens: impl IntoIterator<Item = (&'t [u8], u32)>,
        unknown: Option<u32>,
    ) -> Result<World, String> {
        Ok(World { tokens: Trie::new(tokens)?, unknown })
    }

    /// The tokens of bytes that need not be text.
    pub(crate) fn encode_bytes(
        &self,
        mut bytes: &[u8],
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        while !bytes.is_empty() {
            watch.check()?;
            let (len, id) = match self.tokens.longest(bytes) {
                Some((len, id)) => (len, Some(id)),
                None => (1, self.unknown),
            };
            out.extend(id);
            bytes = &bytes[len..];
        }
        Ok(())
    }
}

impl Words for World {
    fn encode(
        &self,
        _: &Vocab,
        word: &str,
        _: &mut Scratch,
        watch: &Watch<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        self.encode_bytes(word.as_bytes(), watch, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(unknown: Option<u32>, bytes: &[u8]) -> Vec<u32> {
        let tokens: [(&[u8], u32); 4] = [(b"a", 1), (b"b", 2), (b"ab", 3), (b"abcd", 4)];
        let mut out = Vec::new();
        let world = World::new(tokens, unknown).unwrap();
        world.encode_bytes(bytes, &Watch::new(bytes.len(), None), &mut out).unwrap();
        out
    }

    #[test]
    fn the_longest_token_wins() {
        assert_eq!(encode(None, b"abcdabaab"), [4, 3, 1, 3]);
    }

    #[test]
    fn what_no_token_fits_is_unknown() {
        // `c` alone is no token, and neither is what `abc` begins.
        assert_eq!(encode(Some(9), b"abc\xFFb"), [3, 9, 9, 2]);
        assert_eq!(encode(None, b"abc\xFFb"), [3, 2]);
    }
}
