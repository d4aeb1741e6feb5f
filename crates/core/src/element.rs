//! The Rust types that can stand in a buffer.

use crate::DType;
use half::{bf16, f16};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type with the layout of a [`DType`]. Every bit pattern is a valid value.
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
element!(f16, F16, |x| x.to_f64(), |y| f16::from_f64(y));
element!(bf16, BF16, |x| x.to_f64(), |y| bf16::from_f64(y));
element!(i32, I32, |x| f64::from(x), |y| y as i32);
element!(u32, U32, |x| f64::from(x), |y| y as u32);
element!(u8, U8, |x| f64::from(x), |y| y as u8);
