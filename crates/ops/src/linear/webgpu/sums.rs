//! Sums along the rows of weights, by all threads of a workgroup: what one row, or a few, take.

use crate::wgsl::{Build, blocks_of, size};
use bessemer_core::{DType, Result, View, gpu::GpuTraits};
use std::fmt::Write;

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
        .read_rows(op, "x", x)?
        .read_rows(op, "w", weight)?
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
pub(super) fn ends(name: &str, k: usize) -> String {
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
