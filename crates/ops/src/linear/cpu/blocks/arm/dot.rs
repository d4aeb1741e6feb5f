//! Sums of products of signed bytes, four at a time, in the two ways that Arm machines have.

use std::arch::{aarch64::*, asm};

/// How products of bytes are summed.
pub(super) trait Dot: 'static {
    /// Adds the products of each four bytes to a lane.
    fn dot(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t;

    /// The same with four bytes that are the same for all lanes: those of lane `LANE` of `b`.
    fn dot_lane<const LANE: i32>(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t;
}

/// One instruction of Armv8.2, on machines that have it.
pub(super) struct Products;

impl Dot for Products {
    #[inline(always)]
    fn dot(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
        let mut sums = sums;
        // SAFETY: arithmetic on registers, reached only on machines that have the instruction.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "sdot {sums:v}.4s, {a:v}.16b, {b:v}.16b",
                sums = inout(vreg) sums,
                a = in(vreg) a,
                b = in(vreg) b,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }

    #[inline(always)]
    fn dot_lane<const LANE: i32>(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
        let mut sums = sums;
        // SAFETY: as above.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "sdot {sums:v}.4s, {a:v}.16b, {b:v}.4b[{lane}]",
                sums = inout(vreg) sums,
                a = in(vreg) a,
                b = in(vreg) b,
                lane = const LANE,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

/// Products of 16 bits, added in pairs. Two products of bytes always fit, for no activation is
/// below -127.
pub(super) struct Widening;

impl Dot for Widening {
    #[inline(always)]
    fn dot(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
        // SAFETY: every machine of this architecture has Advanced SIMD.
        unsafe {
            let low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
            let high = vmull_high_s8(a, b);
            // Fours in order: pairs of the lower half, then of the upper.
            vpadalq_s16(sums, vpaddq_s16(low, high))
        }
    }

    #[inline(always)]
    fn dot_lane<const LANE: i32>(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
        // SAFETY: as above.
        let four = unsafe { vdupq_laneq_s32::<LANE>(vreinterpretq_s32_s8(b)) };
        // SAFETY: as above.
        Self::dot(sums, a, unsafe { vreinterpretq_s8_s32(four) })
    }
}
