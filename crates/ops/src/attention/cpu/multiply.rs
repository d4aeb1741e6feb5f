//! Small matrix products that keep their result in registers.

use bessemer_simd::{Arch, Lanes};

/// A matrix of numbers at even steps.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) values: &'a [f32],
    /// From one row to the next.
    pub(super) row: usize,
    /// From one column to the next.
    pub(super) column: usize,
}

impl<'a> Matrix<'a> {
    fn from(self, row: usize, column: usize) -> Matrix<'a> {
        Matrix { values: &self.values[row * self.row + column * self.column..], ..self }
    }
}

/// `c = a · b`, or `c += a · b` if `ADD`, where `a` is `rows` × `depth` and `b` is `depth` ×
/// `width`. The columns of `b` and `c` are neighbours, and `width` is a multiple of 16.
#[inline(always)]
pub(super) fn multiply<A: Arch, const ADD: bool>(
    a: Matrix<'_>,
    b: Matrix<'_>,
    c: &mut [f32],
    c_row: usize,
    [rows, depth, width]: [usize; 3],
) {
    // As many sums as there are registers for.
    let (most_rows, most_vectors) = if A::F32::LEN == 16 { (6, 4) } else { (4, 2) };
    let mut column = 0;
    while column < width {
        let vectors = ((width - column) / A::F32::LEN).min(most_vectors);
        let b = b.from(0, column);
        let mut row = 0;
        while row < rows {
            let a = a.from(row, 0);
            let c = &mut c[row * c_row + column..];
            let tall = (rows - row).min(most_rows);
            macro_rules! tall {
                ($vectors:literal) => {
                    match tall {
                        6.. => (6, tile::<A, 6, $vectors, ADD>(a, b, c, c_row, depth)).0,
                        4.. => (4, tile::<A, 4, $vectors, ADD>(a, b, c, c_row, depth)).0,
                        3 => (3, tile::<A, 3, $vectors, ADD>(a, b, c, c_row, depth)).0,
                        2 => (2, tile::<A, 2, $vectors, ADD>(a, b, c, c_row, depth)).0,
                        _ => (1, tile::<A, 1, $vectors, ADD>(a, b, c, c_row, depth)).0,
                    }
                };
            }
            row += match vectors {
                4.. => tall!(4),
                2.. => tall!(2),
                _ => tall!(1),
            };
        }
        column += A::F32::LEN * if vectors == 3 { 2 } else { vectors };
    }
}

/// The same for `R` rows and `V` vectors of columns.
#[inline(always)]
fn tile<A: Arch, const R: usize, const V: usize, const ADD: bool>(
    a: Matrix<'_>,
    b: Matrix<'_>,
    c: &mut [f32],
    c_row: usize,
    depth: usize,
) {
    let len = A::F32::LEN;
    let steps = depth.saturating_sub(1);
    assert!(depth == 0 || (R - 1) * a.row + steps * a.column < a.values.len());
    assert!(depth == 0 || steps * b.row + V * len <= b.values.len());
    let mut sums = [[A::F32::splat(0.0); V]; R];
    for k in 0..depth {
        let mut vectors = [A::F32::splat(0.0); V];
        for (v, vector) in vectors.iter_mut().enumerate() {
            // SAFETY: the last of these for the last `k` is within, as asserted above.
            let part = unsafe { b.values.get_unchecked(k * b.row + v * len..) };
            // SAFETY: as above.
            *vector = A::F32::load(unsafe { part.get_unchecked(..len) });
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: the last of these for the last `k` is within, as asserted above.
            let factor = unsafe { *a.values.get_unchecked(r * a.row + k * a.column) };
            let factor = A::F32::splat(factor);
            for (sum, vector) in sums.iter_mut().zip(vectors) {
                *sum = factor.fma(vector, *sum);
            }
        }
    }
    for (r, sums) in sums.into_iter().enumerate() {
        let c = &mut c[r * c_row..][..V * len];
        for (v, sum) in sums.into_iter().enumerate() {
            let c = &mut c[v * len..];
            if ADD { A::F32::load(c).add(sum).store(c) } else { sum.store(c) }
        }
    }
}
