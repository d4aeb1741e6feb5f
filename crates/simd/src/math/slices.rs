//! Functions over slices, where an instruction set has a better way than one number at a time.
//! Their errors are those of the functions of one number.

#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::{exp, sigmoid, silu, tanh};
use crate::Arch;
#[cfg(target_arch = "x86_64")]
use crate::Isa;

macro_rules! each {
    ($($(#[$doc:meta])* $each:ident: $function:ident, $wide:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// As many as the shorter slice has.
        #[inline(always)]
        pub fn $each<A: Arch>(from: &[f32], to: &mut [f32]) {
            #[cfg(target_arch = "x86_64")]
            if A::ISA == Isa::Avx512 {
                let len = from.len().min(to.len());
                let (from, to) = (from.as_ptr(), to.as_mut_ptr());
                // SAFETY: both slices are as long.
                return unsafe { avx512::map(from, to, len, avx512::$wide) };
            }
            for (to, from) in to.iter_mut().zip(from) {
                *to = $function::<A>(*from);
            }
        }
    )*};
}

each! {
    /// [`exp`] of each number.
    exp_each: exp, Exp;
    /// [`sigmoid`] of each number.
    sigmoid_each: sigmoid, Sigmoid;
    /// [`silu`] of each number.
    silu_each: silu, Silu;
    /// [`tanh`] of each number.
    tanh_each: tanh, Tanh;
}

/// [`silu`] of each number, in place.
#[inline(always)]
pub fn silu_in_place<A: Arch>(x: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if A::ISA == Isa::Avx512 {
        let first = x.as_mut_ptr();
        // SAFETY: it is one slice.
        return unsafe { avx512::map(first, first, x.len(), avx512::Silu) };
    }
    for x in x {
        *x = silu::<A>(*x);
    }
}

/// `exp(x - most)` of each number, in place.
#[inline(always)]
pub fn exp_below_in_place<A: Arch>(x: &mut [f32], most: f32) {
    #[cfg(target_arch = "x86_64")]
    if A::ISA == Isa::Avx512 {
        let first = x.as_mut_ptr();
        // SAFETY: it is one slice.
        return unsafe { avx512::map(first, first, x.len(), avx512::ExpBelow(most)) };
    }
    for x in x {
        *x = exp::<A>(*x - most);
    }
}
