//! Answers as they come.

use crate::{Error, Result, channel::Receiver};
use bessemer_llm::StopReason;
use futures_core::Stream;
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// What comes of a request: [pieces](Event::Piece), then the [end](Event::End), or an error.
///
/// It is an iterator that blocks, and a stream for async code. Dropped before its end, the request is
/// cancelled: its place is free after the step that is running.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_engine::{Engine, Event, Request};
/// use bessemer_llm::GenerateOptions;
///
/// let engine = Engine::new(llm, Default::default())?;
/// let options = GenerateOptions { max_tokens: Some(4), ignore_end: true, ..Default::default() };
/// for event in engine.submit(Request::new(vec![72, 105], options))? {
///     match event? {
///         Event::Piece(piece) => print!("{}", piece.text),
///         Event::End(end) => println!(" ({}, {} tokens)", end.reason.name(), end.usage.generated),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Answering {
    events: Receiver<Result<Event>>,
    ended: bool,
}

/// Something of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// More of it.
    Piece(Piece),
    /// It is over.
    End(End),
}

/// More of an answer: some text, whole characters, and the tokens it is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// The text, which may be empty.
    pub text: String,
    /// The tokens since the last piece, those that end the text included.
    pub tokens: Vec<Token>,
}

/// A token of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Its number.
    pub id: u32,
    /// Its log probability, if that was asked for: what the model itself says, before settings, penalties
    /// and constraints.
    pub logprob: Option<f32>,
    /// The likeliest tokens at this place, likeliest first, as many as were asked for.
    pub top: Vec<(u32, f32)>,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Why.
    pub reason: StopReason,
    /// How many tokens there were.
    pub usage: Usage,
    /// How long it took.
    pub timings: Timings,
    /// What the model remembers of the text, if [`Request::keep_state`](crate::Request) asks for it. The
    /// last token that was generated is not in it.
    pub state: Option<Vec<u8>>,
}

/// Tokens of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// Of those, the ones that another request had computed already.
    pub reused: usize,
    /// Tokens generated, those that end the text included.
    pub generated: usize,
    /// Tokens that prompt lookup drafted.
    pub drafted: usize,
    /// Of those, the ones that were accepted.
    pub accepted: usize,
    /// How often it was paused, because there were not enough pages for all.
    pub paused: usize,
}

/// How long a request took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Until it had a place.
    pub queued: Duration,
    /// From then to the first token.
    pub prefill: Duration,
    /// From the first token to the last.
    pub decode: Duration,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its text.
    pub text: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// How it ended.
    pub end: End,
}

impl Answering {
    pub(crate) fn new(events: Receiver<Result<Event>>) -> Answering {
        Answering { events, ended: false }
    }

    /// Waits for all the rest.
    pub fn finish(self) -> Result<Answer> {
        let (mut text, mut tokens) = (String::new(), Vec::new());
        for event in self {
            match event? {
                Event::Piece(piece) => {
                    text += &piece.text;
                    tokens.extend(piece.tokens);
                }
                Event::End(end) => return Ok(Answer { text, tokens, end }),
            }
        }
        Err(Error::Stopped)
    }

    /// What an item means: after an end or an error nothing comes, but one of these does.
    fn seen(&mut self, item: Option<Result<Event>>) -> Option<Result<Event>> {
        let item = item.or_else(|| (!self.ended).then_some(Err(Error::Stopped)));
        self.ended |= !matches!(item, Some(Ok(Event::Piece(_))));
        item
    }
}

impl Iterator for Answering {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        let item = self.events.receive();
        self.seen(item)
    }
}

impl Stream for Answering {
    type Item = Result<Event>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Event>>> {
        match self.events.poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(item) => Poll::Ready(self.seen(item)),
        }
    }
}

/// A result that the engine is computing: waits as a future, or blocks.
pub struct Pending<T>(pub(crate) Receiver<Result<T>>);

impl<T> Pending<T> {
    /// Blocks until it is there.
    pub fn wait(self) -> Result<T> {
        self.0.receive().unwrap_or(Err(Error::Stopped))
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        self.0.poll(context).map(|item| item.unwrap_or(Err(Error::Stopped)))
    }
}
