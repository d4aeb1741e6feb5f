//! Norms, rank, powers and the pseudoinverse: made of factorisations and other functions.

use super::{conjugate, matrix, square};
use crate::{Array, Axes, Operand, Result, axes, promote::float_of};
use bessemer_core::DType;

/// A norm of vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VectorNorm {
    /// The p-th root of the sum of p-th powers of magnitudes. 0 counts what is not 0, infinity is the
    /// largest magnitude and negative infinity the smallest.
    P(f64),
}

/// A norm of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixNorm {
    /// The root of the sum of squares.
    Frobenius,
    /// The sum of singular values.
    Nuclear,
    /// The largest sum of magnitudes of a row, or the smallest.
    Rows {
        /// Whether it is the smallest.
        least: bool,
    },
    /// The largest sum of magnitudes of a column, or the smallest.
    Columns {
        /// Whether it is the smallest.
        least: bool,
    },
    /// The largest singular value, or the smallest.
    Spectral {
        /// Whether it is the smallest.
        least: bool,
    },
}

/// What is made of factorisations.
impl Array {
    /// A norm over some axes, of all their elements as one vector.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::VectorNorm;
    /// let a = Array::new(&device, [[3.0f32, 4.0], [-6.0, 8.0]])?;
    /// assert_eq!(a.vector_norm(-1, VectorNorm::P(2.0)).to_vec::<f32>()?, [5.0, 10.0]);
    /// assert_eq!(a.vector_norm(.., VectorNorm::P(f64::INFINITY)).item::<f32>()?, 8.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn vector_norm(&self, axes: impl Axes, norm: VectorNorm) -> Array {
        const OP: &str = "vector_norm";
        Array::build(OP, &[("array", self)], || {
            axes::mask(OP, self, &axes)?;
            let sizes = self.cast(float_of(self.dtype())).abs();
            let dtype = sizes.dtype();
            let VectorNorm::P(p) = norm;
            let listed = axes.listed().map(<[isize]>::to_vec);
            let sum = |array: Array| match &listed {
                Some(axes) => array.sum(axes),
                None => array.sum(..),
            };
            let made = match (p, &listed) {
                (f64::INFINITY, Some(axes)) => sizes.max(axes),
                (f64::INFINITY, None) => sizes.max(..),
                (f64::NEG_INFINITY, Some(axes)) => sizes.min(axes),
                (f64::NEG_INFINITY, None) => sizes.min(..),
                (0.0, _) => sum(sizes.ne(0)).cast(dtype),
                (1.0, _) => sum(sizes),
                (2.0, _) => sum(sizes.square()).sqrt(),
                _ => sum(sizes.pow(p)).pow(1.0 / p),
            };
            made.check().cloned()
        })
    }

    /// A norm of the matrices of the last two axes.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # use bessemer_array::MatrixNorm;
    /// let a = Array::new(&device, [[3.0f32, 0.0], [0.0, -4.0]])?;
    /// assert_eq!(a.matrix_norm(MatrixNorm::Frobenius).item::<f32>()?, 5.0);
    /// assert_eq!(a.matrix_norm(MatrixNorm::Nuclear).item::<f32>()?, 7.0);
    /// assert_eq!(a.matrix_norm(MatrixNorm::Columns { least: true }).item::<f32>()?, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matrix_norm(&self, norm: MatrixNorm) -> Array {
        Array::build("matrix_norm", &[("array", self)], || {
            matrix("matrix_norm", self)?;
            let sizes = || self.cast(float_of(self.dtype())).abs();
            let most =
                |array: Array, least: bool| if least { array.min(-1) } else { array.max(-1) };
            let made = match norm {
                MatrixNorm::Frobenius => sizes().square().sum([-2, -1]).sqrt(),
                MatrixNorm::Nuclear => self.svdvals().sum(-1),
                MatrixNorm::Rows { least } => most(sizes().sum(-1), least),
                MatrixNorm::Columns { least } => most(sizes().sum(-2), least),
                MatrixNorm::Spectral { least } => most(self.svdvals(), least),
            };
            made.check().cloned()
        })
    }

    /// How many singular values of matrices are above `relative` times the largest, as `i64`; by default the
    /// larger of the sizes times the precision of the dtype. An array has a tolerance for each matrix.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 2.0], [2.0, 4.0]])?;
    /// assert_eq!(a.matrix_rank(None).item::<i64>()?, 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matrix_rank(&self, relative: Option<Operand<'_>>) -> Array {
        Array::build("matrix_rank", &[("array", self)], || {
            let values = self.svdvals();
            let least = self.threshold("matrix_rank", &values, relative)?;
            values.gt(&least).sum(-1).check().cloned()
        })
    }

    /// The pseudoinverse of matrices, by way of their singular values: those up to `relative` times the
    /// largest count as 0; by default the larger of the sizes times the precision of the dtype. An array has a
    /// tolerance for each matrix.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[2.0f32, 0.0], [0.0, 0.0], [0.0, 4.0]])?;
    /// assert_eq!(a.pinv(None).to_string(), "[[0.5  0.   0.  ]\n [0.   0.   0.25]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn pinv(&self, relative: Option<Operand<'_>>) -> Array {
        Array::build("pinv", &[("array", self)], || {
            let (u, values, vh) = self.svd(false);
            let above = values.gt(&self.threshold("pinv", &values, relative)?);
            let inverse = Array::where_(&above, &values.recip(), 0);
            let v = conjugate(&vh.matrix_transpose());
            let uh = conjugate(&u.matrix_transpose());
            (v * inverse.expand_dims(-2)).matmul(&uh).check().cloned()
        })
    }

    /// The singular value, of each matrix, above which others count.
    fn threshold(
        &self,
        op: &'static str,
        values: &Array,
        relative: Option<Operand<'_>>,
    ) -> Result<Array> {
        let [rows, columns] = matrix(op, self)?;
        let values = values.check()?;
        // There may be none, which is as if they were all 0.
        let largest = match values.shape().width() {
            0 => values.sum_keepdim(-1),
            _ => values.max_keepdim(-1),
        };
        let precision = match values.dtype() {
            DType::F64 => f64::EPSILON,
            _ => f32::EPSILON.into(),
        };
        let least = match relative {
            None => largest * (rows.max(columns) as f64 * precision),
            Some(Operand::Scalar(relative)) => largest * relative,
            Some(Operand::Array(each)) => largest * each.cast(values.dtype()).expand_dims(-1),
        };
        least.check().cloned()
    }

    /// Square matrices to a whole power, by repeated products; a negative one is that of the inverse.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 1.0], [1.0, 0.0]])?;
    /// assert_eq!(a.matrix_power(10).to_string(), "[[89. 55.]\n [55. 34.]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matrix_power(&self, exponent: i32) -> Array {
        const OP: &str = "matrix_power";
        Array::build(OP, &[("array", self)], || {
            let rows = square(OP, self)?;
            let mut base = if exponent < 0 { self.inv() } else { self.clone() };
            let mut left = exponent.unsigned_abs();
            let mut power: Option<Array> = None;
            while left > 0 {
                if left & 1 == 1 {
                    power = Some(power.map_or_else(|| base.clone(), |power| power.matmul(&base)));
                }
                base = base.matmul(&base);
                left >>= 1;
            }
            let Some(power) = power else {
                let one = Array::eye(self.device(), rows, self.dtype());
                return one.broadcast_to(self.shape()).check().cloned();
            };
            power.check().cloned()
        })
    }
}
