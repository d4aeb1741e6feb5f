//! Elements of arrays as Rust values. Everything here evaluates the array first.

use crate::{Array, Error, Item, Result};
use bessemer_core::{Slice, View};

impl Array {
    /// All elements in row-major order. `T` must be the type they are stored as.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.transpose().to_vec::<i32>()?, [1, 3, 2, 4]);
    /// assert_eq!(a.gt(2).to_vec::<bool>()?, [false, false, true, true]);
    /// assert!(a.to_vec::<f32>().unwrap_err().to_string().contains("astype"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_vec<T: Item>(&self) -> Result<Vec<T>> {
        self.check()?;
        if T::DTYPE != self.dtype() {
            return Err(Error::WrongDType { op: "to_vec", found: self.dtype(), wanted: T::DTYPE });
        }
        let view = self.contiguous()?;
        let slice = Slice::new(view.buffer(), view.range())?;
        Ok(T::collect(view.elements(), |bytes| self.device().read(&slice, bytes))?)
    }

    /// The only element of an array of one.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// assert_eq!(Array::arange(&device, 0, 101, 1).sum_all().item::<i64>()?, 5050);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn item<T: Item>(&self) -> Result<T> {
        match self.to_vec::<T>()?.as_slice() {
            [item] => Ok(*item),
            items => {
                let rule = format!("the array has {} elements, not one", items.len());
                Err(Error::rule("item", rule, &[("array", self)]))
            }
        }
    }

    /// Its elements as a view of device memory, computed if need be. They may be strided, and may
    /// be read but not written: other arrays can lie in the same memory.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert!(a.view()?.is_contiguous());
    /// assert_eq!(**a.transpose().view()?.strides(), [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn view(&self) -> Result<View> {
        self.eval()?;
        match self.node.value.get() {
            Some(value) => value.clone(),
            None => Err(Error::rule("view", "the evaluation gave no elements", &[("array", self)])),
        }
    }

    /// The same, gapless and in order: copied if need be.
    pub(crate) fn contiguous(&self) -> Result<View> {
        let view = self.view()?;
        if view.is_contiguous() { Ok(view) } else { self.copied().view() }
    }
}
