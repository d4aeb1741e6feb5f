//! Runs what is asked: finds the model, submits to its engine, and gives the events of the answers.

use super::{
    Ask, Called, Client, Ended, Event, Likely, Part, Reason, Splitter, Usage, Word,
    events::Times,
    prepare::{Prepared, prepare},
};
use crate::{App, Kind, Refusal, keys::Key, metrics::Meter, models::Lease};
use bessemer_engine::{self as engine, Answering, Refused};
use bessemer_llm::{StopReason, tokenizer::Tokenizer};
use futures_util::stream::{self, SelectAll, Stream, StreamExt};
use std::{
    collections::VecDeque,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

/// The answers to one request.
pub(crate) struct Answers {
    /// The model's name.
    pub(crate) model: String,
    answers: Vec<Answer>,
}

/// One answer, as a stream of events.
struct Answer {
    index: usize,
    engine: Answering,
    splitter: Splitter,
    one_call: bool,
    words: bool,
    /// Events that are sure but not given out.
    ready: VecDeque<Event>,
    ended: bool,
    tokens: usize,
    meter: Meter,
    key: Option<Arc<Key>>,
    started: Instant,
    load: Duration,
    /// Keeps the model from being dropped.
    lease: Lease,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) calls: Vec<Called>,
    pub(crate) words: Vec<Word>,
    pub(crate) ended: Ended,
}

/// Starts to answer.
pub(crate) async fn start(app: &App, client: &Client, ask: Ask) -> Result<Answers, Refusal> {
    let started = Instant::now();
    app.admit(client)?;
    let lease = app.models.get(ask.model.as_deref()).await?;
    let load = started.elapsed();
    let user: Arc<str> = client.name(ask.user.as_deref()).into();
    let (app_, lease_) = (app.clone(), lease.clone());
    let (words, prepared) = app
        .blocking(move || {
            let prepared = prepare(&lease_, &app_.options.limits, &ask, &user);
            (ask.logprobs.is_some(), prepared)
        })
        .await?;
    let mut answers = Vec::new();
    for (index, Prepared { request, splitter, one_call }) in prepared?.into_iter().enumerate() {
        let prompt = request.prompt.len();
        let engine = lease.engine.submit(request).map_err(refused)?;
        answers.push(Answer {
            index,
            engine,
            splitter,
            one_call,
            words,
            ready: VecDeque::new(),
            ended: false,
            tokens: 0,
            meter: app.metrics.meter(&lease.name, prompt, started),
            key: client.key.clone(),
            started,
            load: if load > Duration::from_millis(1) { load } else { Duration::ZERO },
            lease: lease.clone(),
        });
    }
    Ok(Answers { model: lease.name.clone(), answers })
}

/// Why an engine does not take a request.
pub(crate) fn refused(refused: Refused) -> Refusal {
    match refused {
        Refused::QueueFull { waiting, retry_after } => {
            let why = format!("the queue is full: {waiting} requests wait already");
            Refusal::new(Kind::Busy, why).after(retry_after)
        }
        Refused::Draining => draining(),
        Refused::Invalid(error) => failed(error),
        other => Refusal::internal(other),
    }
}

/// The server takes no more requests.
pub(crate) fn draining() -> Refusal {
    let why = "the server is shutting down and takes no more requests";
    Refusal::new(Kind::Draining, why).after(Duration::from_secs(5))
}

/// Why an engine gives up on a request.
pub(crate) fn failed(error: engine::Error) -> Refusal {
    match error {
        engine::Error::Field { field, why } => Refusal::field(field, why),
        engine::Error::Constraint(why) => Refusal::new(
            Kind::Invalid,
            format!("the answer cannot go on as its format asks: {why}"),
        ),
        engine::Error::Model(error) => super::prepare::refused("prompt", error),
        other => Refusal::internal(other),
    }
}

impl Answers {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.answers.len()
    }

    /// The events of all, with the number of the answer, as they come.
    pub(crate) fn events(self) -> impl Stream<Item = (usize, Result<Event, Refusal>)> + Send {
        let mut all = SelectAll::new();
        for answer in self.answers {
            let index = answer.index;
            all.push(answer.map(move |event| (index, event)));
        }
        all
    }

    /// All answers, when the last of them is there.
    pub(crate) async fn whole(self) -> Result<Vec<Whole>, Refusal> {
        let mut all = Vec::with_capacity(self.answers.len());
        let parts = self.answers.into_iter().map(whole);
        let mut parts = stream::iter(parts).buffered(usize::MAX);
        while let Some(whole) = parts.next().await {
            all.push(whole?);
        }
        Ok(all)
    }
}

async fn whole(mut answer: Answer) -> Result<Whole, Refusal> {
    let (mut text, mut thinking) = (String::new(), String::new());
    let (mut calls, mut words) = (Vec::new(), Vec::new());
    while let Some(event) = answer.next().await {
        match event? {
            Event::Text(piece) => text += &piece,
            Event::Thinking(piece) => thinking += &piece,
            Event::Call(call) => calls.push(call),
            Event::Words(more) => words.extend(more),
            Event::End(ended) => return Ok(Whole { text, thinking, calls, words, ended }),
        }
    }
    Err(Refusal::internal("an answer without an end"))
}

impl Answer {
    fn piece(&mut self, piece: engine::Piece) {
        self.meter.tokens(piece.tokens.len());
        self.tokens += piece.tokens.len();
        if self.words && !piece.tokens.is_empty() {
            let words = words(self.lease.llm.tokenizer(), &piece.tokens);
            self.ready.push_back(Event::Words(words));
        }
        let parts = self.splitter.push(&piece.text);
        self.parts(parts);
    }

    fn parts(&mut self, parts: Vec<Part>) {
        for part in parts {
            self.ready.push_back(match part {
                Part::Text(text) => Event::Text(text),
                Part::Thinking(text) => Event::Thinking(text),
                Part::Call(call) => Event::Call(call),
            });
            if self.one_call && self.splitter.calls() > 0 {
                let usage = Usage { prompt: self.meter.prompt(), cached: 0, answer: self.tokens };
                self.end(Reason::Calls, usage, Times::default());
                return;
            }
        }
    }

    fn end(&mut self, reason: Reason, usage: Usage, times: Times) {
        let times = Times { load: self.load, total: self.started.elapsed(), ..times };
        self.meter.ended(&reason, &usage, &times);
        self.ended = true;
        self.ready.push_back(Event::End(Ended { reason, usage, times }));
    }

    fn ended(&mut self, end: engine::End) {
        let parts = self.splitter.finish();
        self.parts(parts);
        if self.ended {
            return;
        }
        let usage = Usage {
            prompt: end.usage.prompt,
            cached: end.usage.reused,
            answer: end.usage.generated,
        };
        let times = Times {
            queue: end.timings.queued,
            prefill: end.timings.prefill,
            decode: end.timings.decode,
            ..Times::default()
        };
        let reason = match end.reason {
            StopReason::Cancelled => Reason::Cancelled,
            StopReason::Length | StopReason::ContextFull => Reason::Length,
            _ if self.splitter.calls() > 0 => Reason::Calls,
            StopReason::Text(text) => Reason::Stop(text),
            _ => Reason::End,
        };
        self.end(reason, usage, times);
    }
}

impl Stream for Answer {
    type Item = Result<Event, Refusal>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.ready.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if this.ended {
                return Poll::Ready(None);
            }
            match Pin::new(&mut this.engine).poll_next(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(engine::Event::Piece(piece)))) => this.piece(piece),
                Poll::Ready(Some(Ok(engine::Event::End(end)))) => this.ended(end),
                Poll::Ready(Some(Err(error))) => {
                    this.ended = true;
                    return Poll::Ready(Some(Err(failed(error))));
                }
                Poll::Ready(None) => {
                    this.ended = true;
                    return Poll::Ready(Some(Err(failed(engine::Error::Stopped))));
                }
            }
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // Whoever leaves early has used what there was until then.
        if let Some(key) = &self.key {
            key.spend(self.meter.prompt() + self.tokens);
        }
    }
}

/// Tokens with their probabilities, for clients.
fn words(tokenizer: &Tokenizer, tokens: &[engine::Token]) -> Vec<Word> {
    let likely = |id: u32, logprob: f32| {
        let bytes = tokenizer.decode_bytes(&[id]).unwrap_or_default();
        let shown = |bytes: Vec<u8>| match bytes.is_empty() {
            true => tokenizer.piece(id).unwrap_or_default().to_vec(),
            false => bytes,
        };
        Likely { bytes: shown(bytes), logprob }
    };
    let word = |token: &engine::Token| Word {
        // JSON has no infinity.
        likely: likely(token.id, token.logprob.unwrap_or(-9999.0).max(-9999.0)),
        top: token.top.iter().map(|&(id, logprob)| likely(id, logprob.max(-9999.0))).collect(),
    };
    tokens.iter().map(word).collect()
}
