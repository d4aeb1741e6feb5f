//! Options of text generation, and the statistics it returns.

use crate::{Cancel, sampling::Sampling};
use std::time::Duration;

/// How text is generated.
///
/// ```
/// use bessemer_llm::{GenerateOptions, WhenFull, sampling::Sampling};
///
/// let options = GenerateOptions {
///     max_tokens: Some(100),
///     sampling: Sampling { temperature: 0.6, seed: 7, ..Sampling::default() },
///     stop: vec!["\nUser:".into()],
///     when_full: WhenFull::Shift { keep: 32 },
///     ..GenerateOptions::default()
/// };
/// assert!(!options.cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct GenerateOptions {
    /// The most tokens to make; `None` is as many as the context has room for, or without end
    /// where it [shifts](WhenFull::Shift).
    pub max_tokens: Option<usize>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Texts that end the answer and are no part of it. In chats with RWKV's world models an empty line
    /// is another.
    pub stop: Vec<String>,
    /// What happens when the context is full.
    pub when_full: WhenFull,
    /// Speculative decoding by prompt lookup: tokens that followed the same words earlier in the
    /// text are drafted, and several are checked in one pass. The text is the same, bit for bit;
    /// texts that repeat themselves or their prompt come sooner.
    pub lookup: bool,
    /// Whether to go on after tokens that end a text.
    pub ignore_end: bool,
    /// Whether tokens that steer the model are written out.
    pub show_special: bool,
    /// Stops it from outside.
    pub cancel: Cancel,
}

/// What happens when the context is full.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_llm::{GenerateOptions, SessionOptions, StopReason, WhenFull};
///
/// // Sixteen tokens of a text of which the session remembers eight.
/// let mut session = llm.session(SessionOptions { context: Some(8), ..Default::default() })?;
/// let options = GenerateOptions {
///     max_tokens: Some(16),
///     when_full: WhenFull::Shift { keep: 1 },
///     ignore_end: true,
///     ..Default::default()
/// };
/// let answer = llm.generate(&mut session, "Once", &options)?.finish()?;
/// assert_eq!(answer.stop, StopReason::Length);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// The text ends, with [`StopReason::ContextFull`].
    #[default]
    Stop,
    /// The oldest tokens are forgotten, all but the first `keep`, and it goes on.
    Shift {
        /// Tokens at the beginning that stay: a system prompt, for instance.
        keep: usize,
    },
}

/// Why a text ended.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_llm::{GenerateOptions, StopReason};
///
/// let options = GenerateOptions { max_tokens: Some(1), ignore_end: true, ..Default::default() };
/// let answer = llm.complete("Hello", &options)?;
/// assert_eq!((&answer.stop, answer.stop.name()), (&StopReason::Length, "length"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model said it is done, by this token.
    End(u32),
    /// This text of [`GenerateOptions::stop`] came.
    Text(String),
    /// [`GenerateOptions::max_tokens`] were made.
    Length,
    /// The context is full.
    ContextFull,
    /// [`GenerateOptions::cancel`] was used.
    Cancelled,
    /// What the text has to be, by a grammar for instance, is complete.
    Complete,
}

impl StopReason {
    /// One word for it: `end`, `stop`, `length`, `context`, `cancelled` or `complete`.
    pub fn name(&self) -> &'static str {
        match self {
            StopReason::End(_) => "end",
            StopReason::Text(_) => "stop",
            StopReason::Length => "length",
            StopReason::ContextFull => "context",
            StopReason::Cancelled => "cancelled",
            StopReason::Complete => "complete",
        }
    }
}

/// How long a text took. Time spent by whoever reads the pieces does not count.
///
/// ```
/// use bessemer_llm::Timings;
/// use std::time::Duration;
///
/// let timings = Timings { tokens: 11, decode: Duration::from_secs(2), ..Default::default() };
/// assert_eq!(timings.decode_tokens_per_s(), 5.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Of those, the ones that were in the session already.
    pub reused_tokens: usize,
    /// From the start to the first token: the rest of the prompt.
    pub prefill: Duration,
    /// Tokens made.
    pub tokens: usize,
    /// From the first token to the last.
    pub decode: Duration,
    /// Tokens that speculative decoding drafted, by [`GenerateOptions::lookup`].
    pub drafted: usize,
    /// Of those, the ones that were accepted.
    pub accepted: usize,
}

impl Timings {
    /// Tokens of the prompt per second, those that went through the model; 0 before there is one.
    pub fn prefill_tokens_per_s(&self) -> f64 {
        per_second(self.prompt_tokens - self.reused_tokens, self.prefill)
    }

    /// Tokens per second after the first; 0 before there are two.
    pub fn decode_tokens_per_s(&self) -> f64 {
        per_second(self.tokens.saturating_sub(1), self.decode)
    }

    /// Milliseconds to the first token.
    pub fn first_token_ms(&self) -> f64 {
        self.prefill.as_secs_f64() * 1e3
    }
}

fn per_second(count: usize, time: Duration) -> f64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}
