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
    fn max(self, other: Self) -> Self {
        // SAFETY: see above.
        Avx16(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: see above.
        unsafe { _mm512_reduce_add_ps(self.0) }
    }

    #[inline(always)]
    fn sum4(of: [Self; 4]) -> [f32; 4] {
        let [a, b, c, d] = of.map(|vector| vector.0);
        // SAFETY: see above.
        unsafe {
            // Neighbours of two vectors, then of all four: each 128 bits hold a part of each sum.
            let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            let (ab, cd) = (_mm512_castps_pd(ab), _mm512_castps_pd(cd));
            let low = _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd));
            let all = _mm512_add_ps(low, _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd)));
            let half = _mm512_castpd_ps(_mm512_shuffle_f64x2::<0b1110>(
                _mm512_castps_pd(all),
                _mm512_castps_pd(all),
            ));
            let eight = _mm512_castps512_ps256(_mm512_add_ps(all, half));
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
            std::mem::transmute::<__m128, [f32; 4]>(four)
        }
    }

    #[inline(always)]
    fn max4(of: [Self; 4]) -> [f32; 4] {
        let [a, b, c, d] = of.map(|vector| vector.0);
        // SAFETY: see above.
        unsafe {
            // As the sums.
            let ab = _mm512_max_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let cd = _mm512_max_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            let (ab, cd) = (_mm512_castps_pd(ab), _mm512_castps_pd(cd));
            let low = _mm512_castpd_ps(_mm512_unpacklo_pd(ab, cd));
            let all = _mm512_max_ps(low, _mm512_castpd_ps(_mm512_unpackhi_pd(ab, cd)));
            let half = _mm512_castpd_ps(_mm512_shuffle_f64x2::<0b1110>(
                _mm512_castps_pd(all),
                _mm512_castps_pd(all),
            ));
            let eight = _mm512_castps512_ps256(_mm512_max_ps(all, half));
            let four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
            std::mem::transmute::<__m128, [f32; 4]>(four)
        }
    }
}
