//! The different elements of an array. How many they are is only known when they are, so the array is
//! evaluated here.

use crate::{Array, Result, complex};
use bessemer_core::{DType, Shape};

/// The different elements of an array, and where they are.
#[derive(Clone, Debug)]
pub struct Unique {
    /// Each element once, in ascending order. No NaN equals another, so all of them are there.
    pub values: Array,
    /// For each of them its first place in the flattened array, as `i64`.
    pub indices: Array,
    /// For each element of the array its place among `values`, as `i64`, in the shape of the array.
    pub inverse: Array,
    /// How often each of them is there, as `i64`.
    pub counts: Array,
}

impl Array {
    /// The different elements, with their places and numbers. This evaluates the array.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[3, 1], [1, 2]])?;
    /// let unique = a.unique_all()?;
    /// assert_eq!(unique.values.to_vec::<i32>()?, [1, 2, 3]);
    /// assert_eq!(unique.indices.to_vec::<i64>()?, [1, 3, 0]);
    /// assert_eq!(unique.inverse.to_string(), "[[2 0]\n [0 1]]");
    /// assert_eq!(unique.counts.to_vec::<i64>()?, [2, 1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unique_all(&self) -> Result<Unique> {
        let flat = self.check()?.flatten();
        let order = order_of(&flat);
        let sorted = flat.take(&order, 0);
        let first = starts(&sorted)?;
        let places = first.nonzero()?.swap_remove(0);
        let ends = Array::from_slice(self.device(), &[flat.elements() as i64], &[1])?;
        let ends = Array::concat(&[&places, &ends], 0)?;
        // In sorted order the place of each is one less than the number of starts up to it.
        let numbers = first.cumulative_sum(0) - 1;
        let inverse = numbers.with_index(&[(&order).into()], &numbers);
        Ok(Unique {
            values: sorted.take(&places, 0).check()?.clone(),
            indices: order.take(&places, 0).check()?.clone(),
            inverse: inverse.check()?.reshape_to(*self.shape())?,
            counts: ends.diff(1, 0).check()?.clone(),
        })
    }

    /// The different elements in ascending order. This evaluates the array.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [3.0f32, 1.0, f32::NAN, 1.0])?;
    /// assert_eq!(a.unique_values()?.to_string(), "[ 1.  3. nan]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unique_values(&self) -> Result<Array> {
        let flat = self.check()?.flatten();
        let sorted = match flat.dtype().is_complex() {
            true => flat.take(&order_of(&flat), 0),
            false => flat.sort(0),
        };
        sorted.select(&starts(&sorted)?).check().cloned()
    }
}

/// The indices that put elements in order; complex numbers by their real parts, and those that are equal by
/// their imaginary parts.
fn order_of(flat: &Array) -> Array {
    if !flat.dtype().is_complex() {
        return flat.argsort(0);
    }
    let [re, im] = complex::parts(flat);
    let order = im.argsort(0);
    order.take(&re.take(&order, 0).argsort(0), 0)
}

/// Whether each element of a sorted array differs from the one before.
fn starts(sorted: &Array) -> Result<Array> {
    let len = sorted.elements();
    if len == 0 {
        return Ok(sorted.cast(DType::Bool));
    }
    let first = sorted.cast(DType::Bool).filled(Shape::new(&[1])?, 1);
    let differ = sorted.part(0, 1, len - 1).ne(&sorted.part(0, 0, len - 1));
    Array::concat(&[&first, &differ], 0)
}
