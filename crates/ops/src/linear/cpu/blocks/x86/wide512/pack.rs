//! Panels: 16 rows of dense weights side by side as integers, and their scales.

use super::{
    super::super::panel::{STRIP, STRIP_BYTES, STRIPS},
    WEIGHT_BITS,
};
use crate::matmul::cpu::turn512::transpose;
use bessemer_core::DType;
use bessemer_formats::Grouped;
use bessemer_simd::Isa;
use std::{arch::x86_64::*, ops::Range};

/// Lays out the levels of a strip: by group, by pairs of it, by row.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn levels<F: Grouped>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    let apart = STRIPS * STRIP_BYTES * F::LEVEL;
    assert!(rows.iter().all(|row| row.len() >= groups.end * F::BYTES));
    assert!(to.len() + apart / 2 >= groups.len() * apart);
    for (i, group) in groups.enumerate() {
        // SAFETY: all rows have the group.
        let pairs = unsafe { pairs::<F>(rows, group) };
        let inverse = inverse(peaks::<F>(&pairs));
        for (j, &pair) in pairs.iter().enumerate() {
            let ints = |value: __m512| _mm512_cvtps_epi32(_mm512_mul_ps(value, inverse));
            let first = ints(floats::<F>(pair));
            let second = ints(floats::<F>(_mm512_srli_epi32::<16>(pair)));
            let both = _mm512_mask_blend_epi16(0xaaaa_aaaa, first, _mm512_slli_epi32::<16>(second));
            // SAFETY: a pair of a group within the strip.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().add(i * apart + j * 64).cast(), both) };
        }
    }
}

/// Writes the scales of a strip; those of groups that are not finite are NaN.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn scales<F: Grouped>(
    _isa: Isa,
    rows: &[&[u8]; STRIP],
    groups: Range<usize>,
    to: &mut [f32],
) {
    assert!(rows.iter().all(|row| row.len() >= groups.end * F::BYTES));
    assert!(to.len() >= (groups.len() - 1) * STRIPS * STRIP + STRIP);
    for (i, group) in groups.enumerate() {
        // SAFETY: all rows have the group.
        let peaks = peaks::<F>(&unsafe { pairs::<F>(rows, group) });
        let unit = _mm512_sub_epi32(exponents(peaks), _mm512_set1_epi32(WEIGHT_BITS - 1));
        let unit = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(unit));
        let unit = _mm512_maskz_mov_ps(usable(peaks), unit);
        let finite = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(peaks, _mm512_set1_ps(f32::INFINITY));
        let unit = _mm512_mask_blend_ps(finite, _mm512_set1_ps(f32::NAN), unit);
        // SAFETY: a group within the strip.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr().add(i * STRIPS * STRIP), unit) };
    }
}

/// Pair `j` of a group of each row.
///
/// # Safety
/// All rows must have the group.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn pairs<F: Grouped>(rows: &[&[u8]; STRIP], group: usize) -> [__m512i; 16] {
    let mut pairs = [_mm512_setzero_ps(); 16];
    for (pairs, row) in pairs.iter_mut().zip(rows) {
        // SAFETY: as the caller promises.
        *pairs = unsafe { _mm512_loadu_ps(row.as_ptr().add(group * F::BYTES).cast()) };
    }
    let mut turned = [_mm512_setzero_si512(); 16];
    for (turned, pair) in turned.iter_mut().zip(transpose(pairs)) {
        *turned = _mm512_castps_si512(pair);
    }
    turned
}

/// The low halves of lanes as floats.
#[inline]
#[target_feature(enable = "avx512f")]
fn floats<F: Grouped>(pair: __m512i) -> __m512 {
    if F::DTYPE == DType::F16 {
        _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pair))
    } else {
        _mm512_castsi512_ps(_mm512_slli_epi32::<16>(pair))
    }
}

/// The largest magnitude of each lane. Magnitudes order like their bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn peaks<F: Grouped>(pairs: &[__m512i; 16]) -> __m512 {
    let mut top = _mm512_setzero_si512();
    for &pair in pairs {
        let magnitudes = _mm512_and_si512(pair, _mm512_set1_epi16(0x7fff));
        top = _mm512_max_epu16(top, magnitudes);
    }
    floats::<F>(_mm512_max_epu16(top, _mm512_srli_epi32::<16>(top)))
}

/// The exponents of floats that are not negative, as they are in their bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn exponents(peaks: __m512) -> __m512i {
    _mm512_srli_epi32::<23>(_mm512_castps_si512(peaks))
}

/// Which groups are not as good as zero: those whose scale and its inverse are normal numbers.
#[inline]
#[target_feature(enable = "avx512f")]
fn usable(peaks: __m512) -> __mmask16 {
    _mm512_cmp_ps_mask::<_CMP_GT_OQ>(peaks, _mm512_set1_ps(1e-30))
}

/// What makes integers of the weights of a lane whose largest magnitude is given: a power of two.
#[inline]
#[target_feature(enable = "avx512f")]
fn inverse(peaks: __m512) -> __m512 {
    let exponent = _mm512_sub_epi32(_mm512_set1_epi32(254 + WEIGHT_BITS - 1), exponents(peaks));
    let inverse = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(exponent));
    _mm512_maskz_mov_ps(usable(peaks), inverse)
}
