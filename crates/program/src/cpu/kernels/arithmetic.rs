//! Binary arithmetic of 32 bits.

use super::{Lane, Lanes, Map2, Op2, Word, run2};
use crate::{Binary, Type};
use bessemer_simd::{Arch, Isa, Kernel, math};
use std::marker::PhantomData;

/// `d = op(a, b)` on lanes of type `ty`, which is not wide.
pub(in crate::cpu) fn binary(
    isa: Isa,
    op: Binary,
    ty: Type,
    d: &mut [u32],
    a: Lanes<'_>,
    b: Lanes<'_>,
) {
    match ty {
        Type::F32 => floats(isa, op, d, a, b),
        Type::I32 => integers(isa, op, d, a, b),
        _ => naturals(isa, op, d, a, b),
    }
}

fn floats(isa: Isa, op: Binary, d: &mut [u32], a: Lanes<'_>, b: Lanes<'_>) {
    if op == Binary::Rem {
        // The fast code does not take every quotient: see whether there are large ones.
        run2!(isa, d, a, b, |x, y: f32| -> f32 { x / y });
        let small = |bits: &u32| f32::from_bits(*bits).abs() <= math::MAX_QUOTIENT;
        if !d.iter().fold(true, |all, bits| all & small(bits)) {
            for (lane, d) in d.iter_mut().enumerate() {
                *d = (f32::from_bits(a.get(lane)) % f32::from_bits(b.get(lane))).to_bits();
            }
            return;
        }
    }
    match op {
        Binary::Add => run2!(isa, d, a, b, |x, y: f32| -> f32 { x + y }),
        Binary::Sub => run2!(isa, d, a, b, |x, y: f32| -> f32 { x - y }),
        Binary::Mul => run2!(isa, d, a, b, |x, y: f32| -> f32 { x * y }),
        Binary::Div => run2!(isa, d, a, b, |x, y: f32| -> f32 { x / y }),
        Binary::Rem => run2!(isa, d, a, b, |x, y: f32| -> f32 { math::rem(x, y) }),
        Binary::Min => run2!(isa, d, a, b, |x, y: f32| -> f32 { math::min(x, y) }),
        Binary::Max => run2!(isa, d, a, b, |x, y: f32| -> f32 { math::max(x, y) }),
        Binary::Pow => run2!(isa, d, a, b, |x, y: f32| -> f32 { math::pow(x, y) }),
        Binary::Hypot => run2!(isa, d, a, b, |x, y: f32| -> f32 { math::hypot(x, y) }),
        Binary::Copysign => run2!(isa, d, a, b, |x, y: f32| -> f32 { x.copysign(y) }),
        Binary::Nextafter => run2!(isa, d, a, b, |x, y: f32| -> f32 { math::nextafter(x, y) }),
        _ => run2!(isa, d, a, b, |x, y: f32| -> f32 { math::atan2::<A>(x, y) }),
    }
}

fn integers(isa: Isa, op: Binary, d: &mut [u32], a: Lanes<'_>, b: Lanes<'_>) {
    match op {
        Binary::Div => run2!(isa, d, a, b, |x, y: i32| -> i32 { quotient(x, y) }),
        Binary::Rem => run2!(isa, d, a, b, |x, y: i32| -> i32 {
            if y == 0 { 0 } else { x.wrapping_sub(quotient(x, y).wrapping_mul(y)) }
        }),
        Binary::Min => run2!(isa, d, a, b, |x, y: i32| -> i32 { x.min(y) }),
        Binary::Max => run2!(isa, d, a, b, |x, y: i32| -> i32 { x.max(y) }),
        Binary::Shr => run2!(isa, d, a, b, |x, y: i32| -> i32 { x.wrapping_shr(y as u32) }),
        // The bits are those of the unsigned result.
        _ => naturals(isa, op, d, a, b),
    }
}

fn naturals(isa: Isa, op: Binary, d: &mut [u32], a: Lanes<'_>, b: Lanes<'_>) {
    match op {
        Binary::Add => run2!(isa, d, a, b, |x, y: u32| -> u32 { x.wrapping_add(y) }),
        Binary::Sub => run2!(isa, d, a, b, |x, y: u32| -> u32 { x.wrapping_sub(y) }),
        Binary::Mul => run2!(isa, d, a, b, |x, y: u32| -> u32 { x.wrapping_mul(y) }),
        Binary::Div => run2!(isa, d, a, b, |x, y: u32| -> u32 {
            if y == 0 { 0 } else { (f64::from(x) / f64::from(y)) as u32 }
        }),
        Binary::Rem => run2!(isa, d, a, b, |x, y: u32| -> u32 {
            if y == 0 {
                0
            } else {
                x.wrapping_sub(((f64::from(x) / f64::from(y)) as u32).wrapping_mul(y))
            }
        }),
        Binary::Min => run2!(isa, d, a, b, |x, y: u32| -> u32 { x.min(y) }),
        Binary::Max => run2!(isa, d, a, b, |x, y: u32| -> u32 { x.max(y) }),
        Binary::And => run2!(isa, d, a, b, |x, y: u32| -> u32 { x & y }),
        Binary::Or => run2!(isa, d, a, b, |x, y: u32| -> u32 { x | y }),
        Binary::Xor => run2!(isa, d, a, b, |x, y: u32| -> u32 { x ^ y }),
        Binary::Shl => run2!(isa, d, a, b, |x, y: u32| -> u32 { x.wrapping_shl(y) }),
        _ => run2!(isa, d, a, b, |x, y: u32| -> u32 { x.wrapping_shr(y) }),
    }
}

/// Exact by way of doubles, which vectors can divide: quotients of 32 bits are never so near
/// below a whole number that a double rounds up to it.
#[inline(always)]
fn quotient(x: i32, y: i32) -> i32 {
    // The one quotient that does not fit wraps, as saturating conversion would not.
    let quotient = if y == -1 { 0.0 } else { f64::from(x) / f64::from(y) };
    let quotient = if y == 0 { 0.0 } else { quotient };
    // SAFETY: of 32 bits and finite, as 0 and -1 were left out.
    let quotient = unsafe { quotient.to_int_unchecked::<i32>() };
    if y == -1 { x.wrapping_neg() } else { quotient }
}

/// `d = a * b + c` of `f32`.
pub(in crate::cpu) fn fma(isa: Isa, d: &mut [u32], a: Lanes<'_>, b: Lanes<'_>, c: Lanes<'_>) {
    struct Singles;
    impl Op3 for Singles {
        type Word = u32;

        #[inline(always)]
        fn apply<A: Arch>(a: u32, b: u32, c: u32) -> u32 {
            A::fma(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c)).to_bits()
        }
    }
    isa.run(Fma::<Singles> { d, a, b, c });
}

/// A function of three lanes, of which the first two can be swapped.
pub(super) trait Op3 {
    type Word: Word;
    fn apply<A: Arch>(a: Self::Word, b: Self::Word, c: Self::Word) -> Self::Word;
}

/// `Op3` over lanes.
pub(super) struct Fma<'a, F: Op3> {
    pub(super) d: &'a mut [F::Word],
    pub(super) a: Lanes<'a, F::Word>,
    pub(super) b: Lanes<'a, F::Word>,
    pub(super) c: Lanes<'a, F::Word>,
}

impl<F: Op3> Kernel for Fma<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Fma { d, a, b, c } = self;
        // Products commute: one of them being the same for all lanes is one case.
        let (a, b) = match (a, b) {
            (Lanes::One(_), Lanes::Many(_)) => (b, a),
            other => other,
        };
        match (a, b, c) {
            (Lanes::Many(a), Lanes::Many(b), Lanes::Many(c)) => {
                for (((d, a), b), c) in d.iter_mut().zip(a).zip(b).zip(c) {
                    *d = F::apply::<A>(*a, *b, *c);
                }
            }
            (Lanes::Many(a), Lanes::Many(b), Lanes::One(c)) => {
                for ((d, a), b) in d.iter_mut().zip(a).zip(b) {
                    *d = F::apply::<A>(*a, *b, c);
                }
            }
            (Lanes::Many(a), Lanes::One(b), Lanes::Many(c)) => {
                for ((d, a), c) in d.iter_mut().zip(a).zip(c) {
                    *d = F::apply::<A>(*a, b, *c);
                }
            }
            (Lanes::Many(a), Lanes::One(b), Lanes::One(c)) => {
                for (d, a) in d.iter_mut().zip(a) {
                    *d = F::apply::<A>(*a, b, c);
                }
            }
            (Lanes::One(a), Lanes::One(b), Lanes::Many(c)) => {
                for (d, c) in d.iter_mut().zip(c) {
                    *d = F::apply::<A>(a, b, *c);
                }
            }
            (Lanes::One(a), Lanes::One(b), Lanes::One(c)) => d.fill(F::apply::<A>(a, b, c)),
            (Lanes::One(_), Lanes::Many(_), _) => unreachable!("swapped above"),
        }
    }
}
