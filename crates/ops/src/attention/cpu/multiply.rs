//! Small matrix products that keep their result in registers.

use bessemer_simd::{Arch, Lanes};

/// A matrix: rows of `step` numbers, of which some count.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) values: &'a [f32],
    pub(super) step: usize,
}

/// `c += a · b`, where `a` is `rows` × `depth`, `b` is `depth` × `width`, and `width` is a multiple
/// of 16.
#[inline(always)]
pub(super) fn multiply_add<A: Arch>(
    a: Matrix<'_>,
    b: Matrix<'_>,
    c: &mut [f32],
    c_step: usize,
    [rows, depth, width]: [usize; 3],
) {
    let mut column = 0;
    while column < width {
        let vectors = (width - column) / A::F32::LEN;
        let mut row = 0;
        while row < rows {
            let a = Matrix { values: &a.values[row * a.step..], ..a };
            let b = Matrix { values: &b.values[column..], ..b };
            let c = &mut c[row * c_step + column..];
            let step = (rows - row).min(4);
            match (step, vectors >= 4) {
                (4, true) => tile::<A, 4, 4>(a, b, c, c_step, depth),
                (3, true) => tile::<A, 3, 4>(a, b, c, c_step, depth),
                (2, true) => tile::<A, 2, 4>(a, b, c, c_step, depth),
                (_, true) => tile::<A, 1, 4>(a, b, c, c_step, depth),
                (4, false) => tile::<A, 4, 1>(a, b, c, c_step, depth),
                (3, false) => tile::<A, 3, 1>(a, b, c, c_step, depth),
                (2, false) => tile::<A, 2, 1>(a, b, c, c_step, depth),
                (_, false) => tile::<A, 1, 1>(a, b, c, c_step, depth),
            }
            row += step;
        }
        column += A::F32::LEN * if vectors >= 4 { 4 } else { 1 };
    }
}

/// The same for `R` rows and `V` vectors of columns.
#[inline(always)]
fn tile<A: Arch, const R: usize, const V: usize>(
    a: Matrix<'_>,
    b: Matrix<'_>,
    c: &mut [f32],
    c_step: usize,
    depth: usize,
) {
    let len = A::F32::LEN;
    let mut sums = [[A::F32::splat(0.0); V]; R];
    for k in 0..depth {
        let b = &b.values[k * b.step..][..V * len];
        let mut vectors = [A::F32::splat(0.0); V];
        for (v, vector) in vectors.iter_mut().enumerate() {
            *vector = A::F32::load(&b[v * len..]);
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            let factor = A::F32::splat(a.values[r * a.step + k]);
            for (sum, vector) in sums.iter_mut().zip(vectors) {
                *sum = factor.fma(vector, *sum);
            }
        }
    }
    for (r, sums) in sums.into_iter().enumerate() {
        let c = &mut c[r * c_step..][..V * len];
        for (v, sum) in sums.into_iter().enumerate() {
            let c = &mut c[v * len..];
            A::F32::load(c).add(sum).store(c);
        }
    }
}
