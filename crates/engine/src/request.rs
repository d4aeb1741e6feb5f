//! What is asked of an engine, and why it may be refused.

use crate::{Constraint, Error};
use bessemer_llm::GenerateOptions;
use std::{fmt, sync::Arc, time::Duration};

/// A text to be continued.
///
/// ```
/// use bessemer_engine::{Priority, Request};
/// use bessemer_llm::GenerateOptions;
///
/// let options = GenerateOptions { max_tokens: Some(16), ..Default::default() };
/// let request = Request { priority: Priority::High, ..Request::new(vec![1, 2, 3], options) };
/// assert!(request.user.is_none());
/// ```
pub struct Request {
    /// The tokens to go on from: those of [`Llm::tokens`](bessemer_llm::Llm::tokens), for instance.
    pub prompt: Vec<u32>,
    /// Whether the prompt is a chat, so that the end of a turn ends the answer.
    pub is_chat: bool,
    /// How tokens are chosen, and what ends the text. An engine ends texts when the context is full;
    /// [`WhenFull::Shift`](bessemer_llm::WhenFull) is refused.
    pub options: GenerateOptions,
    /// Gives the log probability of each token, and of so many of the likeliest.
    pub logprobs: Option<usize>,
    /// What the text has to be.
    pub constraint: Option<Box<dyn Constraint>>,
    /// Whose it is: among users, turns are taken. All without one are one user.
    pub user: Option<Arc<str>>,
    /// Who goes first.
    pub priority: Priority,
    /// Bytes that [`End::state`](crate::End) gave for a text that the prompt begins with: only what
    /// follows goes through the model. For models that recur.
    pub state: Option<Vec<u8>>,
    /// Whether [`End::state`](crate::End) is wanted.
    pub keep_state: bool,
}

/// Who goes first, of those that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// After all others.
    Low,
    /// As usual.
    #[default]
    Normal,
    /// Before all others.
    High,
}

impl Request {
    /// A text to go on with, that has nothing special.
    pub fn new(prompt: Vec<u32>, options: GenerateOptions) -> Request {
        Request {
            prompt,
            is_chat: false,
            options,
            logprobs: None,
            constraint: None,
            user: None,
            priority: Priority::default(),
            state: None,
            keep_state: false,
        }
    }

    /// A chat to answer.
    pub fn chat(prompt: Vec<u32>, options: GenerateOptions) -> Request {
        Request { is_chat: true, ..Request::new(prompt, options) }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("prompt", &self.prompt.len())
            .field("user", &self.user)
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}

/// Why a request was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Too many wait already.
    #[error("engine: {waiting} requests wait already; try again in {} s", retry_after.as_secs().max(1))]
    QueueFull {
        /// How many wait.
        waiting: usize,
        /// When there is likely to be room again.
        retry_after: Duration,
    },
    /// The engine only finishes what it has.
    #[error("engine: it is shutting down and takes no more requests")]
    Draining,
    /// The request itself is wrong.
    #[error(transparent)]
    Invalid(Error),
}

impl<E: Into<Error>> From<E> for Refused {
    fn from(error: E) -> Refused {
        Refused::Invalid(error.into())
    }
}
