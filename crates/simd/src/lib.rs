//! The CPU's instruction sets: detection, how code is compiled for each of them, and the maths that vector
//! code shares. Ops and threads are not here.
//!
//! A loop is written once, generic over [`Arch`], and [`Isa::run`] calls the copy that was
//! compiled for the instruction set in use:
//!
//! ```
//! use bessemer_simd::{Arch, Isa, Kernel};
//!
//! struct Axpy<'a>(f32, &'a [f32], &'a mut [f32]);
//!
//! impl Kernel for Axpy<'_> {
//!     type Output = ();
//!
//!     #[inline(always)]
//!     fn run<A: Arch>(self) {
//!         for (y, x) in self.2.iter_mut().zip(self.1) {
//!             *y = A::fma(self.0, *x, *y);
//!         }
//!     }
//! }
//!
//! let mut y = [1.0; 100];
//! Isa::best().run(Axpy(2.0, &[3.0; 100], &mut y));
//! assert_eq!(y, [7.0; 100]);
//! ```

mod arch;
pub mod convert;
pub mod fold;
mod isa;
mod lanes;
pub mod math;
pub mod prefetch;

pub use arch::{Arch, Kernel};
pub use isa::{Isa, UnknownIsa};
pub use lanes::Lanes;
