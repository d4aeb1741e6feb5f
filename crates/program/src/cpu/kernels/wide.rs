//! Arithmetic, comparisons and functions of 64 bits.

use super::{
    Lane, Lanes, Map1, Map2, Op1, Op2,
    arithmetic::{Fma, Op3},
    run1, run2,
};
use crate::{Binary, Compare, Type, Unary};
use bessemer_simd::{Arch, Isa, math};
use std::marker::PhantomData;

/// `d = op(a)` on lanes of type `ty`, which is wide.
pub(in crate::cpu) fn unary_wide(isa: Isa, op: Unary, ty: Type, d: &mut [u64], a: &[u64]) {
    match (op, ty) {
        (Unary::Not, _) => run1!(isa, d, a, |x: u64| -> u64 { !x }),
        (Unary::Neg, Type::I64) => run1!(isa, d, a, |x: i64| -> i64 { x.wrapping_neg() }),
        (Unary::Abs, Type::I64) => run1!(isa, d, a, |x: i64| -> i64 { x.wrapping_abs() }),
        (Unary::Sign, Type::I64) => run1!(isa, d, a, |x: i64| -> i64 { x.signum() }),
        (Unary::Neg, _) => run1!(isa, d, a, |x: f64| -> f64 { -x }),
        (Unary::Abs, _) => run1!(isa, d, a, |x: f64| -> f64 { x.abs() }),
        (Unary::Sign, _) => run1!(isa, d, a, |x: f64| -> f64 {
            if x == 0.0 || x.is_nan() { x } else { 1f64.copysign(x) }
        }),
        (Unary::Sqrt, _) => run1!(isa, d, a, |x: f64| -> f64 { x.sqrt() }),
        (Unary::Rsqrt, _) => run1!(isa, d, a, |x: f64| -> f64 { 1.0 / x.sqrt() }),
        (Unary::Recip, _) => run1!(isa, d, a, |x: f64| -> f64 { 1.0 / x }),
        (Unary::Floor, _) => run1!(isa, d, a, |x: f64| -> f64 { x.floor() }),
        (Unary::Ceil, _) => run1!(isa, d, a, |x: f64| -> f64 { x.ceil() }),
        (Unary::Round, _) => run1!(isa, d, a, |x: f64| -> f64 { x.round_ties_even() }),
        (Unary::Trunc, _) => run1!(isa, d, a, |x: f64| -> f64 { x.trunc() }),
        (op, _) => {
            // The system's functions take one number at a time.
            for (d, a) in d.iter_mut().zip(a) {
                *d = crate::scalar::function(op, f64::from_bits(*a)).to_bits();
            }
        }
    }
}

/// `d = op(a, b)` on lanes of type `ty`, which is wide.
pub(in crate::cpu) fn binary_wide(
    isa: Isa,
    op: Binary,
    ty: Type,
    d: &mut [u64],
    a: Lanes<'_, u64>,
    b: Lanes<'_, u64>,
) {
    match ty {
        Type::F64 => floats(isa, op, d, a, b),
        Type::I64 => integers(isa, op, d, a, b),
        _ => naturals(isa, op, d, a, b),
    }
}

fn floats(isa: Isa, op: Binary, d: &mut [u64], a: Lanes<'_, u64>, b: Lanes<'_, u64>) {
    match op {
        Binary::Add => run2!(isa, d, a, b, |x, y: f64| -> f64 { x + y }),
        Binary::Sub => run2!(isa, d, a, b, |x, y: f64| -> f64 { x - y }),
        Binary::Mul => run2!(isa, d, a, b, |x, y: f64| -> f64 { x * y }),
        Binary::Div => run2!(isa, d, a, b, |x, y: f64| -> f64 { x / y }),
        Binary::Min => {
            run2!(isa, d, a, b, |x, y: f64| -> f64 { if x.is_nan() | (x < y) { x } else { y } })
        }
        Binary::Max => {
            run2!(isa, d, a, b, |x, y: f64| -> f64 { if x.is_nan() | (x > y) { x } else { y } })
        }
        Binary::Rem => run2!(isa, d, a, b, |x, y: f64| -> f64 { x % y }),
        Binary::Pow => run2!(isa, d, a, b, |x, y: f64| -> f64 { x.powf(y) }),
        Binary::Hypot => run2!(isa, d, a, b, |x, y: f64| -> f64 { x.hypot(y) }),
        Binary::Copysign => run2!(isa, d, a, b, |x, y: f64| -> f64 { x.copysign(y) }),
        Binary::Nextafter => {
            run2!(isa, d, a, b, |x, y: f64| -> f64 { math::nextafter_f64(x, y) })
        }
        _ => run2!(isa, d, a, b, |x, y: f64| -> f64 { x.atan2(y) }),
    }
}

fn integers(isa: Isa, op: Binary, d: &mut [u64], a: Lanes<'_, u64>, b: Lanes<'_, u64>) {
    match op {
        Binary::Div => {
            run2!(isa, d, a, b, |x, y: i64| -> i64 { if y == 0 { 0 } else { x.wrapping_div(y) } })
        }
        Binary::Rem => {
            run2!(isa, d, a, b, |x, y: i64| -> i64 { if y == 0 { 0 } else { x.wrapping_rem(y) } })
        }
        Binary::Min => run2!(isa, d, a, b, |x, y: i64| -> i64 { x.min(y) }),
        Binary::Max => run2!(isa, d, a, b, |x, y: i64| -> i64 { x.max(y) }),
        Binary::Shr => run2!(isa, d, a, b, |x, y: i64| -> i64 { x.wrapping_shr(y as u32) }),
        // The bits are those of the unsigned result.
        _ => naturals(isa, op, d, a, b),
    }
}

fn naturals(isa: Isa, op: Binary, d: &mut [u64], a: Lanes<'_, u64>, b: Lanes<'_, u64>) {
    match op {
        Binary::Add => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.wrapping_add(y) }),
        Binary::Sub => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.wrapping_sub(y) }),
        Binary::Mul => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.wrapping_mul(y) }),
        Binary::Div => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.checked_div(y).unwrap_or(0) }),
        Binary::Rem => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.checked_rem(y).unwrap_or(0) }),
        Binary::Min => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.min(y) }),
        Binary::Max => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.max(y) }),
        Binary::And => run2!(isa, d, a, b, |x, y: u64| -> u64 { x & y }),
        Binary::Or => run2!(isa, d, a, b, |x, y: u64| -> u64 { x | y }),
        Binary::Xor => run2!(isa, d, a, b, |x, y: u64| -> u64 { x ^ y }),
        Binary::Shl => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.wrapping_shl(y as u32) }),
        _ => run2!(isa, d, a, b, |x, y: u64| -> u64 { x.wrapping_shr(y as u32) }),
    }
}

/// `d = a * b + c` of `f64`.
pub(in crate::cpu) fn fma_wide(
    isa: Isa,
    d: &mut [u64],
    a: Lanes<'_, u64>,
    b: Lanes<'_, u64>,
    c: Lanes<'_, u64>,
) {
    struct Doubles;
    impl Op3 for Doubles {
        type Word = u64;

        #[inline(always)]
        fn apply<A: Arch>(a: u64, b: u64, c: u64) -> u64 {
            f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
        }
    }
    isa.run(Fma::<Doubles> { d, a, b, c });
}

/// `d = op(a, b)` on lanes of type `ty`, which is wide.
pub(in crate::cpu) fn compare_wide(
    isa: Isa,
    op: Compare,
    ty: Type,
    d: &mut [u32],
    a: Lanes<'_, u64>,
    b: Lanes<'_, u64>,
) {
    // `a > b` is `b < a`, NaN or not.
    let (op, a, b) = match op {
        Compare::Gt => (Compare::Lt, b, a),
        Compare::Ge => (Compare::Le, b, a),
        other => (other, a, b),
    };
    match (ty, op) {
        (Type::F64, Compare::Eq) => run2!(isa, d, a, b, |x, y: f64| -> bool { x == y }),
        (Type::F64, Compare::Ne) => run2!(isa, d, a, b, |x, y: f64| -> bool { x != y }),
        (Type::F64, Compare::Lt) => run2!(isa, d, a, b, |x, y: f64| -> bool { x < y }),
        (Type::F64, _) => run2!(isa, d, a, b, |x, y: f64| -> bool { x <= y }),
        (_, Compare::Eq) => run2!(isa, d, a, b, |x, y: u64| -> bool { x == y }),
        (_, Compare::Ne) => run2!(isa, d, a, b, |x, y: u64| -> bool { x != y }),
        (Type::I64, Compare::Lt) => run2!(isa, d, a, b, |x, y: i64| -> bool { x < y }),
        (Type::I64, _) => run2!(isa, d, a, b, |x, y: i64| -> bool { x <= y }),
        (_, Compare::Lt) => run2!(isa, d, a, b, |x, y: u64| -> bool { x < y }),
        (_, _) => run2!(isa, d, a, b, |x, y: u64| -> bool { x <= y }),
    }
}
