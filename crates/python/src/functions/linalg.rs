//! Linear algebra: `bessemer.linalg`. Factorisations are computed on the CPU, also for arrays of GPUs.

use super::searching::named;
use crate::{
    array::Out,
    dtype::DTypeArg,
    errors::value_error,
    operand::{ArrayArg, AxesArg, DiagonalArg, Operand},
};
use bessemer::array::{MatrixNorm, Operand as Tolerance, VectorNorm};
use pyo3::{prelude::*, types::PyString};

macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /))]
        fn $name(x: ArrayArg) -> Out {
            Out(x.0.$name())
        }
    )*};
}

of_one! {
    /// The inverse of square matrices. A singular one is an error when the result is computed.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.linalg.inv(bm.array([[2.0, 0.0], [0.0, 4.0]]))
    /// array([[0.5 , 0.  ],
    ///        [0.  , 0.25]], dtype=float32)
    inv;
    /// The determinant of square matrices.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.linalg.det(bm.array([[2.0, 0.0], [0.0, 4.0]])).item()
    /// 8.0
    det;
    /// The eigenvalues of symmetric or Hermitian matrices in ascending order. Only the lower triangle is
    /// read.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.linalg.eigvalsh(bm.array([[2.0, 0.0], [0.0, -1.0]]))
    /// array([-1.,  2.], dtype=float32)
    eigvalsh;
    /// The singular values of matrices in descending order.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.linalg.svdvals(bm.array([[3.0, 0.0], [0.0, -4.0]]))
    /// array([4., 3.], dtype=float32)
    svdvals;
}

/// The Cholesky factor of symmetric or Hermitian positive definite matrices: lower triangular, or upper. Only
/// the lower triangle is read. A matrix that is not positive definite is an error when the result is
/// computed.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.cholesky(bm.array([[4.0, 2.0], [2.0, 5.0]]))
/// array([[2., 0.],
///        [1., 2.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, upper = false))]
fn cholesky(x: ArrayArg, upper: bool) -> Out {
    Out(x.0.cholesky(upper))
}

/// The vector product of vectors of 3 elements along an axis.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.cross(bm.array([1, 0, 0]), bm.array([0, 1, 0]))
/// array([0, 0, 1])
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axis = -1), text_signature = "(x1, x2, /, *, axis=-1)")]
fn cross(x1: ArrayArg, x2: ArrayArg, axis: isize) -> Out {
    Out(x1.0.cross(&x2.0, axis))
}

/// The diagonal of each matrix, `offset` to the right of the main one.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.diagonal(bm.array([[1, 2], [3, 4]]))
/// array([1, 4])
#[pyfunction]
#[pyo3(signature = (x, /, *, offset = DiagonalArg(0)), text_signature = "(x, /, *, offset=0)")]
fn diagonal(x: ArrayArg, offset: DiagonalArg) -> Out {
    Out(x.0.diagonal(offset.0))
}

/// The sum of the diagonal of each matrix, `offset` to the right of the main one.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.trace(bm.array([[1, 2], [3, 4]])).item()
/// 5
#[pyfunction]
#[pyo3(
    signature = (x, /, *, offset = DiagonalArg(0), dtype = None),
    text_signature = "(x, /, *, offset=0, dtype=None)"
)]
fn trace(x: ArrayArg, offset: DiagonalArg, dtype: Option<DTypeArg>) -> Out {
    let x = dtype.map_or(x.0.clone(), |dtype| x.0.astype(dtype.0));
    Out(x.trace(offset.0))
}

/// The eigenvalues of symmetric or Hermitian matrices in ascending order, and the eigenvectors as columns.
/// Only the lower triangle is read.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.eigh(bm.array([[2.0, 0.0], [0.0, -1.0]])).eigenvalues
/// array([-1.,  2.], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn eigh<'py>(py: Python<'py>, x: ArrayArg) -> PyResult<Bound<'py, PyAny>> {
    let (values, vectors) = x.0.eigh();
    named(py, "Eigh", [values, vectors])
}

/// The sign of the determinant of square matrices, and the logarithm of its magnitude.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.slogdet(bm.array([[1.0, 0.0], [0.0, -1.0]])).sign.item()
/// -1.0
#[pyfunction]
#[pyo3(signature = (x, /))]
fn slogdet<'py>(py: Python<'py>, x: ArrayArg) -> PyResult<Bound<'py, PyAny>> {
    let (sign, logarithm) = x.0.slogdet();
    named(py, "Slogdet", [sign, logarithm])
}

/// A matrix with orthonormal columns and an upper triangular one, of which `x` is the product. With
/// `mode="complete"` the first is square.
///
/// >>> import bessemer as bm
/// >>> q, r = bm.linalg.qr(bm.ones((3, 2)))
/// >>> q.shape, r.shape
/// ((3, 2), (2, 2))
#[pyfunction]
#[pyo3(signature = (x, /, *, mode = "reduced"))]
fn qr<'py>(py: Python<'py>, x: ArrayArg, mode: &str) -> PyResult<Bound<'py, PyAny>> {
    let complete = match mode {
        "reduced" => false,
        "complete" => true,
        other => {
            let text = format!("qr: mode {other:?} is unknown; use \"reduced\" or \"complete\"");
            return Err(value_error(text));
        }
    };
    let (q, r) = x.0.qr(complete);
    named(py, "QR", [q, r])
}

/// Matrices `U` and `Vh` with orthonormal columns and rows, and singular values `S` in descending order, with
/// `x = U @ diag(S) @ Vh`. With `full_matrices`, `U` and `Vh` are square.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.svd(bm.array([[3.0, 0.0], [0.0, -4.0]])).S
/// array([4., 3.], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, full_matrices = true), text_signature = "(x, /, *, full_matrices=True)")]
fn svd<'py>(py: Python<'py>, x: ArrayArg, full_matrices: bool) -> PyResult<Bound<'py, PyAny>> {
    let (u, values, vh) = x.0.svd(full_matrices);
    named(py, "SVD", [u, values, vh])
}

/// The solution of `x1 @ x = x2` for square matrices; an `x2` of one dimension is one column. A singular matrix
/// is an error when the result is computed.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.solve(bm.array([[2.0, 0.0], [0.0, 4.0]]), bm.array([2.0, 2.0]))
/// array([1. , 0.5], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn solve(x1: ArrayArg, x2: ArrayArg) -> Out {
    Out(x1.0.solve(&x2.0))
}

/// All products of an element of one vector with one of another, as a matrix.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.outer(bm.array([1, 2]), bm.array([3, 4]))
/// array([[3, 4],
///        [6, 8]])
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn outer(x1: ArrayArg, x2: ArrayArg) -> Out {
    Out(x1.0.outer(&x2.0))
}

/// Square matrices to a whole power; a negative one is that of the inverse.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.matrix_power(bm.array([[1.0, 1.0], [1.0, 0.0]]), 10)
/// array([[89., 55.],
///        [55., 34.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, n, /))]
fn matrix_power(x: ArrayArg, n: i32) -> Out {
    Out(x.0.matrix_power(n))
}

/// A tolerance: a number, or an array with one for each matrix.
fn tolerance(rtol: &Option<Operand>) -> Option<Tolerance<'_>> {
    rtol.as_ref().map(|rtol| match rtol {
        Operand::Array(each) => Tolerance::from(each),
        Operand::Number(number) => Tolerance::from(*number),
    })
}

/// How many singular values of matrices are above `rtol` times the largest; by default the larger of the sizes
/// times the precision of the dtype. An array has a tolerance for each matrix.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.matrix_rank(bm.array([[1.0, 2.0], [2.0, 4.0]])).item()
/// 1
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol = None))]
fn matrix_rank(x: ArrayArg, rtol: Option<Operand>) -> Out {
    Out(x.0.matrix_rank(tolerance(&rtol)))
}

/// The pseudoinverse of matrices. Singular values up to `rtol` times the largest count as 0; by default the
/// larger of the sizes times the precision of the dtype. An array has a tolerance for each matrix.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.pinv(bm.array([[2.0, 0.0], [0.0, 0.0]]))
/// array([[0.5, 0. ],
///        [0. , 0. ]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, rtol = None))]
fn pinv(x: ArrayArg, rtol: Option<Operand>) -> Out {
    Out(x.0.pinv(tolerance(&rtol)))
}

/// A norm of matrices: `"fro"` (the root of the sum of squares), `"nuc"` (the sum of singular values), 1 and -1
/// (the largest and the smallest sum of a column), `inf` and `-inf` (of a row), 2 and -2 (the largest and
/// the smallest singular value).
///
/// >>> import bessemer as bm
/// >>> bm.linalg.matrix_norm(bm.array([[3.0, 0.0], [0.0, -4.0]])).item()
/// 5.0
#[pyfunction]
#[pyo3(signature = (x, /, *, keepdims = false, ord = None), text_signature = "(x, /, *, keepdims=False, ord='fro')")]
fn matrix_norm(x: ArrayArg, keepdims: bool, ord: Option<&Bound<'_, PyAny>>) -> PyResult<Out> {
    let norm = match ord {
        None => MatrixNorm::Frobenius,
        Some(ord) => matrix_norm_of(ord)?,
    };
    let norms = x.0.matrix_norm(norm);
    Ok(Out(if keepdims { norms.expand_dims(-1).expand_dims(-1) } else { norms }))
}

fn matrix_norm_of(ord: &Bound<'_, PyAny>) -> PyResult<MatrixNorm> {
    let unknown = || {
        value_error(format!(
            "matrix_norm: ord {ord} is unknown; use 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        ))
    };
    if let Ok(name) = ord.cast::<PyString>() {
        return match name.to_str()? {
            "fro" => Ok(MatrixNorm::Frobenius),
            "nuc" => Ok(MatrixNorm::Nuclear),
            _ => Err(unknown()),
        };
    }
    let number: f64 = ord.extract().map_err(|_| unknown())?;
    let least = number < 0.0;
    match number.abs() {
        1.0 => Ok(MatrixNorm::Columns { least }),
        2.0 => Ok(MatrixNorm::Spectral { least }),
        f64::INFINITY => Ok(MatrixNorm::Rows { least }),
        _ => Err(unknown()),
    }
}

/// A norm over axes, or of all elements as one vector: the root of the sum of powers `ord` of magnitudes. 0
/// counts what is not 0, `inf` is the largest magnitude and `-inf` the smallest.
///
/// >>> import bessemer as bm
/// >>> bm.linalg.vector_norm(bm.array([[3.0, 4.0], [6.0, 8.0]]), axis=1)
/// array([ 5., 10.], dtype=float32)
#[pyfunction]
#[pyo3(
    signature = (x, /, *, axis = None, keepdims = false, ord = 2.0),
    text_signature = "(x, /, *, axis=None, keepdims=False, ord=2)"
)]
fn vector_norm(x: ArrayArg, axis: Option<AxesArg>, keepdims: bool, ord: f64) -> Out {
    let (norm, rank) = (VectorNorm::P(ord), x.0.rank() as isize);
    let mut axes: Vec<isize> = match axis {
        // Each once, or the norm is an error.
        Some(axes) => {
            let norms = x.0.vector_norm(&axes.0, norm);
            if !keepdims || norms.error().is_some() {
                return Out(norms);
            }
            axes.0.iter().map(|&axis| if axis < 0 { axis + rank } else { axis }).collect()
        }
        None if keepdims => (0..rank).collect(),
        None => return Out(x.0.vector_norm(.., norm)),
    };
    axes.sort_unstable();
    let norms = x.0.vector_norm(&axes, norm);
    Out(axes.into_iter().fold(norms, |norms, axis| norms.expand_dims(axis)))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add_as!(module "_linalg_": inv det eigvalsh svdvals cholesky cross diagonal trace eigh slogdet qr svd
        solve outer matrix_power matrix_rank pinv matrix_norm vector_norm)
}
