//! Matrix products on software adapters: everything in registers, rows passed by broadcast.

use super::widened;
use crate::{
    Matmul,
    wgsl::{Build, size},
};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launch},
};
use std::fmt::Write;

/// Threads of a workgroup: one vector.
const LANES: usize = 8;
/// The most rows at once.
const ROWS: usize = 32;

pub(super) fn launch(op: &Matmul, gpu: &GpuTraits, batch: usize) -> Result<Launch> {
    const NAME: &str = "matmul";
    let (m, k, n) = op.sizes();
    let rows = m.next_power_of_two().clamp(LANES, ROWS);
    let build = Build::new(gpu, "matmul/lanes.wgsl", include_str!("lanes.wgsl"))
        .read_rows(NAME, "a", &widened(&op.a, op)?)?
        .read_rows(NAME, "b", &widened(&op.b, op)?)?
        .write("out", &op.out)
        .rows(NAME, "out", &op.out)?
        .u32("m", size(NAME, m)?)
        .u32("n", size(NAME, n)?)
        .u32("k", size(NAME, k)?)
        .also(
            "fn put(batch: u32, row: u32, column: u32, values: vec4<f32>) {
    if row >= params.m { return; }
    let out = row_out(batch * params.m + row);
    for (var i = 0u; i < 4u; i++) {
        if column + i < params.n { store_out(out + i32(column + i) * params.out_step, values[i]); }
    }
}
",
        )
        .define("ROWS", format!("{rows}u"))
        .define("SETUP", setup(rows))
        .define("BODY", body(rows, k))
        .define("FINISH", finish(rows));
    let groups =
        [size(NAME, n.div_ceil(4 * LANES))?, size(NAME, m.div_ceil(rows))?, size(NAME, batch)?];
    build.launch(groups, LANES as u32)
}

fn setup(rows: usize) -> String {
    let mut text = String::new();
    for r in 0..rows {
        let _ = writeln!(text, "    var sum{r} = vec4<f32>();");
    }
    for i in 0..rows / LANES {
        let row = format!("min(row + {}u + lane, params.m - 1u)", LANES * i);
        let _ = writeln!(text, "    let row{i} = row_a(batch * params.m + {row});");
    }
    text
}

/// Four along the rows of `a`, and as many rows of `b`.
fn body(rows: usize, k: usize) -> String {
    let mut text = String::new();
    for i in 0..rows / LANES {
        let _ = writeln!(text, "        let a{i} = quad_a(row{i}, k);");
    }
    for (j, c) in ["x", "y", "z", "w"].into_iter().enumerate() {
        let place = |k: &str| format!("quad_b(row_b(batch * params.k + {k}), near)");
        let quad = match k.is_multiple_of(4) {
            true => place(&format!("k + {j}u")),
            // Beyond the end there are zeros, whatever lies there.
            false => format!(
                "select({}, vec4<f32>(), k + {j}u >= params.k)",
                place(&format!("min(k + {j}u, params.k - 1u)"))
            ),
        };
        let _ = writeln!(text, "        let b{j} = {quad};");
        for r in 0..rows {
            let a = format!("subgroupBroadcast(a{}.{c}, {}u)", r / LANES, r % LANES);
            let _ = writeln!(text, "        sum{r} = fma(vec4<f32>({a}), b{j}, sum{r});");
        }
    }
    text
}

fn finish(rows: usize) -> String {
    let mut text = String::new();
    for r in 0..rows {
        let _ = writeln!(text, "    put(batch, row + {r}u, column, sum{r});");
    }
    text
}
