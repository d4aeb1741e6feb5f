//! Levels of 4 and 5 bits in AVX-512.

use crate::x86::{LANES, STEP, fifth, fours, nibbles512, sixteens, words_of_rows};
use std::arch::x86_64::*;

/// The levels of four blocks whose low bits start at byte `low`, halves first.
///
/// # Safety
/// The machine must have AVX-512, and the blocks must be there.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn four_bits(blocks: [*const u8; STEP], low: usize) -> [__m512i; 2] {
    // SAFETY: as the caller promises.
    nibbles512(unsafe { sixteens(blocks, low) })
}

/// The same with the fifth bits in the four bytes before.
///
/// # Safety
/// As [`four_bits`].
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn five_bits(blocks: [*const u8; STEP], low: usize) -> [__m512i; 2] {
    // SAFETY: as the caller promises.
    unsafe {
        let bytes = sixteens(blocks, low);
        // The fifth bits of each block, in all lanes of its quarter.
        let bits = |i: usize| _mm_loadu_si32(blocks[i].add(low - 4).cast());
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

/// Lays out levels of four bits, which start at byte `low` of the rows.
///
/// # Safety
/// The machine must have AVX-512, and all rows must have the bytes.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn pack_four(
    rows: &[&[u8]; LANES],
    low: usize,
    mut put: impl FnMut(usize, usize, __m512i),
) {
    // SAFETY: as the caller promises.
    let bytes = unsafe { fours(rows, low) };
    for (j, bytes) in bytes.into_iter().enumerate() {
        let [a, b] = nibbles512(bytes);
        put(0, j, a);
        put(0, j + 4, b);
    }
}

/// The same with the fifth bits in the four bytes before.
///
/// # Safety
/// As [`pack_four`].
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn pack_five(
    rows: &[&[u8]; LANES],
    low: usize,
    mut put: impl FnMut(usize, usize, __m512i),
) {
    // SAFETY: as the caller promises.
    let (bytes, bits) = unsafe { (fours(rows, low), words_of_rows(rows, low - 4)) };
    for (j, bytes) in bytes.into_iter().enumerate() {
        let [a, b] = nibbles512(bytes);
        put(0, j, fifth(a, bits_of_four(bits, j)));
        put(0, j + 4, fifth(b, bits_of_four(bits, j + 4)));
    }
}

/// Bits `4j` to `4j + 3` of each word, one for each byte of it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn bits_of_four(words: __m512i, j: usize) -> u64 {
    let byte = j as i8 / 2;
    let spread = _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    let spread = _mm512_broadcast_i32x4(_mm_add_epi8(spread, _mm_set1_epi8(byte)));
    let each = if j.is_multiple_of(2) { 0x0804_0201 } else { 0x8040_2010_u32 as i32 };
    _mm512_test_epi8_mask(_mm512_shuffle_epi8(words, spread), _mm512_set1_epi32(each))
}
