//! The loops: each instruction over many lanes, compiled for every instruction set.
//!
//! Every lane of a register is 32 bits, whatever its type; a true boolean is all ones.

mod arithmetic;
mod compare;
mod convert;
mod maths;

pub(super) use arithmetic::{binary, fma};
pub(super) use compare::{compare, select};
pub(super) use convert::convert;
pub(super) use maths::unary;

use bessemer_simd::{Arch, Kernel};
use std::marker::PhantomData;

/// An operand of a loop.
#[derive(Clone, Copy)]
pub(super) enum Lanes<'a> {
    /// A value per lane.
    Many(&'a [u32]),
    /// The same for all.
    One(u32),
}

impl Lanes<'_> {
    /// The value in one lane.
    #[inline(always)]
    pub(super) fn get(self, lane: usize) -> u32 {
        match self {
            Lanes::Many(lanes) => lanes[lane],
            Lanes::One(value) => value,
        }
    }
}

/// What 32 bits mean.
pub(super) trait Lane: Copy {
    fn from_lane(bits: u32) -> Self;
    fn to_lane(self) -> u32;
}

macro_rules! lane {
    ($type:ty, |$bits:ident| $from:expr, |$value:ident| $to:expr) => {
        impl Lane for $type {
            #[inline(always)]
            fn from_lane($bits: u32) -> $type {
                $from
            }

            #[inline(always)]
            fn to_lane(self) -> u32 {
                let $value = self;
                $to
            }
        }
    };
}

lane!(f32, |bits| f32::from_bits(bits), |value| value.to_bits());
lane!(i32, |bits| bits as i32, |value| value as u32);
lane!(u32, |bits| bits, |value| value);
lane!(bool, |bits| bits != 0, |value| (value as u32).wrapping_neg());

/// A function of one lane.
pub(super) trait Op1 {
    fn apply<A: Arch>(a: u32) -> u32;
}

/// A function of two lanes.
pub(super) trait Op2 {
    fn apply<A: Arch>(a: u32, b: u32) -> u32;
}

/// `Op1` over lanes.
pub(super) struct Map1<'a, F> {
    pub(super) d: &'a mut [u32],
    pub(super) a: &'a [u32],
    pub(super) op: PhantomData<F>,
}

impl<F: Op1> Kernel for Map1<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for (d, a) in self.d.iter_mut().zip(self.a) {
            *d = F::apply::<A>(*a);
        }
    }
}

/// `Op2` over lanes.
pub(super) struct Map2<'a, F> {
    pub(super) d: &'a mut [u32],
    pub(super) a: Lanes<'a>,
    pub(super) b: Lanes<'a>,
    pub(super) op: PhantomData<F>,
}

impl<F: Op2> Kernel for Map2<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        match (self.a, self.b) {
            (Lanes::Many(a), Lanes::Many(b)) => {
                for ((d, a), b) in self.d.iter_mut().zip(a).zip(b) {
                    *d = F::apply::<A>(*a, *b);
                }
            }
            (Lanes::Many(a), Lanes::One(b)) => {
                for (d, a) in self.d.iter_mut().zip(a) {
                    *d = F::apply::<A>(*a, b);
                }
            }
            (Lanes::One(a), Lanes::Many(b)) => {
                for (d, b) in self.d.iter_mut().zip(b) {
                    *d = F::apply::<A>(a, *b);
                }
            }
            (Lanes::One(a), Lanes::One(b)) => self.d.fill(F::apply::<A>(a, b)),
        }
    }
}

/// Defines a function of lanes and runs it: `run1!(isa, d, a, |x: f32| -> f32 { … })`.
/// Within it, `A` is the instruction set.
macro_rules! run1 {
    ($isa:expr, $d:expr, $a:expr, |$x:ident: $from:ty| -> $to:ty $body:block) => {{
        struct F;
        impl Op1 for F {
            #[inline(always)]
            fn apply<A: Arch>(a: u32) -> u32 {
                let $x = <$from as Lane>::from_lane(a);
                let value: $to = $body;
                value.to_lane()
            }
        }
        $isa.run(Map1::<F> { d: $d, a: $a, op: PhantomData })
    }};
}

/// The same with two operands.
macro_rules! run2 {
    ($isa:expr, $d:expr, $a:expr, $b:expr, |$x:ident, $y:ident: $from:ty| -> $to:ty $body:block) => {{
        struct F;
        impl Op2 for F {
            #[inline(always)]
            fn apply<A: Arch>(a: u32, b: u32) -> u32 {
                let $x = <$from as Lane>::from_lane(a);
                let $y = <$from as Lane>::from_lane(b);
                let value: $to = $body;
                value.to_lane()
            }
        }
        $isa.run(Map2::<F> { d: $d, a: $a, b: $b, op: PhantomData })
    }};
}

use {run1, run2};
