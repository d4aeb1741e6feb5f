//! Discrete Fourier transforms, computed on the host by `rustfft` and `realfft`. `transform` has the work.

mod transform;

use crate::{Array, Error, Pad, Result, node::Kind};
use bessemer_core::{DType, Device, Number, Shape};
use smallvec::smallvec;
use std::sync::Arc;
use transform::{Direction, Transform};

pub use transform::Normalization;

/// Fourier transforms of complex numbers and of real ones. `size` is the number of elements along the axis
/// that count: more are left out, missing ones are 0. They are computed on the host, in single precision;
/// [`Array::explain`] shows what is copied.
impl Array {
    /// The transform along an axis.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::new(&device, [1.0f32, 0.0, 0.0, 0.0])?;
    /// let b = a.fft(None, 0, Normalization::Backward);
    /// assert_eq!(b.real().to_vec::<f32>()?, [1.0; 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fft(&self, size: Option<usize>, axis: isize, by: Normalization) -> Array {
        self.complex_transform("fft", Direction::Forward, &[(axis, size)], by)
    }

    /// The inverse of [`Array::fft`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::arange(&device, 0, 5, 1.0);
    /// let b = a.fft(None, 0, Normalization::Backward).ifft(None, 0, Normalization::Backward);
    /// assert!((b.real() - a).abs().max_all().item::<f32>()? < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ifft(&self, size: Option<usize>, axis: isize, by: Normalization) -> Array {
        self.complex_transform("ifft", Direction::Inverse, &[(axis, size)], by)
    }

    /// The transform along several axes, each with its size.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::ones(&device, &[2, 3], bessemer_core::DType::F32);
    /// let b = a.fftn(&[(0, None), (1, None)], Normalization::Backward);
    /// assert_eq!(b.real().to_vec::<f32>()?, [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fftn(&self, axes: &[(isize, Option<usize>)], by: Normalization) -> Array {
        self.complex_transform("fftn", Direction::Forward, axes, by)
    }

    /// The inverse of [`Array::fftn`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::arange(&device, 0, 6, 1.0).reshape(&[2, 3]);
    /// let axes = [(0, None), (1, None)];
    /// let b = a.fftn(&axes, Normalization::Ortho).ifftn(&axes, Normalization::Ortho);
    /// assert!((b.real() - a).abs().max_all().item::<f32>()? < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ifftn(&self, axes: &[(isize, Option<usize>)], by: Normalization) -> Array {
        self.complex_transform("ifftn", Direction::Inverse, axes, by)
    }

    /// The transform of real numbers along an axis: the half of it that the other half follows from.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::new(&device, [1.0f32, 2.0, 3.0, 4.0])?;
    /// let b = a.rfft(None, 0, Normalization::Backward);
    /// assert_eq!(b.real().to_vec::<f32>()?, [10.0, -2.0, -2.0]);
    /// assert_eq!(b.imag().to_vec::<f32>()?, [0.0, 2.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rfft(&self, size: Option<usize>, axis: isize, by: Normalization) -> Array {
        self.half_transform("rfft", size, axis, by)
    }

    /// The inverse of [`Array::rfft`]: `size` real numbers, by default an even number of them.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::new(&device, [1.0f32, 2.0, 3.0, 4.0])?;
    /// let b = a.rfft(None, 0, Normalization::Backward).irfft(None, 0, Normalization::Backward);
    /// assert_eq!(b.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn irfft(&self, size: Option<usize>, axis: isize, by: Normalization) -> Array {
        self.real_transform("irfft", Direction::Inverse, size, axis, by)
    }

    /// [`Array::rfft`] along the last of some axes, and [`Array::fft`] along the others.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::ones(&device, &[2, 4], bessemer_core::DType::F32);
    /// assert_eq!(a.rfftn(&[(0, None), (1, None)], Normalization::Backward).dims(), [2, 3]);
    /// ```
    pub fn rfftn(&self, axes: &[(isize, Option<usize>)], by: Normalization) -> Array {
        match axes {
            [others @ .., (axis, size)] => {
                let half = self.half_transform("rfftn", *size, *axis, by);
                half.complex_transform("rfftn", Direction::Forward, others, by)
            }
            [] => self.clone(),
        }
    }

    /// The inverse of [`Array::rfftn`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::arange(&device, 0, 8, 1.0).reshape(&[2, 4]);
    /// let axes = [(0, None), (1, None)];
    /// let b = a.rfftn(&axes, Normalization::Backward).irfftn(&axes, Normalization::Backward);
    /// assert!((b - a).abs().max_all().item::<f32>()? < 1e-5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn irfftn(&self, axes: &[(isize, Option<usize>)], by: Normalization) -> Array {
        match axes {
            [others @ .., (axis, size)] => {
                let whole = self.complex_transform("irfftn", Direction::Inverse, others, by);
                whole.real_transform("irfftn", Direction::Inverse, *size, *axis, by)
            }
            [] => self.clone(),
        }
    }

    /// The transform of numbers whose other half is their conjugate in reverse: real numbers.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::new(&device, [1.0f32, 2.0, 3.0])?;
    /// assert_eq!(a.hfft(None, 0, Normalization::Backward).to_vec::<f32>()?, [8.0, -2.0, 0.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn hfft(&self, size: Option<usize>, axis: isize, by: Normalization) -> Array {
        // The inverse transform of the conjugate, scaled as the forward one is.
        let conjugate = if self.dtype().is_complex() { self.conj() } else { self.clone() };
        conjugate.real_transform("hfft", Direction::Forward, size, axis, by)
    }

    /// The inverse of [`Array::hfft`]: the half of the result that the other half follows from.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::Normalization;
    /// let a = Array::new(&device, [8.0f32, -2.0, 0.0, -2.0])?;
    /// let b = a.ihfft(None, 0, Normalization::Backward);
    /// assert_eq!(b.real().to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ihfft(&self, size: Option<usize>, axis: isize, by: Normalization) -> Array {
        self.half_transform("ihfft", size, axis, by.exchanged()).conj()
    }

    /// The frequencies of the elements of [`Array::fft`] of `size` elements that are `spacing` apart, as
    /// floats of `dtype`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_core::DType;
    /// let f = Array::fftfreq(&device, 4, 0.5, DType::F32);
    /// assert_eq!(f.to_vec::<f32>()?, [0.0, 0.5, -1.0, -0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fftfreq(device: &Arc<dyn Device>, size: usize, spacing: f64, dtype: DType) -> Array {
        // In order, but the second half is below 0.
        let number =
            |i: usize| if i < size.div_ceil(2) { i as f64 } else { i as f64 - size as f64 };
        frequencies("fftfreq", device, size, size as f64 * spacing, dtype, number)
    }

    /// The frequencies of the elements of [`Array::rfft`] of `size` elements that are `spacing` apart, as
    /// floats of `dtype`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_core::DType;
    /// let f = Array::rfftfreq(&device, 4, 0.5, DType::F32);
    /// assert_eq!(f.to_vec::<f32>()?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rfftfreq(device: &Arc<dyn Device>, size: usize, spacing: f64, dtype: DType) -> Array {
        let per = size as f64 * spacing;
        frequencies("rfftfreq", device, size / 2 + 1, per, dtype, |i| i as f64)
    }

    /// The frequency 0 moved to the middle of some axes.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [0, 1, 2, -2, -1])?;
    /// assert_eq!(a.fftshift(&[0]).to_vec::<i32>()?, [-2, -1, 0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fftshift(&self, axes: &[isize]) -> Array {
        axes.iter().fold(self.clone(), |array, &axis| {
            let size = self.find_axis(axis).map_or(0, |axis| self.shape()[axis]);
            array.roll(size as isize / 2, axis)
        })
    }

    /// The inverse of [`Array::fftshift`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [-2, -1, 0, 1, 2])?;
    /// assert_eq!(a.ifftshift(&[0]).to_vec::<i32>()?, [0, 1, 2, -2, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ifftshift(&self, axes: &[isize]) -> Array {
        axes.iter().fold(self.clone(), |array, &axis| {
            let size = self.find_axis(axis).map_or(0, |axis| self.shape()[axis]);
            array.roll(-(size as isize / 2), axis)
        })
    }

    fn complex_transform(
        &self,
        op: &'static str,
        direction: Direction,
        axes: &[(isize, Option<usize>)],
        by: Normalization,
    ) -> Array {
        Array::build(op, &[("array", self)], || {
            let mut array = self.single(op)?.cast(DType::Complex64);
            let mut along = Vec::with_capacity(axes.len());
            for &(axis, size) in axes {
                let axis = self.axis(op, axis)?;
                let size = size.unwrap_or(self.shape()[axis]);
                array = array.with_size(op, axis, size)?;
                along.push(axis);
            }
            let transform = Transform { op, direction, axes: along, by, half: None };
            Ok(transform.of(&array, DType::Complex64, *array.shape()))
        })
    }

    /// From real numbers to half of a transform.
    fn half_transform(
        &self,
        op: &'static str,
        size: Option<usize>,
        axis: isize,
        by: Normalization,
    ) -> Array {
        Array::build(op, &[("array", self)], || {
            let axis = self.axis(op, axis)?;
            let array = self.single(op)?;
            if array.dtype().is_complex() {
                let rule = "the array is complex64, but must be of real numbers";
                return Err(Error::rule(op, rule, &[("array", self)]));
            }
            let size = size.unwrap_or(self.shape()[axis]);
            let array = array.cast(DType::F32).with_size(op, axis, size)?;
            let mut dims = array.shape().to_vec();
            dims[axis] = size / 2 + 1;
            let half = Some(size);
            let transform =
                Transform { op, direction: Direction::Forward, axes: vec![axis], by, half };
            Ok(transform.of(&array, DType::Complex64, Shape::new(&dims)?))
        })
    }

    /// From half of a transform to real numbers.
    fn real_transform(
        &self,
        op: &'static str,
        scaled_as: Direction,
        size: Option<usize>,
        axis: isize,
        by: Normalization,
    ) -> Array {
        Array::build(op, &[("array", self)], || {
            let axis = self.axis(op, axis)?;
            let size = size.unwrap_or(2 * self.shape()[axis].saturating_sub(1));
            if size == 0 {
                let rule = "a transform of no elements is asked for";
                return Err(Error::rule(op, rule, &[("array", self)]));
            }
            let array = self.single(op)?.cast(DType::Complex64);
            let array = array.with_size(op, axis, size / 2 + 1)?;
            let mut dims = array.shape().to_vec();
            dims[axis] = size;
            let half = Some(size);
            // Scaled as the one direction, computed as the other.
            let by = if scaled_as == Direction::Forward { by.exchanged() } else { by };
            let transform =
                Transform { op, direction: Direction::Inverse, axes: vec![axis], by, half };
            Ok(transform.of(&array, DType::F32, Shape::new(&dims)?))
        })
    }

    /// The array, unless it is of doubles.
    fn single(&self, op: &'static str) -> Result<Array> {
        if self.dtype() == DType::F64 {
            let rule = "there are no complex numbers of f64; convert the array to f32 (`astype`)";
            return Err(Error::rule(op, rule, &[("array", self)]));
        }
        Ok(self.clone())
    }

    /// With `size` elements along an axis, the first of them or with zeros behind.
    fn with_size(&self, op: &'static str, axis: usize, size: usize) -> Result<Array> {
        if size == 0 {
            let rule = "a transform of no elements is asked for";
            return Err(Error::rule(op, rule, &[("array", self)]));
        }
        let there = self.shape()[axis];
        if size == there {
            return Ok(self.clone());
        }
        if size < there {
            return self.part(axis, 0, size).check().cloned();
        }
        let mut widths = vec![(0, 0); self.rank()];
        widths[axis].1 = size - there;
        self.pad(&widths, Pad::Constant(0.into())).check().cloned()
    }
}

/// Each number over `per`, computed on the host, so that they are the same on every device.
fn frequencies(
    op: &'static str,
    device: &Arc<dyn Device>,
    count: usize,
    per: f64,
    dtype: DType,
    number: impl Fn(usize) -> f64,
) -> Array {
    if !dtype.is_float() {
        let rule = format!("frequencies are floats, but the dtype asked for is {dtype}");
        return Array::failed(device, Error::rule(op, rule, &[]));
    }
    let made = Array::generate(device, dtype, &[count], |i| Number::Float(number(i) / per));
    Array::from_result(device, made)
}

impl Transform {
    fn of(self, array: &Array, dtype: DType, shape: Shape) -> Array {
        Array::lazy(dtype, shape, Kind::Host(Arc::new(self)), smallvec![array.clone()])
    }
}
