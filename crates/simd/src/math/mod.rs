//! Functions of single precision for the loops of kernels: no branches and no tables, so that a
//! loop over one becomes vector code for each instruction set. Some also come for whole slices,
//! which use what a loop over numbers can't.
//!
//! Errors are in units in the last place of the true result (ulp), the worst found over all
//! tested arguments, with and without fused multiply-add. NaN gives NaN, infinities and
//! subnormals are right (results below 1e-36 are as near as 1e-36 would be), and arguments of any
//! size are allowed unless it says otherwise.
//! Coefficients are minimax fits made for these intervals.
//!
//! ```
//! use bessemer_simd::{Arch, Isa, Kernel, math};
//!
//! struct Silu<'a>(&'a mut [f32]);
//!
//! impl Kernel for Silu<'_> {
//!     type Output = ();
//!
//!     #[inline(always)]
//!     fn run<A: Arch>(self) {
//!         for x in self.0 {
//!             *x = math::silu::<A>(*x);
//!         }
//!     }
//! }
//!
//! let mut x = [0.0, 100.0];
//! Isa::best().run(Silu(&mut x));
//! assert_eq!(x, [0.0, 100.0]);
//! ```

#[cfg(target_arch = "x86_64")]
mod avx512;
mod erf;
mod exp;
mod log;
mod near_one;
mod pow;
mod simple;
mod slices;
mod trig;
mod turn;

pub use erf::{erf, gelu};
pub use exp::{exp, exp2, gelu_tanh, sigmoid, silu, tanh};
pub use log::{log, log2};
pub use near_one::{acosh, asinh, atanh, cosh, expm1, log1p, log10, sinh};
pub use pow::pow;
pub use simple::{MAX_QUOTIENT, hypot, max, min, nextafter, nextafter_f64, rem, sign};
pub use slices::{exp_below_in_place, exp_each, sigmoid_each, silu_each, silu_in_place, tanh_each};
pub use trig::{MAX_ANGLE, acos, asin, atan, atan2, cos, sin, tan};
pub use turn::{sin_cos_turns, whole_and_part};

use crate::Arch;

/// `c[0] + c[1] x + c[2] x² + …`.
#[inline(always)]
fn poly<A: Arch, const N: usize>(x: f32, c: [f32; N]) -> f32 {
    let mut sum = c[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = A::fma(sum, x, c[i]);
    }
    sum
}

#[cfg(test)]
mod tests;
