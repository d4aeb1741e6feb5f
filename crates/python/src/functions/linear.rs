//! Products, and functions of whole rows.

use super::{arithmetic, elementwise::both, manipulation::handles};
use crate::{
    array::Out,
    errors::{OrRaise, value_error},
    operand::{ArrayArg, AxesArg, Operand},
};
use bessemer::{Array, array::Convolution};
use pyo3::prelude::*;

/// The product of matrices, or of stacks of them: what `@` gives.
///
/// >>> import bessemer as bm
/// >>> bm.matmul(bm.array([[1.0, 2.0]]), bm.array([[3.0], [4.0]]))
/// array([[11.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x1, x2, /))]
fn matmul(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<Out> {
    let (a, b) = both(py, x1, x2)?;
    Ok(Out(arithmetic::matmul(&a, &b)))
}

/// The transpose of each matrix of a stack: its last two axes swapped.
///
/// >>> import bessemer as bm
/// >>> bm.matrix_transpose(bm.zeros((5, 2, 3))).shape
/// (5, 3, 2)
#[pyfunction]
#[pyo3(signature = (x, /))]
fn matrix_transpose(x: ArrayArg) -> Out {
    Out(x.0.matrix_transpose())
}

/// The sum of products over axes of both: the last `axes` of the first with the first of the second, or a
/// list of axes of each.
///
/// >>> import bessemer as bm
/// >>> bm.tensordot(bm.ones((2, 3)), bm.ones((3, 4)), axes=1).shape
/// (2, 4)
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axes = None), text_signature = "(x1, x2, /, *, axes=2)")]
fn tensordot(x1: ArrayArg, x2: ArrayArg, axes: Option<&Bound<'_, PyAny>>) -> PyResult<Out> {
    let count = axes.map_or(Ok(2), |axes| axes.extract::<isize>());
    let (first, second) = match (count, axes) {
        (Ok(count), _) => {
            let rank = x1.0.rank() as isize;
            if count < 0 || count > rank || count > x2.0.rank() as isize {
                let text = format!("tensordot: {count} axes are more than the arrays have");
                return Err(value_error(text));
            }
            ((rank - count..rank).collect(), (0..count).collect())
        }
        (_, Some(axes)) => {
            let (first, second): (AxesArg, AxesArg) = axes.extract()?;
            (first.0, second.0)
        }
        (Err(error), None) => return Err(error),
    };
    Ok(Out(x1.0.tensordot(&x2.0, (&first, &second))))
}

/// The sum of products along an axis, of arrays that are broadcast. The first is conjugated.
///
/// >>> import bessemer as bm
/// >>> bm.vecdot(bm.array([1.0, 2.0]), bm.array([3.0, 4.0])).item()
/// 11.0
#[pyfunction]
#[pyo3(signature = (x1, x2, /, *, axis = -1), text_signature = "(x1, x2, /, *, axis=-1)")]
fn vecdot(x1: ArrayArg, x2: ArrayArg, axis: isize) -> Out {
    Out(x1.0.vecdot(&x2.0, axis))
}

/// Sums of products by Einstein's convention.
///
/// >>> import bessemer as bm
/// >>> bm.einsum("ij,jk->ik", bm.ones((2, 3)), bm.ones((3, 4))).shape
/// (2, 4)
#[pyfunction]
#[pyo3(signature = (subscripts, /, *arrays))]
fn einsum(subscripts: &str, arrays: Vec<ArrayArg>) -> PyResult<Out> {
    Ok(Out(Array::einsum(subscripts, &handles(&arrays)).or_raise()?))
}

/// How a convolution goes along each axis.
fn along<const D: usize>(
    stride: &AxesArg,
    padding: &AxesArg,
    dilation: &AxesArg,
    groups: usize,
) -> PyResult<Convolution<D>> {
    let each = |what: &str, given: &AxesArg| -> PyResult<[usize; D]> {
        let all = match given.0.as_slice() {
            [one] => vec![*one; D],
            several => several.to_vec(),
        };
        let all = all.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
        all.ok().and_then(|all| all.try_into().ok()).ok_or_else(|| {
            value_error(format!(
                "{what}: {:?} is not one number, or {D} of them, from 0 on",
                given.0
            ))
        })
    };
    Ok(Convolution {
        stride: each("stride", stride)?,
        padding: each("padding", padding)?,
        dilation: each("dilation", dilation)?,
        groups,
    })
}

macro_rules! convolutions {
    ($($(#[$doc:meta])* $name:ident = $axes:literal;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(
            signature = (x, weight, /, *, stride = AxesArg(vec![1]), padding = AxesArg(vec![0]),
                dilation = AxesArg(vec![1]), groups = 1),
            text_signature = "(x, weight, /, *, stride=1, padding=0, dilation=1, groups=1)"
        )]
        fn $name(
            x: ArrayArg,
            weight: ArrayArg,
            stride: AxesArg,
            padding: AxesArg,
            dilation: AxesArg,
            groups: usize,
        ) -> PyResult<Out> {
            let how = along::<$axes>(&stride, &padding, &dilation, groups)?;
            Ok(Out(x.0.$name(&weight.0, how)))
        }
    )*};
}

convolutions! {
    /// The convolution of `(batch, channels, length)` with weights `(outputs, channels / groups, length)`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.conv1d(bm.array([[[1.0, 2.0, 3.0]]]), bm.array([[[1.0, 0.0, -1.0]]]), padding=1)
    /// array([[[-2., -2.,  2.]]], dtype=float32)
    conv1d = 1;
    /// The convolution of `(batch, channels, height, width)` with weights
    /// `(outputs, channels / groups, height, width)`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.conv2d(bm.ones((1, 1, 3, 3)), bm.ones((1, 1, 2, 2))).tolist()
    /// [[[[4.0, 4.0], [4.0, 4.0]]]]
    conv2d = 2;
}

/// Each row as shares of its sum, after `exp`.
///
/// >>> import bessemer as bm
/// >>> bm.softmax(bm.array([0.0, 0.0]))
/// array([0.5, 0.5], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = -1), text_signature = "(x, /, *, axis=-1)")]
fn softmax(x: ArrayArg, axis: isize) -> Out {
    Out(x.0.softmax(axis))
}

/// The logarithm of `softmax`, more precisely.
///
/// >>> import bessemer as bm
/// >>> bm.log_softmax(bm.array([0.0, 0.0]))
/// array([-0.6931472, -0.6931472], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = -1), text_signature = "(x, /, *, axis=-1)")]
fn log_softmax(x: ArrayArg, axis: isize) -> Out {
    Out(x.0.log_softmax(axis))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: matmul matrix_transpose tensordot vecdot einsum conv1d conv2d softmax log_softmax)
}
