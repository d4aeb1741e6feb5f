//! Plain Rust numbers as operands.

use crate::{
    Array, Error, Result,
    item::round_to,
    promote::{default_float, default_integer},
};
use bessemer_core::DType;
use half::{bf16, f16};

/// A Rust number beside an array. It is *weak*, as NumPy's Python numbers are: it takes the dtype
/// of the array, unless that can't hold its kind.
///
/// | number | bool array | integer array | float array |
/// | --- | --- | --- | --- |
/// | `bool` | bool | the array's | the array's |
/// | integer | i32 | the array's; an error if it does not fit | the array's |
/// | float | f32 | f32 | the array's |
///
/// ```
/// use bessemer_array::{Array, Scalar};
/// # use bessemer_core::DType;
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
///
/// let half = Array::ones(&device, &[2], DType::F16);
/// assert_eq!((&half * 2.5f64).dtype(), DType::F16);
/// let bytes = Array::ones(&device, &[2], DType::U8);
/// assert_eq!((&bytes * 2.5).dtype(), DType::F32);
/// assert!((&bytes + 256).check().is_err());
/// // On the left of an operator, other types than `i32` and `f64` are written so:
/// assert_eq!((Scalar::from(3u8) - bytes).to_vec::<u8>()?, [2, 2]);
/// # Ok::<(), bessemer_array::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar {
    value: f64,
    kind: Kind,
}

/// A type of Rust's numbers (or [`Scalar`] itself) that can stand beside an array.
///
/// ```
/// use bessemer_array::{Array, Number};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
///
/// fn lerp<N: Number>(a: &Array, b: &Array, t: N) -> Array {
///     a + (b - a) * t
/// }
///
/// let (a, b) = (Array::new(&device, [0.0f32, 10.0])?, Array::new(&device, [1.0f32, 20.0])?);
/// assert_eq!(lerp(&a, &b, 0.5).to_vec::<f32>()?, [0.5, 15.0]);
/// assert_eq!(lerp(&a, &b, 2u8).to_vec::<f32>()?, [2.0, 30.0]);
/// # Ok::<(), bessemer_array::Error>(())
/// ```
pub trait Number: Copy + Into<Scalar> {}

impl Number for Scalar {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Integer,
    Float,
}

impl Scalar {
    /// The dtype it has where no array says another.
    ///
    /// ```
    /// use bessemer_array::Scalar;
    /// use bessemer_core::DType;
    ///
    /// assert_eq!(Scalar::from(1u64).dtype(), DType::I32);
    /// assert_eq!(Scalar::from(1.0).dtype(), DType::F32);
    /// assert_eq!(Scalar::from(true).dtype(), DType::Bool);
    /// ```
    pub fn dtype(self) -> DType {
        match self.kind {
            Kind::Bool => DType::Bool,
            Kind::Integer => default_integer(),
            Kind::Float => default_float(),
        }
    }

    /// Its value.
    ///
    /// ```
    /// use bessemer_array::Scalar;
    ///
    /// assert_eq!(Scalar::from(0.5f32).value(), 0.5);
    /// assert_eq!(Scalar::from(true).value(), 1.0);
    /// ```
    pub fn value(self) -> f64 {
        self.value
    }

    /// The dtype it has beside an array of `dtype`.
    ///
    /// ```
    /// use bessemer_array::Scalar;
    /// use bessemer_core::DType;
    ///
    /// assert_eq!(Scalar::from(1).dtype_beside(DType::U8), DType::U8);
    /// assert_eq!(Scalar::from(1.5).dtype_beside(DType::U8), DType::F32);
    /// assert_eq!(Scalar::from(1.5).dtype_beside(DType::F16), DType::F16);
    /// ```
    pub fn dtype_beside(self, dtype: DType) -> DType {
        match self.kind {
            Kind::Bool => dtype,
            Kind::Integer if dtype == DType::Bool => default_integer(),
            Kind::Integer => dtype,
            Kind::Float if dtype.is_float() => dtype,
            Kind::Float => default_float(),
        }
    }

    /// Its value as `dtype`; integers must fit it.
    pub(crate) fn value_as(self, op: &'static str, dtype: DType, beside: &Array) -> Result<f64> {
        let rounded = round_to(dtype, self.value);
        if dtype.is_integer() && rounded != self.value {
            let rule = format!("the number {} is out of range for {dtype}", self.value);
            return Err(Error::rule(op, rule, &[("array", beside)]));
        }
        Ok(rounded)
    }
}

macro_rules! scalars {
    ($($kind:ident: $($type:ty)*;)*) => {$($(
        impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar { value: value as f64, kind: Kind::$kind }
            }
        }

        impl Number for $type {}
    )*)*};
}

scalars! {
    Integer: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    Float: f32 f64;
}

macro_rules! convertible {
    ($($kind:ident: $($type:ty)*;)*) => {$($(
        impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar { value: value.into(), kind: Kind::$kind }
            }
        }

        impl Number for $type {}
    )*)*};
}

convertible! {
    Bool: bool;
    Float: f16 bf16;
}
