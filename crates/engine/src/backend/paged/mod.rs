//! Texts in pages of one cache: for models of attention alone. Rows of many texts go through the model
//! together, and texts share the pages of what they begin with.
//!
//! Tokens that are generated are computed each as if alone, so they may share a pass with any others. Of a
//! prompt, chunks are computed that begin at multiples of one length in the text: how a row of it is summed
//! depends on the text alone. Only whole chunks are shared.

mod tree;

use super::{Admitted, Backend, Done, Work};
use crate::{EngineOptions, Pages};
use bessemer_llm::{
    Error, Model, Result, Session, SessionOptions,
    paged::{Paged as Pool, PagedOptions, Rows},
};
use std::sync::Arc;
use tree::{Node, ROOT, Tree};

/// The fewest rows of a chunk: fewer would unpack the weights too often.
const CHUNK: usize = 64;
/// The most rows of a pass of tokens that are generated.
const EACH: usize = 32;

pub(crate) struct Paged {
    pool: Pool,
    model: Arc<Model>,
    options: SessionOptions,
    page: usize,
    chunk: usize,
    pages: usize,
    capacity: usize,
    share: bool,
    tree: Tree,
    free: Vec<u32>,
    /// By place.
    texts: Vec<Option<Text>>,
    /// The rows of a pass.
    rows: RowsOf,
}

/// A text that has a place.
#[derive(Default)]
struct Text {
    /// All its pages: first those of its chunks in the tree, then its own.
    pages: Vec<u32>,
    /// The chunks it begins with.
    chunks: Vec<Node>,
}

/// Numbers of rows, for [`Rows`].
#[derive(Default)]
struct RowsOf {
    tokens: Vec<u32>,
    positions: Vec<u32>,
    slots: Vec<u32>,
    texts: Vec<u32>,
    /// Where the logits after each row go, if they are wanted.
    wanted: Vec<Option<usize>>,
    logits: Vec<f32>,
}

impl RowsOf {
    fn clear(&mut self) {
        let RowsOf { tokens, positions, slots, texts, wanted, logits: _ } = self;
        for list in [tokens, positions, slots, texts] {
            list.clear();
        }
        wanted.clear();
    }

    fn rows(&self) -> Rows<'_> {
        let RowsOf { tokens, positions, slots, texts, .. } = self;
        Rows { tokens, positions, slots, texts }
    }
}

impl Paged {
    pub(crate) fn new(model: &Arc<Model>, options: &EngineOptions) -> Result<Paged> {
        let page = options.page;
        let trained = model.config().context;
        let context = options.context.unwrap_or(trained.min(EngineOptions::DEFAULT_CONTEXT));
        let pages = match options.pages {
            Some(pages) => pages,
            None => {
                let all = options.most_running.saturating_mul(context.div_ceil(page));
                // One text at least; if that has no room, it is said below.
                Pool::room(model, page, options.cache)?.clamp(context.div_ceil(page).min(all), all)
            }
        };
        let capacity = context.min(pages.saturating_mul(page));
        let chunk = page * CHUNK.div_ceil(page);
        let pool = PagedOptions {
            page,
            pages,
            texts: options.most_running,
            context: capacity,
            cache: options.cache,
            chunk,
            each: EACH.min(options.most_running * super::EACH),
        };
        let pool = Pool::new(model, pool)?;
        let session = SessionOptions { cache: options.cache, chunk, ..Default::default() };
        let number = |page: usize| u32::try_from(page).unwrap_or(u32::MAX);
        Ok(Paged {
            pool,
            model: Arc::clone(model),
            options: session,
            page,
            chunk,
            pages,
            capacity,
            share: options.share_prefixes,
            tree: Tree::new(),
            free: (0..pages).rev().map(number).collect(),
            texts: (0..options.most_running).map(|_| None).collect(),
            rows: RowsOf::default(),
        })
    }

    /// The chunks in the tree that a prompt begins with; at least one token is left to compute.
    fn shared(&self, prompt: &[u32]) -> Vec<Node> {
        let mut chunks = Vec::new();
        if self.share {
            let mut at = ROOT;
            let whole = (prompt.len() - 1) / self.chunk;
            for tokens in prompt.chunks_exact(self.chunk).take(whole) {
                match self.tree.child(at, tokens) {
                    Some(node) => at = node,
                    None => break,
                }
                chunks.push(at);
            }
        }
        chunks
    }

    /// An empty page, if there is one, or one can be emptied.
    fn take(&mut self) -> Option<u32> {
        if self.free.is_empty() {
            self.free.extend(self.tree.evict()?);
        }
        self.free.pop()
    }

    /// A chunk of a prompt that was computed goes to the tree. If it came there in the meantime, the text goes
    /// on with that one: it holds the same bits.
    fn publish(&mut self, place: usize, tokens: &[u32], start: usize) -> Result<()> {
        let Some(text) = &mut self.texts[place] else { return Ok(()) };
        let (number, each) = (start / self.chunk, self.chunk / self.page);
        // Only what follows a chunk that is in the tree can be.
        if !self.share || text.chunks.len() != number {
            return Ok(());
        }
        let parent = text.chunks.last().copied().unwrap_or(ROOT);
        let own = number * each..(number + 1) * each;
        match self.tree.child(parent, tokens) {
            Some(node) => {
                self.tree.enter(node);
                self.free.extend_from_slice(&text.pages[own.clone()]);
                text.pages[own.clone()].copy_from_slice(self.tree.pages(node));
                self.pool.set_pages(place, own.start, &text.pages[own])?;
                text.chunks.push(node);
            }
            None => {
                let pages = text.pages[own].to_vec();
                text.chunks.push(self.tree.add(parent, tokens, pages));
            }
        }
        Ok(())
    }

    /// Adds rows of a text to the pass.
    fn add(&mut self, place: usize, start: usize, tokens: &[u32]) {
        let Some(text) = &self.texts[place] else { return };
        for (position, &token) in (start..).zip(tokens) {
            let page = text.pages[position / self.page] as usize;
            self.rows.tokens.push(token);
            self.rows.positions.push(position as u32);
            self.rows.slots.push((page * self.page + position % self.page) as u32);
            self.rows.texts.push(place as u32);
        }
    }

    /// Runs the rows of the pass, each as if alone.
    fn each(&mut self, logits: &mut [f32]) -> Result<()> {
        let count = self.rows.tokens.len();
        if count == 0 {
            return Ok(());
        }
        let vocabulary = self.model.config().vocabulary;
        let mut own = std::mem::take(&mut self.rows.logits);
        own.resize(count * vocabulary, 0.0);
        self.pool.each(&self.rows.rows(), &mut own)?;
        for (row, to) in own.chunks_exact(vocabulary).zip(&self.rows.wanted) {
            if let Some(to) = to {
                logits[to * vocabulary..(to + 1) * vocabulary].copy_from_slice(row);
            }
        }
        self.rows.logits = own;
        self.rows.clear();
        Ok(())
    }

    /// Runs a part of a prompt, chunk by chunk.
    fn prompt(&mut self, work: &Work<'_>, mut logits: Option<&mut [f32]>) -> Result<()> {
        let mut start = work.start;
        let mut rest = work.tokens;
        while !rest.is_empty() {
            let count = (self.chunk - start % self.chunk).min(rest.len());
            let (tokens, others) = rest.split_at(count);
            self.rows.clear();
            self.add(work.place, start, tokens);
            let wanted = if others.is_empty() { logits.take() } else { None };
            self.pool.prompt(&self.rows.rows(), wanted)?;
            if tokens.len() == self.chunk {
                self.publish(work.place, tokens, start)?;
            }
            (start, rest) = (start + count, others);
        }
        self.rows.clear();
        Ok(())
    }
}

impl Backend for Paged {
    fn capacity(&self) -> usize {
        self.capacity
    }

    fn chunk(&self) -> Option<usize> {
        Some(self.chunk)
    }

    fn admit(
        &mut self,
        prompt: &[u32],
        len: usize,
        _state: Option<&[u8]>,
    ) -> Result<Option<Admitted>> {
        let Some(place) = self.texts.iter().position(Option::is_none) else { return Ok(None) };
        let running = self.texts.iter().filter(|text| text.is_some()).count();
        let chunks = self.shared(prompt);
        let reused = chunks.len() * self.chunk;
        // A page for each that runs is left, so that they need not be paused at once.
        let wanted = len.min(self.capacity).div_ceil(self.page) - reused / self.page + running;
        let unused = chunks.iter().filter(|&&node| self.tree.is_unused(node));
        let cached: usize = unused.map(|&node| self.tree.pages(node).len()).sum();
        if running > 0 && self.free.len() + self.tree.cached() - cached < wanted {
            return Ok(None);
        }
        let mut text = Text::default();
        for &node in &chunks {
            self.tree.enter(node);
            text.pages.extend_from_slice(self.tree.pages(node));
        }
        text.chunks = chunks;
        self.pool.set_pages(place, 0, &text.pages)?;
        self.texts[place] = Some(text);
        Ok(Some(Admitted { place, reused }))
    }

    fn reserve(&mut self, place: usize, len: usize) -> Result<bool> {
        let wanted = len.div_ceil(self.page);
        let has = self.texts[place].as_ref().map_or(wanted, |text| text.pages.len());
        let mut fresh = Vec::new();
        while has + fresh.len() < wanted {
            let Some(page) = self.take() else { break };
            fresh.push(page);
        }
        self.pool.set_pages(place, has, &fresh)?;
        let enough = has + fresh.len() >= wanted;
        if let Some(text) = &mut self.texts[place] {
            text.pages.extend(fresh);
        }
        Ok(enough)
    }

    fn step(&mut self, work: &[Work<'_>], done: &mut Done) -> Result<()> {
        let vocabulary = self.model.config().vocabulary;
        let wanted = |work: &Work<'_>| work.tokens.len() - work.logits_from;
        let all: usize = work.iter().map(wanted).sum();
        done.logits.resize(all * vocabulary, 0.0);
        let most = EACH.min(self.texts.len() * super::EACH);
        self.rows.clear();
        let mut place = 0;
        for work in work {
            let first = place;
            place += wanted(work);
            if work.is_prompt {
                continue;
            }
            for (row, token) in work.tokens.iter().enumerate() {
                self.add(work.place, work.start + row, std::slice::from_ref(token));
                let to = row.checked_sub(work.logits_from).map(|row| first + row);
                self.rows.wanted.push(to);
                if self.rows.tokens.len() == most {
                    self.each(&mut done.logits)?;
                }
            }
        }
        self.each(&mut done.logits)?;
        place = 0;
        for work in work {
            let (first, count) = (place, wanted(work));
            place += count;
            if work.is_prompt {
                let own = &mut done.logits[first * vocabulary..(first + count) * vocabulary];
                self.prompt(work, (count > 0).then_some(own))?;
            }
        }
        Ok(())
    }

    fn rewind(&mut self, _place: usize, _len: usize) {
        // What comes next takes the place of what was there.
    }

    fn save(&mut self, _place: usize) -> Result<Vec<u8>> {
        Err(Error::State("save: texts in pages have no states to give out".into()))
    }

    fn release(&mut self, place: usize, _text: &[u32], _prompt: usize) {
        if let Some(text) = self.texts[place].take() {
            let shared = text.chunks.len() * (self.chunk / self.page);
            self.free.extend_from_slice(&text.pages[shared..]);
            self.tree.leave(&text.chunks);
        }
    }

    fn embed(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        let options = SessionOptions { context: Some(tokens.len().max(1)), ..self.options };
        Session::new(&self.model, options)?.mean_state(tokens)
    }

    fn pages(&self) -> Pages {
        let (cached, free) = (self.tree.cached(), self.free.len());
        Pages { used: self.pages - cached - free, cached, free }
    }
}
