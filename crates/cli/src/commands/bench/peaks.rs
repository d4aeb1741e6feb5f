//! Loops that do nothing but what is to be measured: memory reads, fused multiply-adds, 8-bit
//! dot products.

use bessemer_simd::{Arch, Isa, Kernel};
use std::hint::black_box;

/// Reads memory and adds it up.
pub(crate) struct Sum<'a>(pub(crate) &'a [f32]);

impl Kernel for Sum<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<A: Arch>(self) -> f32 {
        let mut sums = [0f32; 128];
        for chunk in self.0.as_chunks::<128>().0 {
            for (sum, x) in sums.iter_mut().zip(chunk) {
                *sum += x;
            }
        }
        sums.iter().sum()
    }
}

/// That many steps of multiply-adds, all independent of each other.
pub(crate) struct FmaPeak(pub(crate) usize);

/// That many steps of 8-bit dot products, all independent of each other.
pub(crate) struct DotPeak(pub(crate) usize);

/// Enough chains to hide the latency of an instruction on every machine of today. `black_box`
/// keeps the compiler from seeing that all of them compute the same.
const CHAINS: usize = 12;

impl FmaPeak {
    pub(crate) fn flops_per_step(isa: Isa) -> f64 {
        let lanes = match isa {
            Isa::Avx512 => 16,
            Isa::Avx2 => 8,
            _ => 4,
        };
        (2 * lanes * CHAINS) as f64
    }
}

impl DotPeak {
    pub(crate) fn ops_per_step(isa: Isa) -> f64 {
        let lanes = match isa {
            Isa::Avx512 => 64,
            Isa::Avx2 => 32,
            _ => 16,
        };
        (2 * lanes * CHAINS) as f64
    }
}

impl Kernel for FmaPeak {
    type Output = f32;

    #[inline(always)]
    fn run<A: Arch>(self) -> f32 {
        match A::ISA {
            // SAFETY: code generic over `Arch` only runs where the machine has its instructions.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { x86::fma_avx512(self.0) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { x86::fma_avx2(self.0) },
            _ => {
                let mut sums = black_box([[1f32; 4]; CHAINS]);
                for _ in 0..self.0 {
                    for sum in sums.as_flattened_mut() {
                        *sum = A::fma(*sum, 0.999, 0.001);
                    }
                }
                sums.as_flattened().iter().sum()
            }
        }
    }
}

impl Kernel for DotPeak {
    type Output = i32;

    #[inline(always)]
    fn run<A: Arch>(self) -> i32 {
        match A::ISA {
            // SAFETY: code generic over `Arch` only runs where the machine has its instructions.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { x86::dot_avx512(self.0) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { x86::dot_avx2(self.0) },
            _ => {
                let (a, b) = black_box(([3i8; 16 * CHAINS], [5i8; 16 * CHAINS]));
                let mut sums = [0i32; 16 * CHAINS];
                for step in 0..self.0 {
                    // Changed in each step, or the products would be computed only once.
                    let flip = (step & 1) as i8;
                    for ((sum, a), b) in sums.iter_mut().zip(&a).zip(&b) {
                        *sum = sum.wrapping_add(i32::from(a ^ flip) * i32::from(*b));
                    }
                }
                sums.iter().fold(0, |all, sum| all.wrapping_add(*sum))
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::CHAINS;
    use std::{arch::x86_64::*, hint::black_box};

    #[target_feature(enable = "avx512f")]
    pub(super) fn fma_avx512(steps: usize) -> f32 {
        let (a, b) = (_mm512_set1_ps(0.999), _mm512_set1_ps(0.001));
        let mut sums = black_box([_mm512_set1_ps(1.0); CHAINS]);
        for _ in 0..steps {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, a, b);
            }
        }
        sums.into_iter().map(|sum| _mm512_reduce_add_ps(sum)).sum()
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn fma_avx2(steps: usize) -> f32 {
        let (a, b) = (_mm256_set1_ps(0.999), _mm256_set1_ps(0.001));
        let mut sums = black_box([_mm256_set1_ps(1.0); CHAINS]);
        for _ in 0..steps {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(*sum, a, b);
            }
        }
        sums.into_iter().map(|sum| _mm256_cvtss_f32(sum)).sum()
    }

    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn dot_avx512(steps: usize) -> i32 {
        let (a, b) = (_mm512_set1_epi8(3), _mm512_set1_epi8(5));
        let mut sums = black_box([_mm512_setzero_si512(); CHAINS]);
        for _ in 0..steps {
            for sum in &mut sums {
                *sum = _mm512_dpbusd_epi32(*sum, a, b);
            }
        }
        sums.into_iter().fold(0, |all, sum| all.wrapping_add(_mm512_reduce_add_epi32(sum)))
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn dot_avx2(steps: usize) -> i32 {
        let bytes = black_box([_mm256_set1_epi8(3); CHAINS]);
        let (mut flip, ones) = (_mm256_setzero_si256(), _mm256_set1_epi16(1));
        let mut sums = [_mm256_setzero_si256(); CHAINS];
        for _ in 0..steps {
            // Changed in each step, or the products would be computed only once.
            flip = _mm256_xor_si256(flip, ones);
            for (sum, bytes) in sums.iter_mut().zip(&bytes) {
                let pairs = _mm256_maddubs_epi16(*bytes, flip);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
        sums.into_iter()
            .fold(0, |all, sum| all.wrapping_add(_mm_cvtsi128_si32(_mm256_castsi256_si128(sum))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_do_their_work() {
        for isa in Isa::here() {
            assert_eq!(isa.run(Sum(&[1.0; 1000])), 896.0, "{isa}");
            let lanes = FmaPeak::flops_per_step(isa) / 2.0;
            // 0.999 x + 0.001 stays at 1; some sum up all lanes, some one of each chain.
            let sum = f64::from(isa.run(FmaPeak(3)));
            assert!((sum - lanes).abs() < 0.1 || (sum - CHAINS as f64).abs() < 0.1, "{isa} {sum}");
            assert!(isa.run(DotPeak(4)) > 0, "{isa}");
        }
    }
}
