//! Real numbers of any dtype, exactly: neither doubles nor 64-bit integers alone can hold all of them.

/// A real number as some dtype stores it.
///
/// ```
/// use bessemer_core::{Number, Real};
///
/// let large = i64::MAX.to_number();
/// assert_eq!(large, Number::Integer(9_223_372_036_854_775_807));
/// assert_eq!(u64::from_number(large), 9_223_372_036_854_775_807);
/// assert_eq!(i8::from_number(large), 127);
/// assert_eq!(f32::from_number(Number::Float(0.1)), 0.1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i128),
    /// A float.
    Float(f64),
}

impl Number {
    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Integer(x) => x as f64,
            Number::Float(x) => x,
        }
    }
}

/// A double next to `x` that rounds to any shorter float as `x` does: where `x` is no double, the one
/// of its two neighbours whose last bit is set, so that it is no tie.
#[inline]
pub(crate) fn to_odd(x: i128) -> f64 {
    let near = x as f64;
    let back = near as i128;
    if back == x || near.to_bits() & 1 == 1 {
        return near;
    }
    let away = (x > back) == (x > 0);
    f64::from_bits(if away { near.to_bits() + 1 } else { near.to_bits() - 1 })
}

#[cfg(test)]
mod tests {
    use crate::{Number, Real};
    use half::f16;

    #[test]
    fn large_integers_are_rounded_once() {
        // Just above the middle of two floats, by less than a double can tell.
        let middle = (1i128 << 62) + (1 << 38);
        for (x, wanted) in [(middle, 0), (middle + 1, 1), (middle - 1, 0)] {
            let wanted = 2f32.powi(62) + wanted as f32 * 2f32.powi(39);
            assert_eq!(f32::from_number(Number::Integer(x)), wanted, "{x}");
            assert_eq!(f32::from_number(Number::Integer(-x)), -wanted, "{x}");
        }
        for x in [u64::MAX, u64::MAX - 1, 1 << 63, (1 << 53) + 1, 12345] {
            assert_eq!(f32::from_number(x.to_number()), x as f32);
            assert_eq!(f64::from_number(x.to_number()), x as f64);
            assert_eq!(u64::from_number(x.to_number()), x);
        }
        assert_eq!(f16::from_number(Number::Integer(65519)).to_f64(), 65504.0);
        assert_eq!(f16::from_number(Number::Integer(-(1 << 70))), f16::NEG_INFINITY);
    }

    #[test]
    fn integers_saturate() {
        assert_eq!(u8::from_number(Number::Integer(-5)), 0);
        assert_eq!(i64::from_number(u64::MAX.to_number()), i64::MAX);
        assert_eq!(i16::from_number(Number::Float(-1e9)), i16::MIN);
        assert_eq!(u64::from_number(Number::Float(f64::NAN)), 0);
        assert_eq!(u64::from_number(Number::Float(f64::INFINITY)), u64::MAX);
    }
}
