//! A text in progress: what it is made of, how its tokens are chosen, and what is told of it.

use super::Ticket;
use crate::{
    Constraint, End, Error, Event, Mask, Piece, Result, Timings, Token, Usage,
    backend::{EACH, Work},
    channel::Sender,
};
use bessemer_llm::{
    GenerateOptions, Lookup, StopReason, Writer, sampling::Sampler, tokenizer::Tokenizer,
};
use std::time::Instant;

pub(super) struct Sequence<'t> {
    events: Sender<Result<Event>>,
    options: GenerateOptions,
    logprobs: Option<usize>,
    constraint: Option<Box<dyn Constraint>>,
    pub(super) keep_state: bool,
    /// Saved bytes it begins with.
    pub(super) state: Option<Vec<u8>>,
    pub(super) prompt: usize,
    /// The prompt and what was generated.
    pub(super) text: Vec<u32>,
    /// How many tokens of the text the backend has.
    pub(super) done: usize,
    /// What may follow the text, in the step that is being computed.
    pub(super) draft: Vec<u32>,
    /// Where the backend keeps it; `None` while it is paused.
    pub(super) place: Option<usize>,
    /// Whoever was first has the smallest.
    pub(super) number: u64,
    sampler: Sampler,
    writer: Writer<'t>,
    lookup: Lookup,
    piece: Piece,
    pub(super) usage: Usage,
    timings: Timings,
    since: Instant,
    end_tokens: Vec<u32>,
}

/// What texts share to choose tokens with.
pub(super) struct Room {
    mask: Mask,
    logits: Vec<f32>,
    order: Vec<u32>,
}

impl Room {
    pub(super) fn new(tokens: usize) -> Room {
        Room { mask: Mask::all(tokens), logits: Vec::new(), order: Vec::new() }
    }
}

impl<'t> Sequence<'t> {
    pub(super) fn new(ticket: Ticket, tokenizer: &'t Tokenizer, number: u64) -> Result<Self> {
        let Ticket { request, events, since } = ticket;
        let mut sampler = Sampler::new(&request.options.sampling, tokenizer.len())
            .map_err(bessemer_llm::Error::from)?;
        request.prompt.iter().for_each(|&token| sampler.accept(token));
        let writer = Writer::new(tokenizer, &request.options, request.is_chat)?;
        let end_tokens = match request.constraint {
            Some(_) => (0..tokenizer.len() as u32).filter(|&id| tokenizer.is_end(id)).collect(),
            None => Vec::new(),
        };
        let prompt = request.prompt.len();
        Ok(Sequence {
            events,
            options: request.options,
            logprobs: request.logprobs,
            constraint: request.constraint,
            keep_state: request.keep_state,
            state: request.state,
            prompt,
            text: request.prompt,
            done: 0,
            draft: Vec::new(),
            place: None,
            number,
            sampler,
            writer,
            lookup: Lookup::new(),
            piece: Piece::default(),
            usage: Usage { prompt, ..Usage::default() },
            timings: Timings { queued: since.elapsed(), ..Timings::default() },
            since: Instant::now(),
            end_tokens,
        })
    }

    /// Whether somebody still wants it.
    pub(super) fn is_wanted(&self) -> bool {
        !self.events.is_unheard()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.options.cancel.is_cancelled()
    }

    pub(super) fn is_prefilling(&self) -> bool {
        self.done < self.prompt
    }

    /// Why it ends before the next step, if it does.
    pub(super) fn over(&mut self, capacity: usize) -> Option<StopReason> {
        let complete = self.constraint.as_mut().is_some_and(|c| c.is_complete());
        if self.options.max_tokens == Some(self.usage.generated) {
            Some(StopReason::Length)
        } else if complete {
            Some(StopReason::Complete)
        } else if self.is_cancelled() {
            Some(StopReason::Cancelled)
        } else {
            (self.text.len() > capacity).then_some(StopReason::ContextFull)
        }
    }

    /// Drafts what may follow the text.
    pub(super) fn draft(&mut self, capacity: usize) {
        self.draft.clear();
        let (len, known) = (self.text.len(), self.text.len() - self.done);
        if !self.options.lookup || known != 1 || self.is_prefilling() {
            return;
        }
        let left = self.options.max_tokens.map_or(usize::MAX, |max| max - self.usage.generated);
        let most = (EACH - 1).min(capacity - len).min(left.saturating_sub(1));
        let mut line = vec![self.text[len - 1]];
        self.lookup.draft(&self.text[..len - 1], &mut line, most);
        self.draft.extend_from_slice(&line[1..]);
    }

    /// The rows that come next, at most so many of a prompt, of which `tokens` has the numbers.
    pub(super) fn work<'a>(&self, place: usize, most: usize, tokens: &'a mut Vec<u32>) -> Work<'a> {
        let (start, is_prompt) = (self.done, self.is_prefilling());
        let end = match is_prompt {
            true => self.prompt.min(start.saturating_add(most)),
            false => self.text.len().min(start + EACH),
        };
        tokens.clear();
        tokens.extend_from_slice(&self.text[start..end]);
        let complete = end == self.text.len();
        if complete && !is_prompt {
            tokens.extend_from_slice(&self.draft);
        }
        let logits_from = if complete { end - 1 - start } else { tokens.len() };
        Work { place, start, tokens, is_prompt, logits_from }
    }

    /// The rows have gone through the model, and these logits have come. Why the text ends, if it does.
    pub(super) fn advance(
        &mut self,
        rows: usize,
        logits: &mut [f32],
        vocabulary: usize,
        room: &mut Room,
    ) -> Result<Option<StopReason>> {
        if logits.is_empty() {
            self.done += rows;
            return Ok(None);
        }
        let known = room.mask.tokens().min(vocabulary);
        self.done = self.text.len();
        let draft = std::mem::take(&mut self.draft);
        let mut accepted = 0;
        let mut stopped = None;
        for (i, logits) in logits.chunks_exact_mut(vocabulary).enumerate() {
            let token = self.choose(&mut logits[..known], room)?;
            stopped = self.take(token)?;
            // The next logits count only if this is the token they were made after.
            if stopped.is_some() || draft.get(i) != Some(&token) {
                break;
            }
            accepted += 1;
            self.done += 1;
        }
        if !draft.is_empty() {
            self.lookup.learn(draft.len(), accepted);
            self.usage.drafted += draft.len();
            self.usage.accepted += accepted;
        }
        self.draft = draft;
        if stopped.is_none() && !self.piece.text.is_empty() {
            self.tell_piece();
        }
        Ok(stopped)
    }

    /// Chooses a token.
    fn choose(&mut self, logits: &mut [f32], room: &mut Room) -> Result<u32> {
        // All of them, without a branch for each: this is quick.
        if logits.iter().fold(false, |nan, x| nan | x.is_nan()) {
            let why = "engine: logits are NaN; the weights are damaged or too large for their dtype, so \
                       download the file again";
            let why = why.to_owned();
            return Err(bessemer_llm::Error::Session(why).into());
        }
        if self.logprobs.is_some() {
            room.logits.clear();
            room.logits.extend_from_slice(logits);
        }
        if let Some(constraint) = &mut self.constraint {
            let mask = &mut room.mask;
            mask.reset();
            constraint.restrict(mask).map_err(Error::Constraint)?;
            let may_end = constraint.may_end();
            for &token in &self.end_tokens {
                if may_end { mask.allow(token) } else { mask.forbid(token) }
            }
            for (token, logit) in logits.iter_mut().enumerate() {
                if !mask.allows(token as u32) {
                    *logit = f32::NEG_INFINITY;
                }
            }
        }
        let Some(token) = self.sampler.sample(logits) else {
            let why = "engine: no token is possible, as all logits are minus infinity; change the biases or \
                       the constraint";
            return Err(bessemer_llm::Error::Session(why.into()).into());
        };
        let (logprob, top) = match self.logprobs {
            Some(count) => {
                let (logprob, top) = logprobs(&room.logits, token, count, &mut room.order);
                (Some(logprob), top)
            }
            None => (None, Vec::new()),
        };
        self.piece.tokens.push(Token { id: token, logprob, top });
        Ok(token)
    }

    /// Takes on a token that was chosen.
    fn take(&mut self, token: u32) -> Result<Option<StopReason>> {
        if self.usage.generated == 0 {
            self.timings.prefill = self.since.elapsed();
        }
        self.timings.decode = self.since.elapsed() - self.timings.prefill;
        self.usage.generated += 1;
        self.text.push(token);
        let (text, stopped) = self.writer.push(token)?;
        self.piece.text += &text;
        if !matches!(stopped, Some(StopReason::End(_)))
            && let Some(constraint) = &mut self.constraint
        {
            constraint.accept(token).map_err(Error::Constraint)?;
        }
        let full = self.options.max_tokens == Some(self.usage.generated);
        Ok(stopped.or_else(|| full.then_some(StopReason::Length)))
    }

    fn tell_piece(&mut self) {
        self.events.send(Ok(Event::Piece(std::mem::take(&mut self.piece))));
    }

    /// It is over.
    pub(super) fn end(mut self, reason: StopReason, state: Option<Vec<u8>>) {
        if !matches!(reason, StopReason::End(_) | StopReason::Text(_)) {
            let rest = self.writer.finish();
            self.piece.text += &rest;
        }
        if self.piece != Piece::default() {
            self.tell_piece();
        }
        let (usage, timings) = (self.usage, self.timings);
        self.events.send(Ok(Event::End(End { reason, usage, timings, state })));
    }

    /// It has failed.
    pub(super) fn fail(self, error: Error) {
        self.events.send(Err(error));
    }
}

/// The logarithm of the probability of a token, and those of the likeliest.
fn logprobs(
    logits: &[f32],
    token: u32,
    count: usize,
    order: &mut Vec<u32>,
) -> (f32, Vec<(u32, f32)>) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|&x| f64::from(x - most).exp()).sum();
    let base = f64::from(most) + sum.ln();
    let of = |token: u32| (f64::from(logits[token as usize]) - base) as f32;
    let count = count.min(logits.len());
    let before =
        |&a: &u32, &b: &u32| logits[b as usize].total_cmp(&logits[a as usize]).then(a.cmp(&b));
    order.clear();
    if count > 0 {
        order.extend(0..logits.len() as u32);
        if count < order.len() {
            order.select_nth_unstable_by(count, before);
            order.truncate(count);
        }
        order.sort_unstable_by(before);
    }
    (of(token), order.iter().map(|&token| (token, of(token))).collect())
}
