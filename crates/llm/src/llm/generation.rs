//! Text generation: token by token, from the prompt to a stop reason.

use super::{
    Fallback, GenerateOptions, Llm, Lookup, Prompt, StopReason, Timings, WhenFull, Writer,
};
use crate::{Error, Model, Result, Session, sampling::Sampler};
use std::{collections::VecDeque, sync::Arc, time::Instant};

/// Text in the making: an iterator over its pieces, which are whole characters. It ends when
/// there is a [`StopReason`], or after an error.
///
/// Dropped early, it leaves the session at the last token that was asked for.
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_llm::GenerateOptions;
///
/// let mut session = llm.session(Default::default())?;
/// let options = GenerateOptions { max_tokens: Some(5), ignore_end: true, ..Default::default() };
/// let mut generation = llm.generate(&mut session, "Once", &options)?;
/// let mut text = String::new();
/// for piece in &mut generation {
///     text += &piece?;
/// }
/// assert_eq!(generation.tokens().len(), 5);
/// assert_eq!(generation.stop_reason().unwrap().name(), "length");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Generation<'a> {
    /// Tokens there are words for; the model may have more.
    known: usize,
    /// What it goes on with if its GPU fails.
    fallback: Option<&'a Fallback>,
    session: &'a mut Session,
    options: GenerateOptions,
    sampler: Sampler,
    writer: Writer<'a>,
    lookup: Lookup,
    /// The prompt, until it has gone through the model.
    prompt: Vec<u32>,
    /// Tokens that were chosen and not yet given out; all but the last are in the session.
    chosen: VecDeque<u32>,
    /// All tokens that were given out.
    tokens: Vec<u32>,
    /// What goes through the model next.
    line: Vec<u32>,
    stopped: Option<StopReason>,
    failed: bool,
    timings: Timings,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its text.
    pub text: String,
    /// Its tokens, the one that ended it included.
    pub tokens: Vec<u32>,
    /// Why it ended.
    pub stop: StopReason,
    /// How long it took.
    pub timings: Timings,
}

impl<'a> Generation<'a> {
    /// A generation from a prompt and its tokens; without them, it was cancelled before they were known.
    pub(super) fn new(
        llm: &'a Llm,
        session: &'a mut Session,
        from: &Prompt<'_>,
        prompt: Option<Vec<u32>>,
        options: &GenerateOptions,
    ) -> Result<Generation<'a>> {
        let cancelled = prompt.is_none().then_some(StopReason::Cancelled);
        let prompt = prompt.unwrap_or_default();
        let (tokenizer, options) = (llm.tokenizer(), options.clone());
        let (is_chat, is_text) = (matches!(from, Prompt::Chat(_)), matches!(from, Prompt::Text(_)));
        let writer = Writer::with(tokenizer, &options, is_chat, is_text)?;
        let mut sampler = Sampler::new(&options.sampling, tokenizer.len())?;
        prompt.iter().for_each(|&token| sampler.accept(token));
        let mut generation = Generation {
            timings: Timings { prompt_tokens: prompt.len(), ..Timings::default() },
            writer,
            options,
            lookup: Lookup::new(),
            chosen: VecDeque::new(),
            tokens: Vec::new(),
            line: Vec::new(),
            stopped: cancelled,
            failed: false,
            sampler,
            known: tokenizer.len(),
            fallback: llm.fallback.as_deref(),
            session,
            prompt,
        };
        // A prompt that does not fit is refused here, before anything is asked for.
        if generation.stopped.is_none() {
            let reused = generation.session.keep_prefix_of(&generation.prompt)?;
            generation.timings.reused_tokens = reused;
        }
        Ok(generation)
    }

    /// The session it is made in.
    pub fn session(&self) -> &Session {
        self.session
    }

    /// The tokens of the prompt.
    pub fn prompt(&self) -> &[u32] {
        &self.prompt
    }

    /// The tokens made so far.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Why it ended; `None` while it goes on.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stopped.as_ref()
    }

    /// How long it took so far.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// Goes on after an error with the same model on another device: a GPU can be lost in the middle
    /// of a token. The session moves there, the text goes on where it was, and settings, penalties
    /// and what the seed draws next are kept.
    pub fn move_to(&mut self, model: &Arc<Model>) -> Result<()> {
        self.session.move_to(model)?;
        if self.tokens.is_empty() {
            // The prompt, or what is left of it, is still to come.
            self.timings.reused_tokens = self.session.keep_prefix_of(&self.prompt)?;
        }
        self.failed = false;
        Ok(())
    }

    /// Goes on elsewhere after an error, if it was the GPU's fault and there is somewhere.
    fn fall_back(&mut self, error: Error) -> Result<()> {
        let Some(fallback) = self.fallback else { return Err(error) };
        let model = fallback.after(error, &**self.session.model().device())?;
        self.move_to(&model)
    }

    /// Generates all the rest. The text has what was not yet taken from the iterator.
    pub fn finish(mut self) -> Result<Answer> {
        let text = self.by_ref().collect::<Result<String>>()?;
        let stop = self.stopped.take().ok_or_else(|| {
            Error::Session(
                "generation: it has failed before, so there is no rest; start a new one".into(),
            )
        })?;
        Ok(Answer { text, stop, tokens: std::mem::take(&mut self.tokens), timings: self.timings })
    }

    /// One token further, if there is one: the text that is sure now.
    fn advance(&mut self) -> Result<String> {
        if self.options.max_tokens == Some(self.tokens.len()) {
            return Ok(self.stop(StopReason::Length));
        }
        if self.chosen.is_empty() {
            let started = Instant::now();
            let stopped = if self.tokens.is_empty() { self.prefill() } else { self.decode() };
            let spent = if self.tokens.is_empty() {
                &mut self.timings.prefill
            } else {
                &mut self.timings.decode
            };
            *spent += started.elapsed();
            if let Some(reason) = stopped? {
                return Ok(self.stop(reason));
            }
        }
        if self.options.cancel.is_cancelled() {
            return Ok(self.stop(StopReason::Cancelled));
        }
        let token = self.chosen.pop_front().ok_or_else(no_token)?;
        self.tokens.push(token);
        self.timings.tokens += 1;
        let (text, stopped) = self.writer.push(token)?;
        self.stopped = stopped;
        Ok(text)
    }

    /// Ends the text; what was held back comes out.
    fn stop(&mut self, reason: StopReason) -> String {
        self.stopped = Some(reason);
        self.writer.finish()
    }

    /// The prompt goes through the model, and the first token is chosen.
    fn prefill(&mut self) -> Result<Option<StopReason>> {
        let known = self.known;
        let rest = &self.prompt[self.timings.reused_tokens..];
        let Some(logits) = self.session.extend_unless(&self.options.cancel, rest)? else {
            return Ok(Some(StopReason::Cancelled));
        };
        let known = known.min(logits.len());
        self.chosen.push_back(self.sampler.sample(&mut logits[..known]).ok_or_else(no_token)?);
        Ok(None)
    }

    /// The last token goes through the model, perhaps with a draft of what follows (speculative
    /// decoding), and the next are chosen.
    fn decode(&mut self) -> Result<Option<StopReason>> {
        if self.session.room() == 0 {
            match self.options.when_full {
                WhenFull::Stop => return Ok(Some(StopReason::ContextFull)),
                WhenFull::Shift { keep } => {
                    if !self.session.shift(keep, &self.options.cancel)? {
                        return Ok(Some(StopReason::Cancelled));
                    }
                }
            }
        }
        let vocabulary = self.session.model().config().vocabulary;
        let known = self.known.min(vocabulary);
        let likeliest = self.sampler.needs_likeliest().filter(|_| !self.options.lookup);
        let likeliest = likeliest.map(|count| count.min(known));
        if let Some(count) = likeliest.filter(|&count| self.session.follows(count)) {
            return self.follow(known, count);
        }
        self.line.clear();
        self.line.extend(self.tokens.last());
        if self.options.lookup {
            let left = self.options.max_tokens.map_or(usize::MAX, |max| max - self.tokens.len());
            let most = (Session::MOST_EACH - 1).min(self.session.room() - 1).min(left - 1);
            self.lookup.draft(self.session.tokens(), &mut self.line, most);
        }
        if self.line.len() > 1 {
            self.session.checkpoint()?;
        }
        let before = self.session.tokens().len();
        let logits = self.session.extend_each(&self.line)?;
        let mut accepted = 0;
        for (i, logits) in logits.chunks_exact_mut(vocabulary).enumerate() {
            let token = self.sampler.sample(&mut logits[..known]).ok_or_else(no_token)?;
            self.chosen.push_back(token);
            // The next logits count only if this is the token they were made after.
            if self.line.get(i + 1) != Some(&token) {
                break;
            }
            accepted += 1;
        }
        self.session.rewind(before + 1 + accepted);
        let drafted = self.line.len() - 1;
        if drafted > 0 {
            self.lookup.learn(drafted, accepted);
            self.timings.drafted += drafted;
            self.timings.accepted += accepted;
        }
        Ok(None)
    }

    /// The last token goes through the model, and the next is chosen of the likeliest, which the
    /// device has found. Where there is no choice, the device goes on by itself.
    fn follow(&mut self, known: usize, count: usize) -> Result<Option<StopReason>> {
        let Some(&last) = self.tokens.last() else { return Err(no_token()) };
        let more = self.options.max_tokens.is_none_or(|most| self.tokens.len() + 1 < most);
        let found = self.session.follow(last, known, count, count == 1 && more)?;
        let token = self.sampler.sample_likeliest(found.tokens, found.logits);
        self.chosen.push_back(token.ok_or_else(no_token)?);
        Ok(None)
    }
}

impl Iterator for Generation<'_> {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        while self.stopped.is_none() && !self.failed {
            match self.advance() {
                Ok(text) if text.is_empty() => {}
                Ok(text) => return Some(Ok(text)),
                Err(error) => {
                    self.failed = true;
                    if let Err(error) = self.fall_back(error) {
                        return Some(Err(error));
                    }
                }
            }
        }
        None
    }
}

impl Drop for Generation<'_> {
    fn drop(&mut self) {
        // Tokens that were accepted but not asked for are no part of the text; nor is the last one
        // given out, which else would go through the model with the next.
        if !self.tokens.is_empty() {
            let len = self.session.tokens().len();
            self.session.rewind(len - self.chosen.len());
        }
    }
}

fn no_token() -> Error {
    let why =
        "generation: no token is possible, as all logits are minus infinity; change the biases";
    Error::Session(why.into())
}
