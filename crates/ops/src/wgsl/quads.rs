//! Rows of operands four elements at a time, whatever their dtype.

use super::{
    Build, at,
    operands::{How, Operand, Variable},
};
use bessemer_core::{DType, Result, View, gpu::GpuTraits};
use bessemer_formats::wgsl;
use bessemer_program::wgsl::Use;

/// Whether four elements can always be read at once: they lie together, where a vector may lie.
pub(super) fn has_whole_quads(gpu: &GpuTraits, view: &View) -> bool {
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
        let build = self.operand(name, view, Use::Read, How::Quads);
        build.quads(name, view.shape().width())
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
    /// multiple of 4; zeros beyond the row's `width`. The operand is there; its rows and step are
    /// declared.
    pub(crate) fn quads(mut self, name: &str, width: usize) -> Self {
        for operand in &mut self.bound {
            if let Operand::View(bound) = operand
                && bound.name == name
            {
                bound.quads = Some(width);
            }
        }
        self
    }

    /// The rows of an operand that may be of blocks, and [`Build::quads`] of them.
    pub(crate) fn quad_rows(self, op: &'static str, name: &str, view: &View) -> Result<Self> {
        Ok(self.quad_places(op, name, view)?.quads(name, view.shape().width()))
    }
}

/// Four elements that are a vector of the variable.
pub(super) fn vectors(name: &str, binding: usize, dtype: DType) -> String {
    let (element, value) = match dtype {
        DType::F32 => ("vec4<f32>", "quad"),
        DType::F16 => ("vec2<u32>", "vec4<f32>(unpack2x16float(quad.x), unpack2x16float(quad.y))"),
        _ => (
            "vec2<u32>",
            "bitcast<vec4<f32>>(vec4<u32>(quad.x << 16u, quad.x & 0xffff0000u, quad.y << 16u, \
             quad.y & 0xffff0000u))",
        ),
    };
    format!(
        "@group(0) @binding({binding}) var<storage, read> {name}_memory: array<{element}>;
fn quad_{name}(base: i32, k: u32) -> vec4<f32> {{
    let quad = {name}_memory[u32(params.{name}_at + base + i32(k)) >> 2u];
    return {value};
}}
"
    )
}

/// Four elements of rows of `width`, read one by one, or by words.
pub(super) fn text(variable: &Variable<'_>, width: usize) -> String {
    let (name, view) = (&variable.bound.name, &variable.bound.view);
    let dtype = view.dtype();
    let gapless = view.has_contiguous_rows();
    let whole = width.is_multiple_of(4);
    let text = if dtype.is_block() {
        let (len, halves) = (dtype.block_len(), dtype.block_bytes() / 2);
        wgsl::of(dtype).decode.to_owned()
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
        // All words are read that there may be: which ones count is no branch.
        let word = |place: &str| variable.word(place);
        format!(
            "fn quad_W(base: i32, k: u32) -> vec4<f32> {{
    let at = u32(params.{name}_at + base) + k;
    let a = {};
    let b = {};
    let c = {};
    let odd = (at & 1u) != 0u;
    let low = select(a, (a >> 16u) | (b << 16u), odd);
    let high = select(b, (b >> 16u) | (c << 16u), odd);
    return vec4<f32>({}, {});
}}
",
            word("at >> 1u"),
            word("(at >> 1u) + 1u"),
            word("((at + 1u) >> 1u) + 1u"),
            both("low"),
            both("high")
        )
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
    text.replace("_W", &format!("_{name}"))
}
