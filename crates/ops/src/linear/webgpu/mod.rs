//! On WebGPU: one row, or a few, by sums along the weights, many by tiles; adapters that are a CPU
//! have kernels of their own. Weights that are more than can be bound at once are gone through in
//! parts.

mod lanes;
mod sums;

pub(crate) use sums::{Sums, sum_threads, sums};

use super::Linear;
use crate::wgsl::{Build, parts, size};
use bessemer_core::{
    Result, View,
    gpu::{GpuTraits, Launch, Launches},
};
use std::fmt::Write;

/// The most rows that are summed at once.
const FEW: usize = 8;

pub(super) fn launches(op: &Linear, gpu: &GpuTraits) -> Result<Launches> {
    let (rows, k, n) = op.sizes();
    let mut all = Launches::default();
    if rows == 0 || n == 0 {
        return Ok(all);
    }
    let last = op.out.shape().rank() - 1;
    for part in parts(gpu, &op.weight, 0) {
        let layer = Part {
            x: &op.x,
            weight: &op.weight.narrow(0, part.clone())?,
            bias: op.bias.as_ref().map(|bias| bias.narrow(0, part.clone())).transpose()?,
            out: &op.out.narrow(last, part.clone())?,
            sizes: (rows, k, part.len()),
        };
        all.launches.push(match (layer.lanes(gpu), rows) {
            (Some(launch), _) => launch?,
            (None, 0..=FEW) => layer.few(gpu)?,
            (None, _) => layer.many(gpu)?,
        });
    }
    Ok(all)
}

/// A layer, or the part of it that some of the weights make.
struct Part<'a> {
    x: &'a View,
    weight: &'a View,
    bias: Option<View>,
    out: &'a View,
    sizes: (usize, usize, usize),
}

impl Part<'_> {
    fn few(&self, gpu: &GpuTraits) -> Result<Launch> {
        let (rows, _, n) = self.sizes;
        // As many sums as a thread has registers for.
        let outputs = match rows {
            1 => 8,
            2..=4 => 4,
            _ => 2,
        };
        let text = Sums { rows, outputs, weight: self.weight.dtype() };
        let mut setup = String::new();
        for row in 0..rows {
            let _ = writeln!(setup, "    let x{row} = row_x({row}u);");
        }
        let build = sums("linear", gpu, self.x, self.weight, &text, &setup)?
            .write("out", self.out)
            .rows("linear", "out", self.out)?
            .u32("n", size("linear", n)?);
        let build = bias(build, self.bias.as_ref())?.also(
            "fn weight_row(item: u32, output: u32) -> i32 { return row_w(min(output, params.n - 1u)); }
fn put(row: u32, output: u32, value: f32) {
    if output >= params.n { return; }
    store_out(row_out(row) + i32(output) * params.out_step, value + bias_of(output));
}
",
        );
        let groups = [size("linear", n.div_ceil(outputs))?, 1, 1];
        Ok(build.launch(groups, sum_threads(gpu)))
    }

    fn many(&self, gpu: &GpuTraits) -> Result<Launch> {
        const NAME: &str = "linear";
        let (rows, k, n) = self.sizes;
        let build = tile(gpu)
            .read_rows(NAME, "a", self.x)?
            .read_rows(NAME, "b", self.weight)?
            .write("out", self.out)
            .rows(NAME, "out", self.out)?
            .u32("m", size(NAME, rows)?)
            .u32("n", size(NAME, n)?)
            .u32("k", size(NAME, k)?)
            .u32("tile", 256)
            .u32("four", 4)
            .also("fn begin(batch: u32) {}\n")
            .also("fn base_a(row: u32) -> i32 { return row_a(row); }\n")
            .also("fn base_b(row: u32) -> i32 { return row_b(row); }\n");
        let build = bias(build, self.bias.as_ref())?.also(
            "fn put(row: u32, output: u32, values: vec4<f32>) {
    if row >= params.m { return; }
    let out = row_out(row);
    for (var i = 0u; i < 4u; i++) {
        if output + i < params.n {
            store_out(out + i32(output + i) * params.out_step, values[i] + bias_of(output + i));
        }
    }
}
",
        );
        Ok(build.launch(tile_groups(rows, n, 1)?, 64))
    }
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

fn bias<'g>(build: Build<'g>, bias: Option<&View>) -> Result<Build<'g>> {
    Ok(match bias {
        None => build.also("fn bias_of(i: u32) -> f32 { return 0.0; }\n"),
        Some(bias) => build
            .read("bias", bias)
            .rows("linear", "bias", bias)?
            .also("fn bias_of(i: u32) -> f32 { return load_bias(i32(i) * params.bias_step); }\n"),
    })
}
