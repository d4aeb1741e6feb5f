//! The 32 levels of a group in one vector.

use super::super::format::Format;
use bessemer_core::DType;
use std::arch::x86_64::*;

/// The levels of group `group` of the block at `block`.
///
/// # Safety
/// A whole block must be there.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn levels<F: Format>(block: *const u8, group: usize) -> __m256i {
    // SAFETY: all within the block, whose length each format's offsets are made for.
    unsafe {
        match F::DTYPE {
            DType::Q4_0 => nibbles(block.add(2)),
            DType::Q4_1 => nibbles(block.add(4)),
            DType::Q5_0 => _mm256_or_si256(nibbles(block.add(6)), fifths(block.add(2))),
            DType::Q5_1 => _mm256_or_si256(nibbles(block.add(8)), fifths(block.add(4))),
            DType::Q8_0 => _mm256_loadu_si256(block.add(2).cast()),
            DType::Q4_K => half_bytes(block.add(16 + 32 * (group / 2)), group % 2 * 4),
            DType::Q5_K => {
                let low = half_bytes(block.add(48 + 32 * (group / 2)), group % 2 * 4);
                let bits = _mm256_loadu_si256(block.add(16).cast());
                // Bit `group` of each byte to bit 4.
                let up = _mm_cvtsi32_si128(4 - group.min(4) as i32);
                let down = _mm_cvtsi32_si128(group.max(4) as i32 - 4);
                let bits = _mm256_srl_epi16(_mm256_sll_epi16(bits, up), down);
                _mm256_or_si256(low, _mm256_and_si256(bits, _mm256_set1_epi8(16)))
            }
            _ => {
                let (half, k) = (group / 4, group % 4);
                let low = half_bytes(block.add(64 * half + 32 * (k % 2)), k / 2 * 4);
                let bits = _mm256_loadu_si256(block.add(128 + 32 * half).cast());
                // Bits `2k` and `2k + 1` of each byte to bits 4 and 5.
                let up = _mm_cvtsi32_si128(4 - (2 * k).min(4) as i32);
                let down = _mm_cvtsi32_si128((2 * k).max(4) as i32 - 4);
                let bits = _mm256_srl_epi16(_mm256_sll_epi16(bits, up), down);
                _mm256_or_si256(low, _mm256_and_si256(bits, _mm256_set1_epi8(48)))
            }
        }
    }
}

/// 16 bytes: the low halves, then the high ones.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn nibbles(bytes: *const u8) -> __m256i {
    // SAFETY: as the caller promises.
    let bytes = unsafe { _mm_loadu_si128(bytes.cast()) };
    let both = _mm256_set_m128i(_mm_srli_epi16(bytes, 4), bytes);
    _mm256_and_si256(both, _mm256_set1_epi8(15))
}

/// 32 bytes: the low halves, or with a shift of 4 the high ones.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn half_bytes(bytes: *const u8, shift: usize) -> __m256i {
    // SAFETY: as the caller promises.
    let bytes = unsafe { _mm256_loadu_si256(bytes.cast()) };
    let moved = if shift == 0 { bytes } else { _mm256_srli_epi16(bytes, 4) };
    _mm256_and_si256(moved, _mm256_set1_epi8(15))
}

/// 32 bits: 16 where one is set.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn fifths(bits: *const u8) -> __m256i {
    // SAFETY: as the caller promises.
    let bits = _mm256_set1_epi32(unsafe { bits.cast::<i32>().read_unaligned() });
    let spread =
        _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let each = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let bits = _mm256_and_si256(_mm256_shuffle_epi8(bits, spread), each);
    _mm256_and_si256(_mm256_cmpeq_epi8(bits, each), _mm256_set1_epi8(16))
}
