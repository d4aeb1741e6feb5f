//! The kernels for AVX2 and AVX-512 with VNNI.
//!
//! The functions handed out here are safe to call only where their instruction set is; that is
//! what [`Kernels::of`] is asked for.

mod levels;
mod pack;
mod row;
mod row512;
mod tile256;
mod tile512;

use super::{Format, Kernels, MAGIC_BITS};
use bessemer_core::DType;

/// Declares a safe function that calls one compiled for an instruction set.
macro_rules! enter {
    ($name:ident => $target:path, ($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        fn $name<F: Format>($($arg: $type),*) $(-> $result)? {
            // SAFETY: only reachable through the `Kernels` for an instruction set that is here.
            unsafe { $target($($arg),*) }
        }
    };
}

use super::{
    activations::{Row, Tile},
    panel::{Panel, STRIP},
};
use std::ops::Range;

pub(super) fn avx512<F: Format>() -> Kernels {
    enter!(dots => row512::dots::<F>, (rows: &[&[u8]], x: &Row<'_>, groups: usize, sums: &mut [f32]));
    enter!(pack => pack::pack512::<F>, (rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]));
    enter!(multiply => tile512::multiply::<F>, (panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32]));
    // `vpdpbusd` takes levels as unsigned: those of Q8_0 are moved up.
    let raise = if F::DTYPE == DType::Q8_0 { 128 } else { 0 };
    Kernels {
        prepare: row512::prepare::<F>,
        dots: dots::<F>,
        row_offset: row512::offset::<F>(),
        pack: pack::<F>,
        multiply: multiply::<F>,
        offset: F::OFFSET + raise,
        bias: MAGIC_BITS,
    }
}

pub(super) fn avx2<F: Format>() -> Kernels {
    enter!(dots => row::dots_avx2::<F>, (rows: &[&[u8]], x: &Row<'_>, groups: usize, sums: &mut [f32]));
    enter!(pack => pack::pack256::<F>, (rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]));
    enter!(multiply => tile256::multiply::<F>, (panel: Panel<'_>, x: Tile<'_>, sums: &mut [f32]));
    Kernels {
        prepare: |_, x| Row::plain(x),
        dots: dots::<F>,
        row_offset: F::OFFSET,
        pack: pack::<F>,
        multiply: multiply::<F>,
        offset: F::OFFSET,
        bias: 0,
    }
}
