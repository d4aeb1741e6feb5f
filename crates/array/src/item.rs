//! The Rust types that go into arrays and come out of them.

use bessemer_core::{Complex, DType, Element, Number, Real, Result};
use half::{bf16, f16};
use std::borrow::Cow;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the element of an array: `f64`, `f32`, `f16`, `bf16`, the integers of 8 to 64
/// bits, `bool`, `Complex<f32>`.
///
/// ```
/// use bessemer_array::{Array, Error, Item};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
///
/// fn first<T: Item>(array: &Array) -> Result<T, Error> {
///     array.astype(T::DTYPE).flatten().at(0).item()
/// }
///
/// let a = Array::new(&device, [[2.7f32, 1.0]])?;
/// assert_eq!(first::<i32>(&a)?, 2);
/// assert!(first::<bool>(&a)?);
/// # Ok::<(), Error>(())
/// ```
pub trait Item: sealed::Sealed + Copy + Default + Send + Sync + PartialEq + 'static {
    /// How it is stored.
    const DTYPE: DType;

    /// The bytes of a slice.
    #[doc(hidden)]
    fn bytes(slice: &[Self]) -> Cow<'_, [u8]>;

    /// `len` elements, from bytes that `read` fills.
    #[doc(hidden)]
    fn collect(len: usize, read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Vec<Self>>;

    /// The nearest value of this type: floats round to even, integers truncate and saturate, NaN
    /// becomes 0, and for booleans all but 0 is true.
    #[doc(hidden)]
    fn from_number(number: Number) -> Self;
}

macro_rules! items {
    ($($type:ty)*: |$number:ident| $nearest:expr) => {$(
        impl sealed::Sealed for $type {}

        impl Item for $type {
            const DTYPE: DType = <$type as Element>::DTYPE;

            fn bytes(slice: &[Self]) -> Cow<'_, [u8]> {
                Cow::Borrowed(Self::as_bytes(slice))
            }

            fn collect(len: usize, read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Vec<Self>> {
                let mut items = vec![Self::default(); len];
                read(Self::as_bytes_mut(&mut items))?;
                Ok(items)
            }

            fn from_number($number: Number) -> Self {
                $nearest
            }
        }
    )*};
}

items!(f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64: |number| Real::from_number(number));
items!(Complex<f32>: |number| Complex::new(Real::from_number(number), 0.0));

impl sealed::Sealed for bool {}

impl Item for bool {
    const DTYPE: DType = DType::Bool;

    fn bytes(slice: &[bool]) -> Cow<'_, [u8]> {
        Cow::Owned(slice.iter().map(|&x| x.into()).collect())
    }

    fn collect(len: usize, read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Vec<bool>> {
        // Any byte but 0 is true, so bytes are never taken for booleans as they are.
        let bytes = u8::collect(len, read)?;
        Ok(bytes.into_iter().map(|x| x != 0).collect())
    }

    fn from_number(number: Number) -> bool {
        number.to_f64() != 0.0
    }
}

/// Calls a generic function with the Rust type of a dtype that arrays can have.
macro_rules! with_item {
    ($dtype:expr, $function:ident ( $($argument:expr),* )) => {
        match $dtype {
            bessemer_core::DType::F32 => $function::<f32>($($argument),*),
            bessemer_core::DType::F16 => $function::<half::f16>($($argument),*),
            bessemer_core::DType::BF16 => $function::<half::bf16>($($argument),*),
            bessemer_core::DType::F64 => $function::<f64>($($argument),*),
            bessemer_core::DType::I8 => $function::<i8>($($argument),*),
            bessemer_core::DType::I16 => $function::<i16>($($argument),*),
            bessemer_core::DType::I32 => $function::<i32>($($argument),*),
            bessemer_core::DType::I64 => $function::<i64>($($argument),*),
            bessemer_core::DType::U8 => $function::<u8>($($argument),*),
            bessemer_core::DType::U16 => $function::<u16>($($argument),*),
            bessemer_core::DType::U32 => $function::<u32>($($argument),*),
            bessemer_core::DType::U64 => $function::<u64>($($argument),*),
            bessemer_core::DType::Complex64 => {
                $function::<bessemer_core::Complex<f32>>($($argument),*)
            }
            _ => $function::<bool>($($argument),*),
        }
    };
}
pub(crate) use with_item;
