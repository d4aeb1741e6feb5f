//! Nested Rust arrays of numbers as array literals.

use crate::Item;
use bessemer_core::Complex;

/// A number, or a list (slice, array, `Vec`) of numbers or lists.
///
/// ```
/// # use bessemer_array::{Array, Error};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
/// let table = vec![[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let a = Array::new(&device, &table)?;
/// assert_eq!(a.dims(), [3, 2]);
/// assert_eq!(Array::new(&device, &table[1..])?.to_vec::<f32>()?, [3.0, 4.0, 5.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
pub trait Nested {
    /// The type of the numbers.
    type Item: Item;

    /// Adds the length of this list, of its first list, of that one's first, and so on.
    #[doc(hidden)]
    fn sizes(&self, sizes: &mut Vec<usize>);

    /// Adds all numbers to `items`; false if some list is not as long as `sizes` says.
    #[doc(hidden)]
    fn collect(&self, sizes: &[usize], items: &mut Vec<Self::Item>) -> bool;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Nested for $type {
            type Item = $type;

            fn sizes(&self, _: &mut Vec<usize>) {}

            fn collect(&self, _: &[usize], items: &mut Vec<$type>) -> bool {
                items.push(*self);
                true
            }
        }
    )*};
}

numbers!(f64 f32 half::f16 half::bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool Complex<f32>);

impl<N: Nested> Nested for [N] {
    type Item = N::Item;

    fn sizes(&self, sizes: &mut Vec<usize>) {
        sizes.push(self.len());
        if let Some(first) = self.first() {
            first.sizes(sizes);
        }
    }

    fn collect(&self, sizes: &[usize], items: &mut Vec<N::Item>) -> bool {
        match sizes {
            [len, inner @ ..] => {
                *len == self.len() && self.iter().all(|nested| nested.collect(inner, items))
            }
            // Deeper than the first one was, which held no lists to measure.
            [] => false,
        }
    }
}

impl<N: Nested, const LEN: usize> Nested for [N; LEN] {
    type Item = N::Item;

    fn sizes(&self, sizes: &mut Vec<usize>) {
        self.as_slice().sizes(sizes);
    }

    fn collect(&self, sizes: &[usize], items: &mut Vec<N::Item>) -> bool {
        self.as_slice().collect(sizes, items)
    }
}

impl<N: Nested> Nested for Vec<N> {
    type Item = N::Item;

    fn sizes(&self, sizes: &mut Vec<usize>) {
        self.as_slice().sizes(sizes);
    }

    fn collect(&self, sizes: &[usize], items: &mut Vec<N::Item>) -> bool {
        self.as_slice().collect(sizes, items)
    }
}

impl<N: Nested + ?Sized> Nested for &N {
    type Item = N::Item;

    fn sizes(&self, sizes: &mut Vec<usize>) {
        (**self).sizes(sizes);
    }

    fn collect(&self, sizes: &[usize], items: &mut Vec<N::Item>) -> bool {
        (**self).collect(sizes, items)
    }
}
