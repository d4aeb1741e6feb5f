//! From text to tokens.

use super::{
    Tokenizer,
    added::Segment,
    byte_alphabet,
    limits::{Growth, Watch},
    model::{Model, Scratch, Words},
    normalize::normalize,
    split::Pieces,
};
use crate::{Cancel, Error, Result, error::grouped};
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

/// What one call carries along.
struct Work<'c> {
    watch: Watch<'c>,
    scratch: Scratch,
    /// How much each stage may still make of the text.
    normalized: Growth,
    cut: Growth,
    tokens: Growth,
}

impl Tokenizer {
    /// The tokens of a text.
    ///
    /// Files of strangers may describe steps that multiply the text or take forever: such a call ends
    /// with an error once it has made 16 times the text, or has taken 10 s and 10 s for each megabyte.
    pub fn encode(&self, text: &str, how: Encode) -> Result<Vec<u32>> {
        let watch = Watch::new(text.len(), None);
        Ok(self.encode_watched(text, None, how, watch)?.unwrap_or_default())
    }

    /// The same, unless it is cancelled: `None`.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_llm::{Cancel, tokenizer::Encode};
    ///
    /// let cancel = Cancel::new();
    /// assert_eq!(llm.tokenizer().encode_unless(&cancel, "ab", Encode::PLAIN)?, Some(vec![97, 98]));
    /// cancel.cancel();
    /// assert_eq!(llm.tokenizer().encode_unless(&cancel, "ab", Encode::PLAIN)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode_unless(
        &self,
        cancel: &Cancel,
        text: &str,
        how: Encode,
    ) -> Result<Option<Vec<u32>>> {
        self.encode_watched(text, None, how, Watch::new(text.len(), Some(cancel)))
    }

    /// The tokens of bytes that need not be text. Only world models of RWKV have tokens for all of
    /// them; for others, bytes that are no text are an error. Nothing special is found in them.
    ///
    /// ```
    /// use bessemer_llm::tokenizer::Tokenizer;
    ///
    /// let tokenizer = Tokenizer::from_world("vocab.txt", br"1 b'\xf0' 1")?;
    /// assert_eq!(tokenizer.encode_bytes(b"\xF0\xF0")?, [1, 1]);
    /// assert_eq!(tokenizer.decode_bytes(&[1, 1])?, b"\xF0\xF0");
    /// # Ok::<(), bessemer_llm::Error>(())
    /// ```
    pub fn encode_bytes(&self, bytes: &[u8]) -> Result<Vec<u32>> {
        if let Model::World(world) = &self.model {
            let mut out = Vec::with_capacity(bytes.len() / 3 + 8);
            world.encode_bytes(bytes, &Watch::new(bytes.len(), None), &mut out)?;
            return Ok(out);
        }
        let text = std::str::from_utf8(bytes).map_err(|e| {
            Error::Tokenizer(format!("encoding bytes: they are not UTF-8: {e}; pass text"))
        })?;
        self.encode(text, Encode::PLAIN)
    }

    /// The tokens of the parts of a text, one after the other; all together are bounded.
    pub(crate) fn encode_parts(
        &self,
        cancel: &Cancel,
        text: &str,
        between: char,
        how: Encode,
    ) -> Result<Option<Vec<u32>>> {
        self.encode_watched(text, Some(between), how, Watch::new(text.len(), Some(cancel)))
    }

    fn encode_watched(
        &self,
        text: &str,
        between: Option<char>,
        how: Encode,
        watch: Watch<'_>,
    ) -> Result<Option<Vec<u32>>> {
        if u32::try_from(text.len()).is_err() {
            let len = grouped(text.len());
            return Err(Error::Tokenizer(format!(
                "a text of {len} bytes is longer than 4 GB; pass it in smaller parts"
            )));
        }
        let growth = Growth::of_text(text.len());
        let mut work = Work {
            watch,
            scratch: Scratch::default(),
            normalized: growth,
            cut: growth,
            tokens: growth,
        };
        let mut out = Vec::with_capacity(text.len() / 3 + 8);
        if how.affixes {
            out.extend_from_slice(&self.before);
        }
        let mut parts = text.split(|c| Some(c) == between);
        match parts.try_for_each(|part| self.segments(part, how.special, &mut work, &mut out)) {
            Err(_) if work.watch.was_cancelled() => return Ok(None),
            done => done?,
        }
        if how.affixes {
            out.extend_from_slice(&self.after);
        }
        Ok(Some(out))
    }

    fn segments(
        &self,
        text: &str,
        special: bool,
        work: &mut Work<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let mut at_start = true;
        for segment in self.added.in_raw(text, special) {
            work.watch.check_now()?;
            match segment {
                Segment::Token(id) => out.push(id),
                Segment::Text(text) => {
                    let text = normalize(&self.normalizers, text, &work.watch, work.normalized)?;
                    work.normalized.take(text.len())?;
                    for segment in self.added.in_normalized(&text, special) {
                        match segment {
                            Segment::Token(id) => out.push(id),
                            Segment::Text(text) => self.words(text, at_start, work, out)?,
                        }
                        at_start = false;
                    }
                }
            }
            at_start = false;
        }
        Ok(())
    }

    fn words(
        &self,
        text: &str,
        at_start: bool,
        work: &mut Work<'_>,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let mut pieces = Pieces::whole(Cow::Borrowed(text), at_start);
        for split in &self.splits {
            split.apply(&mut pieces, &work.watch, work.cut)?;
        }
        work.cut.take(pieces.text.len())?;
        let before = out.len();
        // Where in `out` the tokens of words met before are.
        let mut known: HashMap<&str, (usize, usize)> = HashMap::default();
        for word in pieces.words() {
            work.watch.check()?;
            work.tokens.check(out.len() - before)?;
            if let Some(&(start, end)) = known.get(word) {
                out.extend_from_within(start..end);
                continue;
            }
            let start = out.len();
            self.word(word, work, out)?;
            if word.len() <= LONGEST_KEPT && known.len() < MOST_KEPT {
                known.insert(word, (start, out.len()));
            }
        }
        work.tokens.take(out.len() - before)
    }

    fn word(&self, word: &str, work: &mut Work<'_>, out: &mut Vec<u32>) -> Result<()> {
        let Work { watch, scratch, .. } = work;
        match &self.model {
            // The vocabulary holds bytes, so a spelled word is read back. A step after the
            // spelling may have cut within a character: it need not be text.
            Model::Bpe(bpe) if self.spelled => {
                let bytes: Vec<u8> = word.chars().filter_map(byte_alphabet::byte_of).collect();
                bpe.encode_bytes(&self.vocab, &bytes, scratch, watch, out)
            }
            model => model.encode(&self.vocab, word, scratch, watch, out),
        }
    }
}
