//! The levels of four groups in two vectors, in the order of the plan.

use super::{
    super::{super::format::Format, pack::fifth},
    STEP,
};
use bessemer_core::DType;
use std::arch::x86_64::*;

/// The low and the high halves of bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn nibbles(bytes: __m512i) -> [__m512i; 2] {
    let fifteen = _mm512_set1_epi8(15);
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), fifteen);
    [_mm512_and_si512(bytes, fifteen), high]
}

/// The levels of a step of a block of 256, in the order of the plan.
///
/// # Safety
/// The block must be there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn levels_of_step<F: Format>(block: *const u8, step: usize) -> [__m512i; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        match F::DTYPE {
            DType::Q4_K => nibbles(_mm512_loadu_si512(block.add(16 + 64 * step).cast())),
            DType::Q5_K => {
                let [low, high] = nibbles(_mm512_loadu_si512(block.add(48 + 64 * step).cast()));
                let bits = _mm512_broadcast_i64x4(_mm256_loadu_si256(block.add(16).cast()));
                // Bits 4·step and up belong to the groups of the step, which take turns.
                let two = |bit: usize| {
                    let low = _mm256_set1_epi8((1u8 << (4 * step + bit)) as i8);
                    let high = _mm256_set1_epi8((1u8 << (4 * step + bit + 2)) as i8);
                    _mm512_test_epi8_mask(
                        bits,
                        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high),
                    )
                };
                [fifth(low, two(0)), fifth(high, two(1))]
            }
            DType::Q6_K => {
                let [low, high] = nibbles(_mm512_loadu_si512(block.add(64 * step).cast()));
                let bits = _mm256_loadu_si256(block.add(128 + 32 * step).cast());
                let bits = _mm512_broadcast_i64x4(bits);
                // To bits 4 and 5: from 0 and 2 for the first two groups, 4 and 6 for the others.
                let up = _mm512_sllv_epi16(bits, words([4, 2]));
                let down = _mm512_srlv_epi16(bits, words([0, 2]));
                let mask = _mm512_set1_epi8(48);
                // a | (b & c)
                [
                    _mm512_ternarylogic_epi32::<0xf8>(low, up, mask),
                    _mm512_ternarylogic_epi32::<0xf8>(high, down, mask),
                ]
            }
            _ => unreachable!("a format with blocks of 256"),
        }
    }
}

/// The levels of four blocks of one group each, in the order of the plan; those of Q8_0 plus 128.
///
/// # Safety
/// The blocks must be there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn levels_of_blocks<F: Format>(blocks: [*const u8; STEP]) -> [__m512i; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        if F::DTYPE == DType::Q8_0 {
            let flip = _mm512_set1_epi8(-128);
            let two = |i: usize| {
                let at = |i: usize| _mm256_loadu_si256(blocks[i].add(2).cast());
                let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(at(i)), at(i + 1));
                _mm512_xor_si512(both, flip)
            };
            return [two(0), two(2)];
        }
        let bytes = sixteens(blocks, F::BYTES - 16);
        if F::TOP == 15 {
            return nibbles(bytes);
        }
        // The fifth bits of each block, in all lanes of its quarter.
        let bits = |i: usize| _mm_loadu_si32(blocks[i].add(F::BYTES - 20).cast());
        let all = _mm512_broadcastd_epi32(bits(0));
        let all = _mm512_mask_broadcastd_epi32(all, 0x00f0, bits(1));
        let all = _mm512_mask_broadcastd_epi32(all, 0x0f00, bits(2));
        let all = _mm512_mask_broadcastd_epi32(all, 0xf000, bits(3));
        // Four of them become four bytes by a table.
        let table = _mm512_loadu_si512(FIFTHS.as_ptr().cast());
        let shifts = _mm512_broadcast_i32x4(_mm_setr_epi32(0, 4, 8, 12));
        let later = _mm512_add_epi32(shifts, _mm512_set1_epi32(16));
        let first = _mm512_permutexvar_epi32(_mm512_srlv_epi32(all, shifts), table);
        let second = _mm512_permutexvar_epi32(_mm512_srlv_epi32(all, later), table);
        // (a & b) | c
        let fifteen = _mm512_set1_epi8(15);
        [
            _mm512_ternarylogic_epi32::<0xea>(bytes, fifteen, first),
            _mm512_ternarylogic_epi32::<0xea>(_mm512_srli_epi16::<4>(bytes), fifteen, second),
        ]
    }
}

/// Four bits as the fifth bits of four bytes.
static FIFTHS: [[u8; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut i = 0;
    while i < 64 {
        table[i / 4][i % 4] = (((i / 4) >> (i % 4)) as u8 & 1) << 4;
        i += 1;
    }
    table
};

/// 16 bytes of each of four blocks, from `place` on.
///
/// # Safety
/// The blocks must be there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn sixteens(blocks: [*const u8; STEP], place: usize) -> __m512i {
    // SAFETY: as the caller promises.
    unsafe {
        let of = |i: usize| _mm_loadu_si128(blocks[i].add(place).cast());
        let bytes = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(of(0)), of(1));
        _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(bytes, of(2)), of(3))
    }
}

/// One number in the words of the lower half, another in those of the upper.
#[inline]
#[target_feature(enable = "avx512f")]
fn words([low, high]: [i16; 2]) -> __m512i {
    let low = _mm512_castsi256_si512(_mm256_set1_epi16(low));
    _mm512_inserti64x4::<1>(low, _mm256_set1_epi16(high))
}
