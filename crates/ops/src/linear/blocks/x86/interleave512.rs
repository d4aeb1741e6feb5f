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
                let twos: [__m512i; TILE / 2] = std::array::from_fn(two);
                for (i, (places, from)) in PLACES.iter().zip(FROM).enumerate() {
                    let mut fours = _mm512_setzero_si512();
                    for ((places, from), two) in places.iter().zip(from).zip(twos) {
                        // SAFETY: 16 of them.
                        let places = _mm512_loadu_si512(places.as_ptr().cast());
                        fours = _mm512_mask_permutexvar_epi32(fours, from, places, two);
                    }
                    _mm512_storeu_si512(to.add(64 * i).cast(), fours);
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

/// For each vector of results, for each vector of two rows, for each lane: where it comes from.
static PLACES: [[[i32; 16]; TILE / 2]; TILE / 2] = {
    let mut places = [[[0; 16]; TILE / 2]; TILE / 2];
    let mut four = 0;
    while four < 8 * TILE {
        let (row, at) = (four % TILE, four / TILE);
        places[four / 16][row / 2][four % 16] = (row % 2 * 8 + at) as i32;
        four += 1;
    }
    places
};

/// For each vector of results, for each vector of two rows: the lanes that come from it.
const FROM: [[__mmask16; TILE / 2]; TILE / 2] = {
    let mut from = [[0; TILE / 2]; TILE / 2];
    let mut four = 0;
    while four < 8 * TILE {
        from[four / 16][four % TILE / 2] |= 1 << (four % 16);
        four += 1;
    }
    from
};
