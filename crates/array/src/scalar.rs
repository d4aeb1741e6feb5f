//! Plain Rust numbers as operands.

use crate::{
    Array, Error, Result, constant,
    promote::{default_float, default_integer},
};
use bessemer_core::{self as core, Complex, DType};
use half::{bf16, f16};

/// A Rust number beside an array. It is *weak*, as NumPy's Python numbers are: it takes the dtype
/// of the array, unless that can't hold its kind.
///
/// | number | bool array | integer array | float array | complex array |
/// | --- | --- | --- | --- | --- |
/// | `bool` | bool | the array's | the array's | the array's |
/// | integer | i32 | the array's; an error if it does not fit | the array's | the array's |
/// | float | f32 | f32 | the array's | the array's |
/// | complex | complex64 | complex64 | complex64; an error for `f64` | the array's |
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
pub struct Scalar(Value);

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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Bool(bool),
    Integer(i128),
    Float(f64),
    Complex(Complex<f32>),
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
        match self.0 {
            Value::Bool(_) => DType::Bool,
            Value::Integer(_) => default_integer(),
            Value::Float(_) => default_float(),
            Value::Complex(_) => DType::Complex64,
        }
    }

    /// Its value in double precision; of a complex number the real part.
    ///
    /// ```
    /// use bessemer_array::Scalar;
    ///
    /// assert_eq!(Scalar::from(0.5f32).value(), 0.5);
    /// assert_eq!(Scalar::from(true).value(), 1.0);
    /// ```
    pub fn value(self) -> f64 {
        self.number().to_f64()
    }

    /// Its value, exactly; of a complex number the real part.
    ///
    /// ```
    /// use bessemer_array::Scalar;
    /// use bessemer_core::Number;
    ///
    /// assert_eq!(Scalar::from(u64::MAX).number(), Number::Integer(u64::MAX.into()));
    /// assert_eq!(Scalar::from(0.5).number(), Number::Float(0.5));
    /// ```
    pub fn number(self) -> core::Number {
        match self.0 {
            Value::Bool(value) => core::Number::Integer(value.into()),
            Value::Integer(value) => core::Number::Integer(value),
            Value::Float(value) => core::Number::Float(value),
            Value::Complex(value) => core::Number::Float(value.re.into()),
        }
    }

    /// The dtype it has beside an array.
    pub(crate) fn dtype_beside(self, op: &'static str, array: &Array) -> Result<DType> {
        let dtype = array.dtype();
        Ok(match self.0 {
            Value::Integer(_) if dtype == DType::Bool => default_integer(),
            Value::Bool(_) | Value::Integer(_) => dtype,
            Value::Float(_) if dtype.is_float() || dtype.is_complex() => dtype,
            Value::Float(_) => default_float(),
            Value::Complex(_) if dtype == DType::F64 => {
                let rule = "complex numbers are complex64, which does not hold f64; \
                            convert the array with `astype`";
                return Err(Error::rule(op, rule, &[("array", array)]));
            }
            Value::Complex(_) => DType::Complex64,
        })
    }

    /// Its value as `dtype` stores it; integers must fit it.
    pub(crate) fn stored_as(self, op: &'static str, dtype: DType, beside: &Array) -> Result<u64> {
        match self.0 {
            Value::Integer(x) if dtype.is_integer() => {
                let (least, most) = constant::range(dtype);
                if x < least || x > most {
                    let rule = format!("the number {x} is out of range for {dtype}");
                    return Err(Error::rule(op, rule, &[("array", beside)]));
                }
                Ok(constant::nearest(dtype, self.number()))
            }
            _ => Ok(self.nearest(dtype)),
        }
    }

    /// The nearest value of `dtype`, as it is stored.
    pub(crate) fn nearest(self, dtype: DType) -> u64 {
        match self.0 {
            Value::Complex(z) if dtype.is_complex() => constant::complex(z),
            _ => constant::nearest(dtype, self.number()),
        }
    }
}

macro_rules! scalars {
    ($($kind:ident($wide:ty): $($type:ty)*;)*) => {$($(
        impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar(Value::$kind(value as $wide))
            }
        }

        impl Number for $type {}
    )*)*};
}

scalars! {
    Integer(i128): i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    Float(f64): f32 f64;
}

macro_rules! convertible {
    ($($kind:ident: $($type:ty)*;)*) => {$($(
        impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar(Value::$kind(value.into()))
            }
        }

        impl Number for $type {}
    )*)*};
}

convertible! {
    Bool: bool;
    Float: f16 bf16;
    Complex: Complex<f32>;
}
