//! A prompt of 512 tokens, through the first layer: the others are like it.

use crate::{decode::cache_bytes, files::first_layers, report::Figure};
use anyhow::Result;
use bessemer::llm::model::Config;
use bessemer_metal::hal::soft::Counters;
use bessemer_metal_bench::{
    soft::{Counted, buffers, is_matrix, sum},
    token::{TOKEN, session},
};
use std::path::Path;

const TOKENS: usize = 512;
const LAYERS: usize = 1;
const TILE: usize = 64;

pub(crate) fn figures(path: &Path) -> Result<Vec<Figure>> {
    eprintln!("a prompt");
    let counted = Counted::open()?;
    let file = first_layers(path, LAYERS)?;
    let matrices = |name: &str| name.starts_with("blk.") && !name.contains("norm");
    let weights: usize = (file.tensors().iter())
        .filter(|tensor| matrices(&tensor.name))
        .map(|tensor| tensor.range.len())
        .sum();
    let mut session = session(file, &counted.device, TOKENS + 1)?;
    counted.take();
    session.mean_state(&[TOKEN; TOKENS])?;
    let mut dispatches = counted.take();
    // The embedding and the first norm happen once, whatever the number of layers.
    dispatches.retain(|dispatch| !matches!(dispatch.kernel.as_str(), "gather" | "rms_norm"));
    let config = session.model().config();
    let needed = (weights * TOKENS.div_ceil(TILE)) as u64 + activations(config)?;
    let over = |bytes: u64| bytes as f64 / needed as f64;
    let against = "weights once per 64 rows + activations";
    Ok(vec![
        Figure::at_most("bytes moved, prompt of 512", against, 1.2, over(moved(&dispatches))),
        Figure::known("bytes loaded and stored, prompt of 512", against, over(all(&dispatches))),
    ])
}

/// Every load of a weight, and every other byte once for each dispatch that reads or writes it.
fn moved(dispatches: &[Counters]) -> u64 {
    let of = |dispatch: &Counters| -> u64 {
        buffers(dispatch)
            .map(|binding| match is_matrix(&dispatch.kernel, binding) {
                true => binding.read,
                false => binding.unique_read + binding.unique_written,
            })
            .sum()
    };
    dispatches.iter().map(of).sum()
}

/// Every load and every store, as if there were no cache at all.
fn all(dispatches: &[Counters]) -> u64 {
    sum(dispatches, |binding| binding.read + binding.written)
}

/// Bytes of what goes from op to op: each op reads its inputs once and writes its results once.
fn activations(config: &Config) -> Result<u64> {
    let Config { hidden, heads, kv_heads, head_size, feed_forward, .. } = *config;
    let queries = heads * head_size;
    let qkv = queries + 2 * kv_heads * head_size;
    let floats = [
        // Queries, keys and values, then those turned; attention and what it adds.
        hidden + qkv,
        qkv + queries,
        2 * queries,
        queries + hidden,
        // The gated part and what it adds, and two sums with their norms.
        hidden + feed_forward,
        feed_forward + hidden,
        2 * 4 * hidden,
    ];
    let per_layer = TOKENS * size_of::<f32>() * floats.iter().sum::<usize>();
    // The cache is written once and read once.
    Ok((LAYERS * per_layer) as u64 + 2 * cache_bytes(config, TOKENS)?)
}
