//! The loops: each instruction over many lanes, compiled for every instruction set.
//!
//! A lane of a register has 32 bits, or 64 if the type is wide (`wide` has the loops of those); a
//! true boolean is 32 ones.

mod arithmetic;
mod compare;
mod convert;
mod maths;
mod wide;

pub(super) use arithmetic::{binary, fma};
pub(super) use compare::{compare, select};
pub(super) use convert::{narrow, shorten, wide as convert_wide, widen};
pub(super) use maths::unary;
pub(super) use wide::{binary_wide, compare_wide, fma_wide, unary_wide};

use bessemer_simd::{Arch, Kernel};
use std::marker::PhantomData;

/// The bits of a lane.
pub(super) trait Word: Copy + Default + PartialEq + 'static {
    /// The low ones of these.
    fn of(bits: u64) -> Self;

    /// With zeros before them.
    fn bits(self) -> u64;
}

impl Word for u32 {
    #[inline(always)]
    fn of(bits: u64) -> u32 {
        bits as u32
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Word for u64 {
    #[inline(always)]
    fn of(bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}

/// An operand of a loop.
#[derive(Clone, Copy)]
pub(super) enum Lanes<'a, W = u32> {
    /// A value per lane.
    Many(&'a [W]),
    /// The same for all.
    One(W),
}

impl<W: Copy> Lanes<'_, W> {
    /// The value in one lane.
    #[inline(always)]
    pub(super) fn get(self, lane: usize) -> W {
        match self {
            Lanes::Many(lanes) => lanes[lane],
            Lanes::One(value) => value,
        }
    }
}

/// What the bits of a lane mean.
pub(super) trait Lane: Copy {
    type Word: Word;
    fn from_lane(bits: Self::Word) -> Self;
    fn to_lane(self) -> Self::Word;
}

macro_rules! lane {
    ($type:ty, $word:ty, |$bits:ident| $from:expr, |$value:ident| $to:expr) => {
        impl Lane for $type {
            type Word = $word;

            #[inline(always)]
            fn from_lane($bits: $word) -> $type {
                $from
            }

            #[inline(always)]
            fn to_lane(self) -> $word {
                let $value = self;
                $to
            }
        }
    };
}

lane!(f32, u32, |bits| f32::from_bits(bits), |value| value.to_bits());
lane!(i32, u32, |bits| bits as i32, |value| value as u32);
lane!(u32, u32, |bits| bits, |value| value);
lane!(bool, u32, |bits| bits != 0, |value| (value as u32).wrapping_neg());
lane!(f64, u64, |bits| f64::from_bits(bits), |value| value.to_bits());
lane!(i64, u64, |bits| bits as i64, |value| value as u64);
lane!(u64, u64, |bits| bits, |value| value);

/// A function of one lane.
pub(super) trait Op1 {
    type From: Word;
    type To: Word;
    fn apply<A: Arch>(a: Self::From) -> Self::To;
}

/// A function of two lanes.
pub(super) trait Op2 {
    type From: Word;
    type To: Word;
    fn apply<A: Arch>(a: Self::From, b: Self::From) -> Self::To;
}

/// `Op1` over lanes.
pub(super) struct Map1<'a, F: Op1> {
    pub(super) d: &'a mut [F::To],
    pub(super) a: &'a [F::From],
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
pub(super) struct Map2<'a, F: Op2> {
    pub(super) d: &'a mut [F::To],
    pub(super) a: Lanes<'a, F::From>,
    pub(super) b: Lanes<'a, F::From>,
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
            type From = <$from as Lane>::Word;
            type To = <$to as Lane>::Word;

            #[inline(always)]
            fn apply<A: Arch>(a: Self::From) -> Self::To {
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
            type From = <$from as Lane>::Word;
            type To = <$to as Lane>::Word;

            #[inline(always)]
            fn apply<A: Arch>(a: Self::From, b: Self::From) -> Self::To {
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
