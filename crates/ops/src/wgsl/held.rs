//! Blocks taken into registers by reads of 16 bytes, for kernels to which a read costs the same
//! however wide it is.

use super::{
    Build, at, blocks_of,
    operands::{How, Variable},
};
use bessemer_core::{DType, Result, View, gpu::GpuTraits};
use bessemer_formats::wgsl;
use bessemer_program::wgsl::Use;
use std::fmt::Write;

impl<'g> Build<'g> {
    /// An operand of blocks that is read in runs of 32 elements and in no other way, and its rows:
    /// `fetch_NAME(base, run)` takes a run into registers, of the row that starts at `base`. Then
    /// `levels_NAME(q)` are elements `4q` to `4q + 3` of it as whole numbers, and `head_NAME(q)` the
    /// step and the start that make numbers of them.
    pub(crate) fn read_held(self, op: &'static str, name: &str, view: &View) -> Result<Build<'g>> {
        self.operand(name, view, Use::Read, How::Held).block_rows(op, name, view)
    }
}

/// The variable, if no other operand lies in it, and the functions.
pub(super) fn text(gpu: &GpuTraits, variable: &Variable<'_>) -> String {
    let (name, view) = (&variable.bound.name, &variable.bound.view);
    let (len, halves) = blocks_of(view.dtype());
    let steps = view.strides()[..view.shape().rank() - 1].iter();
    let aligned = |unit: usize| {
        let steps = steps.clone().map(|step| step.unsigned_abs() / len * halves);
        steps.chain([halves, at(gpu, view) as usize]).all(|place| place.is_multiple_of(unit))
    };
    let held = Held { name, unit: [8, 2].into_iter().find(|&unit| aligned(unit)).unwrap_or(1) };
    // `wide_NAME(i)`: 16 bytes, the last ones for all that lie behind them.
    let wide = match variable.alone {
        Some(binding) => format!(
            "@group(0) @binding({binding}) var<storage, read> {name}_wide: array<vec4<u32>>;
fn wide_{name}(i: u32) -> vec4<u32> {{ return {name}_wide[min(i, arrayLength(&{name}_wide) - 1u)]; }}
"
        ),
        None => {
            let words = ["", " + 1u", " + 2u", " + 3u"].map(|j| variable.word(&format!("at{j}")));
            format!(
                "fn wide_{name}(i: u32) -> vec4<u32> {{
    let at = 4u * min(i, arrayLength(&{}) / 4u - 1u);
    return vec4<u32>({});
}}
",
                variable.memory,
                words.join(", ")
            )
        }
    };
    wide + &held.of(view.dtype())
}

/// The functions of one operand.
struct Held<'a> {
    name: &'a str,
    /// Halves of words that all blocks start at multiples of: 8, 2 or 1.
    unit: usize,
}

impl Held<'_> {
    fn of(&self, dtype: DType) -> String {
        let text = match wgsl::of(dtype).held {
            Some(held) => self.some(dtype, held),
            None => self.all(dtype),
        };
        text.replace("_W", &format!("_{}", self.name)).replace("W_", &format!("{}_", self.name))
    }

    /// All of a block, read as blocks in memory are.
    fn all(&self, dtype: DType) -> String {
        let (len, halves) = blocks_of(dtype);
        let mut fetch = String::new();
        let words = self.take(&mut fetch, "at", 0, halves, self.unit);
        let block = wgsl::of(dtype).decode.replace("_W", "_block_W");
        // Runs of a block, and quads of those before this one.
        let (runs, before) = match len / 32 {
            1 => (1, "q".to_owned()),
            runs => (runs, format!("8u * (here_W % {runs}u) + q")),
        };
        format!(
            "var<private> held_W: array<u32, {words}>;
var<private> here_W: u32;
fn half_block_W(i: i32) -> u32 {{ return (held_W[i >> 1u] >> (16u * u32(i & 1))) & 0xffffu; }}
fn word_block_W(i: i32) -> u32 {{
    if (i & 1) == 0 {{ return held_W[i >> 1u]; }}
    return (held_W[i >> 1u] >> 16u) | (held_W[(i >> 1u) + 1] << 16u);
}}
{block}fn fetch_W(base: i32, run: u32) {{
    here_W = run;
    let at = u32(params.W_at + base + {halves} * i32(run / {runs}u));
{fetch}}}
fn levels_W(q: u32) -> vec4<f32> {{ return levels_block_W(0, {before}); }}
fn head_W(q: u32) -> vec2<f32> {{ return head_block_W(0, {before}); }}
"
        )
    }

    /// What a run needs of a longer block.
    fn some(&self, dtype: DType, held: wgsl::Held) -> String {
        let (len, halves) = blocks_of(dtype);
        let (mut fetch, mut words, mut text) = (String::new(), 0, held.text.to_owned());
        for (i, (at, halves)) in held.pieces.iter().enumerate() {
            text = text.replace(&format!("PIECE{i}"), &format!("{words}u"));
            words = self.take(&mut fetch, at, words, *halves, self.unit);
        }
        let half = match held.fetch {
            "" => "",
            _ => {
                "fn half_W(at: u32) -> u32 {
    return (wide_W(at >> 3u)[(at >> 1u) & 3u] >> (16u * (at & 1u))) & 0xffffu;
}
"
            }
        };
        let (block, more, runs) = (held.block.replace("_W", "_block_W"), held.fetch, len / 32);
        format!(
            "var<private> held_W: array<u32, {words}>;
var<private> here_W: u32;
{half}{block}{text}fn fetch_W(base: i32, run: u32) {{
    here_W = run % {runs}u;
    let at = u32(params.W_at + base + {halves} * i32(run / {runs}u));
    {more}
{fetch}}}
"
        )
    }

    /// Reads `halves` halves of words from number `at` on, a multiple of `unit`, and keeps them as
    /// words from number `first` on; the number of the next.
    fn take(&self, text: &mut String, at: &str, first: usize, halves: usize, unit: usize) -> usize {
        let words = halves.div_ceil(2);
        // Those that start in the middle of a word reach into one more.
        let touched = if unit == 1 { halves / 2 + 1 } else { words };
        let quads = if unit == 8 { words.div_ceil(4) } else { (touched + 3).div_ceil(4) };
        let _ = writeln!(text, "    {{\n    let at = {at};\n    let quad = at >> 3u;");
        for i in 0..quads {
            let _ = writeln!(text, "    let q{i} = wide_W(quad + {i}u);");
        }
        let read = |i: usize| format!("q{}.{}", i / 4, ["x", "y", "z", "w"][i % 4]);
        if unit == 8 {
            for i in 0..words {
                let _ = writeln!(text, "    held_W[{}] = {};", first + i, read(i));
            }
            text.push_str("    }\n");
            return first + words;
        }
        // By two words, by one, and by half of one.
        let last = 4 * quads - 1;
        text.push_str("    let two = (at & 4u) != 0u;\n    let one = (at & 2u) != 0u;\n");
        for i in 0..=touched {
            let (near, far) = (read(i.min(last)), read((i + 2).min(last)));
            let _ = writeln!(text, "    let a{i} = select({near}, {far}, two);");
        }
        for i in 0..touched {
            let _ = writeln!(text, "    let b{i} = select(a{i}, a{}, one);", i + 1);
        }
        if unit == 1 {
            text.push_str("    let odd = (at & 1u) != 0u;\n");
        }
        for i in 0..words {
            let place = first + i;
            let _ = match (unit, i + 1 < touched) {
                (1, true) => {
                    let both = format!("(b{i} >> 16u) | (b{} << 16u)", i + 1);
                    writeln!(text, "    held_W[{place}] = select(b{i}, {both}, odd);")
                }
                (1, false) => {
                    writeln!(text, "    held_W[{place}] = select(b{i}, b{i} >> 16u, odd);")
                }
                _ => writeln!(text, "    held_W[{place}] = b{i};"),
            };
        }
        text.push_str("    }\n");
        first + words
    }
}
