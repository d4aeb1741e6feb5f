//! The thread that drives the device: which rows each step takes, and what becomes of the texts.

mod sequence;

use crate::{
    EngineOptions, Error, Event, Request, Result, Stats, Totals,
    backend::{self, Backend, Done, Work},
    channel::Sender,
    engine::{Job, Shared},
};
use bessemer_llm::{Llm, Model, StopReason};
use sequence::{Room, Sequence};
use std::{sync::Arc, time::Instant};

/// A request that waits.
pub(crate) struct Ticket {
    pub(crate) request: Request,
    pub(crate) events: Sender<Result<Event>>,
    pub(crate) since: Instant,
}

impl Ticket {
    fn is_wanted(&self) -> bool {
        !self.events.is_unheard()
    }

    fn is_cancelled(&self) -> bool {
        self.request.options.cancel.is_cancelled()
    }
}

pub(crate) struct Worker<'t> {
    llm: &'t Llm,
    options: EngineOptions,
    shared: &'t Shared,
    model: Arc<Model>,
    backend: Box<dyn Backend>,
    /// Texts that were begun, the first first.
    sequences: Vec<Sequence<'t>>,
    /// How many were begun.
    begun: u64,
    room: Room,
    done: Done,
    /// Tokens of the rows of a step, a list for each text.
    rows: Vec<Vec<u32>>,
    stats: Stats,
    /// What went wrong while a step was planned.
    broken: Option<bessemer_llm::Error>,
}

impl<'t> Worker<'t> {
    pub(crate) fn new(
        llm: &'t Llm,
        options: EngineOptions,
        shared: &'t Shared,
        backend: Box<dyn Backend>,
    ) -> Worker<'t> {
        Worker {
            llm,
            options,
            shared,
            model: Arc::clone(llm.model()),
            backend,
            sequences: Vec::new(),
            begun: 0,
            room: Room::new(llm.tokenizer().len()),
            done: Done::default(),
            rows: Vec::new(),
            stats: Stats::default(),
            broken: None,
        }
    }

    /// Works until nobody can ask for anything any more.
    pub(crate) fn run(mut self) {
        while let Some(jobs) = self.shared.wait(self.sequences.is_empty()) {
            let started = Instant::now();
            for Job::Embed { tokens, result } in jobs {
                result.send(self.backend.embed(&tokens).map_err(Error::from));
            }
            self.leave();
            self.admit();
            let on_device = self.step();
            let totals = &mut self.stats.totals;
            totals.on_device += on_device;
            totals.off_device += started.elapsed().saturating_sub(on_device);
            self.report();
        }
    }

    /// Texts that nobody waits for, or that have reached their end, leave.
    fn leave(&mut self) {
        let capacity = self.backend.capacity();
        for number in (0..self.sequences.len()).rev() {
            if !self.sequences[number].is_wanted() {
                self.stats.totals.cancelled += 1;
                self.remove(number);
            } else if let Some(reason) = self.sequences[number].over(capacity) {
                self.end(number, reason);
            }
        }
        for ticket in self.shared.cancelled(|ticket| !ticket.is_wanted() || ticket.is_cancelled()) {
            self.stats.totals.cancelled += 1;
            self.stats.totals.ended += 1;
            if ticket.is_wanted() {
                self.begun += 1;
                match Sequence::new(ticket, self.llm.tokenizer(), self.begun) {
                    Ok(sequence) => sequence.end(StopReason::Cancelled, None),
                    Err(_) => unreachable!("requests are checked before they are taken"),
                }
            }
        }
    }

    /// Takes a text out and gives its place back.
    fn remove(&mut self, number: usize) -> Sequence<'t> {
        let sequence = self.sequences.remove(number);
        if let Some(place) = sequence.place {
            let computed = &sequence.text[..sequence.done];
            self.backend.release(place, computed, sequence.prompt.min(sequence.done));
        }
        self.stats.totals.ended += 1;
        sequence
    }

    fn end(&mut self, number: usize, reason: StopReason) {
        let sequence = &self.sequences[number];
        let state = match sequence.place {
            Some(place) if sequence.keep_state => match self.backend.save(place) {
                Ok(state) => Some(state),
                Err(error) => return self.fail(number, error.into()),
            },
            _ => None,
        };
        let totals = &mut self.stats.totals;
        totals.cancelled += u64::from(reason == StopReason::Cancelled);
        let sequence = self.remove(number);
        sequence.end(reason, state);
    }

    fn fail(&mut self, number: usize, error: Error) {
        self.stats.totals.failed += 1;
        self.remove(number).fail(error);
    }

    /// Paused texts get their places back, and new ones get theirs, as long as there are some.
    fn admit(&mut self) {
        let mut number = 0;
        while number < self.sequences.len() {
            let sequence = &mut self.sequences[number];
            if sequence.place.is_none() {
                let prompt = &sequence.text[..sequence.prompt];
                // With as many tokens more as may be drafted: it is not to be paused again at once.
                let len = sequence.text.len() + backend::EACH;
                match self.backend.admit(prompt, len, sequence.state.as_deref()) {
                    Ok(Some(admitted)) => {
                        if sequence.usage.paused == 0 {
                            sequence.usage.reused = admitted.reused;
                            self.stats.totals.reused_tokens += admitted.reused as u64;
                        }
                        sequence.place = Some(admitted.place);
                        sequence.done = admitted.reused;
                    }
                    Ok(None) => return,
                    Err(error @ bessemer_llm::Error::Core(_)) => return self.recover(error),
                    Err(error) => {
                        self.fail(number, error.into());
                        continue;
                    }
                }
            }
            number += 1;
        }
        while self.sequences.len() < self.options.most_running {
            let Some(ticket) = self.shared.next() else { return };
            self.begun += 1;
            let mut sequence = match Sequence::new(ticket, self.llm.tokenizer(), self.begun) {
                Ok(sequence) => sequence,
                Err(_) => unreachable!("requests are checked before they are taken"),
            };
            let (text, len) = (&sequence.text, sequence.text.len() + 1);
            let admitted = self.backend.admit(text, len, sequence.state.as_deref());
            self.stats.totals.prompt_tokens += sequence.prompt as u64;
            if let Ok(Some(admitted)) = admitted {
                sequence.place = Some(admitted.place);
                sequence.done = admitted.reused;
                sequence.usage.reused = admitted.reused;
                self.stats.totals.reused_tokens += admitted.reused as u64;
            }
            self.sequences.push(sequence);
            match admitted {
                Ok(Some(_)) => {}
                // It is first in line.
                Ok(None) => return,
                Err(error @ bessemer_llm::Error::Core(_)) => return self.recover(error),
                Err(error) => self.fail(self.sequences.len() - 1, error.into()),
            }
        }
    }

    /// Computes rows of the texts that have a place. How long the device took.
    fn step(&mut self) -> std::time::Duration {
        let planned = self.plan();
        if let Some(error) = self.broken.take() {
            self.recover(error);
            return std::time::Duration::ZERO;
        }
        if planned.is_empty() {
            return std::time::Duration::ZERO;
        }
        let Worker { sequences, rows, .. } = self;
        rows.resize_with(planned.len().max(rows.len()), Vec::new);
        let work: Vec<Work<'_>> = planned
            .iter()
            .zip(rows.iter_mut())
            .filter_map(|(&(number, most), tokens)| {
                let sequence = &sequences[number];
                Some(sequence.work(sequence.place?, most, tokens))
            })
            .collect();
        self.stats.batch = work.iter().map(|work| work.tokens.len()).sum();
        self.stats.totals.steps += 1;
        self.stats.totals.rows += self.stats.batch as u64;
        self.done.logits.clear();
        self.done.failed.clear();
        let started = Instant::now();
        let result = self.backend.step(&work, &mut self.done);
        let on_device = started.elapsed();
        let sizes: Vec<(usize, usize)> =
            work.iter().map(|w| (w.tokens.len(), w.tokens.len() - w.logits_from)).collect();
        drop(work);
        match result {
            Ok(()) => self.advance(&planned, &sizes),
            Err(error) => self.recover(error),
        }
        on_device
    }

    /// Which texts the step has rows of, and how many of a prompt at most. Texts that are being generated
    /// come first, all of them; then prompts, the oldest first.
    fn plan(&mut self) -> Vec<(usize, usize)> {
        let capacity = self.backend.capacity();
        let mut planned = Vec::new();
        let mut number = 0;
        while number < self.sequences.len() {
            let sequence = &mut self.sequences[number];
            if sequence.place.is_some() && !sequence.is_prefilling() {
                sequence.draft(capacity);
                let len = sequence.text.len() + sequence.draft.len();
                if self.reserve(number, len) {
                    planned.push((number, 0));
                }
            }
            number += 1;
        }
        let mut left = self.options.prompt_rows;
        number = 0;
        while number < self.sequences.len() && left > 0 {
            let sequence = &self.sequences[number];
            if sequence.place.is_some() && sequence.is_prefilling() {
                let start = sequence.done;
                let most = match self.backend.chunk() {
                    // One chunk at least, whole ones only.
                    Some(chunk) => {
                        let whole = ((start + left) / chunk * chunk).saturating_sub(start);
                        whole.max(chunk - start % chunk)
                    }
                    None => left,
                };
                let rows = most.min(sequence.prompt - start);
                if self.reserve(number, start + rows) {
                    planned.push((number, most));
                    left = left.saturating_sub(rows);
                }
            }
            number += 1;
        }
        // Pauses on the way may have taken places that were planned for.
        planned.retain(|&(number, _)| self.sequences[number].place.is_some());
        planned
    }

    /// Makes room for so many tokens of a text, at the cost of younger ones if it must be. Without success
    /// the text itself is paused.
    fn reserve(&mut self, number: usize, len: usize) -> bool {
        loop {
            let Some(place) = self.sequences[number].place else { return false };
            match self.backend.reserve(place, len) {
                Ok(true) => return true,
                Ok(false) => {
                    let places = self.sequences.iter().enumerate();
                    let youngest = places.filter(|(_, other)| other.place.is_some());
                    let youngest = youngest.max_by_key(|(_, other)| other.number);
                    let youngest = youngest.map_or(number, |(number, _)| number);
                    self.pause(youngest);
                    if youngest == number {
                        return false;
                    }
                }
                Err(error) => {
                    self.broken = Some(error);
                    return false;
                }
            }
        }
    }

    /// A text gives its place away. What was computed of it is computed again later.
    fn pause(&mut self, number: usize) {
        let sequence = &mut self.sequences[number];
        if let Some(place) = sequence.place.take() {
            let computed = &sequence.text[..sequence.done];
            self.backend.release(place, computed, sequence.prompt.min(sequence.done));
            sequence.done = 0;
            sequence.draft.clear();
            sequence.usage.paused += 1;
            self.stats.totals.paused += 1;
        }
    }

    /// What the step has computed becomes tokens.
    fn advance(&mut self, planned: &[(usize, usize)], sizes: &[(usize, usize)]) {
        let vocabulary = self.model.config().vocabulary;
        let mut logits = std::mem::take(&mut self.done.logits);
        let failed = std::mem::take(&mut self.done.failed);
        let mut rest = &mut logits[..];
        let mut over = Vec::new();
        for (&(number, _), &(rows, wanted)) in planned.iter().zip(sizes) {
            let (own, others) = rest.split_at_mut(wanted * vocabulary);
            rest = others;
            let sequence = &mut self.sequences[number];
            let (generated, usage) = (sequence.usage.generated, sequence.usage);
            let result = sequence.advance(rows, own, vocabulary, &mut self.room);
            let totals: &mut Totals = &mut self.stats.totals;
            totals.generated_tokens += (sequence.usage.generated - generated) as u64;
            totals.drafted_tokens += (sequence.usage.drafted - usage.drafted) as u64;
            totals.accepted_tokens += (sequence.usage.accepted - usage.accepted) as u64;
            if let (Some(place), true) = (sequence.place, wanted > 1) {
                self.backend.rewind(place, sequence.done);
            }
            match result {
                Ok(None) => {}
                Ok(Some(reason)) => over.push((number, Ok(reason))),
                Err(error) => over.push((number, Err(error))),
            }
        }
        self.done.logits = logits;
        for (work, error) in failed {
            let number = planned[work].0;
            over.retain(|(other, _)| *other != number);
            over.push((number, Err(error.into())));
        }
        // From the last on, so that the numbers of those before stay.
        over.sort_unstable_by_key(|(number, _)| std::cmp::Reverse(*number));
        for (number, how) in over {
            match how {
                Ok(reason) => self.end(number, reason),
                Err(error) => self.fail(number, error),
            }
        }
    }

    /// The device has failed: all goes on elsewhere, if it can.
    fn recover(&mut self, error: bessemer_llm::Error) {
        let device = Arc::clone(self.model.device());
        let moved = match self.llm.fallback() {
            Some(fallback) => fallback.after(error, &*device),
            None => Err(error),
        };
        let moved = moved.and_then(|model| {
            self.backend = backend::open(&model, &self.options)?;
            self.model = model;
            Ok(())
        });
        match moved {
            Ok(()) => {
                self.stats.totals.moved += 1;
                for sequence in &mut self.sequences {
                    (sequence.place, sequence.done) = (None, 0);
                    sequence.draft.clear();
                }
            }
            Err(error) => {
                let why = error.to_string();
                let mut error = Some(Error::from(error));
                while let Some(last) = self.sequences.len().checked_sub(1) {
                    let again = || bessemer_llm::Error::Session(why.clone()).into();
                    let error = error.take().unwrap_or_else(again);
                    // Whether a rewind is right is not known: nothing of it is shared.
                    self.sequences[last].prompt = 0;
                    self.fail(last, error);
                }
            }
        }
    }

    fn report(&mut self) {
        self.stats.running = self.sequences.len();
        self.stats.pages = self.backend.pages();
        self.shared.report(self.stats);
    }
}
