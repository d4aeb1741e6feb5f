//! Many rows: tiles in memory that a workgroup shares.

use super::layers::{Part, activated, bias};
use crate::wgsl::{Build, size};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launch},
};

const NAME: &str = "linear";

pub(super) fn launch(part: &Part, gpu: &GpuTraits) -> Result<Launch> {
    let x = &part.x;
    let (rows, k, n) = (x.shape().rows(), x.shape().width(), part.outputs());
    let build = tile(gpu)
        .read_rows(NAME, "a", x)?
        .read_rows(NAME, "b", &part.weight)?
        .write("out", &part.out)
        .rows(NAME, "out", &part.out)?
        .u32("m", size(NAME, rows)?)
        .u32("n", size(NAME, n)?)
        .u32("k", size(NAME, k)?)
        .u32("tile", 256)
        .u32("four", 4)
        .also("fn begin(batch: u32) {}\n")
        .also("fn base_a(row: u32) -> i32 { return row_a(row); }\n")
        .also("fn base_b(row: u32) -> i32 { return row_b(row); }\n");
    let (build, value) = activated(build, part.activation, "values[i] + bias_of(output + i)");
    let build = bias(build, "bias", part.bias.as_ref())?.also(&format!(
        "fn put(row: u32, output: u32, values: vec4<f32>) {{
    if row >= params.m {{ return; }}
    let out = row_out(row);
    for (var i = 0u; i < 4u; i++) {{
        if output + i < params.n {{
            store_out(out + i32(output + i) * params.out_step, {value});
        }}
    }}
}}
"
    ));
    build.launch(tile_groups(rows, n, 1)?, 64)
}

/// The kernel of tiles, with no operands yet.
pub(crate) fn tile(gpu: &GpuTraits) -> Build<'_> {
    Build::new(gpu, "linear/tile.wgsl", include_str!("tile.wgsl"))
}

/// Workgroups for tiles of 32 by 32.
pub(crate) fn tile_groups(m: usize, n: usize, batch: usize) -> Result<[u32; 3]> {
    let tiles = |size: usize| crate::wgsl::size("matmul", size.div_ceil(32));
    Ok([tiles(n)?, tiles(m)?, crate::wgsl::size("matmul", batch)?])
}
