//! Numbers that all elements of an array are: kept as elements are stored, so that they are exact in
//! every dtype, and equal if their bits are.

use bessemer_core::{Complex, DType, Number, Real};
use bessemer_program::{Literal, Type};
use half::{bf16, f16};
use smallvec::{SmallVec, smallvec};

/// The nearest value of `dtype`, as it is stored: floats round to even, integers truncate and
/// saturate, NaN becomes 0, and for booleans all but 0 is true.
pub(crate) fn nearest(dtype: DType, number: Number) -> u64 {
    match dtype {
        DType::F64 => f64::from_number(number).to_bits(),
        // A real number has no imaginary part.
        DType::F32 | DType::Complex64 => f32::from_number(number).to_bits().into(),
        DType::F16 => f16::from_number(number).to_bits().into(),
        DType::BF16 => bf16::from_number(number).to_bits().into(),
        DType::Bool => (number.to_f64() != 0.0).into(),
        _ => {
            let whole = match number {
                Number::Integer(x) => x,
                Number::Float(x) => x as i128,
            };
            let (least, most) = range(dtype);
            low(dtype, whole.clamp(least, most))
        }
    }
}

/// A complex number, as it is stored.
pub(crate) fn complex(z: Complex<f32>) -> u64 {
    u64::from(z.im.to_bits()) << 32 | u64::from(z.re.to_bits())
}

/// The numbers that an integer dtype has.
pub(crate) fn range(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.block_bytes() as u32;
    match dtype.is_signed_integer() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// The low bits of a whole number, as many as an integer dtype has.
fn low(dtype: DType, whole: i128) -> u64 {
    whole as u64 & (u64::MAX >> (64 - 8 * dtype.block_bytes()))
}

/// The number that is stored in these bits; of a complex number the real part.
fn number(dtype: DType, bits: u64) -> Number {
    literals(dtype, bits)[0].number()
}

/// What programs hold of a stored value: a complex number as its two parts.
pub(crate) fn literals(dtype: DType, bits: u64) -> SmallVec<[Literal; 2]> {
    match dtype.is_complex() {
        true => parts(bits).map(Literal::from).into_iter().collect(),
        false => smallvec![Literal::from_stored(dtype, bits)],
    }
}

/// A stored value as text.
pub(crate) fn text(dtype: DType, bits: u64) -> String {
    match number(dtype, bits) {
        _ if dtype.is_complex() => {
            let [re, im] = parts(bits);
            format!("{re}{im:+}i")
        }
        Number::Integer(x) => x.to_string(),
        Number::Float(x) => x.to_string(),
    }
}

/// The parts of a complex number as it is stored.
pub(crate) fn parts(bits: u64) -> [f32; 2] {
    [bits as u32, (bits >> 32) as u32].map(f32::from_bits)
}

/// What a cast makes of a stored value.
pub(crate) fn cast(from: DType, to: DType, bits: u64) -> u64 {
    match number(from, bits) {
        _ if from == to => bits,
        _ if from.is_complex() && to == DType::Bool => {
            let [re, im] = parts(bits);
            (re != 0.0 || im != 0.0).into()
        }
        Number::Integer(x) if to.is_integer() => low(to, x),
        number if to.is_integer() || to == DType::Bool => nearest(to, number),
        // As programs do it: 16-bit floats by way of their registers.
        number => {
            let stored = if to.is_complex() { DType::F32 } else { to };
            let register = Type::of(stored).unwrap_or(Type::F32);
            Literal::from_number(register, number).stored(stored)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact() {
        let big = Number::Integer(i128::from(u64::MAX) - 1);
        assert_eq!(number(DType::U64, nearest(DType::U64, big)), big);
        assert_eq!(nearest(DType::I64, big), i64::MAX as u64);
        assert_eq!(nearest(DType::I8, Number::Float(-1e9)), 0x80);
        assert_eq!(cast(DType::I64, DType::U8, u64::MAX), 0xff);
        assert_eq!(cast(DType::I8, DType::I64, 0xff), u64::MAX);
        assert_eq!(cast(DType::F32, DType::U8, 300f32.to_bits().into()), 255);
        assert_eq!(cast(DType::F32, DType::Bool, f32::NAN.to_bits().into()), 1);
        let i = complex(Complex::new(0.0, 1.0));
        assert_eq!(cast(DType::Complex64, DType::Bool, i), 1);
    }
}
