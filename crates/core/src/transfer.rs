//! Rust values into views of a device and back. What is read and written here is gapless; other
//! layouts go through an op.

use crate::{DType, Device, Element, Error, Result, Shape, View, estimate};

impl View {
    /// A gapless view of new memory of `device`. What it holds at first is unspecified.
    ///
    /// ```
    /// use bessemer_core::{DType, View};
    ///
    /// let device = bessemer_cpu::Reference::new();
    /// let weights = View::alloc(&device, DType::Q4_0, &[16, 64])?;
    /// assert_eq!(weights.buffer().bytes(), 16 * 36);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn alloc(device: &dyn Device, dtype: DType, dims: &[usize]) -> Result<View> {
        let shape = Shape::new(dims)?;
        let bytes = estimate::tensor(dtype, shape.rows(), shape.width())?;
        View::new(&device.alloc(bytes)?, dtype, shape)
    }

    /// A gapless view of new memory of `device`, filled with `values` in row-major order.
    ///
    /// ```
    /// use bessemer_core::View;
    ///
    /// let device = bessemer_cpu::Reference::new();
    /// let view = View::from_slice(&device, &[1, 2, 3, 4], &[2, 2])?;
    /// assert_eq!(view.narrow(0, 1..2)?.to_vec::<i32>(&device)?, [3, 4]);
    /// assert!(View::from_slice(&device, &[1, 2, 3], &[2, 2]).is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn from_slice<T: Element>(
        device: &dyn Device,
        values: &[T],
        dims: &[usize],
    ) -> Result<View> {
        let shape = Shape::new(dims)?;
        if shape.elements() != values.len() {
            return Err(Error::view(format!(
                "from_slice: shape {shape} has {} elements, but {} are given",
                shape.elements(),
                values.len()
            )));
        }
        let view = View::alloc(device, T::DTYPE, dims)?;
        device.write(&view.slice()?, T::as_bytes(values))?;
        Ok(view)
    }

    /// The elements of a gapless view of `device` in row-major order, once all that was submitted
    /// before is done. `T` must be the type they are stored as.
    ///
    /// ```
    /// use bessemer_core::View;
    ///
    /// let device = bessemer_cpu::Reference::new();
    /// let view = View::from_slice(&device, &[1.5f32, 2.5], &[2])?;
    /// assert_eq!(view.to_vec::<f32>(&device)?, [1.5, 2.5]);
    /// assert!(view.to_vec::<i32>(&device).is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn to_vec<T: Element>(&self, device: &dyn Device) -> Result<Vec<T>> {
        if self.dtype() != T::DTYPE {
            let (found, wanted) = (self.dtype(), T::DTYPE);
            return Err(Error::view(format!("to_vec: the view is {found}, not {wanted}")));
        }
        let slice = self.slice()?;
        let mut values = vec![T::default(); self.elements()];
        device.read(&slice, T::as_bytes_mut(&mut values))?;
        Ok(values)
    }
}
