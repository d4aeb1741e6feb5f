//! On Metal: blocks of the mask are counted, their counts summed up, and then their rows written.

use super::Compact;
use crate::gpu::{Draft, bits_type, msl};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launch, Launches},
};

/// Elements of a block, and threads for it: as in the source.
const BLOCK: usize = 1024;
const THREADS: u32 = 256;

pub(super) fn compact(op: &Compact, gpu: &GpuTraits) -> Result<Launches> {
    if op.out.elements() == 0 {
        return Ok(Launches::default());
    }
    let blocks = op.mask.elements().div_ceil(BLOCK);
    let scratch = blocks * size_of::<u32>();
    let draft =
        |entry| Draft::new(op.name(), msl!("../../gpu/types.metal", "compact.metal"), entry, gpu);
    let counts = draft("compact_counts")
        .define("BLOCKS", "1")
        .define("TYPE", "uint")
        .define("BUFFERS", "2")
        .read_another(&op.mask)
        .scratch(0..scratch, true);
    let starts = draft("compact_starts").define("BUFFERS", "1").scratch(0..scratch, true);
    let x = op.x.as_ref();
    let rows = draft("compact_rows")
        .define("BLOCKS", "1")
        .define("BUFFERS", "4")
        .define_if(x.is_none(), "PLACES")
        .read_another(&op.mask)
        .scratch(0..scratch, false)
        .read_another(x.unwrap_or(&op.mask))
        .write_as("TYPE", bits_type(op.out.dtype()), &op.out);
    let launches = vec![
        params(counts, op, blocks, [blocks, 1, 1])?,
        params(starts, op, blocks, [1, 1, 1])?,
        params(rows, op, blocks, [blocks, 1, 1])?,
    ];
    Ok(Launches { launches, scratch })
}

fn params(draft: Draft, op: &Compact, blocks: usize, groups: [usize; 3]) -> Result<Launch> {
    let (mask, out) = (&op.mask, &op.out);
    let draft = draft
        .size("length", mask.elements())
        .size("blocks", blocks)
        .size("width", op.x.as_ref().map_or(1, |x| x.shape()[1]))
        .size("room", out.shape()[0])
        .step_of("mask_step", mask, 0);
    let draft = match &op.x {
        Some(x) => draft
            .step_of("x_row", x, 0)
            .step_of("x_step", x, 1)
            .step_of("out_row", out, 0)
            .step_of("out_step", out, 1),
        None => {
            draft.step("x_row", 0).step("x_step", 0).step_of("out_row", out, 0).step("out_step", 0)
        }
    };
    draft.grid(groups, [THREADS, 1, 1])
}
