//! Transposing dense matrices with AVX-512, 16 by 16 elements at a time.

use bessemer_core::DType;
use std::arch::x86_64::*;

/// Elements of a side.
const SIDE: usize = 16;

/// Lines of elements without gaps in between: those of one line follow each other.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) dtype: DType,
    pub(super) first: *const u8,
    /// How far apart lines are, in elements.
    pub(super) step: isize,
    pub(super) count: usize,
    pub(super) len: usize,
}

impl Lines {
    fn place(&self, line: usize, at: usize) -> *const u8 {
        let element = line as isize * self.step + at as isize;
        self.first.wrapping_offset(element * self.dtype.block_bytes() as isize)
    }
}

/// Writes lines as `f32` side by side: the first element of each, then `width` further on the
/// second of each, and so on.
///
/// # Safety
/// The elements must be there, of a float dtype, and room for them, and the machine must have
/// AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,f16c")]
pub(super) unsafe fn turn(lines: Lines, to: *mut f32, width: usize) {
    // Along the rows that are written first, so that they are written as a whole.
    for start in (0..lines.len).step_by(SIDE) {
        let len = SIDE.min(lines.len - start);
        for first in (0..lines.count).step_by(SIDE) {
            let count = SIDE.min(lines.count - first);
            let mut vectors = [_mm512_setzero_ps(); SIDE];
            for (i, vector) in vectors.iter_mut().enumerate().take(count) {
                // SAFETY: as the caller promises.
                *vector = unsafe { load(lines.dtype, lines.place(first + i, start), mask(len)) };
            }
            for (i, &vector) in transpose(vectors).iter().enumerate().take(len) {
                let at = (start + i) * width + first;
                // SAFETY: as the caller promises.
                unsafe { _mm512_mask_storeu_ps(to.add(at), mask(count), vector) };
            }
        }
    }
}

/// The first `count` lanes.
fn mask(count: usize) -> __mmask16 {
    ((1u32 << count) - 1) as __mmask16
}

/// Up to 16 elements from `at` on.
///
/// # Safety
/// They must be there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,f16c")]
unsafe fn load(dtype: DType, at: *const u8, there: __mmask16) -> __m512 {
    // SAFETY: as the caller promises.
    unsafe {
        match dtype {
            DType::F32 => _mm512_maskz_loadu_ps(there, at.cast()),
            DType::F16 => _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(there, at.cast())),
            _ => {
                let bits = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, at.cast()));
                _mm512_castsi512_ps(_mm512_slli_epi32::<16>(bits))
            }
        }
    }
}

/// Lane `i` of vector `j` becomes lane `j` of vector `i`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn transpose(rows: [__m512; 16]) -> [__m512; 16] {
    let mut twos = rows;
    for i in 0..8 {
        let (a, b) = (rows[2 * i], rows[2 * i + 1]);
        twos[2 * i] = _mm512_unpacklo_ps(a, b);
        twos[2 * i + 1] = _mm512_unpackhi_ps(a, b);
    }
    // Quarter q of vector 4i + j: element 4q + j of rows 4i to 4i + 3.
    let mut fours = twos;
    for i in 0..4 {
        for j in 0..2 {
            let (a, b) = (_mm512_castps_pd(twos[4 * i + j]), _mm512_castps_pd(twos[4 * i + 2 + j]));
            fours[4 * i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            fours[4 * i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    }
    let mut out = fours;
    for j in 0..4 {
        let (a, b, c, d) = (fours[j], fours[4 + j], fours[8 + j], fours[12 + j]);
        let ab_even = _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b);
        let ab_odd = _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b);
        let cd_even = _mm512_shuffle_f32x4::<0b10_00_10_00>(c, d);
        let cd_odd = _mm512_shuffle_f32x4::<0b11_01_11_01>(c, d);
        out[j] = _mm512_shuffle_f32x4::<0b10_00_10_00>(ab_even, cd_even);
        out[8 + j] = _mm512_shuffle_f32x4::<0b11_01_11_01>(ab_even, cd_even);
        out[4 + j] = _mm512_shuffle_f32x4::<0b10_00_10_00>(ab_odd, cd_odd);
        out[12 + j] = _mm512_shuffle_f32x4::<0b11_01_11_01>(ab_odd, cd_odd);
    }
    out
}
