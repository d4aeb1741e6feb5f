//! Sums, products and extremes of all elements up to each one. The kernel is an op.

use crate::{
    Array, Result,
    call::Call,
    complex,
    node::Kind,
    promote::{default_integer, total_of},
};
use bessemer_core::{Batch, DType, Shape, View};
use bessemer_ops::{Scan, ScanKind};
use smallvec::smallvec;
use std::sync::Arc;

struct Scanning {
    kind: ScanKind,
    initial: bool,
}

impl Scanning {
    fn op(&self) -> &'static str {
        match self.kind {
            ScanKind::Sum => "cumulative_sum",
            ScanKind::Prod => "cumulative_prod",
            ScanKind::Min => "cumulative_min",
            ScanKind::Max => "cumulative_max",
        }
    }
}

impl Call for Scanning {
    fn name(&self) -> &'static str {
        self.op()
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x] = inputs else {
            return Err(bessemer_core::Error::view("a scan has one input"));
        };
        let (kind, initial) = (self.kind, self.initial);
        batch.push(Scan { x: x.clone(), kind, initial, out: out.clone() })
    }
}

/// Running totals along an axis.
impl Array {
    /// The sums of all elements up to each one, with the dtypes of [`Array::sum`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.cumulative_sum(1).to_string(), "[[ 1  3  6]\n [ 4  9 15]]");
    /// assert_eq!(a.cumulative_sum(0).at(1).to_vec::<i64>()?, [5, 7, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cumulative_sum(&self, axis: isize) -> Array {
        self.scan(axis, Scanning { kind: ScanKind::Sum, initial: false })
    }

    /// [`Array::cumulative_sum`] with a 0 in front, so that the axis is one longer.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 2.0, 3.0])?;
    /// assert_eq!(a.cumulative_sum_from_0(0).to_vec::<f32>()?, [0.0, 1.0, 3.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cumulative_sum_from_0(&self, axis: isize) -> Array {
        self.scan(axis, Scanning { kind: ScanKind::Sum, initial: true })
    }

    /// The products of all elements up to each one, with the dtypes of [`Array::sum`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1.0f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(a.cumulative_prod(0).to_vec::<f32>()?, [1.0, 2.0, 6.0, 24.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cumulative_prod(&self, axis: isize) -> Array {
        self.scan(axis, Scanning { kind: ScanKind::Prod, initial: false })
    }

    /// [`Array::cumulative_prod`] with a 1 in front, so that the axis is one longer.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [2, 3])?;
    /// assert_eq!(a.cumulative_prod_from_1(0).to_vec::<i64>()?, [1, 2, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cumulative_prod_from_1(&self, axis: isize) -> Array {
        self.scan(axis, Scanning { kind: ScanKind::Prod, initial: true })
    }

    /// The largest of all elements up to each one; from a NaN on, NaN.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 5, 3, 7])?;
    /// assert_eq!(a.cumulative_max(0).to_vec::<i32>()?, [1, 5, 5, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cumulative_max(&self, axis: isize) -> Array {
        self.scan(axis, Scanning { kind: ScanKind::Max, initial: false })
    }

    /// The smallest of all elements up to each one; from a NaN on, NaN.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [4, 5, 3, 7])?;
    /// assert_eq!(a.cumulative_min(0).to_vec::<i32>()?, [4, 4, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cumulative_min(&self, axis: isize) -> Array {
        self.scan(axis, Scanning { kind: ScanKind::Min, initial: false })
    }

    fn scan(&self, axis: isize, scanning: Scanning) -> Array {
        let (op, named) = (scanning.op(), [("array", self)]);
        Array::build(op, &named, || {
            let axis = self.axis(op, axis)? as isize;
            let totals = matches!(scanning.kind, ScanKind::Sum | ScanKind::Prod);
            if self.dtype().is_complex() {
                let initial = scanning.initial;
                match scanning.kind {
                    ScanKind::Sum => {}
                    ScanKind::Prod => return self.complex_products(axis as usize, initial),
                    _ => return Err(complex::refused(op, &named)),
                }
                let part =
                    |part: &Array| part.scan(axis, Scanning { kind: ScanKind::Sum, initial });
                let [re, im] = complex::parts(self);
                return complex::of(part(&re).check()?, part(&im).check()?);
            }
            let dtype = match (totals, self.dtype()) {
                (true, dtype) => total_of(dtype),
                // Narrow integers are compared as wider ones.
                (false, DType::U16 | DType::U8) => DType::U32,
                (false, DType::Bool | DType::I8 | DType::I16) => default_integer(),
                (false, dtype) => dtype,
            };
            let x = self.cast(dtype).swap_axes(axis, -1);
            let mut dims = x.shape().to_vec();
            if let Some(last) = dims.last_mut() {
                *last += usize::from(scanning.initial);
            }
            let (shape, kind) = (Shape::new(&dims)?, Kind::Call(Arc::new(scanning)));
            let scanned = Array::lazy(dtype, shape, kind, smallvec![x]).swap_axes(axis, -1);
            Ok(if totals { scanned } else { scanned.cast(self.dtype()) })
        })
    }

    /// The differences of neighbours along an axis, taken `times` times: the axis gets as much shorter.
    /// Booleans differ by exclusive or.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [1, 4, 9, 16])?;
    /// assert_eq!(a.diff(1, 0).to_vec::<i32>()?, [3, 5, 7]);
    /// assert_eq!(a.diff(2, 0).to_vec::<i32>()?, [2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn diff(&self, times: usize, axis: isize) -> Array {
        Array::build("diff", &[("array", self)], || {
            let axis = self.axis("diff", axis)?;
            (0..times).try_fold(self.clone(), |array, _| array.differences(axis))
        })
    }

    /// Products of complex numbers: of 2 elements up to each, then of 4, of 8 and so on.
    fn complex_products(&self, axis: usize, initial: bool) -> Result<Array> {
        let len = self.shape()[axis];
        let (mut products, mut reach) = (self.clone(), 1);
        while reach < len {
            let done = products.part(axis, 0, reach);
            let rest = products.part(axis, reach, len - reach);
            let before = products.part(axis, 0, len - reach);
            products = Array::concat(&[&done, &(rest * before)], axis as isize)?;
            reach *= 2;
        }
        if !initial {
            return Ok(products);
        }
        let mut dims = self.shape().to_vec();
        dims[axis] = 1;
        let one = self.filled(Shape::new(&dims)?, u64::from(1f32.to_bits()));
        Array::concat(&[&one, &products], axis as isize)
    }

    fn differences(&self, axis: usize) -> Result<Array> {
        let len = self.shape()[axis].saturating_sub(1);
        if self.shape()[axis] == 0 {
            return Ok(self.clone());
        }
        let (later, earlier) = (self.part(axis, 1, len), self.part(axis, 0, len));
        let difference =
            if self.dtype() == DType::Bool { later.ne(&earlier) } else { later - earlier };
        difference.check().cloned()
    }
}
