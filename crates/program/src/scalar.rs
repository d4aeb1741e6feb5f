//! The meaning of each instruction on single values: in double precision, rounded once to the
//! register's type. The fast code is tested against this.

use crate::{Atomic, Binary, Compare, Fold, Literal, Type, Unary};
use bessemer_core::Number;
use bessemer_simd::math;
use std::cmp::Ordering;

pub(crate) fn unary(op: Unary, a: Literal) -> Literal {
    match (op, a.ty()) {
        (Unary::Not, ty) => return Literal::from_bits(ty, !a.bits()),
        (_, Type::I32) => return signed(op, (a.low() as i32).into(), Type::I32),
        (_, Type::I64) => return signed(op, (a.bits() as i64).into(), Type::I64),
        _ => {}
    }
    Literal::from_f64(a.ty(), function(op, a.to_f64()))
}

/// A function of a float.
pub(crate) fn function(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Sign if x == 0.0 || x.is_nan() => x,
        Unary::Sign => x.signum(),
        Unary::Not => unreachable!("floats have no `not`"),
        Unary::Sqrt => x.sqrt(),
        Unary::Rsqrt => 1.0 / x.sqrt(),
        Unary::Recip => 1.0 / x,
        Unary::Exp => x.exp(),
        Unary::Exp2 => x.exp2(),
        Unary::Log => x.ln(),
        Unary::Log2 => x.log2(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Tanh => x.tanh(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Asinh => x.asinh(),
        Unary::Acosh => x.acosh(),
        Unary::Atanh => x.atanh(),
        Unary::Expm1 => x.exp_m1(),
        Unary::Log1p => x.ln_1p(),
        Unary::Log10 => x.log10(),
        Unary::Sigmoid => sigmoid(x),
        // The limit, where the product has none.
        Unary::Silu | Unary::Gelu | Unary::GeluTanh if x == f64::NEG_INFINITY => -0.0,
        Unary::Silu => x * sigmoid(x),
        Unary::Gelu => 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
        Unary::GeluTanh => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            x * sigmoid(2.0 * inner)
        }
        Unary::Erf => libm::erf(x),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round_ties_even(),
        Unary::Trunc => x.trunc(),
    }
}

/// What a signed integer of type `ty` becomes.
fn signed(op: Unary, x: i128, ty: Type) -> Literal {
    let y = match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        _ => x.signum(),
    };
    Literal::from_bits(ty, y as u64)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(crate) fn binary(op: Binary, a: Literal, b: Literal) -> Literal {
    match a.ty() {
        Type::F32 | Type::F64 => {
            let (x, y) = (a.to_f64(), b.to_f64());
            let z = match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                Binary::Rem => x % y,
                Binary::Min if x.is_nan() || y.is_nan() => f64::NAN,
                Binary::Max if x.is_nan() || y.is_nan() => f64::NAN,
                Binary::Min => x.min(y),
                Binary::Max => x.max(y),
                Binary::Pow => x.powf(y),
                Binary::Hypot => x.hypot(y),
                Binary::Copysign => x.copysign(y),
                // Neighbours are those of the type.
                Binary::Nextafter if a.ty() == Type::F64 => math::nextafter_f64(x, y),
                Binary::Nextafter => math::nextafter(x as f32, y as f32).into(),
                _ => x.atan2(y),
            };
            Literal::from_f64(a.ty(), z)
        }
        Type::I32 => integers(op, (a.low() as i32).into(), (b.low() as i32).into(), Type::I32),
        Type::I64 => integers(op, (a.bits() as i64).into(), (b.bits() as i64).into(), Type::I64),
        ty => integers(op, a.bits().into(), b.bits().into(), ty),
    }
}

/// Wide enough for every result but products of 64 bits, of which the low bits are right too.
fn integers(op: Binary, x: i128, y: i128, ty: Type) -> Literal {
    let bits = if ty.is_wide() { 64 } else { 32 };
    let z = match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x.wrapping_mul(y),
        Binary::Div | Binary::Rem if y == 0 => 0,
        Binary::Div => x / y,
        Binary::Rem => x % y,
        Binary::Min => x.min(y),
        Binary::Max => x.max(y),
        Binary::And => x & y,
        Binary::Or => x | y,
        Binary::Xor => x ^ y,
        Binary::Shl => x << (y & (bits - 1)),
        _ => x >> (y & (bits - 1)),
    };
    Literal::from_bits(ty, z as u64)
}

pub(crate) fn compare(op: Compare, a: Literal, b: Literal) -> Literal {
    let order = match (a.number(), b.number()) {
        (Number::Integer(x), Number::Integer(y)) => Some(x.cmp(&y)),
        (x, y) => x.to_f64().partial_cmp(&y.to_f64()),
    };
    let holds = match op {
        Compare::Eq => order == Some(Ordering::Equal),
        Compare::Ne => order != Some(Ordering::Equal),
        Compare::Lt => order == Some(Ordering::Less),
        Compare::Le => order.is_some_and(Ordering::is_le),
        Compare::Gt => order == Some(Ordering::Greater),
        Compare::Ge => order.is_some_and(Ordering::is_ge),
    };
    holds.into()
}

pub(crate) fn fma(a: Literal, b: Literal, c: Literal) -> Literal {
    if a.ty() == Type::F64 {
        let [a, b, c] = [a, b, c].map(|x| f64::from_bits(x.bits()));
        return Literal::f64(a.mul_add(b, c));
    }
    let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x.low()));
    a.mul_add(b, c).into()
}

pub(crate) fn convert(to: Type, a: Literal) -> Literal {
    match a.number() {
        // Between integers the low bits stay, as integer arithmetic wraps.
        Number::Integer(x) if to.is_integer() => Literal::from_bits(to, x as u64),
        number => Literal::from_number(to, number),
    }
}

pub(crate) fn fold(op: Fold, a: Literal, b: Literal) -> Literal {
    binary(op.of_two(), a, b)
}

pub(crate) fn atomic(op: Atomic, old: Literal, value: Literal) -> Literal {
    let op = match op {
        Atomic::Add => Binary::Add,
        Atomic::Min => Binary::Min,
        Atomic::Max => Binary::Max,
        Atomic::And => Binary::And,
        Atomic::Or => Binary::Or,
        Atomic::Xor => Binary::Xor,
        Atomic::Exchange => return value,
    };
    binary(op, old, value)
}
