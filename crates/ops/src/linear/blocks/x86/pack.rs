//! Panels: the levels of 16 rows of weights side by side.

use super::{
    super::{
        format::{Format, GROUP},
        panel::{STRIP, STRIP_BYTES},
    },
    levels::levels,
};
use bessemer_core::DType;
use std::{arch::x86_64::*, ops::Range};

/// Lays out the levels of a strip; those of Q8_0 plus 128.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(super) fn pack512<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    let flip = if F::DTYPE == DType::Q8_0 { -128 } else { 0 };
    let flip = _mm256_set1_epi8(flip);
    let order = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    for (at, group) in groups.enumerate() {
        let to = &mut to[at * 2 * STRIP_BYTES..][..STRIP_BYTES];
        // Two rows per vector, their fours taking turns.
        let pair = |i: usize| {
            let row = |i: usize| {
                let block = &rows[i][group / F::GROUPS * F::BYTES..][..F::BYTES];
                // SAFETY: the slice is a whole block.
                let levels = unsafe { levels::<F>(block.as_ptr(), group % F::GROUPS) };
                _mm256_xor_si256(levels, flip)
            };
            let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(row(2 * i)), row(2 * i + 1));
            _mm512_permutexvar_epi32(order, both)
        };
        let rows: [__m512i; 8] =
            [pair(0), pair(1), pair(2), pair(3), pair(4), pair(5), pair(6), pair(7)];
        // Now an 8×8 transpose of pairs.
        for odd in 0..2 {
            let zip = |i: usize| {
                if odd == 0 {
                    _mm512_unpacklo_epi64(rows[i], rows[i + 1])
                } else {
                    _mm512_unpackhi_epi64(rows[i], rows[i + 1])
                }
            };
            let (a, b, c, d) = (zip(0), zip(2), zip(4), zip(6));
            let (ab, cd) = (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0x44>(c, d));
            let (ef, gh) = (_mm512_shuffle_i64x2::<0xee>(a, b), _mm512_shuffle_i64x2::<0xee>(c, d));
            let fours = [
                _mm512_shuffle_i64x2::<0x88>(ab, cd),
                _mm512_shuffle_i64x2::<0xdd>(ab, cd),
                _mm512_shuffle_i64x2::<0x88>(ef, gh),
                _mm512_shuffle_i64x2::<0xdd>(ef, gh),
            ];
            for (i, four) in fours.into_iter().enumerate() {
                let to = &mut to[(2 * i + odd) * 64..][..64];
                // SAFETY: the slice is 64 bytes.
                unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), four) };
            }
        }
    }
}

/// Lays out the levels of a strip.
#[target_feature(enable = "avx2")]
pub(super) fn pack256<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    for (at, group) in groups.enumerate() {
        let to = &mut to[at * 2 * STRIP_BYTES..][..STRIP_BYTES];
        for (i, row) in rows.iter().enumerate() {
            let block = &row[group / F::GROUPS * F::BYTES..][..F::BYTES];
            let mut bytes = [0u8; GROUP];
            // SAFETY: the slice is a whole block, and the array is 32 bytes.
            unsafe {
                let levels = levels::<F>(block.as_ptr(), group % F::GROUPS);
                _mm256_storeu_si256(bytes.as_mut_ptr().cast(), levels);
            }
            for (j, four) in bytes.as_chunks::<4>().0.iter().enumerate() {
                to[(j * STRIP + i) * 4..][..4].copy_from_slice(four);
            }
        }
    }
}
