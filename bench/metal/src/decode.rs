//! One token: command buffers, allocations, dispatches, barriers and bytes.

use crate::{
    files::{first_layers, weight_bytes},
    report::Figure,
    soft::{Counted, fast, sum},
};
use anyhow::{Context, Result};
use bessemer::{
    DType,
    llm::{
        Model, Session, SessionOptions,
        files::{Gguf, ModelFile},
        model::Config,
    },
};
use std::{path::Path, sync::Arc};

/// Tokens of the text; any will do, since counts do not depend on them.
pub(crate) const TOKEN: u32 = 1000;
const WARM_UP: usize = 2;
const COUNTED: usize = 2;

pub(crate) fn figures(path: &Path) -> Result<Vec<Figure>> {
    eprintln!("decoding");
    let (short, long) = (Figures::count(path, 512)?, Figures::count(path, 4096)?);
    let per_token = "a token";
    let mut figures = vec![
        Figure::at_most("command buffers", per_token, 1.0, short.command_buffers),
        Figure::at_most("buffer allocations after warm-up", per_token, 0.0, short.allocations),
        Figure::at_most("dispatches, context 512", "a layer", 10.0, short.dispatches),
        Figure::at_most("dispatches, context 4096", "a layer", 10.0, long.dispatches),
        Figure::at_most("barriers, context 512", "a layer", 8.0, short.barriers),
        Figure::at_most("barriers, context 4096", "a layer", 8.0, long.barriers),
    ];
    let (ratio, loads) = bytes_of_a_token(path)?;
    figures.push(Figure::at_most("bytes read, a token", "weights + cache", 1.05, ratio));
    figures.push(Figure::known("bytes loaded, a token", "weights + cache", loads));
    Ok(figures)
}

struct Figures {
    command_buffers: f64,
    allocations: f64,
    dispatches: f64,
    barriers: f64,
}

impl Figures {
    /// Of one token; what a layer does is the difference between models with three and one.
    fn count(path: &Path, context: usize) -> Result<Figures> {
        let whole = tokens(Gguf::open(path)?, context)?;
        let (one, three) =
            (tokens(first_layers(path, 1)?, context)?, tokens(first_layers(path, 3)?, context)?);
        let of_layer = |of: fn(&Figures) -> f64| (of(&three) - of(&one)) / 2.0;
        let (dispatches, barriers) =
            (of_layer(|counts| counts.dispatches), of_layer(|counts| counts.barriers));
        Ok(Figures { dispatches, barriers, ..whole })
    }
}

/// What is counted per token of text.
fn tokens(file: Gguf, context: usize) -> Result<Figures> {
    let metal = fast()?;
    let device: Arc<dyn bessemer::core::Device> = metal.clone();
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
    Ok(Figures {
        command_buffers: each(after.command_buffers, before.command_buffers),
        allocations: each(
            pool_after.allocations + pool_after.reuses,
            pool.allocations + pool.reuses,
        ),
        dispatches: each(after.dispatches, before.dispatches),
        barriers: each(after.barriers, before.barriers),
    })
}

/// A session with room for a text.
pub(crate) fn session(
    file: Gguf,
    device: &Arc<dyn bessemer::core::Device>,
    context: usize,
) -> Result<Session> {
    let model = Model::of(&ModelFile::Gguf(Box::new(file)), device)?;
    let options = SessionOptions { context: Some(context), ..Default::default() };
    Ok(Session::new(&Arc::new(model), options)?)
}

/// Different bytes that dispatches of one token read, and all loads, over the weights and the cache.
fn bytes_of_a_token(path: &Path) -> Result<(f64, f64)> {
    let counted = Counted::open()?;
    let weights = weight_bytes(&Gguf::open(path)?);
    let mut session = session(Gguf::open(path)?, &counted.device, 512)?;
    counted.take();
    session.extend(&[TOKEN])?;
    let dispatches = counted.take();
    let needed = (weights + cache_bytes(session.model().config(), 1)?) as f64;
    let different = sum(&dispatches, |binding| binding.unique_read);
    let loads = sum(&dispatches, |binding| binding.read);
    Ok((different as f64 / needed, loads as f64 / needed))
}

/// Bytes of keys and values of a text.
pub(crate) fn cache_bytes(config: &Config, tokens: usize) -> Result<u64> {
    let bytes = config.state_bytes(tokens, DType::F16)?;
    u64::try_from(bytes).context("a cache of any size")
}
