//! On Metal: by rank where rows are short, in chunks for the largest alone, by digits otherwise.

use super::TopK;
use crate::gpu::{Draft, Rows, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launch, Launches},
};

/// Up to this width every element is compared with every other.
const SHORT: usize = 1024;
/// As many as a threadgroup can sort: `MOST` in the source.
const MOST: usize = 1024;
/// Elements of a chunk of which one threadgroup finds the largest.
const CHUNK: usize = 4096;

pub(super) fn top_k(op: &TopK, gpu: &GpuTraits) -> Result<Launches> {
    let (width, k) = (op.x.shape().width(), op.values.shape().width());
    if op.values.elements() == 0 {
        return Ok(Launches::default());
    }
    let rows = op.x.shape().rows();
    if k == 1 && width > SHORT {
        let chunks = width.div_ceil(CHUNK);
        let best = 0..rows * chunks * size_of::<u64>();
        let first =
            draft(op, "top_1_of_chunk", gpu).scratch(best.clone(), true).define("BUFFERS", "4");
        let first = params(first, op, k).grid([chunks, rows, 1], [256, 1, 1])?;
        let second =
            draft(op, "top_1_of_chunks", gpu).scratch(best.clone(), false).define("BUFFERS", "4");
        let second = params(second, op, chunks).grid([rows, 1, 1], [256, 1, 1])?;
        return Ok(Launches { launches: vec![first, second], scratch: best.end });
    }
    let launch: Launch = if width <= SHORT || k > MOST {
        let draft = params(draft(op, "top_k_by_rank", gpu).define("BUFFERS", "3"), op, k);
        draft.grid([width.div_ceil(64), rows, 1], [64, 1, 1])?
    } else {
        let draft = params(draft(op, "top_k_by_digits", gpu).define("BUFFERS", "3"), op, k);
        draft.grid([rows, 1, 1], [512.min(gpu.max_threads), 1, 1])?
    };
    Ok(launch.into())
}

fn draft(op: &TopK, entry: &'static str, gpu: &GpuTraits) -> Draft {
    let source = msl!("../../gpu/types.metal", "top_k.metal");
    Draft::new(op.name(), source, entry, gpu)
        .read("X", &op.x)
        .write("VALUE", &op.values)
        .write_another(&op.indices)
}

fn params(draft: Draft, op: &TopK, k: usize) -> Draft {
    let TopK { x, values, indices } = op;
    draft
        .size("width", x.shape().width())
        .size("k", k)
        .size("chunk", CHUNK)
        .last_step("x_step", x)
        .last_step("value_step", values)
        .last_step("index_step", indices)
        .rows("rows", &Rows::new([x, values, indices], 1))
}
