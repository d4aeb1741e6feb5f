//! How elements of each dtype are read and written in WGSL, which knows only words.
//!
//! Elements of 8 and 16 bits lie packed in words. Reading takes a shift; writing changes only the
//! element's own bits, by an atomic exclusive or with what differs: threads that write other
//! parts of the same word never disturb each other, whatever the strides. That needs no rule
//! about which thread owns which word, and no 16-bit types of the adapter.

use super::{Words, words::is_wide};
use crate::Type;
use bessemer_core::DType;
use std::fmt::Write;

/// The text that [`declare`]d functions call: conversions of 16-bit floats.
pub const PACKED: &str = include_str!("packed.wgsl");

/// How memory is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Only read: `load_NAME(i)`.
    Read,
    /// Read and written: also `store_NAME(i, value)`.
    Write,
    /// Also by atomic instructions; elements of 32 bits only.
    Atomic,
}

/// WGSL for the memory bound as `binding`: a variable `NAME_memory` and the functions of [`Access`].
///
/// ```
/// use bessemer_core::DType;
/// use bessemer_program::wgsl::{Use, declare};
///
/// let text = declare("x", 0, DType::F32, Use::Read);
/// assert!(text.contains("fn load_x(i: i32) -> f32"));
/// ```
pub fn declare(name: &str, binding: usize, dtype: DType, usage: Use) -> String {
    let words = Words::of(dtype, usage);
    let memory = format!("{name}_memory");
    let access = Access { name, memory: &memory, words, dtype, usage, even: false };
    words.variable(&memory, binding, usage != Use::Read) + &access.text()
}

/// How one operand is read and written in a variable, which others may lie in too.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The name of the operand.
    pub name: &'a str,
    /// The name of the variable.
    pub memory: &'a str,
    /// What the variable is declared as.
    pub words: Words,
    /// The dtype of the operand.
    pub dtype: DType,
    /// How it is used.
    pub usage: Use,
    /// Whether all 32 bits of blocks that are read at once are one word.
    pub even: bool,
}

impl Access<'_> {
    /// Functions `load_NAME(i: i32)` and, if it is written, `store_NAME(i: i32, value)`. Elements are
    /// counted from `params.NAME_at`. Blocks are read as words: `half_NAME(i)` is the `i`th 16 bits,
    /// `word_NAME(i)` the 32 bits from there on.
    pub fn text(&self) -> String {
        match (Type::of(self.dtype), self.dtype) {
            _ if is_wide(self.dtype) => self.wide(),
            (None, _) => self.blocks(),
            (Some(ty), DType::F32 | DType::I32 | DType::U32) => self.whole(ty),
            (Some(ty), _) => self.packed(ty),
        }
    }

    fn word(&self, index: &str) -> String {
        self.words.load(self.memory, index, Type::U32)
    }

    fn whole(&self, ty: Type) -> String {
        let Access { name, memory, words, .. } = self;
        let at = format!("params.{name}_at + i");
        let load = words.load(memory, &at, ty);
        let mut text = format!("fn load_{name}(i: i32) -> {ty} {{ return {load}; }}\n");
        if self.usage != Use::Read {
            let store = words.store(memory, &at, ty, "value");
            let _ = writeln!(text, "fn store_{name}(i: i32, value: {ty}) {{ {store} }}");
        }
        text
    }

    /// Elements of 64 bits as pairs of words: integers, and others to be moved as they are.
    fn wide(&self) -> String {
        let Access { name, memory, words, .. } = self;
        let at = format!("    let at = 2 * (params.{name}_at + i);\n");
        let (low, high) = (self.word("at"), self.word("at + 1"));
        let mut text = format!(
            "fn load_{name}(i: i32) -> vec2<u32> {{\n{at}    return vec2<u32>({low}, {high});\n}}\n"
        );
        if self.usage != Use::Read {
            let low = words.store(memory, "at", Type::U32, "value.x");
            let high = words.store(memory, "at + 1", Type::U32, "value.y");
            let _ = writeln!(
                text,
                "fn store_{name}(i: i32, value: vec2<u32>) {{\n{at}    {low}\n    {high}\n}}"
            );
        }
        text
    }

    fn packed(&self, ty: Type) -> String {
        let name = self.name;
        // Elements per word, as a shift; bits of an element; how it is made of them and back.
        let (shift, bits, from, to) = match self.dtype {
            DType::F16 => (1, 16, "half_value(bits)", "half_bits(value)"),
            DType::BF16 => (1, 16, "bfloat_value(bits)", "bfloat_bits(value)"),
            DType::U8 => (2, 8, "bits", "value & 0xffu"),
            DType::I8 => (2, 8, "bitcast<i32>(bits << 24u) >> 24u", "bitcast<u32>(value) & 0xffu"),
            DType::U16 => (1, 16, "bits", "value & 0xffffu"),
            DType::I16 => {
                (1, 16, "bitcast<i32>(bits << 16u) >> 16u", "bitcast<u32>(value) & 0xffffu")
            }
            _ => (2, 8, "bits != 0u", "select(0u, 1u, value)"),
        };
        let mask = (1u32 << bits) - 1;
        let inside = (1u32 << shift) - 1;
        let place = format!("at >> {shift}u");
        let load = self.word(&place);
        let mut text = format!(
            "fn load_{name}(i: i32) -> {ty} {{\n    let at = u32(params.{name}_at + i);\n    \
             let bits = ({load} >> ((at & {inside}u) * {bits}u)) & {mask}u;\n    \
             return {from};\n}}\n"
        );
        if self.usage != Use::Read {
            let flip = self.words.flip(self.memory, &place, &format!("(old ^ ({to})) << shift"));
            let _ = writeln!(
                text,
                "fn store_{name}(i: i32, value: {ty}) {{\n    \
                 let at = u32(params.{name}_at + i);\n    \
                 let shift = (at & {inside}u) * {bits}u;\n    \
                 let old = ({load} >> shift) & {mask}u;\n    {flip}\n}}"
            );
        }
        text
    }

    fn blocks(&self) -> String {
        let name = self.name;
        let half = self.word("at >> 1u");
        let mut text = format!(
            "fn half_{name}(i: i32) -> u32 {{\n    let at = u32(params.{name}_at + i);\n    \
             return ({half} >> ((at & 1u) * 16u)) & 0xffffu;\n}}\n"
        );
        let word = match self.even {
            true => format!("    return {half};"),
            // Both words are read, which are the same where it is one: compilers that make a branch
            // of each early return take minutes for a kernel that calls this often.
            false => format!(
                "    let low = {half};\n    let high = {};\n    \
                 return select(low, (low >> 16u) | (high << 16u), (at & 1u) != 0u);",
                self.word("(at + 1u) >> 1u")
            ),
        };
        let _ = writeln!(
            text,
            "fn word_{name}(i: i32) -> u32 {{\n    let at = u32(params.{name}_at + i);\n{word}\n}}"
        );
        if self.usage != Use::Read {
            let flip = self.words.flip(self.memory, "at >> 1u", "(old ^ value) << shift");
            let _ = writeln!(
                text,
                "fn store_half_{name}(i: i32, value: u32) {{\n    \
                 let at = u32(params.{name}_at + i);\n    let shift = (at & 1u) * 16u;\n    \
                 let old = ({half} >> shift) & 0xffffu;\n    {flip}\n}}"
            );
        }
        text
    }
}
