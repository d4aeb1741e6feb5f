//! Panels: the levels and scales of 16 rows of weights side by side.

use super::{
    super::{
        format::{Format, GROUP},
        panel::{STRIP, STRIP_BYTES, STRIPS},
    },
    levels::levels,
};
use bessemer_core::{DType, blocks::unpack_k_scales};
use bessemer_simd::Isa;
use std::{arch::x86_64::*, ops::Range};

/// Lays out the levels of a strip; those of Q8_0 plus 128.
#[allow(clippy::needless_range_loop)] // Numbers of fours and halves, which are used otherwise too.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(super) fn pack512<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    let blocks = groups.start / F::GROUPS..groups.end / F::GROUPS;
    assert!(rows.iter().all(|row| row.len() >= blocks.end * F::BYTES));
    assert!(to.len() + (STRIPS - 1) * STRIP_BYTES >= groups.len() * STRIPS * STRIP_BYTES);
    let fifteen = _mm512_set1_epi8(15);
    for (i, block) in blocks.enumerate() {
        // SAFETY: 16 bytes within the block, which all rows have.
        let fours = |at: usize| unsafe { fours(rows, block * F::BYTES + at) };
        let mut put = |group: usize, j: usize, levels: __m512i| {
            let at = (i * F::GROUPS + group) * STRIPS * STRIP_BYTES + j * 64;
            // SAFETY: a four of a group within the strip.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().add(at).cast(), levels) };
        };
        let low = |bytes: __m512i| _mm512_and_si512(bytes, fifteen);
        let high = |bytes: __m512i| _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), fifteen);
        match F::DTYPE {
            DType::Q8_0 => {
                for half in 0..2 {
                    let levels = fours(2 + 16 * half);
                    for j in 0..4 {
                        let flip = _mm512_set1_epi8(-128);
                        put(0, 4 * half + j, _mm512_xor_si512(levels[j], flip));
                    }
                }
            }
            DType::Q4_K | DType::Q5_K => {
                let fifths = [fours(16), fours(32)];
                for pair in 0..4 {
                    for half in 0..2 {
                        let bytes = fours(F::BYTES - 128 + 32 * pair + 16 * half);
                        for j in 0..4 {
                            let (mut a, mut b) = (low(bytes[j]), high(bytes[j]));
                            if F::TOP > 15 {
                                let bits = |group: usize| {
                                    let bit = _mm512_set1_epi8(1i8.wrapping_shl(group as u32));
                                    _mm512_test_epi8_mask(fifths[half][j], bit)
                                };
                                a = fifth(a, bits(2 * pair));
                                b = fifth(b, bits(2 * pair + 1));
                            }
                            put(2 * pair, 4 * half + j, a);
                            put(2 * pair + 1, 4 * half + j, b);
                        }
                    }
                }
            }
            DType::Q6_K => {
                for (part, half) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let bits = fours(128 + 32 * part + 16 * half);
                    let bytes = [0, 32].map(|at| 64 * part + at + 16 * half);
                    let bytes = [fours(bytes[0]), fours(bytes[1])];
                    for j in 0..4 {
                        let (bits, at) = (bits[j], 4 * half + j);
                        // a | (b & c)
                        let with = |levels: __m512i, bits: __m512i| {
                            _mm512_ternarylogic_epi32::<0xf8>(levels, bits, _mm512_set1_epi8(48))
                        };
                        put(4 * part, at, with(low(bytes[0][j]), _mm512_slli_epi16::<4>(bits)));
                        put(4 * part + 1, at, with(low(bytes[1][j]), _mm512_slli_epi16::<2>(bits)));
                        put(4 * part + 2, at, with(high(bytes[0][j]), bits));
                        put(
                            4 * part + 3,
                            at,
                            with(high(bytes[1][j]), _mm512_srli_epi16::<2>(bits)),
                        );
                    }
                }
            }
            _ => {
                let bytes = fours(F::BYTES - 16);
                for j in 0..4 {
                    let (mut a, mut b) = (low(bytes[j]), high(bytes[j]));
                    if F::TOP > 15 {
                        // SAFETY: the four bytes before the others, of a block that all rows have.
                        let bits = unsafe { words(rows, (block + 1) * F::BYTES - 20) };
                        a = fifth(a, four_bits(bits, j));
                        b = fifth(b, four_bits(bits, j + 4));
                    }
                    put(0, j, a);
                    put(0, j + 4, b);
                }
            }
        }
    }
}

/// 16 bytes of each row from byte `at` on: four of them per row in each vector.
///
/// # Safety
/// All rows must have them.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn fours(rows: &[&[u8]; STRIP], at: usize) -> [__m512i; 4] {
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
unsafe fn words(rows: &[&[u8]; STRIP], at: usize) -> __m512i {
    let mut words = [0i32; STRIP];
    for (word, row) in words.iter_mut().zip(rows) {
        // SAFETY: as the caller promises.
        *word = unsafe { row.as_ptr().add(at).cast::<i32>().read_unaligned() };
    }
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Bits `4j` to `4j + 3` of each word, one for each byte of it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn four_bits(words: __m512i, j: usize) -> u64 {
    let byte = j as i8 / 2;
    let spread = _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    let spread = _mm512_broadcast_i32x4(_mm_add_epi8(spread, _mm_set1_epi8(byte)));
    let each = if j.is_multiple_of(2) { 0x0804_0201 } else { 0x8040_2010_u32 as i32 };
    _mm512_test_epi8_mask(_mm512_shuffle_epi8(words, spread), _mm512_set1_epi32(each))
}

/// Levels plus 16 where a bit is set.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn fifth(levels: __m512i, bits: u64) -> __m512i {
    _mm512_mask_add_epi8(levels, bits, levels, _mm512_set1_epi8(16))
}

/// Lays out the scales of a strip.
#[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
pub(super) fn scales512<F: Format>(
    _isa: Isa,
    rows: &[&[u8]; STRIP],
    groups: Range<usize>,
    to: &mut [f32],
) {
    let size = STRIPS * F::SCALES * STRIP;
    if F::GROUPS == 1 {
        for (at, group) in groups.enumerate() {
            let heads: [u32; STRIP] = std::array::from_fn(|i| {
                let head = &rows[i][group * F::BYTES..][..4];
                u32::from_le_bytes([head[0], head[1], head[2], head[3]])
            });
            // SAFETY: the array is 64 bytes.
            let heads = unsafe { _mm512_loadu_si512(heads.as_ptr().cast()) };
            let to = &mut to[at * size..][..F::SCALES * STRIP];
            let low = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(heads));
            // SAFETY: the slice is of 16 floats for each scale.
            unsafe { _mm512_storeu_ps(to.as_mut_ptr(), low) };
            if F::MINS {
                let high = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(heads));
                // SAFETY: as above.
                unsafe { _mm512_storeu_ps(to.as_mut_ptr().add(STRIP), _mm512_cvtph_ps(high)) };
            }
        }
        return;
    }
    let ramp = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let down = _mm512_slli_epi32::<4>(ramp);
    for (at, block) in (groups.start / F::GROUPS..groups.end / F::GROUPS).enumerate() {
        let mut all = [0.0f32; STRIP * STRIP];
        for (row, all) in rows.iter().zip(all.chunks_exact_mut(STRIP)) {
            let scales = block_scales512::<F>(&row[block * F::BYTES..][..F::BYTES]);
            // SAFETY: a chunk is 16 floats.
            unsafe { _mm512_storeu_ps(all.as_mut_ptr(), scales) };
        }
        for group in 0..F::GROUPS {
            let to = &mut to[(at * F::GROUPS + group) * size..][..2 * STRIP];
            for s in 0..2 {
                // Scales of halves follow each other, minima follow all scales.
                let column = if F::HALVES { 2 * group + s } else { group + 8 * s };
                // SAFETY: elements `column` of 16 rows of 16, and the slice is twice 16 floats.
                unsafe {
                    let from = all.as_ptr().add(column);
                    let scales = _mm512_i32gather_ps::<4>(down, from.cast());
                    _mm512_storeu_ps(to.as_mut_ptr().add(s * STRIP), scales);
                }
            }
        }
    }
}

/// The scales of a block of 256: those of its sixteenths, or of its eighths and then their minima.
#[inline]
#[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512vl")]
fn block_scales512<F: Format>(block: &[u8]) -> __m512 {
    let half = |at: usize| {
        let bits = i32::from(u16::from_le_bytes([block[at], block[at + 1]]));
        _mm_cvtph_ps(_mm_cvtsi32_si128(bits))
    };
    if F::HALVES {
        let bytes = &block[192..208];
        // SAFETY: the slice is 16 bytes.
        let scales = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        let scales = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(scales));
        return _mm512_mul_ps(scales, _mm512_broadcastss_ps(half(208)));
    }
    let (scales, mins) = unpack_k_scales(block[4..16].try_into().expect("12 bytes"));
    let both = _mm_set_epi64x(i64::from_le_bytes(mins), i64::from_le_bytes(scales));
    let both = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(both));
    let d = _mm512_broadcastss_ps(half(0));
    let units = _mm512_mask_sub_ps(d, 0xff00, _mm512_setzero_ps(), _mm512_broadcastss_ps(half(2)));
    _mm512_mul_ps(both, units)
}

/// Lays out the levels of a strip.
#[target_feature(enable = "avx2")]
pub(super) fn pack256<F: Format>(rows: &[&[u8]; STRIP], groups: Range<usize>, to: &mut [u8]) {
    for (at, group) in groups.enumerate() {
        let to = &mut to[at * STRIPS * STRIP_BYTES..][..STRIP_BYTES];
        for (i, row) in rows.iter().enumerate() {
            let block = &row[group / F::GROUPS * F::BYTES..][..F::BYTES];
            let mut bytes = [0u8; GROUP];
            // SAFETY: the slice is a whole block, and the array is 32 bytes.
            unsafe {
                let levels = levels::<F>(block.as_ptr(), group % F::GROUPS);
                _mm256_storeu_si256(bytes.as_mut_ptr().cast(), levels);
            }
            for (j, four) in bytes.as_chunks::<4>().0.iter().enumerate() {
                to[(j * STRIP + i) * 4..][..4].copy_from_slice(four);
            }
        }
    }
}
