//! Its levels in vectors of x86: the book is a table of 16 bytes, which is what shuffles look up.

use super::{BOOK, IQ4_NL};
use crate::{
    short::x86::{four_bits, pack_four},
    x86::{LANES, Order, STEP, Vectors, nibbles},
};
use std::arch::x86_64::*;

impl Vectors for IQ4_NL {
    const ORDER: Order = Order::Halves;

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, _: usize) -> __m256i {
        // SAFETY: as the caller promises; all within the block.
        let numbers = unsafe { nibbles(block.add(2)) };
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(book()), numbers)
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_blocks(blocks: [*const u8; STEP]) -> [__m512i; 2] {
        let book = raised();
        // SAFETY: as the caller promises; all within the block.
        unsafe { four_bits(blocks, 2) }.map(|numbers| _mm512_shuffle_epi8(book, numbers))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(
        rows: &[&[u8]; LANES],
        at: usize,
        mut put: impl FnMut(usize, usize, __m512i),
    ) {
        let book = raised();
        let put = |group, j, numbers| put(group, j, _mm512_shuffle_epi8(book, numbers));
        // SAFETY: as the caller promises; all within the block.
        unsafe { pack_four(rows, at + 2, put) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn book() -> __m128i {
    // SAFETY: the array is 16 bytes.
    unsafe { _mm_loadu_si128(BOOK.as_ptr().cast()) }
}

/// The book plus 128, in all quarters.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
fn raised() -> __m512i {
    _mm512_xor_si512(_mm512_broadcast_i32x4(book()), _mm512_set1_epi8(-128))
}
