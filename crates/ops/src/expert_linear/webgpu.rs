//! On WebGPU: the sums of `linear`, for each row with the weights of its expert.

use super::ExpertLinear;
use crate::{
    linear::webgpu::{Column, Columns, Put, ends, sum_threads, sums},
    wgsl::{parts, size},
};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

/// Outputs that a workgroup sums at once.
const OUTPUTS: usize = 8;

pub(super) fn launches(op: &ExpertLinear, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "expert_linear";
    let mut all = Launches::default();
    if op.out.elements() == 0 {
        return Ok(all);
    }
    let x = op.inputs()?;
    let (n, k) = (op.weight.shape()[1], op.weight.shape()[2]);
    for part in parts(gpu, &op.weight, 0) {
        let weight = op.weight.narrow(0, part.clone())?;
        let column = |o: usize| Column {
            operand: "w",
            dtype: weight.dtype(),
            row: format!("weight_row(item, first + {o}u)"),
        };
        let put = |o: usize| Put { place: format!("first + {o}u"), columns: vec![o] };
        let text = Columns {
            rows: 1,
            columns: (0..OUTPUTS).map(column).collect(),
            puts: (0..OUTPUTS).map(put).collect(),
        };
        let setup = "    let expert = same_ids(place_ids(item), thread);
    if expert >= params.experts {
        if params.start == 0u && thread == 0u {
            for (var i = 0u; i < OUTPUTS; i++) {
                put(item, first + i, bitcast<f32>(0x7fc00000u | (params.k >> 31u)));
            }
        }
        return;
    }
    if expert < params.start || expert - params.start >= params.len { return; }
    let x0 = row_x(item);
"
        .replace("OUTPUTS", &format!("{OUTPUTS}u"));
        let build = sums(NAME, gpu, (&x, None), &text, &setup)?
            .define("PLACE", format!("let first = {OUTPUTS}u * group.x;"))
            .read_rows(NAME, "w", &weight)?
            .also(&if weight.dtype().is_block() { String::new() } else { ends("w", k) })
            .read("ids", &op.ids)
            .same()
            .places(NAME, "place_ids", op.ids.shape(), op.ids.strides())?
            .write("out", &op.out)
            .rows(NAME, "out", &op.out)?
            .u32("n", size(NAME, n)?)
            .u32("experts", size(NAME, op.weight.shape()[0])?)
            .u32("start", size(NAME, part.start)?)
            .u32("len", size(NAME, part.len())?)
            .also(
                "fn weight_row(item: u32, output: u32) -> i32 {
    let expert = load_ids(place_ids(item)) - params.start;
    return row_w(expert * params.n + min(output, params.n - 1u));
}
fn put(row: u32, output: u32, value: f32) {
    if output < params.n { store_out(row_out(row) + i32(output) * params.out_step, value); }
}
",
            );
        let groups = [size(NAME, n.div_ceil(OUTPUTS))?, size(NAME, op.ids.elements())?, 1];
        all.launches.push(build.launch(groups, sum_threads(gpu))?);
    }
    Ok(all)
}
