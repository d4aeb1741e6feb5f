//! Comparisons and choices.

use super::{Lane, Lanes, Map2, Op2, Word, run2};
use crate::{Compare, Type};
use bessemer_simd::{Arch, Isa, Kernel};
use std::marker::PhantomData;

/// `d = op(a, b)` on lanes of type `ty`, which is not wide.
pub(in crate::cpu) fn compare(
    isa: Isa,
    op: Compare,
    ty: Type,
    d: &mut [u32],
    a: Lanes<'_>,
    b: Lanes<'_>,
) {
    // `a > b` is `b < a`, NaN or not.
    let (op, a, b) = match op {
        Compare::Gt => (Compare::Lt, b, a),
        Compare::Ge => (Compare::Le, b, a),
        other => (other, a, b),
    };
    match (ty, op) {
        (Type::F32, Compare::Eq) => run2!(isa, d, a, b, |x, y: f32| -> bool { x == y }),
        (Type::F32, Compare::Ne) => run2!(isa, d, a, b, |x, y: f32| -> bool { x != y }),
        (Type::F32, Compare::Lt) => run2!(isa, d, a, b, |x, y: f32| -> bool { x < y }),
        (Type::F32, _) => run2!(isa, d, a, b, |x, y: f32| -> bool { x <= y }),
        (_, Compare::Eq) => run2!(isa, d, a, b, |x, y: u32| -> bool { x == y }),
        (_, Compare::Ne) => run2!(isa, d, a, b, |x, y: u32| -> bool { x != y }),
        (Type::I32, Compare::Lt) => run2!(isa, d, a, b, |x, y: i32| -> bool { x < y }),
        (Type::I32, _) => run2!(isa, d, a, b, |x, y: i32| -> bool { x <= y }),
        (_, Compare::Lt) => run2!(isa, d, a, b, |x, y: u32| -> bool { x < y }),
        (_, _) => run2!(isa, d, a, b, |x, y: u32| -> bool { x <= y }),
    }
}

/// `d = a` where `cond` is true, else `b`.
pub(in crate::cpu) fn select<W: Word>(
    isa: Isa,
    d: &mut [W],
    cond: &[u32],
    a: Lanes<'_, W>,
    b: Lanes<'_, W>,
) {
    isa.run(Select { d, cond, a, b });
}

struct Select<'a, W> {
    d: &'a mut [W],
    cond: &'a [u32],
    a: Lanes<'a, W>,
    b: Lanes<'a, W>,
}

impl<W: Word> Kernel for Select<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Select { d, cond, a, b } = self;
        match (a, b) {
            (Lanes::Many(a), Lanes::Many(b)) => {
                for (((d, cond), a), b) in d.iter_mut().zip(cond).zip(a).zip(b) {
                    *d = if *cond != 0 { *a } else { *b };
                }
            }
            (Lanes::Many(a), Lanes::One(b)) => {
                for ((d, cond), a) in d.iter_mut().zip(cond).zip(a) {
                    *d = if *cond != 0 { *a } else { b };
                }
            }
            (Lanes::One(a), Lanes::Many(b)) => {
                for ((d, cond), b) in d.iter_mut().zip(cond).zip(b) {
                    *d = if *cond != 0 { a } else { *b };
                }
            }
            (Lanes::One(a), Lanes::One(b)) => {
                for (d, cond) in d.iter_mut().zip(cond) {
                    *d = if *cond != 0 { a } else { b };
                }
            }
        }
    }
}
