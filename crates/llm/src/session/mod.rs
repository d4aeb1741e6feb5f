//! A text in progress: its tokens, and the keys and values a model has made of them.

use crate::{
    Error, Result,
    model::{Ask, Cache, Model, Workspace},
};
use bessemer_core::{Batch, DType, Device, Element};
use std::sync::Arc;

/// How to open a [`Session`].
#[derive(Clone, Copy, Debug)]
pub struct SessionOptions {
    /// Tokens it has room for; `None` is what the model was trained for.
    pub context: Option<usize>,
    /// How keys and values are stored: `F16`, `F32` or `Q8_0`.
    pub cache: DType,
    /// How many tokens of a prompt go through the model at once.
    pub chunk: usize,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions { context: None, cache: DType::F16, chunk: 512 }
    }
}

/// A text in progress. It can be extended, rewound to any point, and extended again.
pub struct Session {
    model: Arc<Model>,
    work: Workspace,
    cache: Cache,
    /// The tokens whose keys and values are in the cache.
    tokens: Vec<u32>,
    /// The pass of one token: the same for every one.
    step: Batch,
    logits: Vec<f32>,
}

impl Session {
    /// Opens a session with room for a text.
    pub fn new(model: &Arc<Model>, options: SessionOptions) -> Result<Session> {
        let (config, device) = (model.config(), &**model.device());
        let context = options.context.unwrap_or(config.context);
        if context == 0 || u32::try_from(context).is_err() {
            return Err(Error::Session(format!("a context of {context} tokens cannot be")));
        }
        if !matches!(options.cache, DType::F16 | DType::F32 | DType::Q8_0) {
            let why = format!("a cache of {} cannot be: f16, f32 or q8_0", options.cache);
            return Err(Error::Session(why));
        }
        let cache = Cache::new(device, config, context, options.cache)?;
        let work = Workspace::new(device, config, options.chunk.clamp(1, context))?;
        let step = model.pass(&work, &cache, 1, Ask::Last)?;
        let logits = vec![0.0; config.vocabulary];
        Ok(Session { model: Arc::clone(model), work, cache, tokens: Vec::new(), step, logits })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The tokens so far.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Tokens there is room for.
    pub fn capacity(&self) -> usize {
        self.cache.capacity()
    }

    /// Takes more tokens through the model and gives the logits after the last of them.
    pub fn extend(&mut self, tokens: &[u32]) -> Result<&mut [f32]> {
        self.check(tokens)?;
        let mut rest = tokens;
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(rest.len().min(self.work.rows()));
            self.pass(chunk, if after.is_empty() { Ask::Last } else { Ask::Nothing })?;
            rest = after;
        }
        let device = self.model.device();
        device.read(
            &self.work.logits.narrow(0, 0..1)?.slice()?,
            f32::as_bytes_mut(&mut self.logits),
        )?;
        Ok(&mut self.logits)
    }

    /// Makes `tokens` the text, keeping what both begin with, and gives the logits after them.
    pub fn become_text(&mut self, tokens: &[u32]) -> Result<&mut [f32]> {
        let same = self.tokens.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        // The last token goes through again if all are there: its logits are asked for.
        let kept = same.min(tokens.len().saturating_sub(1));
        self.rewind(kept);
        self.extend(&tokens[kept..])
    }

    /// Forgets all but the first `len` tokens.
    pub fn rewind(&mut self, len: usize) {
        self.tokens.truncate(len);
    }

    fn check(&self, tokens: &[u32]) -> Result<()> {
        let room = self.capacity() - self.tokens.len();
        if tokens.is_empty() {
            return Err(Error::Session("there are no tokens to take through the model".into()));
        }
        if tokens.len() > room {
            return Err(Error::Session(format!(
                "{} more tokens do not fit: the context has {} and {room} are left; \
                 shorten the text or open a larger context",
                tokens.len(),
                self.capacity()
            )));
        }
        let vocabulary = self.model.config().vocabulary;
        if let Some(token) = tokens.iter().find(|&&token| token as usize >= vocabulary) {
            return Err(Error::Session(format!(
                "token {token} is not in the vocabulary of {vocabulary}"
            )));
        }
        Ok(())
    }

    /// Takes a chunk through the model. The tokens only count once that has worked.
    fn pass(&mut self, chunk: &[u32], ask: Ask) -> Result<()> {
        let device: &dyn Device = &**self.model.device();
        let start = self.tokens.len() as u32;
        let positions: Vec<u32> = (start..start + chunk.len() as u32).collect();
        let write = |view: &bessemer_core::View, values: &[u32]| -> Result<()> {
            let rows = view.narrow(0, 0..values.len())?;
            Ok(device.write(&rows.slice()?, u32::as_bytes(values))?)
        };
        write(&self.work.tokens, chunk)?;
        write(&self.work.positions, &positions)?;
        let ticket = if chunk.len() == 1 && ask == Ask::Last {
            device.submit(&self.step)?
        } else {
            device.submit(&self.model.pass(&self.work, &self.cache, chunk.len(), ask)?)?
        };
        device.wait(ticket)?;
        self.tokens.extend_from_slice(chunk);
        Ok(())
    }
}
