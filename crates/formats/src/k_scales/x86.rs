//! The scales and the low bits of Q4_K and Q5_K in vectors.

use super::unpack;
use crate::x86::{LANES, fifth, fours, half, nibbles512};
use std::arch::x86_64::*;

/// Eight unsigned bytes as floats.
#[inline]
#[target_feature(enable = "avx2")]
fn floats(bytes: [u8; 8]) -> __m256 {
    let bytes = _mm_cvtsi64_si128(i64::from_le_bytes(bytes));
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes))
}

/// The scales of a block, and its minima, which are not positive.
///
/// # Safety
/// The machine must have AVX2 and F16C, and the block must be there.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(crate) unsafe fn scales256(block: *const u8) -> [__m256; 2] {
    // SAFETY: as the caller promises.
    let (d, dmin, packed) = unsafe { (half(block), half(block.add(2)), &*block.add(4).cast()) };
    let (scales, mins) = unpack(packed);
    [
        _mm256_mul_ps(_mm256_set1_ps(d), floats(scales)),
        _mm256_mul_ps(_mm256_set1_ps(-dmin), floats(mins)),
    ]
}

/// The same in one vector.
///
/// # Safety
/// The machine must have AVX-512 and F16C, and the block must be there.
#[inline]
#[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn scales512(block: *const u8) -> __m512 {
    // SAFETY: as the caller promises.
    let (d, dmin, packed) = unsafe { (half(block), half(block.add(2)), &*block.add(4).cast()) };
    let (scales, mins) = unpack(packed);
    let both = _mm_set_epi64x(i64::from_le_bytes(mins), i64::from_le_bytes(scales));
    let both = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(both));
    let units =
        _mm512_mask_sub_ps(_mm512_set1_ps(d), 0xff00, _mm512_setzero_ps(), _mm512_set1_ps(dmin));
    _mm512_mul_ps(both, units)
}

/// The scales of two neighbouring blocks of `bytes` bytes, and their negated minima.
///
/// # Safety
/// The machine must have AVX-512 and F16C, and the blocks must be there.
#[inline]
#[target_feature(enable = "avx2,f16c,avx512f,avx512vl")]
pub(crate) unsafe fn scales_of_two(blocks: *const u8, bytes: usize) -> (__m512, __m512) {
    // SAFETY: as the caller promises. Blocks begin with two halves and 12 bytes of scales.
    let head = |i: usize| unsafe { _mm_loadu_si128(blocks.add(i * bytes).cast()) };
    let (first, second) = (head(0), head(1));
    let heads = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second);
    // By fours: scales, scales, minima, minima. Of the latter fours each, four bits are in the last
    // bytes, and the upper two lie above the six bits of the former fours.
    let by_four = |fours: [i32; 4]| {
        let [a, b, c, d] = fours.map(|byte| byte * 0x0101_0101);
        _mm256_setr_epi32(a, b, c, d, a, b, c, d)
    };
    let low = _mm256_shuffle_epi32::<0b11_10_11_01>(heads);
    let low = _mm256_srlv_epi32(low, _mm256_setr_epi32(0, 0, 0, 4, 0, 0, 0, 4));
    let low = _mm256_and_si256(low, by_four([63, 15, 63, 15]));
    let top = _mm256_srli_epi32::<2>(_mm256_shuffle_epi32::<0b10_10_01_01>(heads));
    // a | (b & c)
    let all = _mm256_ternarylogic_epi32::<0xf8>(low, top, by_four([0, 48, 0, 48]));
    // Scales of both blocks, then minima of both.
    let all = _mm256_permute4x64_epi64::<0b11_01_10_00>(all);
    let floats = |bytes| _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
    let (scales, lows) = (_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    let halves = _mm512_castps128_ps512(_mm_cvtph_ps(_mm_unpacklo_epi32(first, second)));
    let each = |a: i32, b: i32| {
        let places = _mm512_setr_epi32(a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b);
        _mm512_permutexvar_ps(places, halves)
    };
    (_mm512_mul_ps(floats(scales), each(0, 2)), _mm512_mul_ps(floats(lows), each(1, 3)))
}

/// Lays out levels whose low bits start at byte `low` of the rows, with fifth bits at byte `fifths` if
/// there are any.
///
/// # Safety
/// The machine must have AVX-512, and all rows must have the bytes.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn pack(
    rows: &[&[u8]; LANES],
    low: usize,
    fifths: Option<usize>,
    mut put: impl FnMut(usize, usize, __m512i),
) {
    // SAFETY: as the caller promises.
    let take = |at: usize| unsafe { fours(rows, at) };
    let bits = fifths.map(|at| [take(at), take(at + 16)]);
    for pair in 0..4 {
        for half in 0..2 {
            let bytes = take(low + 32 * pair + 16 * half);
            for (j, bytes) in bytes.into_iter().enumerate() {
                let [mut a, mut b] = nibbles512(bytes);
                if let Some(bits) = bits {
                    let of = |group: usize| {
                        let bit = _mm512_set1_epi8(1i8.wrapping_shl(group as u32));
                        _mm512_test_epi8_mask(bits[half][j], bit)
                    };
                    a = fifth(a, of(2 * pair));
                    b = fifth(b, of(2 * pair + 1));
                }
                put(2 * pair, 4 * half + j, a);
                put(2 * pair + 1, 4 * half + j, b);
            }
        }
    }
}
