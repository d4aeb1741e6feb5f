//! Programs as WGSL. The text depends on the program and on how many dimensions there are; sizes,
//! strides and places are numbers bound at launch ([`Slot`]), so a program is compiled once for
//! all shapes.
//!
//! Words are all that WGSL stores: `storage` says how smaller elements are packed, and `wide.wgsl` has
//! integers of 64 bits. There is no `f64`. Functions are
//! our own where WGSL's may be less exact (`maths.wgsl`). Reads outside a buffer give
//! zero, and writes outside are ignored.

mod body;
mod inst;
mod module;
mod sharing;
mod storage;
mod words;

pub use module::{
    Slot, THREADS, kernel, kernel_slots, map, map_slots, shareable, value, value_slots,
};
pub use sharing::Sharing;
pub use storage::{Access, PACKED, Use, declare};
pub use words::Words;

/// Functions of integers of 64 bits, which WGSL has as pairs of words; they need nothing else.
pub const WIDE: &str = include_str!("wide.wgsl");

/// What values of a type are in WGSL: integers of 64 bits are pairs of words.
pub fn type_name(ty: crate::Type) -> &'static str {
    if ty.is_wide() { "vec2<u32>" } else { ty.name() }
}

/// Functions of `f32` that are exact enough to have one meaning on every device; they need
/// nothing else.
pub const MATHS: &str = include_str!("maths.wgsl");
