//! Long contexts in parts: separate workgroups process each part of a row's keys, then the partial
//! results are combined.

use super::{NAME, places, see};
use crate::{
    Attention,
    wgsl::{Build, size},
};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launch, Launches},
};
use std::ops::Range;

/// The most rows that are split: more are enough by themselves.
const FEW: usize = 8;
/// From this many tokens on, those of one row are split.
const LONG: usize = 1024;
/// The fewest tokens that are worth a part of their own.
const PART: usize = 128;
/// Threads that join the parts of a head.
const THREADS: u32 = 64;

/// Into how many parts what a row sees is split, so that all cores have something to do, where
/// `groups` workgroups are there without that. Positions are not known here: kernels split evenly.
pub(super) fn splits(op: &Attention, groups: usize, gpu: &GpuTraits) -> usize {
    let sizes = op.sizes();
    let enough = sizes.rows > FEW && op.pages.is_none();
    if sizes.tokens < LONG || enough {
        return 1;
    }
    (2 * gpu.cores as usize).div_ceil(groups).clamp(1, sizes.tokens / PART)
}

/// The bytes that parts take: for each of them the largest score, what the weights come to, and
/// the weighted values.
fn scratch(op: &Attention, splits: usize) -> Range<usize> {
    let sizes = op.sizes();
    0..sizes.rows * sizes.heads * splits * (sizes.head_size + 2) * size_of::<f32>()
}

/// The kernel told of the parts, of which it has the one numbered `group.z`: `NARROW` leaves of
/// `start..end` what it sees, and `place_of` says where what it finds goes, in `parts`.
pub(super) fn in_parts<'g>(build: Build<'g>, op: &Attention, splits: usize) -> Result<Build<'g>> {
    if splits == 1 {
        return Ok(build.define("NARROW", ""));
    }
    let narrow = "let share = (end - start + params.splits - 1u) / params.splits;
    start = min(start + group.z * share, end);
    end = min(start + share, end);";
    numbers(build.scratch("parts", scratch(op, splits), true).define("NARROW", narrow), op, splits)
}

fn numbers<'g>(build: Build<'g>, op: &Attention, splits: usize) -> Result<Build<'g>> {
    let place = "fn place_of(row: u32, head: u32, part: u32) -> u32 {
    return ((row * params.heads + head) * params.splits + part) * (params.size + 2u);
}
";
    let heads = size(NAME, op.sizes().heads)?;
    Ok(build.u32("splits", size(NAME, splits)?).u32("heads", heads).also(place))
}

/// The launch of the parts, and the one that joins them.
pub(super) fn joined(
    op: &Attention,
    gpu: &GpuTraits,
    mut first: Launch,
    splits: usize,
) -> Result<Launches> {
    if splits == 1 {
        return Ok(first.into());
    }
    let sizes = op.sizes();
    first.groups[2] = size(NAME, splits)?;
    let range = scratch(op, splits);
    let build = Build::new(gpu, "attention/join.wgsl", include_str!("join.wgsl"))
        .u32("size", size(NAME, sizes.head_size)?)
        .u32("tokens", size(NAME, sizes.tokens)?)
        .scratch("parts", range.clone(), false)
        .write("out", &op.out);
    let build = see(places(numbers(build, op, splits)?, "out", &op.out, ["row", "head"])?, op)?;
    let join = build.launch([size(NAME, sizes.heads)?, size(NAME, sizes.rows)?, 1], THREADS)?;
    Ok(Launches { launches: vec![first, join], scratch: range.end })
}
