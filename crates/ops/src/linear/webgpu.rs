//! On WebGPU: a few rows by sums along the weights, many by tiles. Weights that are more than can
//! be bound at once are gone through in parts.

use super::Linear;
use crate::wgsl::{Build, blocks_of, parts, size};
use bessemer_core::{
    DType, Result, View,
    gpu::{GpuTraits, Launch, Launches},
};
use std::fmt::Write;

/// Outputs that a workgroup sums at once for one row; for more rows it takes fewer.
const OUTPUTS: usize = 8;

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
        all.launches.push(match rows {
            0..=Linear::ALIKE => layer.few(gpu)?,
            _ => layer.many(gpu)?,
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
        let outputs = if rows == 1 { OUTPUTS } else { OUTPUTS / 2 };
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
            .read("a", self.x)
            .quad_rows(NAME, "a", self.x)?
            .read("b", self.weight)
            .quad_rows(NAME, "b", self.weight)?
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

/// Threads of a workgroup that sums: one subgroup, where its width is known.
pub(crate) fn sum_threads(gpu: &GpuTraits) -> u32 {
    match gpu.simd_width {
        width @ 8..=64 if gpu.simd_reduce => width,
        _ => 32,
    }
}

/// What a workgroup sums at once.
pub(crate) struct Sums {
    pub(crate) rows: usize,
    pub(crate) outputs: usize,
    pub(crate) weight: DType,
}

/// The kernel that sums along `x` and `weight`. `setup` declares where the rows start: `x0`, `x1`, …
pub(crate) fn sums<'g>(
    op: &'static str,
    gpu: &'g GpuTraits,
    x: &View,
    weight: &View,
    text: &Sums,
    setup: &str,
) -> Result<Build<'g>> {
    let k = x.shape().width();
    // As many as share a scale.
    let run = if weight.dtype() == DType::Q6_K { 16 } else { 32 };
    Ok(Build::new(gpu, "linear/few.wgsl", include_str!("few.wgsl"))
        .read("x", x)
        .quad_rows(op, "x", x)?
        .read("w", weight)
        .quad_rows(op, "w", weight)?
        .u32("runs", size(op, k.div_ceil(run))?)
        .u32("quads", size(op, run / 4)?)
        .u32("k", size(op, k)?)
        .also(&ends("x", k))
        .also(&if weight.dtype().is_block() { String::new() } else { ends("w", k) })
        .define("RUN", format!("{run}u"))
        .define("OUTPUTS", format!("{}u", text.outputs))
        .define("SETUP", format!("{setup}{}", text.setup()))
        .define("BODY", text.body())
        .define("FINISH", text.finish()))
}

/// `NAME_quad(base, k)`: zeros beyond the end of a row, whose last run of 32 may be shorter.
fn ends(name: &str, k: usize) -> String {
    let end = match k.is_multiple_of(32) {
        true => "",
        false => "    if k >= params.k { return vec4<f32>(); }\n",
    };
    format!(
        "fn {name}_quad(base: i32, k: u32) -> vec4<f32> {{\n{end}    return quad_{name}(base, k);\n}}\n"
    )
}

impl Sums {
    fn setup(&self) -> String {
        let mut text = String::new();
        for output in 0..self.outputs {
            let _ = writeln!(text, "    let w{output} = weight_row(item, first + {output}u);");
            for row in 0..self.rows {
                let _ = writeln!(text, "    var sum{row}_{output} = 0.0;");
            }
        }
        text
    }

    /// One run of every row and output, four elements at a time. The loop's end is a number bound
    /// at launch: a compiler that unrolled it would take seconds.
    fn body(&self) -> String {
        let mut text = String::new();
        if self.weight.is_block() {
            let (len, halves) = blocks_of(self.weight);
            let _ = writeln!(text, "let skipped = i32(k / {len}u) * {halves};");
            let _ = writeln!(text, "        let q = (k % {len}u) / 4u;");
            for output in 0..self.outputs {
                let _ =
                    writeln!(text, "        let head{output} = head_w(w{output} + skipped, q);");
            }
        }
        text.push_str("        for (var i = 0u; i < params.quads; i++) {\n");
        for row in 0..self.rows {
            let _ = writeln!(text, "            let part{row} = x_quad(x{row}, k + 4u * i);");
        }
        for output in 0..self.outputs {
            let quad = match self.weight.is_block() {
                true => format!(
                    "levels_w(w{output} + skipped, q + i) * head{output}.x + head{output}.y"
                ),
                false => format!("w_quad(w{output}, k + 4u * i)"),
            };
            let _ = writeln!(text, "            let v{output} = {quad};");
            for row in 0..self.rows {
                let _ =
                    writeln!(text, "            sum{row}_{output} += dot(v{output}, part{row});");
            }
        }
        text.push_str("        }\n");
        text
    }

    fn finish(&self) -> String {
        let mut text = String::new();
        for row in 0..self.rows {
            for output in 0..self.outputs {
                let _ = writeln!(
                    text,
                    "    sum{row}_{output} = group_sum(sum{row}_{output}, thread);\n    \
                     if thread == 0u {{ put(item + {row}u, first + {output}u, sum{row}_{output}); }}"
                );
            }
        }
        text
    }
}
