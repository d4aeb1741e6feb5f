//! Blocks taken into registers by reads of 16 bytes, for kernels to which a read costs the same
//! however wide it is.

use super::{
    Build, at, blocks, blocks_of,
    operands::{How, Variable},
};
use bessemer_core::{DType, Result, View, gpu::GpuTraits};
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
        let text = match dtype {
            DType::Q4_K => self.four_k(),
            DType::Q5_K => self.five_k(),
            DType::Q6_K => self.six_k(),
            _ => self.short(dtype),
        };
        text.replace("_W", &format!("_{}", self.name)).replace("W_", &format!("{}_", self.name))
    }

    /// Blocks of one run: all of it, read as blocks in memory are.
    fn short(&self, dtype: DType) -> String {
        let (_, halves) = blocks_of(dtype);
        let mut fetch = String::new();
        let words = self.take(&mut fetch, "at", 0, halves, self.unit);
        let block = blocks::functions("block_W", dtype);
        format!(
            "var<private> held_W: array<u32, {words}>;
fn half_block_W(i: i32) -> u32 {{ return (held_W[i >> 1u] >> (16u * u32(i & 1))) & 0xffffu; }}
fn word_block_W(i: i32) -> u32 {{
    if (i & 1) == 0 {{ return held_W[i >> 1u]; }}
    return (held_W[i >> 1u] >> 16u) | (held_W[(i >> 1u) + 1] << 16u);
}}
{block}fn fetch_W(base: i32, run: u32) {{
    let at = u32(params.W_at + base + {halves} * i32(run));
{fetch}}}
fn levels_W(q: u32) -> vec4<f32> {{ return levels_block_W(0, q); }}
fn head_W(q: u32) -> vec2<f32> {{ return head_block_W(0, q); }}
"
        )
    }

    /// 16 bytes of scales, then a run in the low bits of 32 bytes and the next in the high ones.
    fn four_k(&self) -> String {
        let mut fetch = String::new();
        let head = self.take(&mut fetch, "at", 0, 8, self.unit);
        let all = self.take(&mut fetch, "at + 8u + 16u * (here_W >> 1u)", head, 16, self.unit);
        self.k(72, all, &fetch, "")
    }

    /// As [`Held::four_k`], and the fifth bits of all runs in 32 bytes more.
    fn five_k(&self) -> String {
        let mut fetch = String::new();
        let head = self.take(&mut fetch, "at", 0, 8, self.unit);
        let low = self.take(&mut fetch, "at + 24u + 16u * (here_W >> 1u)", head, 16, self.unit);
        let all = self.take(&mut fetch, "at + 8u", low, 16, self.unit);
        let fifth = format!(" | (((held_W[{low}u + q] >> here_W) & 0x01010101u) << 4u)");
        self.k(88, all, &fetch, &fifth)
    }

    /// What both have: the scales come first.
    fn k(&self, halves: usize, words: usize, fetch: &str, fifth: &str) -> String {
        let head = blocks::K_HEAD.replace("_W", "_block_W");
        let low = HEAD;
        format!(
            "var<private> held_W: array<u32, {words}>;
var<private> here_W: u32;
fn word_block_W(i: i32) -> u32 {{ return held_W[i >> 1u]; }}
{head}fn fetch_W(base: i32, run: u32) {{
    here_W = run & 7u;
    let at = u32(params.W_at + base + {halves} * i32(run >> 3u));
{fetch}}}
fn levels_W(q: u32) -> vec4<f32> {{
    let low = (held_W[{low}u + q] >> (4u * (here_W & 1u))) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(low{fifth}));
}}
fn head_W(q: u32) -> vec2<f32> {{ return head_block_W(0, 8u * here_W); }}
"
        )
    }

    /// Four low bits of a run in 32 bytes, two high ones in 32 others, two scales, and one of all.
    fn six_k(&self) -> String {
        let mut fetch = String::new();
        let low = "at + 32u * (here_W >> 2u) + 16u * (here_W & 1u)";
        let first = self.take(&mut fetch, low, 0, 16, self.unit);
        let all = self.take(&mut fetch, "at + 64u + 16u * (here_W >> 2u)", first, 16, self.unit);
        format!(
            "var<private> held_W: array<u32, {all}>;
var<private> here_W: u32;
var<private> scales_W: vec2<u32>;
fn half_W(at: u32) -> u32 {{
    return (wide_W(at >> 3u)[(at >> 1u) & 3u] >> (16u * (at & 1u))) & 0xffffu;
}}
fn fetch_W(base: i32, run: u32) {{
    here_W = run & 7u;
    let at = u32(params.W_at + base + 105 * i32(run >> 3u));
    scales_W = vec2<u32>(half_W(at + 96u + here_W), half_W(at + 104u));
{fetch}}}
fn levels_W(q: u32) -> vec4<f32> {{
    let k = here_W & 3u;
    let low = (held_W[q] >> (4u * (k >> 1u))) & 0x0f0f0f0fu;
    let high = (held_W[{first}u + q] >> (2u * k)) & 0x03030303u;
    return vec4<f32>(unpack4xU8(low | (high << 4u))) - 32.0;
}}
fn head_W(q: u32) -> vec2<f32> {{
    let scale = bitcast<i32>(scales_W.x << (24u - 8u * (q >> 2u))) >> 24u;
    return vec2<f32>(half_value(scales_W.y) * f32(scale), 0.0);
}}
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

/// Words before the levels of K formats.
const HEAD: usize = 4;
