//! Vectors of `f32` as wide as the instruction set has them, for kernels that keep a tile of
//! results in registers. Plain loops over slices need none of this: the compiler finds them.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use half::f16;

/// A vector of `f32`.
///
/// ```
/// use bessemer_simd::{Arch, Isa, Kernel, Lanes};
///
/// struct Dot<'a>(&'a [f32], &'a [f32]);
///
/// impl Kernel for Dot<'_> {
///     type Output = f32;
///
///     #[inline(always)]
///     fn run<A: Arch>(self) -> f32 {
///         let (a, b) = (self.0.chunks_exact(A::F32::LEN), self.1.chunks_exact(A::F32::LEN));
///         let mut sum = A::F32::splat(0.0);
///         for (a, b) in a.zip(b) {
///             sum = A::F32::load(a).fma(A::F32::load(b), sum);
///         }
///         sum.sum()
///     }
/// }
///
/// assert_eq!(Isa::best().run(Dot(&[2.0; 64], &[3.0; 64])), 384.0);
/// ```
///
/// All methods are only compiled well inside a [`Kernel`](crate::Kernel).
pub trait Lanes: Copy + sealed::Sealed + 'static {
    /// How many there are.
    const LEN: usize;

    /// All the same.
    fn splat(value: f32) -> Self;

    /// The first of a slice.
    ///
    /// # Panics
    /// If it has fewer than `LEN`.
    fn load(from: &[f32]) -> Self;

    /// The first of a slice of halves, widened.
    ///
    /// # Panics
    /// If it has fewer than `LEN`.
    fn load_f16(from: &[f16]) -> Self;

    /// The first of a slice of signed bytes, as numbers.
    ///
    /// # Panics
    /// If it has fewer than `LEN`.
    fn load_i8(from: &[i8]) -> Self;

    /// Overwrites the first of a slice.
    ///
    /// # Panics
    /// If it has fewer than `LEN`.
    fn store(self, to: &mut [f32]);

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// `self * other`.
    fn mul(self, other: Self) -> Self;

    /// `self * factor + addend`, rounded once where the instruction set can.
    fn fma(self, factor: Self, addend: Self) -> Self;

    /// The larger of both, number by number; where either is NaN, `other`'s.
    fn max(self, other: Self) -> Self;

    /// All of them added up.
    fn sum(self) -> f32;

    /// The sums of four vectors, which cost less together.
    #[inline(always)]
    fn sum4(of: [Self; 4]) -> [f32; 4] {
        let [a, b, c, d] = of;
        [a.sum(), b.sum(), c.sum(), d.sum()]
    }

    /// The largest numbers of four vectors, which cost less together. Of vectors with NaN it may
    /// be any of theirs.
    #[inline(always)]
    fn max4(of: [Self; 4]) -> [f32; 4] {
        let mut most = [f32::NEG_INFINITY; 4];
        for (vector, most) in of.into_iter().zip(&mut most) {
            let mut numbers = [0.0; 16];
            vector.store(&mut numbers);
            for &x in &numbers[..Self::LEN] {
                *most = if x > *most { x } else { *most };
            }
        }
        most
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The vector types, for `Arch` to name.
pub(crate) mod types {
    #[cfg(target_arch = "aarch64")]
    pub(crate) use super::neon::Neon8;
    pub(crate) use super::portable::Portable8;
    #[cfg(target_arch = "x86_64")]
    pub(crate) use super::{avx2::Avx8, avx512::Avx16};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arch, Isa, Kernel};

    struct Everything;

    impl Kernel for Everything {
        type Output = ();

        #[inline(always)]
        fn run<A: Arch>(self) {
            let numbers: Vec<f32> = (0..A::F32::LEN).map(|i| i as f32 - 2.5).collect();
            let halves: Vec<f16> = numbers.iter().map(|&x| f16::from_f32(x)).collect();
            let bytes: Vec<i8> = (0..A::F32::LEN).map(|i| (7 - 20 * i as i32) as i8).collect();
            let check = |found: A::F32, wanted: &dyn Fn(usize) -> f32| {
                let mut values = vec![0.0; A::F32::LEN];
                found.store(&mut values);
                let wanted: Vec<f32> = (0..A::F32::LEN).map(wanted).collect();
                assert_eq!(values, wanted, "{}", A::ISA);
            };
            let (x, two) = (A::F32::load(&numbers), A::F32::splat(2.0));
            check(x, &|i| numbers[i]);
            check(A::F32::load_f16(&halves), &|i| numbers[i]);
            check(A::F32::load_i8(&bytes), &|i| f32::from(bytes[i]));
            check(x.add(two), &|i| numbers[i] + 2.0);
            check(x.max(two), &|i| numbers[i].max(2.0));
            check(x.max(A::F32::splat(f32::NEG_INFINITY)), &|i| numbers[i]);
            check(A::F32::splat(f32::NAN).max(x), &|i| numbers[i]);
            check(x.mul(x), &|i| numbers[i] * numbers[i]);
            check(x.fma(two, x), &|i| numbers[i] * 3.0);
            let sum = numbers.iter().sum::<f32>();
            assert_eq!(x.sum(), sum);
            let four = [x, x.add(x), A::F32::splat(0.5), x.mul(A::F32::splat(-4.0))];
            let wanted = [sum, 2.0 * sum, 0.5 * A::F32::LEN as f32, -4.0 * sum];
            assert_eq!(A::F32::sum4(four), wanted);
            let most = numbers[A::F32::LEN - 1];
            assert_eq!(A::F32::max4(four), [most, 2.0 * most, 0.5, 10.0]);
        }
    }

    #[test]
    fn vectors_do_what_numbers_do() {
        for isa in Isa::here() {
            isa.run(Everything);
        }
    }
}
