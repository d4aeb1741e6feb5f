//! On Metal: few rows stream the KV cache, split into parts if it is long; many rows use tiles.

use super::{Attention, Sizes};
use crate::gpu::{Draft, has_simd, msl};
use bessemer_core::{
    DType, DeviceKind, Error, Operation, Result,
    gpu::{GpuTraits, Launch, Launches},
};

/// Up to this many rows, each row streams the cache by itself.
const FEW: usize = 8;
/// From this many tokens on, those of one row are split.
const LONG: usize = 1024;
/// The fewest tokens that are worth a part of their own.
const PART: usize = 128;
/// The largest head that tiles are made for.
const LARGEST_TILE: usize = 256;
/// The largest head of all.
const LARGEST: usize = 1024;
/// Heads of queries that read a head of the cache together.
const TOGETHER: usize = 4;

pub(super) fn attention(op: &Attention, gpu: &GpuTraits) -> Result<Launches> {
    let sizes = op.sizes();
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    if sizes.head_size > LARGEST {
        let why = "heads have at most 1024 elements there";
        return Err(Error::NoKernel { op: op.name(), device: DeviceKind::Metal, why });
    }
    let tiles = gpu.simd_matrix && has_simd(gpu) && sizes.head_size <= LARGEST_TILE;
    // Rows in tiles are not summed as they would be alone, as pages ask for.
    if sizes.rows > FEW && tiles && op.pages.is_none() {
        return Ok(many(op, sizes, gpu)?.into());
    }
    few(op, sizes, gpu)
}

/// Heads of queries that a threadgroup takes, and how many threadgroups that makes per row.
fn heads_together(sizes: Sizes) -> (usize, usize) {
    let shared_by = sizes.heads / sizes.kv_heads;
    let together = shared_by.min(TOGETHER);
    (together, sizes.kv_heads * shared_by.div_ceil(together))
}

/// Into how many parts the tokens of a row are split, so that all cores have something to do.
/// Positions are not known here: the kernel splits what a row sees evenly.
fn splits(sizes: Sizes, groups: usize, gpu: &GpuTraits) -> usize {
    if sizes.tokens < LONG {
        return 1;
    }
    (2 * gpu.cores as usize).div_ceil(groups).clamp(1, sizes.tokens / PART)
}

fn few(op: &Attention, sizes: Sizes, gpu: &GpuTraits) -> Result<Launches> {
    let Sizes { rows, heads, head_size, .. } = sizes;
    let lanes = if has_simd(gpu) { 32 } else { 1 };
    let elements = head_size.div_ceil(lanes);
    let workers = if elements * lanes > 512 { 4 } else { 8 };
    let (together, groups) = heads_together(sizes);
    // With pages, the number of rows must not matter.
    let beside = if op.pages.is_some() { 1 } else { rows };
    let splits = splits(sizes, groups * beside, gpu);
    let bytes = match splits {
        1 => 0,
        _ => rows * heads * splits * (head_size + 2) * size_of::<f32>(),
    };
    let source = msl!("../../gpu/types.metal", DECODE, "cache.metal", "few.metal");
    let mut draft = inputs(op, Draft::new(op.name(), source, "attention_few", gpu))
        .define("HEADS", together.to_string())
        .define("ELEMENTS", elements.to_string())
        .define("WORKERS", workers.to_string())
        .write("OUT", &op.out);
    let mut buffers = 5;
    if splits > 1 {
        draft = draft.scratch(0..bytes, true).define("SPLIT", "1");
        buffers += 1;
    }
    draft = paged(op, draft, &mut buffers).define("BUFFERS", buffers.to_string());
    let threads = (workers * lanes) as u32;
    let first = params(op, draft, splits, true).grid([splits, groups, rows], [threads, 1, 1])?;
    if splits == 1 {
        return Ok(first.into());
    }
    let source = msl!("../../gpu/types.metal", DECODE, "cache.metal", "join.metal");
    let join = Draft::new(op.name(), source, "attention_join", gpu)
        .define("BUFFERS", "2")
        .scratch(0..bytes, false)
        .write("OUT", &op.out);
    let join = params(op, join, splits, false).grid([heads, rows, 1], [64, 1, 1])?;
    Ok(Launches { launches: vec![first, join], scratch: bytes })
}

/// Rows of queries and of keys of a tile, so that all of it fits into threadgroup memory.
fn tile(head_size: usize) -> (usize, usize) {
    match head_size {
        0..=64 => (32, 32),
        65..=128 => (32, 16),
        _ => (16, 8),
    }
}

fn many(op: &Attention, sizes: Sizes, gpu: &GpuTraits) -> Result<Launch> {
    let (queries, keys) = tile(sizes.head_size);
    let kept = if op.k.dtype() == DType::F16 { "half" } else { "float" };
    let source = msl!("../../gpu/types.metal", DECODE, "cache.metal", "many.metal");
    let draft = inputs(op, Draft::new(op.name(), source, "attention_many", gpu))
        .define("QUERIES", queries.to_string())
        .define("KEYS", keys.to_string())
        .define("PADDED", sizes.head_size.next_multiple_of(8).to_string())
        .define("KEPT", kept)
        .define("BUFFERS", "5")
        .write("OUT", &op.out);
    let threads = 32 * (queries / 8) as u32;
    params(op, draft, 1, false)
        .grid([sizes.rows.div_ceil(queries), sizes.heads, 1], [threads, 1, 1])
}

/// Pages, if there are any, behind so many buffers.
fn paged(op: &Attention, draft: Draft, buffers: &mut usize) -> Draft {
    let Some(pages) = &op.pages else { return draft };
    *buffers += 2;
    draft
        .define("PAGED", "1")
        .define("TABLE_AT", (*buffers - 2).to_string())
        .define("TEXTS_AT", (*buffers - 1).to_string())
        .read_another(&pages.table)
        .read_another(&pages.texts)
}

/// Queries, keys, values and positions.
fn inputs(op: &Attention, draft: Draft) -> Draft {
    draft
        .define_if(op.soft_cap.is_some(), "CAPPED")
        .read("Q", &op.q)
        .read("CACHE", &op.k)
        .read_another(&op.v)
        .maybe("POSITION", op.positions.as_ref(), &op.q)
}

/// The members of `Params`; those about pages only where keys are read row by row.
fn params(op: &Attention, draft: Draft, splits: usize, few: bool) -> Draft {
    let Attention { q, k, v, positions, pages, window, scale, soft_cap, out } = op;
    let Sizes { rows, heads, kv_heads, tokens, head_size } = op.sizes();
    let block = k.dtype().block_len() as isize;
    // A window beyond what positions can be is none.
    let window = window.filter(|&window| window <= i32::MAX as usize).unwrap_or(0);
    let step = |view: &bessemer_core::View, axis: usize| {
        if view.shape()[axis] <= 1 { 0 } else { view.strides()[axis] / block }
    };
    let draft = draft
        .size("rows", rows)
        .size("heads", heads)
        .size("kv_heads", kv_heads)
        .size("tokens", tokens)
        .size("size", head_size)
        .size("splits", splits)
        .size("window", window)
        .step_of("q_row", q, 0)
        .step_of("q_head", q, 1)
        .last_step("q_step", q)
        .step("k_head", step(k, 0))
        .step("k_token", step(k, 1))
        .step("v_head", step(v, 0))
        .step("v_token", step(v, 1))
        .last_step("position_step", positions.as_ref().unwrap_or(q))
        .step_of("out_row", out, 0)
        .step_of("out_head", out, 1)
        .last_step("out_step", out)
        .float("scale", *scale)
        .float("cap", soft_cap.unwrap_or(0.0));
    let Some(pages) = pages.as_ref().filter(|_| few) else { return draft };
    draft
        .size("page", pages.len)
        .size("pages", k.shape()[1] / pages.len)
        .size("texts", pages.table.shape()[0])
        .step_of("table_text", &pages.table, 0)
        .step_of("table_page", &pages.table, 1)
        .last_step("text_step", &pages.texts)
}
