//! The Rust types that can stand in a buffer.

use crate::DType;
use half::{bf16, f16};

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
/// assert_eq!(u8::from_f64(300.7), 255);
/// ```
pub trait Element: sealed::Sealed + Copy + Default + Send + Sync + PartialEq + 'static {
    /// Its dtype.
    const DTYPE: DType;

    /// The same number in double precision; exact.
    fn to_f64(self) -> f64;

    /// The nearest value of this type: floats round to even, integers truncate towards zero and
    /// saturate, NaN becomes 0.
    fn from_f64(value: f64) -> Self;

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

macro_rules! element {
    ($type:ty, $dtype:ident, |$x:ident| $to:expr, |$y:ident| $from:expr) => {
        impl sealed::Sealed for $type {}

        impl Element for $type {
            const DTYPE: DType = DType::$dtype;

            #[inline]
            fn to_f64(self) -> f64 {
                let $x = self;
                $to
            }

            #[inline]
            fn from_f64($y: f64) -> Self {
                $from
            }
        }
    };
}

element!(f32, F32, |x| f64::from(x), |y| y as f32);
element!(f16, F16, |x| x.to_f64(), |y| f16::from_f32(to_odd(y)));
element!(bf16, BF16, |x| x.to_f64(), |y| bf16::from_f32(to_odd(y)));
element!(i32, I32, |x| f64::from(x), |y| y as i32);
element!(u32, U32, |x| f64::from(x), |y| y as u32);
element!(u8, U8, |x| f64::from(x), |y| y as u8);

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
            assert_eq!(<f16 as Element>::from_f64(y).to_f64(), wanted, "{y}");
            assert_eq!(<f16 as Element>::from_f64(-y).to_f64(), -wanted, "{y}");
        }
        let middle = 1.0 + 2f64.powi(-8);
        assert_eq!(<bf16 as Element>::from_f64(middle + 1e-12).to_f64(), 1.0 + 2f64.powi(-7));
        assert_eq!(<bf16 as Element>::from_f64(middle).to_f64(), 1.0);
        for y in [f64::INFINITY, 1e300, 65520.0] {
            assert_eq!(<f16 as Element>::from_f64(y).to_f64(), f64::INFINITY);
        }
        assert!(<f16 as Element>::from_f64(f64::NAN).to_f64().is_nan());
        assert_eq!(<f16 as Element>::from_f64(1e-300).to_f64(), 0.0);
    }
}
