//! What the integer sums of groups are multiplied by, and what minima contribute.

use super::{
    super::super::{activations::Row, format::Format},
    STEP,
};
use bessemer_core::{DType, blocks::unpack_k_scales};
use std::arch::x86_64::*;

/// The scales of `run` groups times the steps of the activations: one per group, or per half
/// of one. Adds what minima contribute to `to`.
///
/// # Safety
/// The run must be within the weights and the activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn scales<F: Format>(
    block: *const u8,
    x: &Row<'_>,
    first: usize,
    run: usize,
    to: &mut __m512,
) -> __m512 {
    // SAFETY: as the caller promises.
    unsafe {
        let steps = x.natural.steps.as_ptr().add(first);
        let sums = || x.natural.sums.as_ptr().add(first);
        let half = |at: usize| {
            let bits = block.add(at).cast::<u16>().read_unaligned();
            _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(i32::from(bits))))
        };
        match F::DTYPE {
            DType::Q4_K | DType::Q5_K if run > F::GROUPS => {
                let (scales, lows) = scales_of_two::<F>(block);
                let (steps, sums) = (_mm512_loadu_ps(steps), _mm512_loadu_ps(sums()));
                *to = _mm512_fnmadd_ps(lows, _mm512_mul_ps(sums, steps), *to);
                _mm512_mul_ps(scales, steps)
            }
            DType::Q4_K | DType::Q5_K => {
                let bytes = |bytes: [u8; 8]| {
                    let bytes = _mm_cvtsi64_si128(i64::from_le_bytes(bytes));
                    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes))
                };
                let (scales, lows) = unpack_k_scales(&*block.add(4).cast());
                let (steps, sums) = (_mm256_loadu_ps(steps), _mm256_loadu_ps(sums()));
                let lows = _mm256_mul_ps(_mm256_set1_ps(-half(2)), bytes(lows));
                let lows = _mm256_mul_ps(lows, _mm256_mul_ps(sums, steps));
                *to = _mm512_add_ps(*to, _mm512_zextps256_ps512(lows));
                let scales = _mm256_mul_ps(_mm256_set1_ps(half(0)), bytes(scales));
                _mm512_castps256_ps512(_mm256_mul_ps(scales, steps))
            }
            DType::Q6_K => {
                let scales = _mm512_cvtepi8_epi32(_mm_loadu_si128(block.add(192).cast()));
                let scales = _mm512_mul_ps(_mm512_cvtepi32_ps(scales), _mm512_set1_ps(half(208)));
                // Each step twice: for both halves of its group.
                let twice = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
                let steps = _mm512_castps256_ps512(_mm256_loadu_ps(steps));
                _mm512_mul_ps(scales, _mm512_permutexvar_ps(twice, steps))
            }
            _ => {
                let heads = gather::<F>(block);
                let low = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(heads));
                let steps = _mm512_loadu_ps(steps);
                if F::MINS {
                    let lows = _mm512_srli_epi32::<16>(heads);
                    let lows = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(lows));
                    let sums = _mm512_mul_ps(_mm512_loadu_ps(sums()), steps);
                    *to = _mm512_fmadd_ps(lows, sums, *to);
                }
                _mm512_mul_ps(low, steps)
            }
        }
    }
}

/// The scales and the minima of two blocks of Q4_K or Q5_K.
///
/// # Safety
/// The blocks must be there.
#[inline]
#[target_feature(enable = "avx2,f16c,avx512f,avx512vl")]
unsafe fn scales_of_two<F: Format>(blocks: *const u8) -> (__m512, __m512) {
    // SAFETY: as the caller promises. Blocks begin with two halves and 12 bytes of scales.
    let head = |i: usize| unsafe { _mm_loadu_si128(blocks.add(i * F::BYTES).cast()) };
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
    let bytes = |bytes| _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
    let (scales, lows) = (_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    let halves = _mm512_castps128_ps512(_mm_cvtph_ps(_mm_unpacklo_epi32(first, second)));
    let each = |a: i32, b: i32| {
        let places = _mm512_setr_epi32(a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b);
        _mm512_permutexvar_ps(places, halves)
    };
    (_mm512_mul_ps(bytes(scales), each(0, 2)), _mm512_mul_ps(bytes(lows), each(1, 3)))
}

/// Four bytes of each of 16 blocks.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn gather<F: Format>(from: *const u8) -> __m512i {
    let ramp = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let places = _mm512_mullo_epi32(ramp, _mm512_set1_epi32(F::BYTES as i32));
    // SAFETY: as the caller promises.
    unsafe { _mm512_i32gather_epi32::<1>(places, from.cast()) }
}

/// The same for the first `count` of four blocks of one group each: zero for the others.
///
/// # Safety
/// The blocks must be there, and `count` groups from `group` on in the activations.
#[inline]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn few_scales<F: Format>(
    blocks: [*const u8; STEP],
    x: &Row<'_>,
    group: usize,
    count: usize,
    to: &mut __m512,
) -> __m512 {
    let there: __mmask8 = (1 << count) - 1;
    // SAFETY: as the caller promises.
    unsafe {
        let heads = heads(blocks);
        let steps = _mm_maskz_loadu_ps(there, x.natural.steps.as_ptr().add(group));
        if F::MINS {
            let sums = _mm_maskz_loadu_ps(there, x.natural.sums.as_ptr().add(group));
            let lows = floats(_mm_srli_epi32::<16>(heads));
            let lows = _mm_maskz_mul_ps(there, lows, _mm_mul_ps(sums, steps));
            *to = _mm512_add_ps(*to, _mm512_zextps128_ps512(lows));
        }
        _mm512_zextps128_ps512(_mm_maskz_mul_ps(there, floats(heads), steps))
    }
}

/// The first four bytes of each of four blocks.
///
/// # Safety
/// The blocks must be there.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn heads(blocks: [*const u8; STEP]) -> __m128i {
    // SAFETY: as the caller promises.
    let head = |i: usize| unsafe { blocks[i].cast::<i32>().read_unaligned() };
    _mm_setr_epi32(head(0), head(1), head(2), head(3))
}

/// The halves in the lower words of four lanes.
#[inline]
#[target_feature(enable = "f16c,avx512f,avx512vl")]
pub(super) fn floats(halves: __m128i) -> __m128 {
    _mm_cvtph_ps(_mm_cvtepi32_epi16(halves))
}
