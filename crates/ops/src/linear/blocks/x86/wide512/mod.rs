//! AVX-512 with VNNI, dense weights of two bytes and many rows: integers of 14 bits with a scale per
//! group, two products of which take one lane of one instruction.
//!
//! A group's scale is a power of two, so weights that are within an eighth of the group's largest
//! (a 64th for `bf16`) are exact. Activations are rounded to 1/8190 of their group's largest, which
//! is finer than making halves of them.

mod multiply;
mod pack;
mod quantise;

use super::super::{
    Format, Tiles,
    activations::{Place, Rule, Source, TILE, Tile},
    panel::{Panel, STRIP},
};
use bessemer_simd::Isa;
use std::ops::Range;

/// The bits of the largest level of a weight: those below 2¹³.
const WEIGHT_BITS: i32 = 13;

/// The largest level of an activation: 32 products with weights stay below 2³¹.
const ACTIVATION: f32 = 8190.0;

/// The kernels for dense weights, only for machines with AVX-512.
pub(in super::super) fn tiles<F: Format>() -> Tiles {
    enter!(quantise => quantise::quantise, (_isa: Isa, rows: &[Source<'_>], rule: Rule, place: Place<'_>, finite: &mut [bool; TILE]));
    enter!(levels => pack::levels::<F>, (rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]));
    enter!(scales => pack::scales::<F>, (_isa: Isa, rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [f32]));
    enter!(multiply => multiply::multiply, (panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool));
    Tiles {
        quantise: quantise::<F>,
        rule: Rule { span: 1, offset: 0, bias: 0 },
        pack: levels::<F>,
        scales: scales::<F>,
        multiply: multiply::<F>,
    }
}
