//! What one token takes of the device: command buffers, allocations, dispatches, barriers, bytes.

use crate::soft::{Counted, fast, sum};
use anyhow::Result;
use bessemer::{
    core::Device,
    llm::{
        Model, Session, SessionOptions,
        files::{Gguf, ModelFile},
    },
};
use std::sync::Arc;

/// Tokens of the text; any will do, since counts do not depend on them.
pub const TOKEN: u32 = 1000;
const WARM_UP: usize = 2;
const COUNTED: usize = 2;

/// What a token takes once everything is warm.
#[derive(Clone, Copy, Debug)]
pub struct PerToken {
    /// Command buffers.
    pub command_buffers: f64,
    /// Buffers taken from the pool, new or reused.
    pub allocations: f64,
    /// Dispatches.
    pub dispatches: f64,
    /// Barriers between them.
    pub barriers: f64,
}

impl PerToken {
    /// Counts a few tokens of text in a session with room for so many.
    pub fn count(file: Gguf, context: usize) -> Result<PerToken> {
        let metal = fast()?;
        let device: Arc<dyn Device> = metal.clone();
        let mut session = session(file, &device, context)?;
        for _ in 0..WARM_UP {
            session.extend(&[TOKEN])?;
        }
        let (before, pool) = (metal.counters(), device.stats().pool);
        for _ in 0..COUNTED {
            session.extend(&[TOKEN])?;
        }
        let (after, pool_after) = (metal.counters(), device.stats().pool);
        let each = |after: u64, before: u64| (after - before) as f64 / COUNTED as f64;
        Ok(PerToken {
            command_buffers: each(after.command_buffers, before.command_buffers),
            allocations: each(
                pool_after.allocations + pool_after.reuses,
                pool.allocations + pool.reuses,
            ),
            dispatches: each(after.dispatches, before.dispatches),
            barriers: each(after.barriers, before.barriers),
        })
    }
}

/// Bytes that the dispatches of a token read.
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    /// Different ones: each counts once for every dispatch that reads it.
    pub different: u64,
    /// All loads of all threads.
    pub loaded: u64,
}

impl Bytes {
    /// Of the next token of a session on `counted`.
    pub fn count(counted: &Counted, session: &mut Session) -> Result<Bytes> {
        counted.take();
        session.extend(&[TOKEN])?;
        let dispatches = counted.take();
        Ok(Bytes {
            different: sum(&dispatches, |binding| binding.unique_read),
            loaded: sum(&dispatches, |binding| binding.read),
        })
    }
}

/// A session with room for a text.
pub fn session(file: Gguf, device: &Arc<dyn Device>, context: usize) -> Result<Session> {
    let model = Model::of(&ModelFile::Gguf(Box::new(file)), device)?;
    let options = SessionOptions { context: Some(context), ..Default::default() };
    Ok(Session::new(&Arc::new(model), options)?)
}
