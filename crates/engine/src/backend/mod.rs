//! What computes the rows of a step: pages of one cache where all layers attend, and otherwise sessions, one
//! for each text. The scheduler only knows [`Backend`].

mod paged;
mod sessions;

use crate::{EngineOptions, Pages};
use bessemer_llm::{Model, Result, paged::Paged as Pool};
use paged::Paged;
use sessions::Sessions;
use std::sync::Arc;

/// The most rows of a text in a step whose logits are given.
pub(crate) const EACH: usize = bessemer_llm::Session::MOST_EACH;

/// Memory for the texts that run, and their passes through the model.
pub(crate) trait Backend: Send {
    /// The longest text.
    fn capacity(&self) -> usize;

    /// Prompts are computed in chunks that begin at multiples of this, if it matters.
    fn chunk(&self) -> Option<usize>;

    /// A place for a text of `len` tokens that begins with a prompt, or with `state` if that is saved bytes;
    /// `None` if there is none now.
    fn admit(
        &mut self,
        prompt: &[u32],
        len: usize,
        state: Option<&[u8]>,
    ) -> Result<Option<Admitted>>;

    /// Makes room for so many tokens of a text; whether that was possible.
    fn reserve(&mut self, place: usize, len: usize) -> Result<bool>;

    /// Takes rows of some texts through the model.
    fn step(&mut self, work: &[Work<'_>], done: &mut Done) -> Result<()>;

    /// Forgets all but the first tokens of a text.
    fn rewind(&mut self, place: usize, len: usize);

    /// The bytes of what the model remembers of a text.
    fn save(&mut self, place: usize) -> Result<Vec<u8>>;

    /// The text, of which these tokens were computed, leaves; so many of them were computed as a prompt.
    fn release(&mut self, place: usize, text: &[u32], prompt: usize);

    /// The mean state of a text.
    fn embed(&mut self, tokens: &[u32]) -> Result<Vec<f32>>;

    /// What has become of the pages.
    fn pages(&self) -> Pages;
}

/// A place, and how many tokens of the text are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Admitted {
    pub(crate) place: usize,
    pub(crate) reused: usize,
}

/// Rows of one text.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    pub(crate) place: usize,
    /// Where in the text they are.
    pub(crate) start: usize,
    pub(crate) tokens: &'a [u32],
    /// Whether they are of a prompt, or each is computed as when it was generated.
    pub(crate) is_prompt: bool,
    /// From which of the rows on logits are wanted. Of a prompt it is at most those of the last.
    pub(crate) logits_from: usize,
}

/// What has come of a step.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// The logits that are wanted, row after row.
    pub(crate) logits: Vec<f32>,
    /// Work that failed for reasons of its own. There are logits for it nevertheless, which mean nothing.
    pub(crate) failed: Vec<(usize, bessemer_llm::Error)>,
}

/// The backend for a model.
pub(crate) fn open(model: &Arc<Model>, options: &EngineOptions) -> Result<Box<dyn Backend>> {
    match Pool::supports(model.config()) {
        true => Ok(Box::new(Paged::new(model, options)?)),
        false => Ok(Box::new(Sessions::new(model, options)?)),
    }
}
