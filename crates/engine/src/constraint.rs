//! Constraints on texts: what structured output (JSON schemas, regular expressions, grammars) is to the engine.

/// What a text has to be, token by token. Implementations usually stand on a library of grammars.
pub trait Constraint: Send {
    /// Removes the tokens from `mask` that may not come next. All of the vocabulary is in it before, but
    /// not the tokens that end a text: those are [`Constraint::may_end`]'s.
    ///
    /// If nothing is left and the text may not end either, it fails.
    fn restrict(&mut self, mask: &mut Mask) -> Result<(), String>;

    /// Takes note of the token that was chosen. Those that end the text are not among them.
    fn accept(&mut self, token: u32) -> Result<(), String>;

    /// Whether the text may end here.
    fn may_end(&mut self) -> bool;

    /// Whether the text is complete: it ends here, and nothing can follow.
    fn is_complete(&mut self) -> bool {
        false
    }
}

/// A set of tokens, a bit for each.
///
/// ```
/// use bessemer_engine::Mask;
///
/// let mut mask = Mask::all(40);
/// mask.words_mut()[0] = 0b100;
/// mask.forbid(39);
/// assert!(mask.allows(2) && !mask.allows(3) && mask.allows(38) && !mask.allows(39));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    words: Vec<u32>,
    tokens: usize,
}

impl Mask {
    /// All of a vocabulary of so many tokens.
    pub fn all(tokens: usize) -> Mask {
        let mut mask = Mask { words: Vec::new(), tokens };
        mask.reset();
        mask
    }

    /// All of them again.
    pub(crate) fn reset(&mut self) {
        self.words.clear();
        self.words.resize(self.tokens.div_ceil(32), u32::MAX);
    }

    /// How many tokens there are in the vocabulary.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// The bits, 32 tokens in each word, the first in its lowest bit. Bits beyond the vocabulary mean
    /// nothing.
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Whether a token is in it.
    pub fn allows(&self, token: u32) -> bool {
        let word = self.words.get(token as usize / 32).copied().unwrap_or(0);
        word >> (token % 32) & 1 == 1
    }

    /// Takes a token out.
    pub fn forbid(&mut self, token: u32) {
        if let Some(word) = self.words.get_mut(token as usize / 32) {
            *word &= !(1 << (token % 32));
        }
    }

    /// Puts a token in.
    pub fn allow(&mut self, token: u32) {
        if let Some(word) = self.words.get_mut(token as usize / 32) {
            *word |= 1 << (token % 32);
        }
    }
}
