//! From text to tokens.

use super::{
    Tokenizer,
    added::Segment,
    byte_alphabet,
    model::{Model, Scratch, Words},
    normalize::normalize,
    split::Pieces,
};
use crate::{Error, Result};
use foldhash::HashMap;
use std::borrow::Cow;

/// How text is to be taken.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_llm::tokenizer::Encode;
///
/// let tokenizer = llm.tokenizer();
/// // What a user types is text, whatever it spells.
/// assert_eq!(tokenizer.encode("<|end|>", Encode::PLAIN)?.len(), 7);
/// assert_eq!(tokenizer.encode("<|end|>", Encode::TRUSTED)?, [256]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encode {
    /// Whether the model's tokens for the beginning and the end of a text are put around it.
    pub affixes: bool,
    /// Whether special tokens are found in it. Never for text from people: they could end their
    /// turn and speak as the model.
    pub special: bool,
}

impl Encode {
    /// Text as it is: nothing around it, nothing special in it.
    pub const PLAIN: Encode = Encode { affixes: false, special: false };
    /// A text of its own: with what the model puts around one.
    pub const TEXT: Encode = Encode { affixes: true, special: false };
    /// What a template wrote: special tokens and all.
    pub const TRUSTED: Encode = Encode { affixes: false, special: true };
}

/// Words up to this length, and so many of them, are remembered while a text is encoded.
const LONGEST_KEPT: usize = 64;
const MOST_KEPT: usize = 1 << 16;

impl Tokenizer {
    /// The tokens of a text.
    pub fn encode(&self, text: &str, how: Encode) -> Result<Vec<u32>> {
        if u32::try_from(text.len()).is_err() {
            let len = text.len();
            return Err(Error::Tokenizer(format!("a text of {len} bytes: encode it in parts")));
        }
        let mut out = Vec::with_capacity(text.len() / 3 + 8);
        if how.affixes {
            out.extend_from_slice(&self.before);
        }
        let mut scratch = Scratch::default();
        let mut at_start = true;
        for segment in self.added.in_raw(text, how.special) {
            match segment {
                Segment::Token(id) => out.push(id),
                Segment::Text(text) => {
                    let text = normalize(&self.normalizers, text)?;
                    for segment in self.added.in_normalized(&text, how.special) {
                        match segment {
                            Segment::Token(id) => out.push(id),
                            Segment::Text(text) => {
                                self.words(text, at_start, &mut scratch, &mut out)?;
                            }
                        }
                        at_start = false;
                    }
                }
            }
            at_start = false;
        }
        if how.affixes {
            out.extend_from_slice(&self.after);
        }
        Ok(out)
    }

    fn words(
        &self,
        text: &str,
        at_start: bool,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let mut pieces = Pieces::whole(Cow::Borrowed(text), at_start);
        for split in &self.splits {
            split.apply(&mut pieces)?;
        }
        // Where in `out` the tokens of words met before are.
        let mut known: HashMap<&str, (usize, usize)> = HashMap::default();
        for word in pieces.words() {
            if let Some(&(start, end)) = known.get(word) {
                out.extend_from_within(start..end);
                continue;
            }
            let start = out.len();
            self.word(word, scratch, out);
            if word.len() <= LONGEST_KEPT && known.len() < MOST_KEPT {
                known.insert(word, (start, out.len()));
            }
        }
        Ok(())
    }

    fn word(&self, word: &str, scratch: &mut Scratch, out: &mut Vec<u32>) {
        match &self.model {
            // The vocabulary holds bytes, so a spelled word is read back. A step after the
            // spelling may have cut within a character: it need not be text.
            Model::Bpe(bpe) if self.spelled => {
                let bytes: Vec<u8> = word.chars().filter_map(byte_alphabet::byte_of).collect();
                bpe.encode_bytes(&self.vocab, &bytes, scratch, out);
            }
            model => model.encode(&self.vocab, word, scratch, out),
        }
    }
}
