//! Texts in sessions of their own: for every kind of model. Nothing is computed together.

use super::{Admitted, Backend, Done, EACH, Work};
use crate::{EngineOptions, Pages};
use bessemer_llm::{Error, Model, Result, Session, SessionOptions};
use std::sync::Arc;

/// Tokens of a chunk of a prompt. Chunks begin at multiples of it, so that how a row is computed depends on
/// its own text only.
const CHUNK: usize = 128;

pub(crate) struct Sessions {
    model: Arc<Model>,
    options: SessionOptions,
    capacity: usize,
    most: usize,
    share: bool,
    /// By place; of those that are free, what they were left with may be of use.
    slots: Vec<Slot>,
    /// Counts releases.
    clock: u64,
}

struct Slot {
    session: Session,
    used: bool,
    /// How many of the session's tokens were computed as a prompt.
    prompt: usize,
    /// When it was released.
    since: u64,
}

impl Sessions {
    pub(crate) fn new(model: &Arc<Model>, options: &EngineOptions) -> Result<Sessions> {
        let trained = model.config().context;
        let capacity = options.context.unwrap_or(trained.min(EngineOptions::DEFAULT_CONTEXT));
        let options_of = SessionOptions {
            context: Some(capacity),
            cache: options.cache,
            chunk: CHUNK,
            ..Default::default()
        };
        let mut sessions = Sessions {
            model: Arc::clone(model),
            options: options_of,
            capacity,
            most: options.most_running,
            share: options.share_prefixes,
            slots: Vec::new(),
            clock: 0,
        };
        // What cannot work is heard of at once.
        sessions.open()?;
        Ok(sessions)
    }

    fn open(&mut self) -> Result<usize> {
        let session = Session::new(&self.model, self.options)?;
        self.slots.push(Slot { session, used: false, prompt: 0, since: 0 });
        Ok(self.slots.len() - 1)
    }

    /// How much of what a slot was left with a prompt can begin with: whole chunks that were computed as
    /// those of a prompt, and not all of the prompt.
    fn shared(&self, slot: &Slot, prompt: &[u32]) -> usize {
        if !self.share {
            return 0;
        }
        let most = slot.prompt.min(prompt.len() - 1);
        let tokens = slot.session.tokens().iter().take(most);
        let same = tokens.zip(prompt).take_while(|(a, b)| a == b).count();
        let shared = same / CHUNK * CHUNK;
        let state = slot.session.state();
        (0..=shared / CHUNK)
            .rev()
            .map(|chunks| chunks * CHUNK)
            .find(|&len| state.rewind_point(len) == len)
            .unwrap_or(0)
    }

    /// The free slot that has the most of a prompt, and of those the one that was left longest ago.
    fn best(&self, prompt: &[u32]) -> Option<(usize, usize)> {
        let free = self.slots.iter().enumerate().filter(|(_, slot)| !slot.used);
        let found = free.map(|(place, slot)| (place, self.shared(slot, prompt), slot.since));
        let best = found.max_by_key(|&(_, shared, since)| (shared, u64::MAX - since));
        best.map(|(place, shared, _)| (place, shared))
    }

    fn run(&mut self, work: &Work<'_>, logits: &mut Vec<f32>) -> Result<()> {
        let session = &mut self.slots[work.place].session;
        if work.is_prompt {
            let last = session.extend(work.tokens)?;
            if work.logits_from < work.tokens.len() {
                logits.extend_from_slice(last);
            }
            return Ok(());
        }
        if work.tokens.len() > 1 {
            session.checkpoint()?;
        }
        let all = session.extend_each(work.tokens)?;
        let vocabulary = all.len() / work.tokens.len();
        logits.extend_from_slice(&all[work.logits_from * vocabulary..]);
        Ok(())
    }
}

impl Backend for Sessions {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn chunk(&self) -> Option<usize> {
        Some(CHUNK)
    }

    fn admit(
        &mut self,
        prompt: &[u32],
        _len: usize,
        state: Option<&[u8]>,
    ) -> Result<Option<Admitted>> {
        let mut best = self.best(prompt);
        if best.is_none_or(|(_, shared)| shared == 0) && self.slots.len() < self.most {
            match self.open() {
                Ok(place) => best = Some((place, 0)),
                // There is no room for another; those there are go on.
                Err(error) if self.slots.iter().all(|slot| !slot.used) => return Err(error),
                Err(_) => {}
            }
        }
        let Some((place, shared)) = best else { return Ok(None) };
        let slot = &mut self.slots[place];
        let mut reused = shared;
        if let Some(mut bytes) = state {
            slot.session.restore(&mut bytes)?;
            reused = slot.session.tokens().len();
            if !prompt.starts_with(slot.session.tokens()) || reused == prompt.len() {
                slot.session.rewind(0);
                slot.prompt = 0;
                return Err(Error::State(
                    "restore: the prompt does not begin with the tokens of the state and go on"
                        .into(),
                ));
            }
        } else {
            slot.session.rewind(shared);
        }
        (slot.used, slot.prompt) = (true, 0);
        Ok(Some(Admitted { place, reused }))
    }

    fn reserve(&mut self, _place: usize, _len: usize) -> Result<bool> {
        Ok(true)
    }

    fn step(&mut self, work: &[Work<'_>], done: &mut Done) -> Result<()> {
        let vocabulary = self.model.config().vocabulary;
        for (number, work) in work.iter().enumerate() {
            let before = done.logits.len();
            match self.run(work, &mut done.logits) {
                Ok(()) => {}
                Err(error @ Error::Core(_)) => return Err(error),
                Err(error) => {
                    let rows = work.tokens.len() - work.logits_from;
                    done.logits.resize(before + rows * vocabulary, 0.0);
                    done.failed.push((number, error));
                }
            }
        }
        Ok(())
    }

    fn rewind(&mut self, place: usize, len: usize) {
        self.slots[place].session.rewind(len);
    }

    fn save(&mut self, place: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.slots[place].session.save(&mut bytes)?;
        Ok(bytes)
    }

    fn release(&mut self, place: usize, text: &[u32], prompt: usize) {
        self.clock += 1;
        let slot = &mut self.slots[place];
        debug_assert!(slot.session.tokens().len() <= text.len() + EACH);
        (slot.used, slot.since) = (false, self.clock);
        slot.prompt = prompt.min(slot.session.tokens().len());
    }

    fn embed(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        let options = SessionOptions { context: Some(tokens.len().max(1)), ..self.options };
        Session::new(&self.model, options)?.mean_state(tokens)
    }

    fn pages(&self) -> Pages {
        Pages::default()
    }
}
