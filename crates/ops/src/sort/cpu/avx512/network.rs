//! Sorting networks in registers: up to 16 vectors at once.
//!
//! Keys lie in a matrix whose rows are the vectors. First every column is sorted, by comparing
//! whole vectors. Then neighbouring columns are merged, again and again, until all columns after each
//! other are one run; at last the matrix is turned so that the run lies in memory.

use super::vectors::Vectors;
use std::arch::x86_64::*;

/// Repeats a block for each number below `$n`, which is a constant in it.
macro_rules! each {
    ($i:ident < $n:expr, $body:block) => {
        each!(@ $i, $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $i:ident, $n:expr, $body:block, $($number:literal)*) => {
        $(if $number < $n {
            const $i: usize = $number;
            $body
        })*
    };
}

/// Puts the smaller keys of pairs of rows first.
macro_rules! compare {
    ($rows:ident: $(($a:literal, $b:literal)),*) => {{
        $(
            let (a, b) = ($rows[$a], $rows[$b]);
            $rows[$a] = V::min(a, b);
            $rows[$b] = V::max(a, b);
        )*
    }};
}

/// Sorts up to 16 vectors of keys.
///
/// # Safety
/// `from` and `to`, which may be one, have `len` keys, and the machine has AVX-512.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn sort<V: Vectors>(from: *const V::Key, to: *mut V::Key, len: usize) {
    // SAFETY: as the caller promises; more than half of the vectors are whole.
    unsafe {
        match len.div_ceil(V::LANES) {
            0 | 1 => rows::<V, 1>(from, to, len),
            2 => rows::<V, 2>(from, to, len),
            3 | 4 => rows::<V, 4>(from, to, len),
            5..=8 => rows::<V, 8>(from, to, len),
            _ => rows::<V, 16>(from, to, len),
        }
    }
}

/// Sorts up to `R` vectors, but more than half as many.
///
/// # Safety
/// As for [`sort`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn rows<V: Vectors, const R: usize>(from: *const V::Key, to: *mut V::Key, len: usize) {
    // SAFETY: as the caller promises: what is read and written lies below `len`.
    unsafe {
        let most = V::splat(V::MAX);
        let mut rows = [most; R];
        let whole = len / V::LANES;
        each!(I < R, {
            if I < R / 2 || I < whole {
                rows[I] = _mm512_loadu_si512(from.add(I * V::LANES).cast());
            } else if I == whole {
                rows[I] = V::load_first(from.add(I * V::LANES), len % V::LANES, most);
            }
        });
        sort_columns::<V, R>(&mut rows);
        mirror::<V, R, 1>(&mut rows);
        down::<V, R>(&mut rows);
        mirror::<V, R, 3>(&mut rows);
        across::<V, R, 1>(&mut rows);
        down::<V, R>(&mut rows);
        mirror::<V, R, 7>(&mut rows);
        across::<V, R, 2>(&mut rows);
        across::<V, R, 1>(&mut rows);
        down::<V, R>(&mut rows);
        if V::BITS == 4 {
            mirror::<V, R, 15>(&mut rows);
            across::<V, R, 4>(&mut rows);
            across::<V, R, 2>(&mut rows);
            across::<V, R, 1>(&mut rows);
            down::<V, R>(&mut rows);
        }
        lay_out::<V, R>(&mut rows);
        each!(I < R, {
            // The one case with more bits in a row's number than in a lane's.
            let row = rows[if R > V::LANES { I >> 1 | (I & 1) << 3 } else { I }];
            if I < R / 2 || I < whole {
                _mm512_storeu_si512(to.add(I * V::LANES).cast(), row);
            } else if I == whole {
                V::store_first(to.add(I * V::LANES), len % V::LANES, row);
            }
        });
    }
}

/// The lanes that are the second of two which `turn` exchanges.
const fn second(turn: u32) -> u32 {
    let (mut mask, mut lane) = (0, 0);
    while lane < 16 {
        mask |= (lane >> turn.ilog2() & 1) << lane;
        lane += 1;
    }
    mask
}

/// # Safety
/// The machine has AVX-512, as for all that follow.
#[inline(always)]
unsafe fn sort_columns<V: Vectors, const R: usize>(rows: &mut [__m512i; R]) {
    // SAFETY: as the caller promises.
    unsafe {
        match R {
            1 => {}
            2 => compare!(rows: (0, 1)),
            4 => compare!(rows: (0, 1), (2, 3), (0, 2), (1, 3), (1, 2)),
            8 => compare!(rows:
                (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7), (0, 1), (2, 3),
                (4, 5), (6, 7), (2, 4), (3, 5), (1, 4), (3, 6), (1, 2), (3, 4), (5, 6)),
            _ => compare!(rows:
            (0, 13), (1, 12), (2, 15), (3, 14), (4, 8), (5, 6), (7, 11), (9, 10),
            (0, 5), (1, 7), (2, 9), (3, 4), (6, 13), (8, 14), (10, 15), (11, 12),
            (0, 1), (2, 3), (4, 5), (6, 8), (7, 9), (10, 11), (12, 13), (14, 15),
            (0, 2), (1, 3), (4, 10), (5, 11), (6, 7), (8, 9), (12, 14), (13, 15),
            (1, 2), (3, 12), (4, 6), (5, 7), (8, 10), (9, 11), (13, 14),
            (1, 4), (2, 6), (5, 8), (7, 10), (9, 13), (11, 14),
            (2, 4), (3, 6), (9, 12), (11, 13),
            (3, 5), (6, 8), (7, 9), (10, 12),
            (3, 4), (5, 6), (7, 8), (9, 10), (11, 12), (6, 7), (8, 9)),
        }
    }
}

/// Compares the first key of two runs with the last, the second with the one before that, and so on:
/// the runs are the columns that `TURN` exchanges.
#[inline(always)]
unsafe fn mirror<V: Vectors, const R: usize, const TURN: u32>(rows: &mut [__m512i; R]) {
    let second = second(TURN) & V::ALL;
    // SAFETY: as the caller promises.
    unsafe {
        if R == 1 {
            return across::<V, R, TURN>(rows);
        }
        each!(I < R / 2, {
            let (a, b) = (rows[I], rows[R - 1 - I]);
            let (beside_a, beside_b) = (V::turn::<TURN>(b), V::turn::<TURN>(a));
            rows[I] = V::max_in(second, V::min(a, beside_a), a, beside_a);
            rows[R - 1 - I] = V::max_in(second, V::min(b, beside_b), b, beside_b);
        });
    }
}

/// Compares columns that `TURN` exchanges.
#[inline(always)]
unsafe fn across<V: Vectors, const R: usize, const TURN: u32>(rows: &mut [__m512i; R]) {
    let second = second(TURN) & V::ALL;
    // SAFETY: as the caller promises.
    unsafe {
        each!(I < R, {
            let beside = V::turn::<TURN>(rows[I]);
            rows[I] = V::max_in(second, V::min(rows[I], beside), rows[I], beside);
        });
    }
}

/// Sorts columns that rise and then fall.
#[inline(always)]
unsafe fn down<V: Vectors, const R: usize>(rows: &mut [__m512i; R]) {
    // SAFETY: as the caller promises.
    unsafe {
        down_by::<V, R, 8>(rows);
        down_by::<V, R, 4>(rows);
        down_by::<V, R, 2>(rows);
        down_by::<V, R, 1>(rows);
    }
}

#[inline(always)]
#[allow(clippy::bad_bit_mask)] // `each!` makes a constant of I, zero among them.
unsafe fn down_by<V: Vectors, const R: usize, const STEP: usize>(rows: &mut [__m512i; R]) {
    if STEP < R {
        each!(I < R, {
            if I & STEP == 0 {
                let (a, b) = (rows[I], rows[I + STEP]);
                // SAFETY: as the caller promises.
                unsafe {
                    rows[I] = V::min(a, b);
                    rows[I + STEP] = V::max(a, b);
                }
            }
        });
    }
}

/// Makes rows of columns: bits of the number of a row and of that of a lane change places.
#[inline(always)]
unsafe fn lay_out<V: Vectors, const R: usize>(rows: &mut [__m512i; R]) {
    let (row_bits, lane_bits) = (R.ilog2(), V::BITS);
    // SAFETY: as the caller promises.
    unsafe {
        match (lane_bits, R) {
            (_, 1) => {}
            (4, 2) => exchange::<V, R, 1, 8>(rows),
            (4, 4) => {
                exchange::<V, R, 2, 8>(rows);
                exchange::<V, R, 1, 4>(rows);
            }
            (4, 8) => {
                exchange::<V, R, 4, 8>(rows);
                exchange::<V, R, 2, 4>(rows);
                exchange::<V, R, 1, 2>(rows);
            }
            (4, _) => {
                exchange::<V, R, 8, 8>(rows);
                exchange::<V, R, 4, 4>(rows);
                exchange::<V, R, 2, 2>(rows);
                exchange::<V, R, 1, 1>(rows);
            }
            (_, 2) => exchange::<V, R, 1, 4>(rows),
            (_, 4) => {
                exchange::<V, R, 2, 4>(rows);
                exchange::<V, R, 1, 2>(rows);
            }
            _ => {
                exchange::<V, R, 4, 4>(rows);
                exchange::<V, R, 2, 2>(rows);
                exchange::<V, R, 1, 1>(rows);
            }
        }
        if 0 < row_bits && row_bits < lane_bits {
            // The bits of a lane's number are those of the row, then the rest of its own.
            let order: [u8; 16] = std::array::from_fn(|i| {
                let (column, row) = (i >> row_bits, i & (R - 1));
                (row << (lane_bits - row_bits) | column) as u8 & (V::LANES - 1) as u8
            });
            each!(I < R, {
                rows[I] = V::permute(order, rows[I]);
            });
        }
    }
}

/// Makes the bit `ROW` of a row's number the bit `LANE` of a lane's, and the other way round.
#[inline(always)]
#[allow(clippy::bad_bit_mask)] // `each!` makes a constant of I, zero among them.
unsafe fn exchange<V: Vectors, const R: usize, const ROW: usize, const LANE: u32>(
    rows: &mut [__m512i; R],
) {
    let second = second(LANE) & V::ALL;
    each!(I < R, {
        if I & ROW == 0 {
            let (a, b) = (rows[I], rows[I + ROW]);
            // SAFETY: as the caller promises.
            unsafe {
                rows[I] = V::blend(second, a, V::turn::<LANE>(b));
                rows[I + ROW] = V::blend(second, V::turn::<LANE>(a), b);
            }
        }
    });
}
