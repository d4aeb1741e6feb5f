//! On Metal: each expert of each row as a linear layer of one row; with many rows, tiles of those that
//! go through the same expert.

use super::ExpertLinear;
use crate::{
    gpu::{Draft, has_simd, msl},
    linear::metal::{
        FEW, FEW_THREADS, OUTPUTS, TILE, TILE_THREADS, outputs_per_group, row_step, tile_type,
    },
};
use bessemer_core::{
    Operation, Result,
    gpu::{GpuTraits, Launches},
};

/// As many rows for each expert, on average, make a tile worth its sorting and what it pads.
const WORTH: usize = 4;
/// The most experts that picks are sorted by: three numbers each, in threadgroup memory.
const MOST_EXPERTS: usize = 2048;
/// Threads that sort them.
const SORTERS: u32 = 256;

pub(super) fn expert_linear(op: &ExpertLinear, gpu: &GpuTraits) -> Result<Launches> {
    let ExpertLinear { weight, ids, out, .. } = op;
    if out.elements() == 0 {
        return Ok(Launches::default());
    }
    let (picks, experts) = (ids.elements(), weight.shape()[0]);
    // By rows, not by picks: few rows are summed as one is, whoever they come with.
    let many = ids.shape()[0] > FEW && picks >= WORTH * experts;
    if many && (1..=MOST_EXPERTS).contains(&experts) {
        return in_tiles(op, gpu);
    }
    let x = &op.inputs()?;
    let (experts, outputs, k) = (weight.shape()[0], weight.shape()[1], weight.shape()[2]);
    let source = msl!(
        "../../gpu/types.metal",
        DECODE,
        "../../linear/metal/dots.metal",
        "expert_linear.metal"
    );
    let launch = Draft::new(op.name(), source, "expert_linear", gpu)
        .define("ROWS", "1")
        .define("OUTPUTS", OUTPUTS.to_string())
        .read("X", x)
        .read("W", weight)
        .read_another(ids)
        .write("OUT", out)
        .size("experts", experts)
        .size("used", ids.shape()[1])
        .size("k", k)
        .size("outputs", outputs)
        .step_of("x_row", x, 0)
        .step_of("x_used", x, 1)
        .last_step("x_step", x)
        .step("weight_expert", row_step(weight, 0))
        .step("weight_row", row_step(weight, 1))
        .last_step("weight_step", weight)
        .step_of("id_row", ids, 0)
        .step_of("id_used", ids, 1)
        .step_of("out_row", out, 0)
        .step_of("out_used", out, 1)
        .last_step("out_step", out)
        .grid([outputs.div_ceil(outputs_per_group(gpu)), ids.elements(), 1], [FEW_THREADS, 1, 1])?;
    Ok(launch.into())
}

fn in_tiles(op: &ExpertLinear, gpu: &GpuTraits) -> Result<Launches> {
    let ExpertLinear { weight, ids, out, .. } = op;
    let x = &op.inputs()?;
    let (experts, outputs, k) = (weight.shape()[0], weight.shape()[1], weight.shape()[2]);
    let (picks, used) = (ids.elements(), ids.shape()[1]);
    // Each expert, and those that are none, may have one tile that is not full.
    let most = picks / TILE + (experts + 1).min(picks);
    let order = 0..picks * size_of::<u32>();
    let tiles = order.end..order.end + most * 3 * size_of::<u32>();
    let scratch = tiles.end;
    let source = msl!("../../gpu/types.metal", "picks.metal", "group.metal");
    let sorted = Draft::new(op.name(), source, "group", gpu)
        .define("EXPERTS", experts.to_string())
        .define("TILE", TILE.to_string())
        .read_another(ids)
        .scratch(order.clone(), true)
        .scratch(tiles.clone(), true)
        .size("experts", experts)
        .size("used", used)
        .size("picks", picks)
        .size("tiles", most)
        .step_of("id_row", ids, 0)
        .step_of("id_used", ids, 1)
        .grid([1, 1, 1], [SORTERS.min(gpu.max_threads), 1, 1])?;
    let source = msl!(
        "../../gpu/types.metal",
        DECODE,
        "../../gpu/tile.metal",
        "../../linear/metal/put_weights.metal",
        "picks.metal",
        "many.metal"
    );
    let product = Draft::new(op.name(), source, "expert_many", gpu)
        .define_if(!gpu.simd_matrix || !has_simd(gpu), "NO_MATRIX")
        .define("TILE_A", tile_type(x.dtype()))
        .define("TILE_B", tile_type(weight.dtype()))
        .read("X", x)
        .read("W", weight)
        .scratch(order, false)
        .scratch(tiles, false)
        .write("OUT", out)
        .size("experts", experts)
        .size("used", used)
        .size("k", k)
        .size("outputs", outputs)
        .step_of("x_row", x, 0)
        .step_of("x_used", x, 1)
        .last_step("x_step", x)
        .step("weight_expert", row_step(weight, 0))
        .step("weight_row", row_step(weight, 1))
        .last_step("weight_step", weight)
        .step_of("out_row", out, 0)
        .step_of("out_used", out, 1)
        .last_step("out_step", out)
        .grid([outputs.div_ceil(TILE), most, 1], [TILE_THREADS, 1, 1])?;
    Ok(Launches { launches: vec![sorted, product], scratch })
}
