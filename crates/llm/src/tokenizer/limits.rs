//! What a tokenizer may ask for: its files come from strangers. Each limit is several times what the
//! largest published tokenizer needs, so that load, encode and decode end in bounded time and memory.

use crate::{
    Cancel, Error, Result,
    error::{PUBLISHED, grouped},
};
use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// XLM-V has 901,629 tokens, Gemma 514,906 merges.
pub(crate) const MOST_TOKENS: usize = 1 << 21;
pub(crate) const MOST_MERGES: usize = 1 << 21;
/// The longest pieces are runs of a few hundred spaces or signs.
pub(crate) const MOST_PIECE_BYTES: usize = 4096;
/// All pieces together; XLM-V's take 8 MB.
pub(crate) const MOST_VOCAB_BYTES: usize = 16 << 20;
/// Different beginnings of pieces, where a model looks pieces up byte by byte: no more than XLM-V's
/// pieces have bytes.
pub(crate) const MOST_NODES: usize = 8 << 20;
/// A world vocabulary as text; the published one has 1.2 MB.
pub(crate) const MOST_WORLD_BYTES: u64 = 64 << 20;

/// Models reserve some thousands of added tokens, each with a short name.
pub(crate) const MOST_ADDED: usize = 1 << 17;
pub(crate) const MOST_ADDED_BYTES: usize = 512;
pub(crate) const MOST_ADDED_BYTES_IN_ALL: usize = 2 << 20;

/// Steps of one kind (normalizers, pre-tokenizers, decoders); real files have at most a dozen.
pub(crate) const MOST_STEPS: usize = 64;
/// Expressions of a whole tokenizer; DeepSeek's first has six.
pub(crate) const MOST_PATTERNS: usize = 16;
/// Of these, such as cannot be matched in linear time.
pub(crate) const MOST_BACKTRACKING: usize = 4;
/// What is put around a text, around a word or between its characters.
pub(crate) const MOST_AFFIXES: usize = 1024;
pub(crate) const MOST_MARK_BYTES: usize = 16;
/// WordPiece tries every length at every place of a word; BERT takes words of 100 characters.
pub(crate) const MOST_WORD_CHARS: usize = 1000;

/// A whole `tokenizer.json`; Gemma's has 33 MB. And each of its parts but the model, of which a
/// SentencePiece charsmap of 300 KB is the largest.
pub(crate) const MOST_JSON_BYTES: u64 = 128 << 20;
pub(crate) const MOST_PART_BYTES: usize = 2 << 20;
pub(crate) const MOST_CONFIG_BYTES: u64 = 8 << 20;

/// How often a text may grow by its own length. Unicode's own worst case is U+FDFA, 3 bytes that NFKC
/// turns into 33, or 39 with visible spaces: 13 times.
const GROWTH: usize = 16;
const SLACK: usize = 4096;
const SLACK_OF_A_PIECE: usize = 64;

/// The longest a call may take, and how much longer for each byte: dozens of times what real
/// tokenizers take. Regular expressions can be quadratic in the text; no count of steps is known.
const LONGEST: Duration = Duration::from_secs(1);
const LONGER_PER_BYTE: Duration = Duration::from_micros(10);

/// How many bytes, or tokens, a stage may still make of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    input: usize,
    left: usize,
}

impl Growth {
    /// For a text of so many bytes.
    pub(crate) fn of_text(input: usize) -> Growth {
        Growth { input, left: GROWTH.saturating_mul(input).saturating_add(SLACK) }
    }

    /// For a token's piece: decoding makes each by itself.
    pub(crate) fn of_piece(input: usize) -> Growth {
        Growth { input, left: GROWTH.saturating_mul(input).saturating_add(SLACK_OF_A_PIECE) }
    }

    /// An error if so many are too many.
    pub(crate) fn check(&self, made: usize) -> Result<()> {
        if made <= self.left {
            return Ok(());
        }
        let (input, left) = (grouped(self.input), grouped(self.left));
        Err(Error::Tokenizer(format!(
            "its steps turn a text of {input} bytes into more than {left}; {PUBLISHED}"
        )))
    }

    /// Counts what a stage has made in the end.
    pub(crate) fn take(&mut self, made: usize) -> Result<()> {
        self.check(made)?;
        self.left -= made;
        Ok(())
    }

    /// The characters as a text.
    pub(crate) fn collect(&self, chars: impl Iterator<Item = char>) -> Result<String> {
        let mut text = String::new();
        for c in chars {
            text.push(c);
            self.check(text.len())?;
        }
        Ok(text)
    }
}

/// Ends a call that takes too long, or that somebody cancels.
pub(crate) struct Watch<'c> {
    bytes: usize,
    until: Instant,
    cancel: Option<&'c Cancel>,
    checks: Cell<u32>,
    cancelled: Cell<bool>,
}

impl<'c> Watch<'c> {
    /// For work on so many bytes.
    pub(crate) fn new(bytes: usize, cancel: Option<&'c Cancel>) -> Watch<'c> {
        Watch {
            bytes,
            until: Instant::now() + allowed(bytes),
            cancel,
            checks: Cell::new(0),
            cancelled: Cell::new(false),
        }
    }

    /// An error if the call should end. Cheap: it looks at the clock every now and then.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        let checks = self.checks.get().wrapping_add(1);
        self.checks.set(checks);
        if checks.is_multiple_of(64) { self.check_now() } else { Ok(()) }
    }

    /// The same, for steps that take long by themselves.
    pub(crate) fn check_now(&self) -> Result<()> {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            self.cancelled.set(true);
            return Err(Error::Tokenizer("cancelled".into()));
        }
        if Instant::now() < self.until {
            return Ok(());
        }
        let (bytes, seconds) = (grouped(self.bytes), allowed(self.bytes).as_secs());
        Err(Error::Tokenizer(format!(
            "a text of {bytes} bytes took longer than {seconds} s; pass smaller parts, or {PUBLISHED}"
        )))
    }

    /// Whether it was cancelled.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.cancelled.get()
    }
}

fn allowed(bytes: usize) -> Duration {
    LONGEST + LONGER_PER_BYTE * u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_counted_over_all_parts() {
        let mut growth = Growth::of_text(1);
        growth.take(4000).unwrap();
        growth.check(112).unwrap();
        assert!(growth.check(113).is_err());
        assert!(growth.collect("é".repeat(100).chars()).is_err());
        // The character that grows most stays below.
        let worst = "\u{FDFA}".repeat(5000);
        let spelled = 39 * 5000;
        assert!(Growth::of_text(worst.len()).check(spelled).is_ok());
    }

    #[test]
    fn a_watch_ends_what_takes_too_long_or_is_cancelled() {
        let cancel = Cancel::new();
        let mut watch = Watch::new(10, Some(&cancel));
        watch.check_now().unwrap();
        watch.until = Instant::now();
        assert!(watch.check_now().is_err() && !watch.was_cancelled());
        cancel.cancel();
        assert!((0..64).any(|_| watch.check().is_err()) && watch.was_cancelled());
    }
}
