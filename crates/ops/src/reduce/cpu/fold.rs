//! The kinds of reduction: their accumulators, and the loops over lanes.

use bessemer_program::cpu::LANES;
use bessemer_simd::{Arch, Kernel};
use std::marker::PhantomData;

/// The bits of a value in a register.
pub(super) trait Lane: Copy + Default + Send + Sync + 'static {
    /// The low ones of these.
    fn of(bits: u64) -> Self;
}

impl Lane for u32 {
    fn of(bits: u64) -> u32 {
        bits as u32
    }
}

impl Lane for u64 {
    fn of(bits: u64) -> u64 {
        bits
    }
}

/// A way to fold values, which are the bits of a register.
pub(super) trait Fold: Send + Sync + 'static {
    /// The bits of a value.
    type Lane: Lane;

    /// What is known of the values so far.
    type Known: Copy + Send + Sync;

    /// Of no values.
    const NOTHING: Self::Known;

    /// With one more value, which is number `number` of those reduced.
    fn add(known: Self::Known, value: Self::Lane, number: u32) -> Self::Known;

    /// Of the values of both.
    fn merge(a: Self::Known, b: Self::Known) -> Self::Known;

    /// The result, as the bits of a register; `count` values went into it.
    fn finish(known: Self::Known, count: usize) -> u64;

    /// With all values of a row; numbers go up by `step` from `number` on.
    #[inline(always)]
    fn row(known: Self::Known, lanes: &[Self::Lane], number: u32, step: u32) -> Self::Known
    where
        Self: Sized,
    {
        tree::<Self>(known, lanes, number, step)
    }
}

/// A number type of registers.
pub(super) trait Number: Copy + PartialOrd + Send + Sync + 'static {
    type Lane: Lane;
    const LEAST: Self;
    const MOST: Self;
    fn of(bits: Self::Lane) -> Self;
    fn bits(self) -> u64;
    fn wide(self) -> f64;
    fn is_nan(self) -> bool;
}

macro_rules! number {
    ($type:ty, $lane:ty, $least:expr, $most:expr, |$b:ident| $of:expr, |$v:ident| $bits:expr,
     $nan:expr) => {
        impl Number for $type {
            type Lane = $lane;
            const LEAST: $type = $least;
            const MOST: $type = $most;

            #[inline(always)]
            fn of($b: $lane) -> $type {
                $of
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                let $v = self;
                $bits
            }

            #[inline(always)]
            fn wide(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                let nan: fn($type) -> bool = $nan;
                nan(self)
            }
        }
    };
}

number!(
    f32,
    u32,
    f32::NEG_INFINITY,
    f32::INFINITY,
    |b| f32::from_bits(b),
    |v| v.to_bits().into(),
    f32::is_nan
);
number!(i32, u32, i32::MIN, i32::MAX, |b| b as i32, |v| (v as u32).into(), |_| false);
number!(u32, u32, u32::MIN, u32::MAX, |b| b, |v| v.into(), |_| false);
number!(
    f64,
    u64,
    f64::NEG_INFINITY,
    f64::INFINITY,
    |b| f64::from_bits(b),
    |v| v.to_bits(),
    f64::is_nan
);
number!(i64, u64, i64::MIN, i64::MAX, |b| b as i64, |v| v as u64, |_| false);
number!(u64, u64, u64::MIN, u64::MAX, |b| b, |v| v, |_| false);

/// An integer of 32 bits as the 64 of the type that its sums have.
pub(super) trait Widen: Number {
    fn widened(bits: u32) -> u64;
}

impl Widen for i32 {
    #[inline(always)]
    fn widened(bits: u32) -> u64 {
        i64::from(bits as i32) as u64
    }
}

impl Widen for u32 {
    #[inline(always)]
    fn widened(bits: u32) -> u64 {
        bits.into()
    }
}

/// The sum of `f32`, in double precision.
pub(super) struct Sum;
/// The sum of `f64`, with what its roundings lose.
pub(super) struct SumWide;
/// The mean, in double precision: exact sums of up to 2^21 integers of 32 bits.
pub(super) struct Mean<T>(PhantomData<T>);
/// The mean of `f64`.
pub(super) struct MeanWide;
/// The sum of integers, wrapping.
pub(super) struct WrappingSum<L>(PhantomData<L>);
/// The sum of integers of 32 bits in 64, wrapping.
pub(super) struct WideningSum<T>(PhantomData<T>);
/// The product of floats, in double precision.
pub(super) struct Prod<T>(PhantomData<T>);
/// The product of integers, wrapping.
pub(super) struct WrappingProd<L>(PhantomData<L>);
/// The product of integers of 32 bits in 64, wrapping.
pub(super) struct WideningProd<T>(PhantomData<T>);
/// The smallest or largest.
pub(super) struct Best<T, const LARGEST: bool>(PhantomData<T>);
/// Where the smallest or largest is.
pub(super) struct BestAt<T, const LARGEST: bool>(PhantomData<T>);
/// Whether any is true.
pub(super) struct Any;
/// Whether all are true.
pub(super) struct All;

macro_rules! fold {
    ([$($of:tt)*] $type:ty, $lane:ty, $known:ty, $nothing:expr,
     |$k:ident, $x:ident, $n:pat_param| $add:expr,
     |$a:ident, $b:ident| $merge:expr, |$end:ident, $count:pat_param| $finish:expr) => {
        impl<$($of)*> Fold for $type {
            type Lane = $lane;
            type Known = $known;
            const NOTHING: $known = $nothing;

            #[inline(always)]
            fn add($k: $known, $x: $lane, $n: u32) -> $known {
                $add
            }

            #[inline(always)]
            fn merge($a: $known, $b: $known) -> $known {
                $merge
            }

            #[inline(always)]
            fn finish($end: $known, $count: usize) -> u64 {
                $finish
            }
        }
    };
}

fold!([] Sum, u32, f64, 0.0, |k, x, _| k + f32::of(x).wide(), |a, b| a + b,
    |k, _| (k as f32).bits());
fold!([] SumWide, u64, (f64, f64), (0.0, 0.0), |k, x, _| both(k, (f64::of(x), 0.0)),
    |a, b| both(a, b), |k, _| total(k).bits());
fold!([T: Number] Mean<T>, T::Lane, f64, 0.0, |k, x, _| k + T::of(x).wide(), |a, b| a + b,
    |k, n| ((k / n as f64) as f32).bits());
fold!([] MeanWide, u64, (f64, f64), (0.0, 0.0), |k, x, _| both(k, (f64::of(x), 0.0)),
    |a, b| both(a, b), |k, n| (total(k) / n as f64).bits());
fold!([] WrappingSum<u32>, u32, u32, 0, |k, x, _| k.wrapping_add(x), |a, b| a.wrapping_add(b),
    |k, _| k.into());
fold!([] WrappingSum<u64>, u64, u64, 0, |k, x, _| k.wrapping_add(x), |a, b| a.wrapping_add(b),
    |k, _| k);
fold!([T: Widen] WideningSum<T>, u32, u64, 0, |k, x, _| k.wrapping_add(T::widened(x)),
    |a, b| a.wrapping_add(b), |k, _| k);
fold!([] Prod<f32>, u32, f64, 1.0, |k, x, _| k * f32::of(x).wide(), |a, b| a * b,
    |k, _| (k as f32).bits());
fold!([] Prod<f64>, u64, f64, 1.0, |k, x, _| k * f64::of(x), |a, b| a * b, |k, _| k.bits());
fold!([] WrappingProd<u32>, u32, u32, 1, |k, x, _| k.wrapping_mul(x), |a, b| a.wrapping_mul(b),
    |k, _| k.into());
fold!([] WrappingProd<u64>, u64, u64, 1, |k, x, _| k.wrapping_mul(x), |a, b| a.wrapping_mul(b),
    |k, _| k);
fold!([T: Widen] WideningProd<T>, u32, u64, 1, |k, x, _| k.wrapping_mul(T::widened(x)),
    |a, b| a.wrapping_mul(b), |k, _| k);
fold!([T: Number, const LARGEST: bool] Best<T, LARGEST>, T::Lane, T,
    if LARGEST { T::LEAST } else { T::MOST },
    |k, x, _| best::<T, LARGEST>(k, T::of(x)), |a, b| best::<T, LARGEST>(a, b), |k, _| k.bits());

/// The sum of two sums, each with what was lost of it.
#[inline(always)]
fn both((a, lost_a): (f64, f64), (b, lost_b): (f64, f64)) -> (f64, f64) {
    let sum = a + b;
    let more = sum - a;
    (sum, lost_a + lost_b + ((a - (sum - more)) + (b - more)))
}

/// The sum, with what was lost of it put back.
fn total((sum, lost): (f64, f64)) -> f64 {
    if sum.is_finite() { sum + lost } else { sum }
}

impl<T: Number, const LARGEST: bool> Fold for BestAt<T, LARGEST> {
    type Lane = T::Lane;
    type Known = (T, u32);
    const NOTHING: (T, u32) = (Best::<T, LARGEST>::NOTHING, u32::MAX);

    #[inline(always)]
    fn add(known: (T, u32), value: T::Lane, number: u32) -> (T, u32) {
        Self::merge(known, (T::of(value), number))
    }

    /// NaN before all others, then the first.
    #[inline(always)]
    fn merge(a: (T, u32), b: (T, u32)) -> (T, u32) {
        let better = if LARGEST { b.0 > a.0 } else { b.0 < a.0 };
        let (nan, other_nan) = (a.0.is_nan(), b.0.is_nan());
        let first = ((a.0 == b.0) | (nan & other_nan)) & (b.1 < a.1);
        let take = (other_nan & !nan) | (better & !nan) | first;
        (if take { b.0 } else { a.0 }, if take { b.1 } else { a.1 })
    }

    #[inline(always)]
    fn finish(known: (T, u32), _: usize) -> u64 {
        known.1.into()
    }

    /// The best value first, and then where it is: both are loops for the vector units.
    #[inline(always)]
    fn row(known: (T, u32), lanes: &[T::Lane], number: u32, step: u32) -> (T, u32) {
        let value = tree::<Best<T, LARGEST>>(Best::<T, LARGEST>::NOTHING, lanes, 0, 0);
        let is_it = |lane: &T::Lane| {
            let x = T::of(*lane);
            (x == value) | (x.is_nan() & value.is_nan())
        };
        // Whole pieces without it are passed over.
        const PIECE: usize = 64;
        let without = |piece: &[T::Lane]| !piece.iter().fold(false, |any, lane| any | is_it(lane));
        let skipped = lanes.chunks(PIECE).take_while(|piece| without(piece)).count() * PIECE;
        let at = lanes.iter().skip(skipped).position(is_it).map(|at| at + skipped);
        let number = |at: usize| number.wrapping_add(step.wrapping_mul(at as u32));
        at.map_or(known, |at| Self::merge(known, (value, number(at))))
    }
}

fold!([] Any, u32, u32, 0, |k, x, _| k | x, |a, b| a | b, |k, _| k.into());
fold!([] All, u32, u32, u32::MAX, |k, x, _| k & x, |a, b| a & b, |k, _| k.into());

/// The better of two; NaN if either is.
#[inline(always)]
fn best<T: Number, const LARGEST: bool>(a: T, b: T) -> T {
    let better = if LARGEST { a > b } else { a < b };
    let known = if better { a } else { b };
    if a.is_nan() { a } else { known }
}

/// Lanes of one row, folded into one. Numbers go up by `step` from `number` on.
pub(super) struct FoldRow<'a, F: Fold> {
    pub(super) known: F::Known,
    pub(super) lanes: &'a [F::Lane],
    pub(super) number: u32,
    pub(super) step: u32,
}

impl<F: Fold> Kernel for FoldRow<'_, F> {
    type Output = F::Known;

    #[inline(always)]
    fn run<A: Arch>(self) -> F::Known {
        F::row(self.known, self.lanes, self.number, self.step)
    }
}

/// Folds a row as a tree.
#[inline(always)]
fn tree<F: Fold>(mut known: F::Known, lanes: &[F::Lane], number: u32, step: u32) -> F::Known {
    // Four lanes from four quarters become one partial result: a loop over quarters that the
    // vector units like, and a tree, which loses little.
    const MOST: usize = LANES / 4;
    let mut parts = [F::NOTHING; MOST];
    for (chunk, lanes) in lanes.chunks(4 * MOST).enumerate() {
        let number = number.wrapping_add(step.wrapping_mul((chunk * 4 * MOST) as u32));
        let number = |i: usize| number.wrapping_add(step.wrapping_mul(i as u32));
        let len = lanes.len() / 4;
        let (quarters, rest) = lanes.split_at(4 * len);
        let (a, b) = quarters.split_at(2 * len);
        let ((a, b), (c, d)) = (a.split_at(len), b.split_at(len));
        let parts = &mut parts[..len];
        let quarters = a.iter().zip(b).zip(c).zip(d);
        for (i, (part, (((a, b), c), d))) in parts.iter_mut().zip(quarters).enumerate() {
            let first = F::add(F::add(F::NOTHING, *a, number(i)), *b, number(i + len));
            let second =
                F::add(F::add(F::NOTHING, *c, number(i + 2 * len)), *d, number(i + 3 * len));
            *part = F::merge(first, second);
        }
        let mut parts = parts;
        while parts.len() > 1 {
            let half = parts.len() / 2;
            // The middle one of an odd number is left as it is.
            let (low, high) = parts.split_at_mut(parts.len() - half);
            for (low, high) in low.iter_mut().zip(&*high) {
                *low = F::merge(*low, *high);
            }
            parts = low;
        }
        if let [part] = parts {
            known = F::merge(known, *part);
        }
        for (i, lane) in rest.iter().enumerate() {
            known = F::add(known, *lane, number(4 * len + i));
        }
    }
    known
}

/// Lanes folded into one result each, all with the same number.
pub(super) struct FoldEach<'a, F: Fold> {
    pub(super) known: &'a mut [F::Known],
    pub(super) lanes: &'a [F::Lane],
    pub(super) number: u32,
}

impl<F: Fold> Kernel for FoldEach<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for (known, lane) in self.known.iter_mut().zip(self.lanes) {
            *known = F::add(*known, *lane, self.number);
        }
    }
}
