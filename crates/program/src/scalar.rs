//! The meaning of each instruction on single values: in double precision, rounded once to the
//! register's type. The fast code is tested against this.

use crate::{Atomic, Binary, Compare, Fold, Literal, Type, Unary};

pub(crate) fn unary(op: Unary, a: Literal) -> Literal {
    if let Type::I32 = a.ty() {
        let x = a.bits() as i32;
        return match op {
            Unary::Neg => x.wrapping_neg().into(),
            Unary::Abs => x.wrapping_abs().into(),
            Unary::Sign => x.signum().into(),
            _ => (!x).into(),
        };
    }
    if op == Unary::Not {
        return Literal::from_bits(a.ty(), !a.bits());
    }
    let x = a.to_f64();
    let y = match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Sign if x == 0.0 || x.is_nan() => x,
        Unary::Sign => x.signum(),
        Unary::Not => unreachable!("done above"),
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
    };
    Literal::from_f64(Type::F32, y)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub(crate) fn binary(op: Binary, a: Literal, b: Literal) -> Literal {
    match a.ty() {
        Type::F32 => {
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
                Binary::Nextafter => bessemer_simd::math::nextafter(x as f32, y as f32).into(),
                _ => x.atan2(y),
            };
            Literal::from_f64(Type::F32, z)
        }
        Type::I32 => {
            let (x, y) = (a.bits() as i32, b.bits() as i32);
            let z = match op {
                Binary::Add => x.wrapping_add(y),
                Binary::Sub => x.wrapping_sub(y),
                Binary::Mul => x.wrapping_mul(y),
                Binary::Div | Binary::Rem if y == 0 => 0,
                Binary::Div => x.wrapping_div(y),
                Binary::Rem => x.wrapping_rem(y),
                Binary::Min => x.min(y),
                Binary::Max => x.max(y),
                Binary::And => x & y,
                Binary::Or => x | y,
                Binary::Xor => x ^ y,
                Binary::Shl => x.wrapping_shl(y as u32),
                _ => x.wrapping_shr(y as u32),
            };
            z.into()
        }
        ty => {
            let (x, y) = (a.bits(), b.bits());
            let z = match op {
                Binary::Add => x.wrapping_add(y),
                Binary::Sub => x.wrapping_sub(y),
                Binary::Mul => x.wrapping_mul(y),
                Binary::Div => x.checked_div(y).unwrap_or(0),
                Binary::Rem => x.checked_rem(y).unwrap_or(0),
                Binary::Min => x.min(y),
                Binary::Max => x.max(y),
                Binary::And => x & y,
                Binary::Or => x | y,
                Binary::Xor => x ^ y,
                Binary::Shl => x.wrapping_shl(y),
                _ => x.wrapping_shr(y),
            };
            Literal::from_bits(ty, z)
        }
    }
}

pub(crate) fn compare(op: Compare, a: Literal, b: Literal) -> Literal {
    // Exact: doubles hold every value of every type.
    let (x, y) = (a.to_f64(), b.to_f64());
    let holds = match op {
        Compare::Eq => x == y,
        Compare::Ne => x != y,
        Compare::Lt => x < y,
        Compare::Le => x <= y,
        Compare::Gt => x > y,
        Compare::Ge => x >= y,
    };
    holds.into()
}

pub(crate) fn fma(a: Literal, b: Literal, c: Literal) -> Literal {
    let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x.bits()));
    a.mul_add(b, c).into()
}

pub(crate) fn convert(to: Type, a: Literal) -> Literal {
    match (a.ty(), to) {
        // Integers of the other sign keep their bits, as integer arithmetic wraps.
        (Type::I32, Type::U32) | (Type::U32, Type::I32) => Literal::from_bits(to, a.bits()),
        _ => Literal::from_f64(to, a.to_f64()),
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
