//! Rows of operands four elements at a time, whatever their dtype.

use super::{Build, at, blocks};
use bessemer_core::{DType, Result, View, gpu::GpuTraits};
use bessemer_program::wgsl::Use;

/// Whether four elements can always be read at once: they lie together, where a vector may lie.
fn has_whole_quads(gpu: &GpuTraits, view: &View) -> bool {
    let last = view.shape().rank().saturating_sub(1);
    matches!(view.dtype(), DType::F32 | DType::F16 | DType::BF16)
        && view.elements() > 0
        && view.has_contiguous_rows()
        && view.shape().width().is_multiple_of(4)
        && view.strides()[..last].iter().all(|step| step % 4 == 0)
        && at(gpu, view) % 4 == 0
        && gpu.offset_alignment.is_multiple_of(16)
}

impl Build<'_> {
    /// An operand that is read four elements at a time and in no other way, as [`Build::quads`] has
    /// it: `quad_NAME(base, k)`, where rows start at multiples of 4 if strides are.
    pub(crate) fn read_quads(self, name: &str, view: &View) -> Self {
        if !has_whole_quads(self.gpu, view) {
            return self.read(name, view).quads(name, view, view.shape().width());
        }
        let (element, value) = match view.dtype() {
            DType::F32 => ("vec4<f32>", "quad"),
            DType::F16 => {
                ("vec2<u32>", "vec4<f32>(unpack2x16float(quad.x), unpack2x16float(quad.y))")
            }
            _ => (
                "vec2<u32>",
                "bitcast<vec4<f32>>(vec4<u32>(quad.x << 16u, quad.x & 0xffff0000u, quad.y << 16u, \
                 quad.y & 0xffff0000u))",
            ),
        };
        let (binding, build) = self.bind(name, view, Use::Read);
        build.also(&format!(
            "@group(0) @binding({binding}) var<storage, read> {name}_memory: array<{element}>;
fn quad_{name}(base: i32, k: u32) -> vec4<f32> {{
    let quad = {name}_memory[u32(params.{name}_at + base + i32(k)) >> 2u];
    return {value};
}}
"
        ))
    }

    /// The same with the rows of the operand: `row_NAME(row)`.
    pub(crate) fn read_rows(self, op: &'static str, name: &str, view: &View) -> Result<Self> {
        self.read_quads(name, view).quad_places(op, name, view)
    }

    fn quad_places(self, op: &'static str, name: &str, view: &View) -> Result<Self> {
        match view.dtype().is_block() {
            true => self.block_rows(op, name, view),
            false => self.rows(op, name, view),
        }
    }

    /// `quad_NAME(base, k)`: elements `k` to `k + 3` of a row that starts at `base`, where `k` is a
    /// multiple of 4; zeros beyond the row's `width`. The operand's rows and step are declared.
    pub(crate) fn quads(self, name: &str, view: &View, width: usize) -> Self {
        let dtype = view.dtype();
        let gapless = view.has_contiguous_rows();
        let whole = width.is_multiple_of(4);
        let text = if dtype.is_block() {
            let (len, halves) = (dtype.block_len(), dtype.block_bytes() / 2);
            blocks::functions(name, dtype)
                + "fn quad_W(base: i32, k: u32) -> vec4<f32> {
    let block = base + i32(k / LENu) * HALVES;
    let q = (k % LENu) / 4u;
    let head = head_W(block, q);
    return levels_W(block, q) * head.x + head.y;
}
fn element_W(base: i32, k: u32) -> f32 { return quad_W(base, k & ~3u)[k & 3u]; }
"
                .replace("LEN", &len.to_string())
                .replace("HALVES", &halves.to_string())
                .as_str()
        } else if gapless && whole && dtype == DType::F32 {
            "fn quad_W(base: i32, k: u32) -> vec4<f32> {
    let at = base + i32(k);
    return vec4<f32>(load_W(at), load_W(at + 1), load_W(at + 2), load_W(at + 3));
}
"
            .to_owned()
        } else if gapless && whole {
            let both = |word: &str| match dtype {
                DType::F16 => format!("unpack2x16float({word})"),
                _ => format!(
                    "vec2<f32>(bitcast<f32>({word} << 16u), bitcast<f32>({word} & 0xffff0000u))"
                ),
            };
            format!(
                "fn quad_W(base: i32, k: u32) -> vec4<f32> {{
    let at = u32(params.W_at + base) + k;
    let a = W_memory[at >> 1u];
    let b = W_memory[(at >> 1u) + 1u];
    if (at & 1u) == 0u {{ return vec4<f32>({}, {}); }}
    let c = W_memory[(at >> 1u) + 2u];
    return vec4<f32>({}.y, {}, {}.x);
}}
",
                both("a"),
                both("b"),
                both("a"),
                both("b"),
                both("c")
            )
            .replace("W_memory", &format!("{name}_memory"))
            .replace("params.W_at", &format!("params.{name}_at"))
        } else {
            let step = if gapless { "1" } else { "params.STEP" };
            let guard = |j: usize| match whole {
                true => format!("load_W(at + {j} * step)"),
                false => format!("row_end_W(at + {j} * step, k + {j}u)"),
            };
            let end = match whole {
                true => String::new(),
                false => format!(
                    "fn row_end_W(at: i32, k: u32) -> f32 {{
    if k >= {width}u {{ return 0.0; }}
    return load_W(at);
}}
"
                ),
            };
            format!(
                "{end}fn quad_W(base: i32, k: u32) -> vec4<f32> {{
    let step = {};
    let at = base + i32(k) * step;
    return vec4<f32>({}, {}, {}, {});
}}
",
                step.replace("STEP", &format!("{name}_step")),
                guard(0),
                guard(1),
                guard(2),
                guard(3)
            )
        };
        self.also(&text.replace("_W", &format!("_{name}")))
    }

    /// The rows of an operand that may be of blocks, and [`Build::quads`] of them.
    pub(crate) fn quad_rows(self, op: &'static str, name: &str, view: &View) -> Result<Self> {
        Ok(self.quad_places(op, name, view)?.quads(name, view, view.shape().width()))
    }
}
