//! Eight lanes in plain Rust.

use super::{Lanes, sealed::Sealed};
use half::f16;
use std::array;

/// Eight numbers; the compiler keeps them in what vectors the target has.
#[derive(Clone, Copy)]
pub(crate) struct Portable8([f32; 8]);

impl Sealed for Portable8 {}

impl Lanes for Portable8 {
    const LEN: usize = 8;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Portable8([value; 8])
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        Portable8(*from.first_chunk().expect("eight numbers"))
    }

    #[inline(always)]
    fn load_f16(from: &[f16]) -> Self {
        Portable8(from.first_chunk::<8>().expect("eight numbers").map(f16::to_f32))
    }

    #[inline(always)]
    fn load_i8(from: &[i8]) -> Self {
        Portable8(from.first_chunk::<8>().expect("eight numbers").map(f32::from))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        *to.first_chunk_mut().expect("eight numbers") = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Portable8(array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Portable8(array::from_fn(|i| self.0[i] * other.0[i]))
    }

    #[inline(always)]
    fn fma(self, factor: Self, addend: Self) -> Self {
        Portable8(array::from_fn(|i| self.0[i] * factor.0[i] + addend.0[i]))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let larger = |i: usize| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] };
        Portable8(array::from_fn(larger))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}
