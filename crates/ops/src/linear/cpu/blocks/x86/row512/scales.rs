//! What the integer sums of groups are multiplied by, and what minima contribute.

use super::super::super::activations::Row;
use bessemer_formats::{Format, x86::STEP};
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
        if F::GROUPS == 1 {
            let heads = heads_of_run::<F>(block);
            let low = _mm512_cvtph_ps(_mm512_castsi512_si256(heads));
            let steps = _mm512_loadu_ps(steps);
            if F::MINS {
                let lows = _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(heads));
                let sums = _mm512_mul_ps(_mm512_loadu_ps(sums()), steps);
                *to = _mm512_fmadd_ps(lows, sums, *to);
            }
            return _mm512_mul_ps(low, steps);
        }
        if F::HALVES {
            // Each step twice: for both halves of its group.
            let twice = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
            let steps = _mm512_castps256_ps512(_mm256_loadu_ps(steps));
            return _mm512_mul_ps(F::scales512(block), _mm512_permutexvar_ps(twice, steps));
        }
        if run > F::GROUPS {
            let (scales, lows) = F::scales512_of_two(block);
            let (steps, sums) = (_mm512_loadu_ps(steps), _mm512_loadu_ps(sums()));
            *to = _mm512_fnmadd_ps(lows, _mm512_mul_ps(sums, steps), *to);
            return _mm512_mul_ps(scales, steps);
        }
        let [scales, lows] = F::scales256(block);
        let (steps, sums) = (_mm256_loadu_ps(steps), _mm256_loadu_ps(sums()));
        let lows = _mm256_mul_ps(lows, _mm256_mul_ps(sums, steps));
        *to = _mm512_add_ps(*to, _mm512_zextps256_ps512(lows));
        _mm512_castps256_ps512(_mm256_mul_ps(scales, steps))
    }
}

/// The first two words of each of 16 blocks: the first ones, and then the second ones.
///
/// A gather is the obvious way, but takes many times as long on some machines.
///
/// # Safety
/// The blocks must be there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn heads_of_run<F: Format>(from: *const u8) -> __m512i {
    let loads = const { &Loads::of(F::BYTES) };
    let mut heads = _mm512_setzero_si512();
    for i in 0..const { Loads::of(F::BYTES).count } {
        // SAFETY: `Loads` stays within the blocks.
        unsafe {
            let bytes = _mm512_loadu_si512(from.add(loads.starts[i]).cast());
            let places = _mm512_loadu_si512(loads.places[i].as_ptr().cast());
            heads = _mm512_mask_permutexvar_epi16(heads, loads.lanes[i], places, bytes);
        }
    }
    heads
}

/// Vectors that have the heads of 16 blocks between them.
struct Loads {
    count: usize,
    /// Where each is, in bytes.
    starts: [usize; 16],
    /// Which of all heads it has, and where.
    lanes: [u32; 16],
    places: [[u16; 32]; 16],
}

impl Loads {
    /// The fewest for blocks of so many bytes, all of them within the blocks.
    const fn of(bytes: usize) -> Loads {
        let mut loads = Loads { count: 0, starts: [0; 16], lanes: [0; 16], places: [[0; 32]; 16] };
        let mut block = 0;
        while block < 16 {
            let (i, last) = (loads.count, 16 * bytes - 64);
            let start = if block * bytes < last { block * bytes } else { last };
            loads.starts[i] = start;
            while block < 16 && block * bytes + 4 <= start + 64 {
                let word = (block * bytes - start) / 2;
                loads.lanes[i] |= 0x0001_0001 << block;
                loads.places[i][block] = word as u16;
                loads.places[i][16 + block] = word as u16 + 1;
                block += 1;
            }
            loads.count += 1;
        }
        loads
    }
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
