//! Eight lanes of AVX2 with FMA and F16C.

use super::{Lanes, sealed::Sealed};
use half::f16;
use std::arch::x86_64::*;

/// One 256-bit register.
#[derive(Clone, Copy)]
pub(crate) struct Avx8(__m256);

impl Sealed for Avx8 {}

// Every method is sound for the same reason: code generic over an `Arch` is only reached through
// `Isa::run`, which has checked that the machine has its instructions.
impl Lanes for Avx8 {
    const LEN: usize = 8;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Avx8(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        Avx8(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn load_f16(from: &[f16]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        Avx8(unsafe { _mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast())) })
    }

    #[inline(always)]
    fn load_i8(from: &[i8]) -> Self {
        assert!(from.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        Avx8(unsafe {
            _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(from.as_ptr().cast())))
        })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        assert!(to.len() >= Self::LEN);
        // SAFETY: see above; the slice is long enough.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx8(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx8(unsafe { _mm256_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn fma(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see above.
        Avx8(unsafe { _mm256_fmadd_ps(self.0, factor.0, addend.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx8(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: see above.
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps(self.0, 1));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }

    #[inline(always)]
    fn sum4(of: [Self; 4]) -> [f32; 4] {
        let [a, b, c, d] = of.map(|vector| vector.0);
        // SAFETY: see above.
        unsafe {
            let all = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
            let four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
            std::mem::transmute::<__m128, [f32; 4]>(four)
        }
    }
}
