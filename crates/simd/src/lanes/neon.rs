//! Eight lanes of Advanced SIMD, in two registers: more independent sums hide the latency.

use super::{Lanes, sealed::Sealed};
use half::{f16, slice::HalfFloatSliceExt};
use std::arch::aarch64::*;

/// Two 128-bit registers.
#[derive(Clone, Copy)]
pub(crate) struct Neon8(float32x4_t, float32x4_t);

impl Sealed for Neon8 {}

// Every method is sound for the same reason: every machine of this architecture has Advanced
// SIMD.
impl Lanes for Neon8 {
    const LEN: usize = 8;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        unsafe { Neon8(vdupq_n_f32(value), vdupq_n_f32(value)) }
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        unsafe { Neon8(vld1q_f32(from.as_ptr()), vld1q_f32(from.as_ptr().add(4))) }
    }

    #[inline(always)]
    fn load_f16(from: &[f16]) -> Self {
        let mut wide = [0.0; 8];
        from[..8].convert_to_f32_slice(&mut wide);
        Neon8::load(&wide)
    }

    #[inline(always)]
    fn load_i8(from: &[i8]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        unsafe {
            let wide = vmovl_s8(vld1_s8(from.as_ptr()));
            let low = vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide)));
            Neon8(low, vcvtq_f32_s32(vmovl_high_s16(wide)))
        }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        assert!(to.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        unsafe {
            vst1q_f32(to.as_mut_ptr(), self.0);
            vst1q_f32(to.as_mut_ptr().add(4), self.1);
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Neon8(vaddq_f32(self.0, other.0), vaddq_f32(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Neon8(vmulq_f32(self.0, other.0), vmulq_f32(self.1, other.1)) }
    }

    #[inline(always)]
    fn fma(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let low = vfmaq_f32(addend.0, self.0, factor.0);
            Neon8(low, vfmaq_f32(addend.1, self.1, factor.1))
        }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let low = vbslq_f32(vcgtq_f32(self.0, other.0), self.0, other.0);
            Neon8(low, vbslq_f32(vcgtq_f32(self.1, other.1), self.1, other.1))
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: see above.
        unsafe { vaddvq_f32(vaddq_f32(self.0, self.1)) }
    }
}
