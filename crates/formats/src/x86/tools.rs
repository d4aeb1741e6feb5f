//! Building blocks for unpacking formats.

use super::{LANES, STEP};
use std::arch::x86_64::*;

/// 16 bytes: the low halves, then the high ones.
///
/// # Safety
/// The bytes must be there.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn nibbles(bytes: *const u8) -> __m256i {
    // SAFETY: as the caller promises.
    let bytes = unsafe { _mm_loadu_si128(bytes.cast()) };
    let both = _mm256_set_m128i(_mm_srli_epi16(bytes, 4), bytes);
    _mm256_and_si256(both, _mm256_set1_epi8(15))
}

/// 32 bytes: the low halves, or with a shift of 4 the high ones.
///
/// # Safety
/// The bytes must be there.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn half_bytes(bytes: *const u8, shift: usize) -> __m256i {
    // SAFETY: as the caller promises.
    let bytes = unsafe { _mm256_loadu_si256(bytes.cast()) };
    let moved = if shift == 0 { bytes } else { _mm256_srli_epi16(bytes, 4) };
    _mm256_and_si256(moved, _mm256_set1_epi8(15))
}

/// 32 bits: 16 where one is set.
///
/// # Safety
/// Four bytes must be there.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn fifths(bits: *const u8) -> __m256i {
    // SAFETY: as the caller promises.
    let bits = _mm256_set1_epi32(unsafe { bits.cast::<i32>().read_unaligned() });
    let spread =
        _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let each = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let bits = _mm256_and_si256(_mm256_shuffle_epi8(bits, spread), each);
    _mm256_and_si256(_mm256_cmpeq_epi8(bits, each), _mm256_set1_epi8(16))
}

/// Bits of 32 bytes, moved from bit `from` to bit `to`; those of `mask` are kept.
///
/// # Safety
/// The bytes must be there.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn shifted_bits(bytes: *const u8, from: usize, to: usize, mask: i8) -> __m256i {
    // SAFETY: as the caller promises.
    let bits = unsafe { _mm256_loadu_si256(bytes.cast()) };
    let up = _mm_cvtsi32_si128(to as i32 - from.min(to) as i32);
    let down = _mm_cvtsi32_si128(from.max(to) as i32 - to as i32);
    let bits = _mm256_srl_epi16(_mm256_sll_epi16(bits, up), down);
    _mm256_and_si256(bits, _mm256_set1_epi8(mask))
}

/// A half as a float.
///
/// # Safety
/// It must be there.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(crate) unsafe fn half(at: *const u8) -> f32 {
    // SAFETY: as the caller promises.
    let bits = unsafe { at.cast::<u16>().read_unaligned() };
    _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(i32::from(bits))))
}

/// The low and the high halves of bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn nibbles512(bytes: __m512i) -> [__m512i; 2] {
    let fifteen = _mm512_set1_epi8(15);
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), fifteen);
    [_mm512_and_si512(bytes, fifteen), high]
}

/// Levels plus 16 where a bit is set.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(crate) fn fifth(levels: __m512i, bits: u64) -> __m512i {
    _mm512_mask_add_epi8(levels, bits, levels, _mm512_set1_epi8(16))
}

/// One number in the words of the lower half, another in those of the upper.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn halves_of_words([low, high]: [i16; 2]) -> __m512i {
    let low = _mm512_castsi256_si512(_mm256_set1_epi16(low));
    _mm512_inserti64x4::<1>(low, _mm256_set1_epi16(high))
}

/// 16 bytes of each of four blocks, from `place` on.
///
/// # Safety
/// They must be there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn sixteens(blocks: [*const u8; STEP], place: usize) -> __m512i {
    // SAFETY: as the caller promises.
    unsafe {
        let of = |i: usize| _mm_loadu_si128(blocks[i].add(place).cast());
        let bytes = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(of(0)), of(1));
        _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(bytes, of(2)), of(3))
    }
}

/// 16 bytes of each row from byte `at` on: four of them per row in each vector.
///
/// # Safety
/// All rows must have them.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn fours(rows: &[&[u8]; LANES], at: usize) -> [__m512i; 4] {
    // SAFETY: as the caller promises.
    let row = |i: usize| unsafe { _mm_loadu_si128(rows[i].as_ptr().add(at).cast()) };
    // Every fourth row, so that the transposition stays within quarters.
    let some = |i: usize| {
        let bytes = _mm512_castsi128_si512(row(i));
        let bytes = _mm512_inserti32x4::<1>(bytes, row(i + 4));
        let bytes = _mm512_inserti32x4::<2>(bytes, row(i + 8));
        _mm512_inserti32x4::<3>(bytes, row(i + 12))
    };
    let (a, b, c, d) = (some(0), some(1), some(2), some(3));
    let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
    let (ef, gh) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab, cd),
        _mm512_unpackhi_epi64(ab, cd),
        _mm512_unpacklo_epi64(ef, gh),
        _mm512_unpackhi_epi64(ef, gh),
    ]
}

/// Four bytes of each row.
///
/// # Safety
/// All rows must have them.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn words_of_rows(rows: &[&[u8]; LANES], at: usize) -> __m512i {
    let mut words = [0i32; LANES];
    for (word, row) in words.iter_mut().zip(rows) {
        // SAFETY: as the caller promises.
        *word = unsafe { row.as_ptr().add(at).cast::<i32>().read_unaligned() };
    }
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}
