//! On WebGPU: a workgroup for each row.

use super::Softmax;
use crate::wgsl::{Build, grid, size};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};

pub(super) fn launches(op: &Softmax, gpu: &GpuTraits) -> Result<Launches> {
    const NAME: &str = "softmax";
    if op.x.elements() == 0 {
        return Ok(Launches::default());
    }
    let shape = op.x.shape();
    let build = Build::new(gpu, "softmax.wgsl", include_str!("softmax.wgsl"));
    let threads = build.row_threads(shape.width());
    let build = build
        .read("x", &op.x)
        .rows(NAME, "x", &op.x)?
        .write("out", &op.out)
        .rows(NAME, "out", &op.out)?
        .u32("rows", size(NAME, shape.rows())?)
        .u32("width", size(NAME, shape.width())?)
        .u32("log", op.log.into())
        .f32("scale", op.scale);
    let build = match op.full_mask() {
        None => build
            .also("fn row_mask(row: u32) -> i32 { return 0; }\n")
            .also("fn mask_at(row: i32, i: i32) -> f32 { return 0.0; }\n"),
        Some(mask) => {
            let mask = mask?;
            build.read("mask", &mask).rows(NAME, "mask", &mask)?.also(
                "fn mask_at(row: i32, i: i32) -> f32 {
    return load_mask(row + i * params.mask_step);
}
",
            )
        }
    };
    Ok(build.launch(grid(shape.rows()), threads)?.into())
}
