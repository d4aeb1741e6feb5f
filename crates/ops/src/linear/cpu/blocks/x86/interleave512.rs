//! Rows of a tile to the order of a tile: a four of each row, and then the next, with AVX-512.

use super::super::activations::TILE;
use std::arch::x86_64::*;

/// Writes eight fours of each of `height` rows: the first of all rows, the second, and so on.
///
/// # Safety
/// There must be room for 32 bytes of each row.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(super) unsafe fn interleave(rows: &[__m256i; TILE], height: usize, to: *mut u8) {
    // SAFETY: within the room that the caller promises.
    unsafe {
        match height {
            1 => _mm256_storeu_si256(to.cast(), rows[0]),
            TILE => {
                let two = |i: usize| {
                    let low = _mm512_castsi256_si512(rows[2 * i]);
                    _mm512_inserti64x4::<1>(low, rows[2 * i + 1])
                };
                let mix = |a, b, places: &[i32; 16]| {
                    _mm512_permutex2var_epi32(a, _mm512_loadu_si512(places.as_ptr().cast()), b)
                };
                for (half, places) in OF_FOUR_ROWS.iter().enumerate() {
                    let a = mix(two(0), two(1), places);
                    let b = mix(two(2), two(3), places);
                    for (i, places) in OF_ALL_ROWS.iter().enumerate() {
                        let to = to.add(64 * (2 * half + i));
                        _mm512_storeu_si512(to.cast(), mix(a, b, places));
                    }
                }
            }
            _ => {
                let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                let places = _mm256_mullo_epi32(places, _mm256_set1_epi32(height as i32));
                for (row, &fours) in rows.iter().enumerate().take(height) {
                    _mm256_i32scatter_epi32::<4>(to.add(4 * row).cast(), places, fours);
                }
            }
        }
    }
}

/// For each half of the fours: where they are in two vectors of two rows, to be ordered by row within
/// each four.
static OF_FOUR_ROWS: [[i32; 16]; 2] = {
    let mut places = [[0; 16]; 2];
    let mut i = 0;
    while i < 32 {
        let (half, four, row) = (i / 16, i / 4 % 4, i % 4);
        places[half][i % 16] = (8 * row + 4 * half + four) as i32;
        i += 1;
    }
    places
};

/// For each half of those: where they are in two such vectors.
static OF_ALL_ROWS: [[i32; 16]; 2] = {
    let mut places = [[0; 16]; 2];
    let mut i = 0;
    while i < 32 {
        let (four, row) = (i / TILE, i % TILE);
        places[i / 16][i % 16] = (row / 4 * 16 + 4 * four + row % 4) as i32;
        i += 1;
    }
    places
};
