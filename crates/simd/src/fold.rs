//! Reductions of slices with many partial results: faster on vector units, and more accurate for sums.
//!
//! ```
//! use bessemer_simd::{Arch, Isa, Kernel, fold};
//!
//! struct Norm<'a>(&'a [f32]);
//!
//! impl Kernel for Norm<'_> {
//!     type Output = f32;
//!
//!     #[inline(always)]
//!     fn run<A: Arch>(self) -> f32 {
//!         fold::sum_squares::<A>(self.0).sqrt()
//!     }
//! }
//!
//! assert_eq!(Isa::best().run(Norm(&[3.0, 4.0])), 5.0);
//! ```

use crate::Arch;

/// Partial results side by side.
const LANES: usize = 64;

/// The sum of `f(x)`.
#[inline(always)]
pub fn sum_of<A: Arch>(x: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (sum, &x) in sums.iter_mut().zip(chunk) {
            *sum += f(x);
        }
    }
    for (sum, &x) in sums.iter_mut().zip(rest) {
        *sum += f(x);
    }
    halve(sums, |a, b| a + b)
}

/// The sum of `x²`.
#[inline(always)]
pub fn sum_squares<A: Arch>(x: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (sum, &x) in sums.iter_mut().zip(chunk) {
            *sum = A::fma(x, x, *sum);
        }
    }
    for (sum, &x) in sums.iter_mut().zip(rest) {
        *sum = A::fma(x, x, *sum);
    }
    halve(sums, |a, b| a + b)
}

/// The largest number; -inf if there is none. NaN is passed over.
#[inline(always)]
pub fn max<A: Arch>(x: &[f32]) -> f32 {
    let mut most = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = x.as_chunks::<LANES>();
    for chunk in chunks {
        for (most, &x) in most.iter_mut().zip(chunk) {
            *most = if x > *most { x } else { *most };
        }
    }
    for (most, &x) in most.iter_mut().zip(rest) {
        *most = if x > *most { x } else { *most };
    }
    halve(most, |a, b| if b > a { b } else { a })
}

/// Partial results put together two by two: a chain of them would take longer than the loop.
#[inline(always)]
fn halve(mut parts: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> f32 {
    macro_rules! steps {
        ($($half:literal)*) => {$(
            for i in 0..$half {
                parts[i] = f(parts[i], parts[i + $half]);
            }
        )*};
    }
    steps!(32 16 8 4 2 1);
    parts[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isa, Kernel};

    struct All<'a>(&'a [f32]);

    impl Kernel for All<'_> {
        type Output = [f32; 3];

        #[inline(always)]
        fn run<A: Arch>(self) -> [f32; 3] {
            [sum_of::<A>(self.0, |x| 2.0 * x), sum_squares::<A>(self.0), max::<A>(self.0)]
        }
    }

    #[test]
    fn of_any_length() {
        for isa in Isa::here() {
            assert_eq!(isa.run(All(&[])), [0.0, 0.0, f32::NEG_INFINITY]);
            for len in [1, 63, 64, 65, 200] {
                let x: Vec<f32> = (0..len).map(|i| i as f32).collect();
                let squares: f32 = x.iter().map(|x| x * x).sum();
                let wanted = [x.iter().sum::<f32>() * 2.0, squares, len as f32 - 1.0];
                assert_eq!(isa.run(All(&x)), wanted, "{isa} {len}");
            }
            assert_eq!(isa.run(All(&[f32::NAN, 3.0, -1.0]))[2], 3.0);
        }
    }
}
