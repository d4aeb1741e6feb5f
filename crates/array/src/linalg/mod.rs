//! Linear algebra: `factor` has what `faer` computes on the host, `norms` what is made of other functions.
//! Arrays of more than two dimensions are stacks of matrices.

mod factor;
mod field;
mod norms;

use crate::{Array, Error, Result, node::Kind, promote::float_of};
use bessemer_core::{DType, Shape};
use factor::{Factorization, Task};
use smallvec::SmallVec;
use std::sync::Arc;

pub use norms::{MatrixNorm, VectorNorm};

/// Matrix factorisations, and what is made of them. They are computed on the host: [`Array::explain`] shows
/// what is copied. Integers and 16-bit floats are computed as `f32`.
impl Array {
    /// The solution `x` of `a · x = b` for square matrices; a vector `b` is one column. A singular matrix is
    /// an error when the result is evaluated.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[3.0f32, 1.0], [1.0, 2.0]])?;
    /// let b = Array::new(&device, [9.0f32, 8.0])?;
    /// let x = a.solve(&b).to_vec::<f32>()?;
    /// assert!((x[0] - 2.0).abs() < 1e-6 && (x[1] - 3.0).abs() < 1e-6);
    /// assert!((&a * 0.0).solve(&b).eval().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn solve(&self, b: &Array) -> Array {
        const OP: &str = "solve";
        let named = [("a", self), ("b", b)];
        Array::build(OP, &named, || {
            let dtype = field_of(crate::build_map::common(OP, &named)?);
            let rows = square(OP, self)?;
            let vector = b.rank() == 1;
            let columns = if vector { b.expand_dims(-1) } else { b.clone() };
            let [.., height, _] = **columns.shape() else {
                return Err(Error::rule(OP, "b has no dimensions", &named));
            };
            if height != rows {
                let rule = format!("a has {rows} rows, but b has {height}");
                return Err(Error::rule(OP, rule, &named));
            }
            let stack = |array: &Array| Shape::new(&array.shape()[..array.rank() - 2]);
            let stacked = stack(self)?.broadcast(&stack(&columns)?);
            let stacked = stacked.map_err(|error| Error::rule(OP, error.to_string(), &named))?;
            let whole = |array: &Array| {
                let dims = [&*stacked, &array.shape()[array.rank() - 2..]].concat();
                array.cast(dtype).broadcast_to(&dims)
            };
            let (a, b) = (whole(self), whole(&columns));
            let (shape, inputs) = (*b.shape(), [a, b.clone()]);
            let solved = host(Task::Solve, dtype, shape, &inputs);
            if vector { solved.squeeze(-1).check().cloned() } else { Ok(solved) }
        })
    }

    /// The inverse of square matrices. A singular one is an error when the result is evaluated.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[2.0f32, 0.0], [0.0, 4.0]])?;
    /// assert_eq!(a.inv().to_string(), "[[0.5  0.  ]\n [0.   0.25]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn inv(&self) -> Array {
        self.of_square("inv", Task::Inv, |array| *array.shape())
    }

    /// The determinant of square matrices.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1.0f32, 2.0], [3.0, 4.0]])?;
    /// assert!((a.det().item::<f32>()? + 2.0).abs() < 1e-6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn det(&self) -> Array {
        self.of_square("det", Task::Det, stack_of)
    }

    /// The sign of the determinant of square matrices, and the logarithm of its magnitude.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1e30f32, 0.0], [0.0, -1e30]])?;
    /// let (sign, log) = a.slogdet();
    /// assert_eq!(sign.item::<f32>()?, -1.0);
    /// assert!((log.item::<f32>()? - 60.0 * 10f32.ln()).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slogdet(&self) -> (Array, Array) {
        let both = self.of_square("slogdet", Task::SlogDet, |array| with(&stack_of(array), &[2]));
        let part = |i| both.slice([crate::Index::Ellipsis, crate::Index::At(i)]);
        (part(0), real(&part(1)))
    }

    /// The Cholesky factor of Hermitian positive definite matrices: lower triangular `l` with `a = l · lᴴ`, or
    /// its conjugate transpose if `upper`. Only the lower triangle is read. A matrix that is not positive
    /// definite is an error when the result is evaluated.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[4.0f32, 2.0], [2.0, 5.0]])?;
    /// assert_eq!(a.cholesky(false).to_string(), "[[2. 0.]\n [1. 2.]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cholesky(&self, upper: bool) -> Array {
        let lower = self.of_square("cholesky", Task::Cholesky, |array| *array.shape());
        if upper { conjugate(&lower.matrix_transpose()) } else { lower }
    }

    /// The matrices `q`, whose columns are orthonormal, and `r`, which is upper triangular, with
    /// `a = q · r`. If `complete`, `q` is square.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[3.0f32, 1.0], [4.0, 2.0], [0.0, 5.0]])?;
    /// let (q, r) = a.qr(false);
    /// assert_eq!((q.dims(), r.dims()), (&[3, 2][..], &[2, 2][..]));
    /// assert!((q.matmul(&r) - a).abs().max_all().item::<f32>()? < 1e-5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn qr(&self, complete: bool) -> (Array, Array) {
        const OP: &str = "qr";
        self.in_parts(OP, Task::Qr { complete }, |rows, columns| {
            let inner = if complete { rows } else { rows.min(columns) };
            [[rows, inner], [inner, columns], [0, 0]]
        })
        .map_or_else(|failed| (failed.clone(), failed), |[q, r, _]| (q, r))
    }

    /// Matrices `u` and `vh` with orthonormal columns and rows, and singular values `s` in descending order,
    /// with `a = u · diag(s) · vh`. If `full`, `u` and `vh` are square.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[3.0f32, 0.0], [0.0, -4.0], [0.0, 0.0]])?;
    /// let (u, s, vh) = a.svd(false);
    /// assert_eq!(s.to_vec::<f32>()?, [4.0, 3.0]);
    /// assert!(((&u * &s).matmul(&vh) - a).abs().max_all().item::<f32>()? < 1e-5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn svd(&self, full: bool) -> (Array, Array, Array) {
        const OP: &str = "svd";
        self.in_parts(OP, Task::Svd { full }, |rows, columns| {
            let inner = rows.min(columns);
            match full {
                true => [[rows, rows], [1, inner], [columns, columns]],
                false => [[rows, inner], [1, inner], [inner, columns]],
            }
        })
        .map_or_else(
            |failed| (failed.clone(), failed.clone(), failed),
            |[u, s, vh]| (u, real(&s.squeeze(-2)), vh),
        )
    }

    /// The singular values of matrices in descending order.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[3.0f32, 0.0], [0.0, -4.0]])?;
    /// assert_eq!(a.svdvals().to_vec::<f32>()?, [4.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn svdvals(&self) -> Array {
        let values = self.of_matrix("svdvals", Task::SingularValues, |array, rows, columns| {
            with(&stack_of(array), &[rows.min(columns)])
        });
        real(&values)
    }

    /// The eigenvalues of Hermitian matrices in ascending order, and the eigenvectors as columns. Only the
    /// lower triangle is read.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[2.0f32, 1.0], [1.0, 2.0]])?;
    /// let (values, vectors) = a.eigh();
    /// assert!((&values - &Array::new(&device, [1.0f32, 3.0])?).abs().max_all().item::<f32>()? < 1e-6);
    /// assert!((a.matmul(&vectors) - &vectors * &values).abs().max_all().item::<f32>()? < 1e-5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn eigh(&self) -> (Array, Array) {
        const OP: &str = "eigh";
        if self.error().is_none()
            && let Err(error) = square(OP, self)
        {
            let failed = Array::failed(self.device(), error);
            return (failed.clone(), failed);
        }
        self.in_parts(OP, Task::Eigh, |rows, _| [[1, rows], [rows, rows], [0, 0]]).map_or_else(
            |failed| (failed.clone(), failed),
            |[values, vectors, _]| (real(&values.squeeze(-2)), vectors),
        )
    }

    /// The eigenvalues of Hermitian matrices in ascending order. Only the lower triangle is read.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[2.0f32, 0.0], [0.0, -1.0]])?;
    /// assert_eq!(a.eigvalsh().to_vec::<f32>()?, [-1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn eigvalsh(&self) -> Array {
        let values = self.of_square("eigvalsh", Task::Eigenvalues, |array| {
            let rows = array.shape()[array.rank() - 1];
            with(&stack_of(array), &[rows])
        });
        real(&values)
    }

    /// A task of square matrices.
    fn of_square(&self, op: &'static str, task: Task, shape: impl Fn(&Array) -> Shape) -> Array {
        Array::build(op, &[("array", self)], || {
            square(op, self)?;
            let dtype = field_of(self.dtype());
            Ok(host(task, dtype, shape(self), &[self.cast(dtype)]))
        })
    }

    /// A task of any matrices.
    fn of_matrix(
        &self,
        op: &'static str,
        task: Task,
        shape: impl Fn(&Array, usize, usize) -> Shape,
    ) -> Array {
        Array::build(op, &[("array", self)], || {
            let [rows, columns] = matrix(op, self)?;
            let dtype = field_of(self.dtype());
            Ok(host(task, dtype, shape(self, rows, columns), &[self.cast(dtype)]))
        })
    }

    /// A task with several matrices as its result, of these sizes: they lie one after another.
    fn in_parts(
        &self,
        op: &'static str,
        task: Task,
        sizes: impl Fn(usize, usize) -> [[usize; 2]; 3],
    ) -> std::result::Result<[Array; 3], Array> {
        let mut parts = [[0; 2]; 3];
        let all = Array::build(op, &[("array", self)], || {
            let [rows, columns] = matrix(op, self)?;
            parts = sizes(rows, columns);
            let count: usize = parts.iter().map(|[rows, columns]| rows * columns).sum();
            let dtype = field_of(self.dtype());
            Ok(host(task, dtype, with(&stack_of(self), &[count]), &[self.cast(dtype)]))
        });
        if all.error().is_some() {
            return Err(all);
        }
        let (axis, mut start) = (all.rank() - 1, 0);
        Ok(parts.map(|[rows, columns]| {
            let part = all.part(axis, start, rows * columns);
            start += rows * columns;
            let shape = with(&stack_of(self), &[rows, columns]);
            Array::from_result(self.device(), part.reshape_to(shape))
        }))
    }
}

/// The dtype that matrices of `dtype` are computed in.
fn field_of(dtype: DType) -> DType {
    match float_of(dtype) {
        DType::F16 | DType::BF16 => DType::F32,
        dtype => dtype,
    }
}

/// Rows and columns of the matrices of an array.
fn matrix(op: &'static str, array: &Array) -> Result<[usize; 2]> {
    match **array.shape() {
        [.., rows, columns] => Ok([rows, columns]),
        _ => {
            let rule = format!("the array has rank {}, but must have at least 2", array.rank());
            Err(Error::rule(op, rule, &[("array", array)]))
        }
    }
}

/// Rows of the matrices of an array, which must be square.
fn square(op: &'static str, array: &Array) -> Result<usize> {
    let [rows, columns] = matrix(op, array)?;
    if rows == columns {
        return Ok(rows);
    }
    let rule = format!("the matrices have {rows} rows and {columns} columns, but must be square");
    Err(Error::rule(op, rule, &[("array", array)]))
}

/// The shape of an array without its matrices.
fn stack_of(array: &Array) -> Shape {
    with(&Shape::SCALAR, &array.shape()[..array.rank() - 2])
}

/// A shape with more dimensions; there is room for those that are taken away before.
fn with(shape: &Shape, more: &[usize]) -> Shape {
    let mut dims: SmallVec<[usize; 8]> = SmallVec::from_slice(shape);
    dims.extend_from_slice(more);
    Shape::new(&dims).unwrap_or(*shape)
}

fn host(task: Task, dtype: DType, shape: Shape, inputs: &[Array]) -> Array {
    let kind = Kind::Host(Arc::new(Factorization { task }));
    Array::lazy(dtype, shape, kind, inputs.iter().cloned().collect())
}

/// The real part of complex numbers that have no other.
fn real(array: &Array) -> Array {
    if array.dtype().is_complex() { array.real() } else { array.clone() }
}

fn conjugate(array: &Array) -> Array {
    if array.dtype().is_complex() { array.conj() } else { array.clone() }
}
