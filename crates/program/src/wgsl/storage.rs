//! How elements of each dtype are read and written in WGSL, which knows only words.
//!
//! Bytes and 16-bit floats lie packed in words. Reading takes a shift; writing changes only the
//! element's own bits, by an atomic exclusive or with what differs: threads that write other
//! parts of the same word never disturb each other, whatever the strides. That needs no rule
//! about which thread owns which word, and no 16-bit types of the adapter.

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

/// WGSL for the memory bound as `binding`: a variable `NAME_memory`, and functions
/// `load_NAME(i: i32)` and, if it is written, `store_NAME(i: i32, value)`. Elements are counted from
/// `params.NAME_at`. Blocks are read as words: `half_NAME(i)` is the `i`th 16 bits, `word_NAME(i)`
/// the 32 bits from there on.
///
/// ```
/// use bessemer_core::DType;
/// use bessemer_program::wgsl::{Use, declare};
///
/// let text = declare("x", 0, DType::F32, Use::Read);
/// assert!(text.contains("fn load_x(i: i32) -> f32"));
/// ```
pub fn declare(name: &str, binding: usize, dtype: DType, usage: Use) -> String {
    let mut text = String::new();
    let access = if usage == Use::Read { "read" } else { "read_write" };
    let whole = matches!(dtype, DType::F32 | DType::I32 | DType::U32);
    let element = match (dtype, usage) {
        (DType::F32, _) => "f32",
        (DType::I32, Use::Atomic) => "atomic<i32>",
        (DType::I32, _) => "i32",
        (DType::U32, Use::Atomic) => "atomic<u32>",
        (DType::U32, _) | (_, Use::Read) => "u32",
        _ => "atomic<u32>",
    };
    let _ = writeln!(
        text,
        "@group(0) @binding({binding}) var<storage, {access}> {name}_memory: array<{element}>;"
    );
    let load = |index: &str| match element {
        "atomic<u32>" | "atomic<i32>" => format!("atomicLoad(&{name}_memory[{index}])"),
        _ => format!("{name}_memory[{index}]"),
    };
    let Some(ty) = Type::of(dtype) else {
        blocks(&mut text, name, &load, usage);
        return text;
    };
    if whole {
        let at = format!("params.{name}_at + i");
        let _ = writeln!(text, "fn load_{name}(i: i32) -> {ty} {{ return {}; }}", load(&at));
        let store = match usage {
            Use::Read => return text,
            Use::Write => format!("{name}_memory[{at}] = value;"),
            Use::Atomic => format!("atomicStore(&{name}_memory[{at}], value);"),
        };
        let _ = writeln!(text, "fn store_{name}(i: i32, value: {ty}) {{ {store} }}");
        return text;
    }
    // Elements per word, as a shift; bits of an element; how it is made of them and back.
    let (shift, bits, from, to) = match dtype {
        DType::F16 => (1, 16, "half_value(bits)", "half_bits(value)"),
        DType::BF16 => (1, 16, "bfloat_value(bits)", "bfloat_bits(value)"),
        DType::U8 => (2, 8, "bits", "value & 0xffu"),
        _ => (2, 8, "bits != 0u", "select(0u, 1u, value)"),
    };
    let mask = (1u32 << bits) - 1;
    let inside = (1u32 << shift) - 1;
    let _ = writeln!(
        text,
        "fn load_{name}(i: i32) -> {ty} {{\n    let at = u32(params.{name}_at + i);\n    \
         let bits = ({} >> ((at & {inside}u) * {bits}u)) & {mask}u;\n    return {from};\n}}",
        load(&format!("at >> {shift}u"))
    );
    if usage != Use::Read {
        let _ = writeln!(
            text,
            "fn store_{name}(i: i32, value: {ty}) {{\n    let at = u32(params.{name}_at + i);\n    \
             let shift = (at & {inside}u) * {bits}u;\n    \
             let old = ({} >> shift) & {mask}u;\n    \
             atomicXor(&{name}_memory[at >> {shift}u], (old ^ ({to})) << shift);\n}}",
            load(&format!("at >> {shift}u"))
        );
    }
    text
}

fn blocks(text: &mut String, name: &str, load: &dyn Fn(&str) -> String, usage: Use) {
    let _ = writeln!(
        text,
        "fn half_{name}(i: i32) -> u32 {{\n    let at = u32(params.{name}_at + i);\n    \
         return ({} >> ((at & 1u) * 16u)) & 0xffffu;\n}}",
        load("at >> 1u")
    );
    let _ = writeln!(
        text,
        "fn word_{name}(i: i32) -> u32 {{\n    let at = u32(params.{name}_at + i);\n    \
         let word = {};\n    if (at & 1u) == 0u {{ return word; }}\n    \
         return (word >> 16u) | ({} << 16u);\n}}",
        load("at >> 1u"),
        load("(at >> 1u) + 1u")
    );
    if usage != Use::Read {
        let _ = writeln!(
            text,
            "fn store_half_{name}(i: i32, value: u32) {{\n    \
             let at = u32(params.{name}_at + i);\n    let shift = (at & 1u) * 16u;\n    \
             let old = ({} >> shift) & 0xffffu;\n    \
             atomicXor(&{name}_memory[at >> 1u], (old ^ value) << shift);\n}}",
            load("at >> 1u")
        );
    }
}
