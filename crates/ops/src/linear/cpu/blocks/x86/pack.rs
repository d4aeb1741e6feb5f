//! Panels: the levels and scales of 16 rows of weights side by side.

use super::super::panel::{STRIP, STRIP_BYTES, STRIPS};
use bessemer_formats::{Format, GROUP};
use bessemer_simd::Isa;
use std::{arch::x86_64::*, ops::Range};

/// Lays out the levels of a strip; those that go below zero plus 128.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(super) fn pack512<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    let blocks = groups.start / F::GROUPS..groups.end / F::GROUPS;
    assert!(rows.iter().all(|row| row.len() >= blocks.end * F::BYTES));
    assert!(to.len() + (STRIPS - 1) * STRIP_BYTES >= groups.len() * STRIPS * STRIP_BYTES);
    for (i, block) in blocks.enumerate() {
        let put = |group: usize, j: usize, levels: __m512i| {
            debug_assert!(group < F::GROUPS && j < 8);
            let at = (i * F::GROUPS + group) * STRIPS * STRIP_BYTES + j * 64;
            // SAFETY: a four of a group within the strip.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().add(at).cast(), levels) };
        };
        // SAFETY: all rows have the block, by the assertion above.
        unsafe { F::pack512(rows, block * F::BYTES, put) };
    }
}

/// Lays out the scales of a strip.
#[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
pub(super) fn scales512<F: Format>(
    _isa: Isa,
    rows: &[&[u8]; STRIP],
    groups: Range<usize>,
    to: &mut [f32],
) {
    let size = STRIPS * F::SCALES * STRIP;
    if F::GROUPS == 1 {
        for (at, group) in groups.enumerate() {
            let heads: [u32; STRIP] = std::array::from_fn(|i| {
                let head = &rows[i][group * F::BYTES..][..4];
                u32::from_le_bytes([head[0], head[1], head[2], head[3]])
            });
            // SAFETY: the array is 64 bytes.
            let heads = unsafe { _mm512_loadu_si512(heads.as_ptr().cast()) };
            let to = &mut to[at * size..][..F::SCALES * STRIP];
            let low = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(heads));
            // SAFETY: the slice is of 16 floats for each scale.
            unsafe { _mm512_storeu_ps(to.as_mut_ptr(), low) };
            if F::MINS {
                let high = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(heads));
                // SAFETY: as above.
                unsafe { _mm512_storeu_ps(to.as_mut_ptr().add(STRIP), _mm512_cvtph_ps(high)) };
            }
        }
        return;
    }
    let ramp = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let down = _mm512_slli_epi32::<4>(ramp);
    for (at, block) in (groups.start / F::GROUPS..groups.end / F::GROUPS).enumerate() {
        let mut all = [0.0f32; STRIP * STRIP];
        for (row, all) in rows.iter().zip(all.chunks_exact_mut(STRIP)) {
            let block = &row[block * F::BYTES..][..F::BYTES];
            // SAFETY: a whole block, and a chunk is 16 floats.
            unsafe { _mm512_storeu_ps(all.as_mut_ptr(), F::scales512(block.as_ptr())) };
        }
        for group in 0..F::GROUPS {
            let to = &mut to[(at * F::GROUPS + group) * size..][..2 * STRIP];
            for s in 0..2 {
                // Scales of halves follow each other, minima follow all scales.
                let column = if F::HALVES { 2 * group + s } else { group + 8 * s };
                // SAFETY: elements `column` of 16 rows of 16, and the slice is twice 16 floats.
                unsafe {
                    let from = all.as_ptr().add(column);
                    let scales = _mm512_i32gather_ps::<4>(down, from.cast());
                    _mm512_storeu_ps(to.as_mut_ptr().add(s * STRIP), scales);
                }
            }
        }
    }
}

/// Lays out the levels of a strip.
#[target_feature(enable = "avx2")]
pub(super) fn pack256<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    for (at, group) in groups.enumerate() {
        let to = &mut to[at * STRIPS * STRIP_BYTES..][..STRIP_BYTES];
        for (i, row) in rows.iter().enumerate() {
            let block = &row[group / F::GROUPS * F::BYTES..][..F::BYTES];
            let mut bytes = [0u8; GROUP];
            // SAFETY: the slice is a whole block, and the array is 32 bytes.
            unsafe {
                let levels = F::levels256(block.as_ptr(), group % F::GROUPS);
                _mm256_storeu_si256(bytes.as_mut_ptr().cast(), levels);
            }
            for (j, four) in bytes.as_chunks::<4>().0.iter().enumerate() {
                to[(j * STRIP + i) * 4..][..4].copy_from_slice(four);
            }
        }
    }
}
