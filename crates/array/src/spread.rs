//! How far elements are spread: variance and standard deviation. The kernel is an op.

use crate::{
    Array, Axes, axes,
    call::Call,
    complex,
    node::Kind,
    promote::float_of,
    reduce::{Fold, Reduction},
};
use bessemer_core::{Batch, DType, MAX_RANK, Shape, View};
use bessemer_ops::Variance;
use smallvec::smallvec;
use std::sync::Arc;

/// Means and variances: two arrays as one.
struct Spreading {
    axes: Vec<usize>,
    correction: f64,
}

impl Call for Spreading {
    fn name(&self) -> &'static str {
        "var"
    }

    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> bessemer_core::Result<()> {
        let [x] = inputs else {
            return Err(bessemer_core::Error::view("a variance has one input"));
        };
        let (x, axes, correction) = (x.clone(), self.axes.clone(), self.correction);
        batch.push(Variance { x, axes, correction, out: out.clone() })
    }
}

/// Variance and standard deviation. The sum of squared distances from the mean is divided by the number of
/// elements less `correction`: 0 for those of a whole population, 1 to estimate them from a sample. They
/// are computed in double precision, and in one pass over arrays of `f32`.
impl Array {
    /// The variance over `axes`; `f32` for integers and booleans.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 2.0, 3.0], [1.0, 1.0, 4.0]])?;
    /// assert_eq!(a.var(1, 1.0).to_vec::<f32>()?, [1.0, 3.0]);
    /// assert_eq!(a.var(.., 0.0).item::<f32>()?, 1.3333334);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn var(&self, axes: impl Axes, correction: f64) -> Array {
        self.spread("var", &axes, correction, false)
    }

    /// [`Array::var`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 3.0], [2.0, 2.0]])?;
    /// assert_eq!(a.var_keepdim(1, 0.0).to_string(), "[[1.]\n [0.]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn var_keepdim(&self, axes: impl Axes, correction: f64) -> Array {
        self.spread("var", &axes, correction, true)
    }

    /// The standard deviation over `axes`: the square root of [`Array::var`].
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [2, 4, 4, 4, 5, 5, 7, 9])?;
    /// assert_eq!(a.std(.., 0.0).item::<f32>()?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn std(&self, axes: impl Axes, correction: f64) -> Array {
        self.spread("std", &axes, correction, false)
    }

    /// [`Array::std`], with the reduced axes kept as size 1.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 3.0], [2.0, 6.0]])?;
    /// let standard = (&a - &a.mean_keepdim(1)) / &a.std_keepdim(1, 0.0);
    /// assert_eq!(standard.to_vec::<f32>()?, [-1.0, 1.0, -1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn std_keepdim(&self, axes: impl Axes, correction: f64) -> Array {
        self.spread("std", &axes, correction, true)
    }

    fn spread(&self, op: &'static str, axes: &impl Axes, correction: f64, keepdim: bool) -> Array {
        let named = [("array", self)];
        Array::build(op, &named, || {
            if self.dtype().is_complex() {
                return Err(complex::refused(op, &named));
            }
            let dtype = float_of(self.dtype());
            // 16-bit floats are computed with in single precision, as everywhere.
            let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
            let reduction = Reduction { fold: Fold::Mean, axes: axes::mask(op, self, axes)? };
            let (kept, dropped) = self.reduced_shapes(reduction)?;
            let (axes, others): (Vec<usize>, Vec<usize>) =
                (0..self.rank()).partition(|&axis| reduction.has(axis));
            // Means and variances are one array with one dimension more, for which there must be room.
            let (x, axes, mut dims) = if self.rank() < MAX_RANK {
                (self.cast(wide), axes, kept.to_vec())
            } else {
                let count = |axes: &[usize]| -> usize {
                    axes.iter().map(|&axis| self.shape()[axis]).product()
                };
                let order: Vec<isize> =
                    others.iter().chain(&axes).map(|&axis| axis as isize).collect();
                let rows = Shape::new(&[count(&others), count(&axes)])?;
                let x = self.cast(wide).permute(&order).check()?.reshape_to(rows)?;
                (x, vec![1], vec![rows[0], 1])
            };
            dims.insert(0, 2);
            let kind = Kind::Call(Arc::new(Spreading { axes, correction }));
            let both = Array::lazy(wide, Shape::new(&dims)?, kind, smallvec![x]);
            let var = both.at(1).reshape_to(if keepdim { kept } else { dropped })?;
            Ok((if op == "std" { var.sqrt() } else { var }).cast(dtype))
        })
    }
}
