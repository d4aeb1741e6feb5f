//! The Rust types that go into arrays and come out of them.

use bessemer_core::{DType, Element, Result};
use half::{bf16, f16};
use std::borrow::Cow;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the element of an array: `f32`, `f16`, `bf16`, `i32`, `u32`, `u8`, `bool`.
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

    /// The nearest value of this type, as casts have it.
    #[doc(hidden)]
    fn from_f64(value: f64) -> Self;

    /// The same number; exact.
    #[doc(hidden)]
    fn to_f64(self) -> f64;
}

macro_rules! items {
    ($($type:ty)*) => {$(
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

            fn from_f64(value: f64) -> Self {
                <$type as Element>::from_f64(value)
            }

            fn to_f64(self) -> f64 {
                Element::to_f64(self)
            }
        }
    )*};
}

items!(f32 f16 bf16 i32 u32 u8);

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

    fn from_f64(value: f64) -> bool {
        value != 0.0
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

/// The nearest value of `dtype`: floats round to even, integers truncate and saturate, NaN
/// becomes 0, and for booleans all but 0 is true.
pub(crate) fn round_to(dtype: DType, value: f64) -> f64 {
    fn through<T: Item>(value: f64) -> f64 {
        T::from_f64(value).to_f64()
    }
    match dtype {
        DType::F32 => through::<f32>(value),
        DType::F16 => through::<f16>(value),
        DType::BF16 => through::<bf16>(value),
        DType::I32 => through::<i32>(value),
        DType::U32 => through::<u32>(value),
        DType::U8 => through::<u8>(value),
        _ => through::<bool>(value),
    }
}

/// Calls a generic function with the Rust type of a dtype that arrays can have.
macro_rules! with_item {
    ($dtype:expr, $function:ident ( $($argument:expr),* )) => {
        match $dtype {
            bessemer_core::DType::F32 => $function::<f32>($($argument),*),
            bessemer_core::DType::F16 => $function::<half::f16>($($argument),*),
            bessemer_core::DType::BF16 => $function::<half::bf16>($($argument),*),
            bessemer_core::DType::I32 => $function::<i32>($($argument),*),
            bessemer_core::DType::U32 => $function::<u32>($($argument),*),
            bessemer_core::DType::U8 => $function::<u8>($($argument),*),
            _ => $function::<bool>($($argument),*),
        }
    };
}
pub(crate) use with_item;
