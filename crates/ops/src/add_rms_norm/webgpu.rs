//! On WebGPU: the kernel of `rms_norm`, of a sum.

use super::AddRmsNorm;
use crate::rms_norm::webgpu::{kernel, norm};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &AddRmsNorm, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "add_rms_norm";
    // What is stored may be one of the operands, so the sum is read back from where it is kept
    // as soon as it is there: it is kept by the thread that reads it.
    let build = kernel(gpu)
        .read("x", &op.x)
        .rows(NAME, "x", &op.x)?
        .read("y", &op.y)
        .rows(NAME, "y", &op.y)?
        .write("sum", &op.sum)
        .rows(NAME, "sum", &op.sum)?
        .also("var<private> base_x: i32;\nvar<private> base_y: i32;\nvar<private> base_sum: i32;\n")
        .also("fn begin(row: u32) {\n    base_x = row_x(row);\n    base_y = row_y(row);\n")
        .also("    base_sum = row_sum(row);\n}\n")
        .also("fn value(i: i32) -> f32 {\n    return load_x(base_x + i * params.x_step)")
        .also(" + load_y(base_y + i * params.y_step);\n}\n")
        .also("fn keep(i: i32, x: f32) { store_sum(base_sum + i * params.sum_step, x); }\n");
    norm(NAME, build, &op.weight, op.epsilon, &op.out)
}
