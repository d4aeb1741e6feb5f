//! The Rust types that can stand in a buffer.

use crate::{DType, Number, number};
use half::{bf16, f16};
use num_complex::Complex;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type with the layout of a [`DType`]. Every bit pattern is a valid value.
///
/// ```
/// use bessemer_core::{DType, Element};
///
/// assert_eq!(f32::DTYPE, DType::F32);
/// assert_eq!(u32::as_bytes(&[1, 256]), [1, 0, 0, 0, 0, 1, 0, 0]);
/// ```
pub trait Element: sealed::Sealed + Copy + Default + Send + Sync + PartialEq + 'static {
    /// Its dtype.
    const DTYPE: DType;

    /// The bytes of a slice.
    fn as_bytes(slice: &[Self]) -> &[u8] {
        // SAFETY: `Element` is sealed; all its types are plain numbers without padding.
        unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }
    }

    /// The bytes of a slice, to be overwritten.
    fn as_bytes_mut(slice: &mut [Self]) -> &mut [u8] {
        // SAFETY: as above, and every bit pattern is a value of the type.
        unsafe { std::slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), size_of_val(slice)) }
    }
}

/// An element that is a real number.
///
/// ```
/// use bessemer_core::Real;
///
/// assert_eq!(u8::from_f64(300.7), 255);
/// assert_eq!(0.5f32.to_f64(), 0.5);
/// ```
pub trait Real: Element {
    /// The same number in double precision; the nearest for integers of 64 bits.
    fn to_f64(self) -> f64;

    /// The nearest value of this type: floats round to even, integers truncate towards zero and
    /// saturate, NaN becomes 0.
    fn from_f64(value: f64) -> Self;

    /// The same number, exactly.
    fn to_number(self) -> Number;

    /// The nearest value of this type, as [`Real::from_f64`] finds it.
    fn from_number(number: Number) -> Self;
}

macro_rules! element {
    ($($type:ty, $dtype:ident;)*) => {$(
        impl sealed::Sealed for $type {}

        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}

element! {
    f64, F64;
    f32, F32;
    f16, F16;
    bf16, BF16;
    i8, I8;
    i16, I16;
    i32, I32;
    i64, I64;
    u8, U8;
    u16, U16;
    u32, U32;
    u64, U64;
    Complex<f32>, Complex64;
}

macro_rules! floats {
    ($($type:ty: |$x:ident| $to:expr, |$y:ident| $from:expr, |$i:ident| $whole:expr;)*) => {$(
        impl Real for $type {
            #[inline]
            fn to_f64(self) -> f64 {
                let $x = self;
                $to
            }

            #[inline]
            fn from_f64($y: f64) -> Self {
                $from
            }

            #[inline]
            fn to_number(self) -> Number {
                Number::Float(Real::to_f64(self))
            }

            #[inline]
            fn from_number(number: Number) -> Self {
                match number {
                    Number::Float(x) => Real::from_f64(x),
                    Number::Integer($i) => Real::from_f64($whole),
                }
            }
        }
    )*};
}

floats! {
    f64: |x| x, |y| y, |i| i as f64;
    f32: |x| f64::from(x), |y| y as f32, |i| number::to_odd(i);
    f16: |x| x.to_f64(), |y| f16::from_f32(to_odd(y)), |i| number::to_odd(i);
    bf16: |x| x.to_f64(), |y| bf16::from_f32(to_odd(y)), |i| number::to_odd(i);
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Real for $type {
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $type
            }

            #[inline]
            fn to_number(self) -> Number {
                Number::Integer(self.into())
            }

            #[inline]
            fn from_number(number: Number) -> Self {
                match number {
                    Number::Float(x) => x as $type,
                    Number::Integer(x) => {
                        x.clamp(<$type>::MIN.into(), <$type>::MAX.into()) as $type
                    }
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// A single next to `y` that rounds to the same half as `y` does: where `y` is no single, the one
/// of its two neighbours whose last bit is set, so that it is no tie unless `y` is one.
#[inline]
fn to_odd(y: f64) -> f32 {
    let near = y as f32;
    let off = y - f64::from(near);
    if off == 0.0 || off.is_nan() || near.is_infinite() || near.to_bits() & 1 == 1 {
        return near;
    }
    let away = (off > 0.0) == (y > 0.0);
    f32::from_bits(if away { near.to_bits() + 1 } else { near.to_bits() - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_once() {
        // Just above and below the middle of 1 and the next half, nearer than a single can tell.
        let middle = 1.0 + 2f64.powi(-11);
        for (y, wanted) in
            [(middle + 1e-12, 1.0 + 2f64.powi(-10)), (middle, 1.0), (middle - 1e-12, 1.0)]
        {
            assert_eq!(<f16 as Real>::from_f64(y).to_f64(), wanted, "{y}");
            assert_eq!(<f16 as Real>::from_f64(-y).to_f64(), -wanted, "{y}");
        }
        let middle = 1.0 + 2f64.powi(-8);
        assert_eq!(<bf16 as Real>::from_f64(middle + 1e-12).to_f64(), 1.0 + 2f64.powi(-7));
        assert_eq!(<bf16 as Real>::from_f64(middle).to_f64(), 1.0);
        for y in [f64::INFINITY, 1e300, 65520.0] {
            assert_eq!(<f16 as Real>::from_f64(y).to_f64(), f64::INFINITY);
        }
        assert!(<f16 as Real>::from_f64(f64::NAN).to_f64().is_nan());
        assert_eq!(<f16 as Real>::from_f64(1e-300).to_f64(), 0.0);
    }
}
