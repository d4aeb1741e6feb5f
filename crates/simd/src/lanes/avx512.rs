//! Sixteen lanes of AVX-512.

use super::{Lanes, sealed::Sealed};
use half::f16;
use std::arch::x86_64::*;

/// One 512-bit register.
#[derive(Clone, Copy)]
pub(crate) struct Avx16(__m512);

impl Sealed for Avx16 {}

// Every method is sound for the same reason: code generic over an `Arch` is only reached through
// `Isa::run`, which has checked that the machine has its instructions.
impl Lanes for Avx16 {
    const LEN: usize = 16;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Avx16(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        Avx16(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn load_f16(from: &[f16]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        Avx16(unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast())) })
    }

    #[inline(always)]
    fn load_i8(from: &[i8]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        Avx16(unsafe {
            _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(from.as_ptr().cast())))
        })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        assert!(to.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx16(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx16(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn fma(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see above.
        Avx16(unsafe { _mm512_fmadd_ps(self.0, factor.0, addend.0) })
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: see above.
        unsafe { _mm512_reduce_add_ps(self.0) }
    }
}
