//! Sums along the rows of weights, by all threads of a workgroup: what one row, or a few, take.

use super::Columns;
use crate::wgsl::{Build, blocks_of, size};
use bessemer_core::{DType, Result, View, gpu::GpuTraits};
use bessemer_formats::{Grouped, with_format};
use std::fmt::Write;

/// Threads of a workgroup that sums: one subgroup, where its width is known.
pub(crate) fn sum_threads(gpu: &GpuTraits) -> u32 {
    match gpu.simd_width {
        width @ 8..=64 if gpu.simd_reduce => width,
        _ => 32,
    }
}

/// The kernel with `x` bound, and no weights yet: `PLACE` says which outputs a workgroup has.
/// `setup` declares where the rows start: `x0`, `x1`, …; `whole` is what is bound for `x`, if more
/// than it.
pub(crate) fn sums<'g>(
    op: &'static str,
    gpu: &'g GpuTraits,
    (x, whole): (&View, Option<&View>),
    text: &Columns,
    setup: &str,
) -> Result<Build<'g>> {
    let k = x.shape().width();
    // As many as share a scale.
    let run = text.columns.iter().map(|column| sharing(column.dtype)).min().unwrap_or(32);
    Ok(Build::new(gpu, "linear/few.wgsl", include_str!("few.wgsl"))
        .within(whole)
        .read_rows(op, "x", x)?
        .u32("runs", size(op, k.div_ceil(run))?)
        .u32("quads", size(op, run / 4)?)
        .u32("k", size(op, k)?)
        .also(&ends("x", k))
        .define("RUN", format!("{run}u"))
        .define("SETUP", format!("{setup}{}", text.setup()))
        .define("BODY", body(text))
        .define("FINISH", finish(text)))
}

/// How many neighbours share a scale, of 32.
pub(super) fn sharing(dtype: DType) -> usize {
    if dtype.is_block() && with_format!(dtype, F => F::HALVES) { 16 } else { 32 }
}

/// `NAME_quad(base, k)`: zeros beyond the end of a row, whose last run of 32 may be shorter.
pub(crate) fn ends(name: &str, k: usize) -> String {
    let end = match k.is_multiple_of(32) {
        true => "",
        false => "    if k >= params.k { return vec4<f32>(); }\n",
    };
    format!(
        "fn {name}_quad(base: i32, k: u32) -> vec4<f32> {{\n{end}    return quad_{name}(base, k);\n}}\n"
    )
}

/// One run of every row and column, four elements at a time. The loop's end is a number bound
/// at launch: a compiler that unrolled it would take seconds.
fn body(text: &Columns) -> String {
    let mut all = String::new();
    for (name, dtype) in text.operands() {
        let (len, halves) = blocks_of(dtype);
        let _ = writeln!(all, "    let skipped_{name} = i32(k / {len}u) * {halves};");
        let _ = writeln!(all, "        let q_{name} = (k % {len}u) / 4u;");
    }
    for (c, column) in text.columns.iter().enumerate().filter(|(_, c)| c.dtype.is_block()) {
        let name = column.operand;
        let head = format!("head_{name}(w{c} + skipped_{name}, q_{name})");
        let _ = writeln!(all, "        let head{c} = {head};");
    }
    all.push_str("        for (var i = 0u; i < params.quads; i++) {\n");
    for r in 0..text.rows {
        let _ = writeln!(all, "            let part{r} = x_quad(x{r}, k + 4u * i);");
    }
    for (c, column) in text.columns.iter().enumerate() {
        let name = column.operand;
        let quad = match column.dtype.is_block() {
            true => format!(
                "levels_{name}(w{c} + skipped_{name}, q_{name} + i) * head{c}.x + head{c}.y"
            ),
            false => format!("{name}_quad(w{c}, k + 4u * i)"),
        };
        let _ = writeln!(all, "            let v{c} = {quad};");
        for r in 0..text.rows {
            let _ = writeln!(all, "            sum{r}_{c} += dot(v{c}, part{r});");
        }
    }
    all.push_str("        }\n");
    all
}

fn finish(text: &Columns) -> String {
    let mut all = String::new();
    for r in 0..text.rows {
        for c in 0..text.columns.len() {
            let _ = writeln!(all, "    sum{r}_{c} = group_sum(sum{r}_{c}, thread);");
        }
        let puts = text.puts(r, &format!("item + {r}u")).join(" ");
        let _ = writeln!(all, "    if thread == 0u {{ {puts} }}");
    }
    all
}
