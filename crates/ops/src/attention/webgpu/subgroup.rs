//! Attention by subgroups: one kernel for decoding and for prompts, where the width is known.

use super::{
    NAME, operands,
    split::{in_parts, joined, splits},
};
use crate::{
    Attention,
    wgsl::{Build, size},
};
use bessemer_core::{
    Result,
    gpu::{GpuTraits, Launches},
};
use std::fmt::Write;

/// The most vectors of four that a thread holds of one query.
const PIECES: usize = 8;

/// The text of one kernel: what lies in registers has a name of its own.
struct Text {
    /// Queries of a subgroup: rows of one head, or heads of one row that share keys and values.
    queries: usize,
    by_rows: bool,
    /// Threads of a subgroup.
    width: usize,
    /// Vectors of four in a head.
    quads: usize,
}

/// The launch, if the adapter has subgroups of one width and heads are not too long for them.
pub(super) fn launches(op: &Attention, gpu: &GpuTraits) -> Option<Result<Launches>> {
    let width = gpu.simd_width as usize;
    let quads = op.sizes().head_size.div_ceil(4);
    let fits = gpu.simd_reduce && (8..=64).contains(&width) && quads.div_ceil(width) <= PIECES;
    fits.then(|| {
        let sizes = op.sizes();
        // As many as there are registers for.
        let most = (16 / quads.div_ceil(width)).clamp(1, 8);
        // With pages each row has keys of its own.
        let by_rows = sizes.rows > 1 && op.pages.is_none();
        let queries = if by_rows { sizes.rows } else { sizes.heads / sizes.kv_heads };
        let queries = queries.next_power_of_two().min(most);
        Text { queries, by_rows, width, quads }.launches(op, gpu)
    })
}

impl Text {
    fn launches(&self, op: &Attention, gpu: &GpuTraits) -> Result<Launches> {
        let sizes = op.sizes();
        let parts = (sizes.heads / sizes.kv_heads).div_ceil(self.queries);
        let (across, down) = match self.by_rows {
            true => (sizes.heads, sizes.rows.div_ceil(self.queries)),
            false => (sizes.kv_heads * parts, sizes.rows),
        };
        // With pages the number of rows must not matter.
        let beside = if op.pages.is_some() { 1 } else { down };
        let splits = splits(op, across * beside, gpu);
        let build = Build::new(gpu, "attention/subgroup.wgsl", include_str!("subgroup.wgsl"))
            .u32("rows", size(NAME, sizes.rows)?)
            .u32("parts", size(NAME, parts)?);
        let build = in_parts(operands(build, op)?, op, splits)?
            .define("ROW", if self.by_rows { "0u" } else { "group.y" })
            .define("SETUP", self.setup())
            .define("SCORES", self.scores())
            .define("WEIGHTS", self.weights())
            .define("VALUES", self.values())
            .define("FINISH", if splits == 1 { self.finish() } else { self.keep() });
        let groups = [size(NAME, across)?, size(NAME, down)?, 1];
        joined(op, gpu, build.launch(groups, self.width as u32)?, splits)
    }

    fn pieces(&self) -> usize {
        self.quads.div_ceil(self.width)
    }

    /// Which element of a head a thread's piece `j` starts at, and whether there is such a one.
    fn piece(&self, j: usize) -> (String, Option<String>) {
        let quad = format!("lane + {}u", self.width * j);
        match self.width * (j + 1) <= self.quads {
            true => (format!("4u * ({quad})"), None),
            false => {
                let last = self.quads - 1;
                (format!("4u * min({quad}, {last}u)"), Some(format!("{quad} <= {last}u")))
            }
        }
    }

    fn setup(&self) -> String {
        let mut text = match self.by_rows {
            true => "let kv_head = group.x / params.sharing;\n".to_owned(),
            false => format!(
                "let kv_head = group.x / params.parts;\n    \
                 let part = group.x % params.parts * {}u;\n",
                self.queries
            ),
        };
        text += "    var start = params.tokens;\n    var end = 0u;\n";
        for q in 0..self.queries {
            let (row, head, there) = match self.by_rows {
                true => {
                    let row = format!("group.y * {}u + {q}u", self.queries);
                    (
                        format!("min({row}, params.rows - 1u)"),
                        "group.x".to_owned(),
                        format!("{row} < params.rows"),
                    )
                }
                false => {
                    let head = format!("min(part + {q}u, params.sharing - 1u)");
                    let head = format!("kv_head * params.sharing + {head}");
                    ("group.y".to_owned(), head, format!("part + {q}u < params.sharing"))
                }
            };
            let _ = write!(
                text,
                "    let row{q} = {row};
    let head{q} = {head};
    let there{q} = {there};
    let q{q} = i32(row{q}) * params.q_row + i32(head{q}) * params.q_head;
    var start{q} = 0u;
    var end{q} = params.tokens;
    see(row{q}, lane, &start{q}, &end{q});
    if start{q} < end{q} {{
        start = min(start, start{q});
        end = max(end, end{q});
    }}
    var most{q} = from_bits(MINUS_INF);
    var total{q} = 0.0;
    var broken{q} = 0.0;
"
            );
            for j in 0..self.pieces() {
                let (at, there) = self.piece(j);
                let quad = format!("quad_q(q{q}, {at})");
                let quad = match there {
                    None => quad,
                    Some(there) => format!("select(vec4<f32>(), {quad}, {there})"),
                };
                let _ = writeln!(text, "    let q{q}_{j} = {quad};");
                let _ = writeln!(text, "    var sum{q}_{j} = vec4<f32>();");
            }
        }
        // If no query sees any, there are none.
        text + "    start = min(start, end);\n"
    }

    /// `score{q}`: of each thread's key.
    fn scores(&self) -> String {
        let mut text = String::new();
        for q in 0..self.queries {
            let _ = writeln!(text, "        var score{q} = 0.0;");
        }
        for j in 0..self.pieces() {
            let count = (self.quads - self.width * j).min(self.width);
            let _ = writeln!(text, "        for (var i = 0u; i < {count}u; i++) {{");
            let place = self.width * j;
            let _ = writeln!(text, "            let near = quad_k(key, 4u * (i + {place}u));");
            for q in 0..self.queries {
                let query = format!("subgroupShuffle(q{q}_{j}, i)");
                let _ = writeln!(text, "            score{q} += dot(near, {query});");
            }
            text += "        }\n";
        }
        text
    }

    /// `weight{q}`: how much of the value of its key a thread's query gets.
    fn weights(&self) -> String {
        let mut text = String::new();
        for q in 0..self.queries {
            let _ = write!(
                text,
                "        score{q} *= params.scale;
        if params.cap > 0.0 {{ score{q} = params.cap * tanh_f32(score{q} / params.cap); }}
        let seen{q} = token >= start{q} && token < min(end{q}, end);
        if seen{q} && is_nan(score{q}) {{ broken{q} = 1.0; }}
        let able{q} = seen{q} && !is_nan(score{q});
        score{q} = select(from_bits(MINUS_INF), score{q}, able{q});
        let largest{q} = max(most{q}, subgroupMax(score{q}));
        // Nothing but -inf so far: nothing is picked, unless it stays so.
        let none{q} = bitcast<u32>(largest{q}) == MINUS_INF;
        let fresh{q} = bitcast<u32>(most{q}) == MINUS_INF;
        let factor{q} = select(exp_f32(most{q} - largest{q}), 0.0, fresh{q});
        let weight{q} = select(exp_f32(score{q} - largest{q}), 0.0, none{q} || !able{q});
        total{q} = total{q} * factor{q} + subgroupAdd(weight{q});
        most{q} = largest{q};
"
            );
            for j in 0..self.pieces() {
                let _ = writeln!(text, "        sum{q}_{j} *= factor{q};");
            }
        }
        text
    }

    fn values(&self) -> String {
        let mut text = String::new();
        for j in 0..self.pieces() {
            let (at, _) = self.piece(j);
            let _ = writeln!(text, "            let value{j} = quad_v(value, {at});");
        }
        for q in 0..self.queries {
            let _ = writeln!(text, "            let share{q} = subgroupShuffle(weight{q}, t);");
            for j in 0..self.pieces() {
                let _ = writeln!(text, "            sum{q}_{j} += share{q} * value{j};");
            }
        }
        text
    }

    /// What was found goes to `parts`.
    fn keep(&self) -> String {
        let mut text = String::new();
        for q in 0..self.queries {
            let _ = write!(
                text,
                "    let bad{q} = subgroupMax(broken{q}) > 0.0;
    let place{q} = place_of(row{q}, head{q}, group.z);
    if there{q} && lane == 0u {{
        parts[place{q}] = most{q};
        parts[place{q} + 1u] = select(total{q}, nan(), bad{q});
    }}
"
            );
            for j in 0..self.pieces() {
                let place = self.width * j;
                let _ = write!(
                    text,
                    "    for (var i = 0u; i < 4u; i++) {{
        let d = 4u * (lane + {place}u) + i;
        if there{q} && d < params.size {{ parts[place{q} + 2u + d] = sum{q}_{j}[i]; }}
    }}
"
                );
            }
        }
        text
    }

    fn finish(&self) -> String {
        let mut text = String::new();
        for q in 0..self.queries {
            let _ = write!(
                text,
                "    let bad{q} = subgroupMax(broken{q}) > 0.0
        || (start{q} < end{q} && bitcast<u32>(most{q}) == MINUS_INF);
    let out{q} = i32(row{q}) * params.out_row + i32(head{q}) * params.out_head;
"
            );
            for j in 0..self.pieces() {
                let place = self.width * j;
                let _ = write!(
                    text,
                    "    for (var i = 0u; i < 4u; i++) {{
        let d = 4u * (lane + {place}u) + i;
        var x = select(sum{q}_{j}[i] / total{q}, 0.0, start{q} >= end{q});
        if bad{q} {{ x = nan(); }}
        if there{q} && d < params.size {{ store_out(out{q} + i32(d) * params.out_step, x); }}
    }}
"
                );
            }
        }
        text
    }
}
