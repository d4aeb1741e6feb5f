//! How one generic loop is compiled for every instruction set.

use crate::{Isa, Lanes, lanes::types};

/// An instruction set at compile time: what a [`Kernel`] is generic over.
///
/// The only values are zero-sized markers of this crate, and code generic over one is only ever
/// reached through [`Isa::run`], which checked that the machine has it.
pub trait Arch: Copy + sealed::Sealed + 'static {
    /// The same at run time, to choose hand-written code within a kernel. It is a constant, so
    /// the branches not taken cost nothing.
    const ISA: Isa;

    /// Its vectors of `f32`.
    type F32: Lanes;

    /// `a * b + c`, fused where the instruction set can (rounded once), otherwise not.
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

/// Work that is compiled once per instruction set.
///
/// `run` and all it calls must be `#[inline(always)]`: only what is inlined into the caller is
/// compiled with the wider instructions.
pub trait Kernel {
    /// What it returns.
    type Output;

    /// Does the work.
    fn run<A: Arch>(self) -> Self::Output;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! archs {
    ($($(#[$attr:meta])* $name:ident, $lanes:ident, $fma:expr, [$($feature:literal)?];)*) => {
        mod marker {$(
            $(#[$attr])*
            #[derive(Clone, Copy, Debug)]
            pub(super) struct $name;
        )*}

        $(
            $(#[$attr])*
            impl sealed::Sealed for marker::$name {}

            $(#[$attr])*
            impl Arch for marker::$name {
                const ISA: Isa = Isa::$name;

                type F32 = types::$lanes;

                #[inline(always)]
                fn fma(a: f32, b: f32, c: f32) -> f32 {
                    let fma: fn(f32, f32, f32) -> f32 = $fma;
                    fma(a, b, c)
                }
            }
        )*

        impl Isa {
            /// Runs `kernel` in the copy compiled for this instruction set.
            ///
            /// # Panics
            /// If this machine does not have it. [`Isa::best`] and [`Isa::here`] only give those
            /// it has.
            #[inline]
            pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
                $(
                    $(#[$attr])*
                    #[allow(non_snake_case)]
                    $(#[target_feature(enable = $feature)])?
                    fn $name<K: Kernel>(kernel: K) -> K::Output {
                        kernel.run::<marker::$name>()
                    }
                )*
                assert!(self.available(), "{self} is not available on this machine");
                match self {
                    $(
                        $(#[$attr])*
                        // SAFETY: the assertion above: `Isa::available` has found every feature
                        // that the function enables.
                        #[allow(unused_unsafe)]
                        Isa::$name => unsafe { $name(kernel) },
                    )*
                    #[allow(unreachable_patterns)]
                    _ => unreachable!("{self} does not exist on this architecture"),
                }
            }
        }
    };
}

archs! {
    Portable, Portable8, |a, b, c| a * b + c, [];
    #[cfg(target_arch = "aarch64")]
    Neon, Neon8, |a, b, c| f32::mul_add(a, b, c), ["neon"];
    #[cfg(target_arch = "aarch64")]
    NeonDot, Neon8, |a, b, c| f32::mul_add(a, b, c), ["neon,dotprod"];
    #[cfg(target_arch = "x86_64")]
    Avx2, Avx8, |a, b, c| f32::mul_add(a, b, c), ["avx2,fma,f16c"];
    #[cfg(target_arch = "x86_64")]
    Avx512, Avx16, |a, b, c| f32::mul_add(a, b, c), ["avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c"];
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dot<'a>(&'a [f32], &'a [f32]);

    impl Kernel for Dot<'_> {
        type Output = f32;

        #[inline(always)]
        fn run<A: Arch>(self) -> f32 {
            self.0.iter().zip(self.1).fold(0.0, |sum, (&a, &b)| A::fma(a, b, sum))
        }
    }

    #[test]
    fn every_instruction_set_here_runs_the_kernel() {
        let a: Vec<f32> = (0..100).map(|i| i as f32).collect();
        for isa in Isa::here() {
            assert_eq!(isa.run(Dot(&a, &a)), 328350.0, "{isa}");
        }
    }
}
