//! Linear layers on software adapters: a thread for each output, activations by broadcast.

use super::{
    Columns,
    sums::{ends, sharing},
};
use crate::wgsl::{Build, size};
use bessemer_core::{DType, Result, View, gpu::GpuTraits};
use std::fmt::Write;

/// Threads of a workgroup: one vector.
pub(super) const LANES: usize = 8;
/// The most rows at once.
pub(super) const ROWS: usize = 16;

/// The kernel with `x` bound, and no weights yet: `PLACE` says which outputs a thread has, and how far
/// from `x` its activations are. `whole` is what is bound for `x`, if more than it.
pub(super) fn lanes<'g>(
    gpu: &'g GpuTraits,
    (x, whole): (&View, Option<&View>),
    text: &Columns,
) -> Result<Build<'g>> {
    const NAME: &str = "linear";
    let k = x.shape().width();
    Ok(Build::new(gpu, "linear/lanes.wgsl", include_str!("lanes.wgsl"))
        .within(whole)
        .read_rows(NAME, "x", x)?
        .u32("k", size(NAME, k)?)
        .u32("runs", size(NAME, k.div_ceil(32))?)
        .also(&ends("x", k))
        .define("ROWS", format!("{}u", text.rows))
        .define("SETUP", setup(text))
        .define("BODY", body(text))
        .define("FINISH", finish(text)))
}

fn setup(text: &Columns) -> String {
    let mut all = text.setup();
    for r in 0..text.rows {
        let _ = writeln!(all, "    let x{r} = row_x(min(row + {r}u, params.m - 1u)) + x_base;");
    }
    all
}

fn body(text: &Columns) -> String {
    let mut all = String::new();
    for (c, column) in text.columns.iter().enumerate() {
        weights(&mut all, c, column.operand, column.dtype);
    }
    for r in 0..text.rows {
        row(&mut all, r, text.columns.len());
    }
    all
}

/// The 32 weights of column `c`: `v{c}_0` to `v{c}_7`.
fn weights(text: &mut String, c: usize, name: &str, dtype: DType) {
    if !dtype.is_block() {
        for i in 0..8 {
            let _ = writeln!(text, "        let v{c}_{i} = {name}_quad(w{c}, k + {}u);", 4 * i);
        }
        return;
    }
    let _ = writeln!(text, "        fetch_{name}(w{c}, run);");
    // As many quads as share a step.
    let share = sharing(dtype) / 4;
    for i in 0..8 {
        if i % share == 0 {
            let _ = writeln!(text, "        let head{c}_{i} = head_{name}({i}u);");
        }
        let head = format!("head{c}_{}", i / share * share);
        let levels = format!("levels_{name}({i}u)");
        let _ = writeln!(text, "        let v{c}_{i} = {levels} * {head}.x + {head}.y;");
    }
}

/// The sums of row `r`, gone on with.
fn row(text: &mut String, r: usize, columns: usize) {
    let _ = writeln!(text, "        let a{r} = x_quad(x{r}, k + 4u * lane);");
    for i in 0..8 {
        for part in ["x", "y", "z", "w"] {
            let a = format!("a{r}_{i}{part}");
            let _ = write!(text, "        let {a} = subgroupBroadcast(a{r}.{part}, {i}u);");
            for c in 0..columns {
                let _ = write!(text, " sum{r}_{c} = fma(v{c}_{i}.{part}, {a}, sum{r}_{c});");
            }
            text.push('\n');
        }
    }
}

fn finish(text: &Columns) -> String {
    let rows = (0..text.rows).flat_map(|r| text.puts(r, &format!("row + {r}u")));
    rows.map(|put| format!("    {put}\n")).collect()
}
