//! Linear layers on adapters that are a CPU: a thread for each output, activations by broadcast.

use super::{Part, bias, sums::ends};
use crate::wgsl::{Build, at, blocks, blocks_of, has_lanes, size};
use bessemer_core::{
    DType, Result,
    gpu::{GpuTraits, Launch},
};
use std::fmt::Write;

/// Threads of a workgroup: one vector.
const LANES: usize = 8;
/// Outputs of each thread.
const OUTPUTS: usize = 2;
/// The most rows at once.
const ROWS: usize = 16;

impl Part<'_> {
    /// The launch, if the adapter is of that kind.
    pub(super) fn lanes(&self, gpu: &GpuTraits) -> Option<Result<Launch>> {
        has_lanes(gpu).then(|| self.by_lanes(gpu))
    }

    fn by_lanes(&self, gpu: &GpuTraits) -> Result<Launch> {
        const NAME: &str = "linear";
        let (rows, k, n) = self.sizes;
        let text = Text { rows: rows.min(ROWS).next_power_of_two(), weight: self.weight.dtype() };
        let build = Build::new(gpu, "linear/lanes.wgsl", include_str!("lanes.wgsl"))
            .read_rows(NAME, "x", self.x)?
            .read_rows(NAME, "w", self.weight)?
            .write("out", self.out)
            .rows(NAME, "out", self.out)?
            .u32("m", size(NAME, rows)?)
            .u32("n", size(NAME, n)?)
            .u32("k", size(NAME, k)?)
            .u32("runs", size(NAME, k.div_ceil(32))?)
            .also(&ends("x", k))
            .also(&match self.weight.dtype().is_block() {
                true => {
                    let (_, halves) = blocks_of(self.weight.dtype());
                    let even = halves % 2 == 0 && at(gpu, self.weight) % 2 == 0;
                    blocks::held("w", self.weight.dtype(), even)
                }
                false => ends("w", k),
            })
            .define("ROWS", format!("{}u", text.rows))
            .define("OUTPUTS", format!("{}u", OUTPUTS * LANES))
            .define("SETUP", text.setup())
            .define("BODY", text.body())
            .define("FINISH", text.finish());
        let build = bias(build, self.bias.as_ref())?.also(
            "fn put(row: u32, output: u32, value: f32) {
    if row >= params.m || output >= params.n { return; }
    store_out(row_out(row) + i32(output) * params.out_step, value + bias_of(output));
}
",
        );
        let groups =
            [size(NAME, n.div_ceil(OUTPUTS * LANES))?, size(NAME, rows.div_ceil(text.rows))?, 1];
        Ok(build.launch(groups, LANES as u32))
    }
}

/// The text of one kernel. Everything that lies in registers has a name of its own: rows and
/// outputs are numbers known as it is written.
struct Text {
    rows: usize,
    weight: DType,
}

impl Text {
    fn setup(&self) -> String {
        let mut text = String::new();
        for o in 0..OUTPUTS {
            let _ = writeln!(text, "let w{o} = row_w(min(first + {}u, params.n - 1u));", LANES * o);
        }
        for r in 0..self.rows {
            let _ = writeln!(text, "    let x{r} = row_x(min(row + {r}u, params.m - 1u));");
            for o in 0..OUTPUTS {
                let _ = writeln!(text, "    var sum{r}_{o} = 0.0;");
            }
        }
        text
    }

    fn body(&self) -> String {
        let mut text = String::new();
        for o in 0..OUTPUTS {
            self.weights(&mut text, o);
        }
        for r in 0..self.rows {
            self.row(&mut text, r);
        }
        text
    }

    /// The 32 weights of output `o`: `v{o}_0` to `v{o}_7`.
    fn weights(&self, text: &mut String, o: usize) {
        let (len, halves) = blocks_of(self.weight);
        let (block, q) = match len {
            1 => {
                for i in 0..8 {
                    let _ = writeln!(text, "        let v{o}_{i} = w_quad(w{o}, k + {}u);", 4 * i);
                }
                return;
            }
            32 => {
                let _ = writeln!(text, "        fetch_held(w{o} + i32(run) * {halves});");
                ("0".to_owned(), "0u".to_owned())
            }
            _ => {
                let runs = len / 32;
                let _ = writeln!(text, "        let q{o} = 8u * (run % {runs}u);");
                (format!("w{o} + i32(run / {runs}u) * {halves}"), format!("q{o}"))
            }
        };
        // As many quads as share a step.
        let share = if self.weight == DType::Q6_K { 4 } else { 8 };
        for i in 0..8 {
            if i % share == 0 {
                let _ = writeln!(text, "        let head{o}_{i} = head_held({block}, {q} + {i}u);");
            }
            let head = format!("head{o}_{}", i / share * share);
            let levels = format!("levels_held({block}, {q} + {i}u)");
            let _ = writeln!(text, "        let v{o}_{i} = {levels} * {head}.x + {head}.y;");
        }
    }

    /// The sums of row `r`, gone on with.
    fn row(&self, text: &mut String, r: usize) {
        let _ = writeln!(text, "        let a{r} = x_quad(x{r}, k + 4u * lane);");
        for i in 0..8 {
            for c in ["x", "y", "z", "w"] {
                let a = format!("a{r}_{i}{c}");
                let _ = write!(text, "        let {a} = subgroupBroadcast(a{r}.{c}, {i}u);");
                for o in 0..OUTPUTS {
                    let _ = write!(text, " sum{r}_{o} = fma(v{o}_{i}.{c}, {a}, sum{r}_{o});");
                }
                text.push('\n');
            }
        }
    }

    fn finish(&self) -> String {
        let mut text = String::new();
        for r in 0..self.rows {
            for o in 0..OUTPUTS {
                let _ = writeln!(text, "    put(row + {r}u, first + {}u, sum{r}_{o});", LANES * o);
            }
        }
        text
    }
}
