//! The events of an answer.

use std::time::Duration;

/// Something that happens in an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// Text.
    Text(String),
    /// What the model thinks before it answers.
    Thinking(String),
    /// A call of a tool, whole.
    Call(Called),
    /// Tokens with their probabilities, where those are wanted.
    Words(Vec<Word>),
    /// It is over.
    End(Ended),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Called {
    /// The tool.
    pub(crate) name: String,
    /// Its arguments: JSON, an object.
    pub(crate) arguments: String,
}

/// A token with its probability.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) likely: Likely,
    /// The likeliest in its place.
    pub(crate) top: Vec<Likely>,
}

/// A token as it could come.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Likely {
    pub(crate) bytes: Vec<u8>,
    pub(crate) logprob: f32,
}

impl Likely {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ended {
    pub(crate) reason: Reason,
    pub(crate) usage: Usage,
    pub(crate) times: Times,
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The model was done.
    End,
    /// This text came that was to end it.
    Stop(String),
    /// It was as long as it may be, or the context full.
    Length,
    /// Tools are to be called.
    Calls,
    /// It was stopped: nobody listens, or the server ends.
    Cancelled,
}

/// What an answer used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) prompt: usize,
    /// Of the prompt, what was known from before.
    pub(crate) cached: usize,
    pub(crate) answer: usize,
}

/// How long an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Times {
    /// In the queue.
    pub(crate) queue: Duration,
    /// From its start to its first token.
    pub(crate) prefill: Duration,
    /// From its first token to its last.
    pub(crate) decode: Duration,
    /// To load the model, if it had to be.
    pub(crate) load: Duration,
    /// All of it.
    pub(crate) total: Duration,
}
