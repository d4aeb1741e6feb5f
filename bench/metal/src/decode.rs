//! One token: command buffers, allocations, dispatches, barriers and bytes.

use crate::{
    files::{first_layers, weight_bytes},
    report::Figure,
};
use anyhow::{Context, Result};
use bessemer::{
    DType,
    llm::{files::Gguf, model::Config},
};
use bessemer_metal_bench::{
    soft::Counted,
    token::{Bytes, PerToken, session},
};
use std::path::Path;

pub(crate) fn figures(path: &Path) -> Result<Vec<Figure>> {
    eprintln!("decoding");
    let (short, long) = (count(path, 512)?, count(path, 4096)?);
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

/// Of one token; what a layer does is the difference between models with three and one.
fn count(path: &Path, context: usize) -> Result<PerToken> {
    let whole = PerToken::count(Gguf::open(path)?, context)?;
    let (one, three) = (
        PerToken::count(first_layers(path, 1)?, context)?,
        PerToken::count(first_layers(path, 3)?, context)?,
    );
    let of_layer = |of: fn(&PerToken) -> f64| (of(&three) - of(&one)) / 2.0;
    let (dispatches, barriers) =
        (of_layer(|counts| counts.dispatches), of_layer(|counts| counts.barriers));
    Ok(PerToken { dispatches, barriers, ..whole })
}

/// Different bytes that dispatches of one token read, and all loads, over the weights and the cache.
fn bytes_of_a_token(path: &Path) -> Result<(f64, f64)> {
    let counted = Counted::open()?;
    let weights = weight_bytes(&Gguf::open(path)?);
    let mut session = session(Gguf::open(path)?, &counted.device, 512)?;
    let bytes = Bytes::count(&counted, &mut session)?;
    let needed = (weights + cache_bytes(session.model().config(), 1)?) as f64;
    Ok((bytes.different as f64 / needed, bytes.loaded as f64 / needed))
}

/// Bytes of keys and values of a text.
pub(crate) fn cache_bytes(config: &Config, tokens: usize) -> Result<u64> {
    let bytes = config.state_bytes(tokens, DType::F16)?;
    u64::try_from(bytes).context("a cache of any size")
}
