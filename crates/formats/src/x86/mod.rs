//! The vector kernels' unpacking on x86: AVX2, and AVX-512 with VNNI.
//!
//! A format says how its levels and scales come into vectors. Whatever it leaves out is made from
//! what plain Rust or AVX2 gives, which is right for any format and not slow.

#[cfg(test)]
mod tests;
mod tools;

pub(crate) use tools::{
    fifth, fifths, fours, half, half_bytes, halves_of_words, nibbles, nibbles512, shifted_bits,
    sixteens, words_of_rows,
};

use crate::{Format, GROUP};
use std::{arch::x86_64::*, slice};

/// Rows of weights that are unpacked side by side: the lanes of the widest vector.
pub const LANES: usize = 16;

/// Groups in a step of two vectors of AVX-512.
pub const STEP: usize = 4;

/// How the levels of a step come out of their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first halves of the four groups, then the second ones.
    Halves,
    /// The first and the third group, then the second and the fourth.
    Turns,
    /// As they are.
    Natural,
}

/// How levels and scales come into vectors.
///
/// All pointers are to whole blocks. Levels that go below zero are raised by 128 for AVX-512, whose
/// products want one unsigned factor.
pub trait Vectors {
    /// The order in which AVX-512 unpacks levels.
    const ORDER: Order = Order::Natural;

    /// The levels of a group.
    ///
    /// # Safety
    /// The machine must have AVX2, and a whole block must be there.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn levels256(block: *const u8, group: usize) -> __m256i
    where
        Self: Format,
    {
        // SAFETY: as the caller promises; the array is 32 bytes.
        unsafe {
            let levels = Self::levels(slice::from_raw_parts(block, Self::BYTES), group);
            _mm256_loadu_si256(levels.as_ptr().cast())
        }
    }

    /// Of a block of eight groups: the scales of its first and its last eight halves, or those of its
    /// groups and then their minima.
    ///
    /// # Safety
    /// The machine must have AVX2 and F16C, and a whole block must be there.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    unsafe fn scales256(block: *const u8) -> [__m256; 2]
    where
        Self: Format,
    {
        // SAFETY: as the caller promises; halves of an array of 16.
        unsafe {
            let scales = sixteen::<Self>(block);
            [_mm256_loadu_ps(scales.as_ptr()), _mm256_loadu_ps(scales.as_ptr().add(8))]
        }
    }

    /// The same in one vector.
    ///
    /// # Safety
    /// The machine must have AVX-512 and F16C, and a whole block must be there.
    #[inline]
    #[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
    unsafe fn scales512(block: *const u8) -> __m512
    where
        Self: Format,
    {
        // SAFETY: as the caller promises; an array of 16.
        unsafe { _mm512_loadu_ps(sixteen::<Self>(block).as_ptr()) }
    }

    /// The scales of two neighbouring blocks of eight groups with minima, and the negated minima.
    ///
    /// # Safety
    /// As [`Vectors::scales512`], for two blocks.
    #[inline]
    #[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
    unsafe fn scales512_of_two(blocks: *const u8) -> (__m512, __m512)
    where
        Self: Format,
    {
        // SAFETY: as the caller promises.
        let (a, b) = unsafe { (Self::scales512(blocks), Self::scales512(blocks.add(Self::BYTES))) };
        let mins = _mm512_shuffle_f32x4::<0b11_10_11_10>(a, b);
        let negated = _mm512_sub_ps(_mm512_setzero_ps(), mins);
        (_mm512_shuffle_f32x4::<0b01_00_01_00>(a, b), negated)
    }

    /// The levels of the four groups from `STEP * step` on of a block of eight.
    ///
    /// # Safety
    /// The machine must have AVX-512, and a whole block must be there.
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_step(block: *const u8, step: usize) -> [__m512i; 2]
    where
        Self: Format,
    {
        // SAFETY: as the caller promises.
        let of = |i: usize| unsafe { Self::levels256(block, STEP * step + i) };
        [two::<Self>(of(0), of(1)), two::<Self>(of(2), of(3))]
    }

    /// The levels of four blocks of one group.
    ///
    /// # Safety
    /// The machine must have AVX-512, and whole blocks must be there.
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn levels512_of_blocks(blocks: [*const u8; STEP]) -> [__m512i; 2]
    where
        Self: Format,
    {
        // SAFETY: as the caller promises.
        let of = |i: usize| unsafe { Self::levels256(blocks[i], 0) };
        [two::<Self>(of(0), of(1)), two::<Self>(of(2), of(3))]
    }

    /// Lays the levels of a block of each of 16 rows side by side: for each group and each four `j` of
    /// its eight, `put(group, j, levels)` takes four neighbours of each row. `at` is where the block
    /// starts in the rows.
    ///
    /// # Safety
    /// The machine must have AVX-512, and all rows must have the block.
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
    unsafe fn pack512(rows: &[&[u8]; LANES], at: usize, mut put: impl FnMut(usize, usize, __m512i))
    where
        Self: Format,
    {
        for group in 0..Self::GROUPS {
            let mut levels = [[0u8; GROUP]; LANES];
            for (row, levels) in rows.iter().zip(&mut levels) {
                // SAFETY: as the caller promises; the array is 32 bytes.
                unsafe {
                    let group = Self::levels256(row.as_ptr().add(at), group);
                    _mm256_storeu_si256(levels.as_mut_ptr().cast(), group);
                }
            }
            let levels: [&[u8]; LANES] = std::array::from_fn(|i| levels[i].as_slice());
            let flip = _mm512_set1_epi8(if Self::SIGNED { -128 } else { 0 });
            for half in 0..2 {
                // SAFETY: 16 bytes of the 32 of each row.
                let fours = unsafe { fours(&levels, 16 * half) };
                for (j, four) in fours.into_iter().enumerate() {
                    put(group, 4 * half + j, _mm512_xor_si512(four, flip));
                }
            }
        }
    }
}

/// The scales of a block, in the order of [`Vectors::scales256`].
///
/// # Safety
/// A whole block must be there.
#[inline(always)]
unsafe fn sixteen<F: Format + ?Sized>(block: *const u8) -> [f32; 16] {
    // SAFETY: as the caller promises.
    let scales = F::scales(unsafe { slice::from_raw_parts(block, F::BYTES) });
    std::array::from_fn(|i| if F::HALVES { scales[i / 2][i % 2] } else { scales[i % 8][i / 8] })
}

/// Two groups in one vector, raised if they go below zero.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
fn two<F: Format + ?Sized>(low: __m256i, high: __m256i) -> __m512i {
    let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    if F::SIGNED { _mm512_xor_si512(both, _mm512_set1_epi8(-128)) } else { both }
}
