//! The kernels for AVX2 and AVX-512 with VNNI.
//!
//! The functions handed out here are safe to call only where their instruction set is; that is
//! what [`Kernels::of`] is asked for.

/// Declares a safe function that calls one compiled for an instruction set.
macro_rules! enter {
    ($name:ident $(<F: $bound:ident>)? => $target:path, ($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        fn $name$(<F: $bound>)?($($arg: $type),*) $(-> $result)? {
            // SAFETY: only reachable through the `Kernels` for an instruction set that is here.
            unsafe { $target($($arg),*) }
        }
    };
}

mod eight512;
mod interleave512;
mod pack;
mod quantise512;
mod row;
mod row512;
mod tile256;
mod tile512;
pub(in crate::linear) mod wide512;

use super::{Kernels, Rows, Tiles, activations::MAGIC_BITS};

use super::{
    activations::{Place, Row, Rule, Source, TILE, Tile},
    few::{Streams, Sums},
    panel::{Panel, STRIP},
};
use bessemer_formats::Format;
use bessemer_simd::Isa;
use std::ops::Range;

pub(super) fn avx512<F: Format>() -> Kernels {
    enter!(quantise<F: Format> => quantise512::quantise::<F>, (_isa: Isa, rows: &[Source<'_>], rule: Rule, place: Place<'_>, finite: &mut [bool; TILE]));
    enter!(dots<F: Format> => row512::dots::<F>, (weights: &Streams<'_>, x: &Row<'_>, groups: usize, sums: &mut Sums));
    enter!(pack<F: Format> => pack::pack512::<F>, (rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]));
    enter!(scales<F: Format> => pack::scales512::<F>, (_isa: Isa, rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [f32]));
    enter!(multiply<F: Format> => tile512::multiply::<F>, (panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool));
    // `vpdpbusd` takes levels as unsigned: those that go below zero are raised.
    let raise = if F::SIGNED { 128 } else { 0 };
    let (span, offset) = (tile512::span::<F>(), F::OFFSET + raise);
    Kernels {
        rows: Rows {
            prepare: |cpu, layer, detail| {
                // SAFETY: as in `enter`.
                unsafe { row512::prepare::<F>(cpu, layer, detail) }
            },
            dots: dots::<F>,
        },
        tiles: Tiles {
            height: TILE,
            quantise: quantise::<F>,
            rule: Rule { span, offset, bias: MAGIC_BITS },
            pack: pack::<F>,
            scales: scales::<F>,
            multiply: multiply::<F>,
        },
    }
}

pub(super) fn avx2<F: Format>() -> Kernels {
    enter!(dots<F: Format> => row::dots_avx2::<F>, (weights: &Streams<'_>, x: &Row<'_>, groups: usize, sums: &mut Sums));
    enter!(pack<F: Format> => pack::pack256::<F>, (rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]));
    enter!(multiply<F: Format> => tile256::multiply::<F>, (panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32], fresh: bool));
    let Kernels { rows, tiles } = Kernels::portable::<F>();
    Kernels {
        rows: Rows { dots: dots::<F>, ..rows },
        tiles: Tiles { pack: pack::<F>, multiply: multiply::<F>, ..tiles },
    }
}
