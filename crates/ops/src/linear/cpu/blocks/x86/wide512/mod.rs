//! AVX-512 with VNNI, dense weights of two bytes and many rows: integers of 14 bits with a scale per
//! group, two products of which take one lane of one instruction.
//!
//! A group's scale is a power of two, so weights that are within an eighth of the group's largest
//! (a 64th for `bf16`) are exact. Activations are rounded to 1/8190 of their group's largest, which
//! is finer than making halves of them.

mod grouped;
mod multiply;
mod pack;
mod quantise;

use super::super::{
    Layer, Tiles,
    activations::{Place, Rule, Source, TILE, Tile},
    panel::{Panel, STRIP},
    with_tiles,
};
use bessemer_core::{DType, cpu::CpuContext};
use bessemer_formats::{GROUP, Grouped};
use bessemer_simd::Isa;
use grouped::{BF16, F16};
use std::ops::Range;

/// The bits of the largest level of a weight: those below 2¹³.
const WEIGHT_BITS: i32 = 13;

/// The largest level of an activation: 32 products with weights stay below 2³¹.
const ACTIVATION: f32 = 8190.0;

/// One layer of dense weights whose rows have no gaps, if there is integer code for it on this machine.
/// Returns whether there was.
pub(in crate::linear) fn dense(layer: &Layer<'_>, cpu: &CpuContext<'_>) -> bool {
    let (_, k, _) = layer.sizes();
    if cpu.isa() != Isa::Avx512 || k == 0 || !k.is_multiple_of(GROUP) {
        return false;
    }
    match layer.weight.dtype() {
        DType::F16 => with_tiles::<F16>(layer, cpu, &tiles::<F16>()),
        DType::BF16 => with_tiles::<BF16>(layer, cpu, &tiles::<BF16>()),
        _ => return false,
    }
    true
}

/// The kernels, only for machines with AVX-512.
fn tiles<F: Grouped>() -> Tiles {
    enter!(quantise => quantise::quantise, (_isa: Isa, rows: &[Source<'_>], rule: Rule, place: Place<'_>, finite: &mut [bool; TILE]));
    enter!(levels<F: Grouped> => pack::levels::<F>, (rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]));
    enter!(scales<F: Grouped> => pack::scales::<F>, (_isa: Isa, rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [f32]));
    enter!(multiply => multiply::multiply, (panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool));
    Tiles {
        height: TILE,
        quantise,
        rule: Rule { span: 1, offset: 0, bias: 0 },
        pack: levels::<F>,
        scales: scales::<F>,
        multiply,
    }
}
