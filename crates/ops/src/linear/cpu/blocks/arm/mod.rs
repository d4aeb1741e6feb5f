//! The kernels for Armv8: with the integer dot products of Armv8.2 where there are any, otherwise
//! with widening products. Advanced SIMD itself is on every machine of this architecture.

mod dot;
mod row;
mod tile;

use super::{Kernels, Rows, Tiles};
use bessemer_formats::Format;
use dot::{Dot, Products, Widening};

/// With `sdot`. Only for machines that have it.
pub(super) fn with_dot<F: Format>() -> Kernels {
    kernels::<F, Products>()
}

/// With what every machine has.
pub(super) fn plain<F: Format>() -> Kernels {
    kernels::<F, Widening>()
}

fn kernels<F: Format, D: Dot>() -> Kernels {
    let Kernels { rows, tiles } = Kernels::portable::<F>();
    Kernels {
        rows: Rows { dots: row::dots::<F, D>, ..rows },
        tiles: Tiles { pack: tile::pack::<F>, multiply: tile::multiply::<F, D>, ..tiles },
    }
}
