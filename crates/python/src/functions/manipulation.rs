//! Functions that move elements: shapes, axes, joining and splitting.

use crate::{
    array::{Out, PyArray},
    device::DeviceArg,
    dtype::DTypeArg,
    errors::{OrRaise, value_error},
    operand::{ArrayArg, AxesArg, DiagonalArg, ShapeArg, SizesArg},
};
use bessemer::{Array, Shape, array::Pad};
use pyo3::{prelude::*, types::PyTuple};

/// In another dtype. Floats become integers towards zero.
///
/// >>> import bessemer as bm
/// >>> bm.astype(bm.array([1.9, -1.9]), bm.int32)
/// array([ 1, -1], dtype=int32)
#[pyfunction]
#[pyo3(signature = (x, dtype, /, *, copy = true, device = None))]
fn astype(
    py: Python<'_>,
    x: ArrayArg,
    dtype: DTypeArg,
    copy: bool,
    device: Option<DeviceArg>,
) -> Out {
    // There is nothing that a copy would protect: arrays do not change.
    let _ = copy;
    let array = x.0.astype(dtype.0);
    Out(match device {
        Some(device) => py.detach(|| array.to_device(&device.0)),
        None => array,
    })
}

/// The same elements in another shape; -1 stands for whatever is left.
///
/// >>> import bessemer as bm
/// >>> bm.reshape(bm.arange(6), (2, -1))
/// array([[0, 1, 2],
///        [3, 4, 5]])
#[pyfunction]
#[pyo3(signature = (x, /, shape, *, copy = None))]
fn reshape(x: ArrayArg, shape: SizesArg, copy: Option<bool>) -> Out {
    let _ = copy;
    Out(x.0.reshape(&shape.0))
}

/// The axes in another order.
///
/// >>> import bessemer as bm
/// >>> bm.permute_dims(bm.zeros((2, 3, 4)), (2, 0, 1)).shape
/// (4, 2, 3)
#[pyfunction]
#[pyo3(signature = (x, /, axes))]
fn permute_dims(x: ArrayArg, axes: AxesArg) -> Out {
    Out(x.0.permute(&axes.0))
}

/// With axes of size 1 inserted where they are in the result.
///
/// >>> import bessemer as bm
/// >>> bm.expand_dims(bm.zeros(3), axis=0).shape
/// (1, 3)
#[pyfunction]
#[pyo3(signature = (x, /, axis = AxesArg(vec![0])), text_signature = "(x, /, axis=0)")]
fn expand_dims(x: ArrayArg, axis: AxesArg) -> Out {
    let rank = (x.0.rank() + axis.0.len()) as isize;
    let mut places: Vec<isize> = axis
        .0
        .iter()
        .map(|&axis| if axis < 0 && axis >= -rank { axis + rank } else { axis })
        .collect();
    places.sort_unstable();
    Out(places.into_iter().fold(x.0, |array, place| array.expand_dims(place)))
}

/// Without these axes, which must be of size 1.
///
/// >>> import bessemer as bm
/// >>> bm.squeeze(bm.zeros((1, 3)), axis=0).shape
/// (3,)
#[pyfunction]
#[pyo3(signature = (x, /, axis = None))]
fn squeeze(x: ArrayArg, axis: Option<AxesArg>) -> Out {
    Out(match axis {
        Some(axes) => x.0.squeeze(axes.0),
        None => x.0.squeeze(..),
    })
}

/// Backwards along axes, or along all of them.
///
/// >>> import bessemer as bm
/// >>> bm.flip(bm.array([1, 2, 3]))
/// array([3, 2, 1])
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = None))]
fn flip(x: ArrayArg, axis: Option<AxesArg>) -> Out {
    Out(match axis {
        Some(axes) => x.0.flip(axes.0),
        None => x.0.flip(..),
    })
}

/// With axes moved to other places; the rest stay in order.
///
/// >>> import bessemer as bm
/// >>> bm.moveaxis(bm.zeros((2, 3, 4)), 0, -1).shape
/// (3, 4, 2)
#[pyfunction]
#[pyo3(signature = (x, source, destination, /))]
fn moveaxis(x: ArrayArg, source: AxesArg, destination: AxesArg) -> Out {
    Out(x.0.moveaxis(source.0, destination.0))
}

/// Repeated to a shape, by the rules of broadcasting.
///
/// >>> import bessemer as bm
/// >>> bm.broadcast_to(bm.array([1, 2]), (2, 2))
/// array([[1, 2],
///        [1, 2]])
#[pyfunction]
#[pyo3(signature = (x, /, shape))]
fn broadcast_to(x: ArrayArg, shape: ShapeArg) -> Out {
    Out(x.0.broadcast_to(&shape.0))
}

/// The shape that all of these broadcast to.
///
/// >>> import bessemer as bm
/// >>> bm.broadcast_shapes((2, 1), (3,))
/// (2, 3)
#[pyfunction]
#[pyo3(signature = (*shapes))]
fn broadcast_shapes<'py>(py: Python<'py>, shapes: Vec<ShapeArg>) -> PyResult<Bound<'py, PyTuple>> {
    let shapes = shapes.iter().map(|shape| Shape::new(&shape.0)).collect::<Result<Vec<_>, _>>();
    PyTuple::new(py, common_shape(&shapes.or_raise()?)?.iter())
}

fn common_shape(shapes: &[Shape]) -> PyResult<Shape> {
    shapes.iter().try_fold(Shape::SCALAR, |common, shape| common.broadcast(shape)).or_raise()
}

/// Arrays repeated to the shape that all of them broadcast to.
///
/// >>> import bessemer as bm
/// >>> a, b = bm.broadcast_arrays(bm.zeros((2, 1)), bm.zeros(3))
/// >>> a.shape, b.shape
/// ((2, 3), (2, 3))
#[pyfunction]
#[pyo3(signature = (*arrays))]
fn broadcast_arrays(arrays: Vec<ArrayArg>) -> PyResult<Vec<Out>> {
    let arrays = Array::broadcast_arrays(&handles(&arrays)).or_raise()?;
    Ok(arrays.into_iter().map(Out).collect())
}

/// Arrays as a tuple of Python.
pub(super) fn tuple<'py>(
    py: Python<'py>,
    arrays: impl IntoIterator<Item = Array>,
) -> PyResult<Bound<'py, PyTuple>> {
    let arrays = arrays.into_iter().map(|array| Out(array).into_pyobject(py));
    PyTuple::new(py, arrays.collect::<PyResult<Vec<Bound<'py, PyArray>>>>()?)
}

/// What the engine takes for several arrays.
pub(super) fn handles(arrays: &[ArrayArg]) -> Vec<&Array> {
    arrays.iter().map(|array| &array.0).collect()
}

/// Arrays one after another along an axis; with `axis=None`, all their elements in one dimension.
///
/// >>> import bessemer as bm
/// >>> bm.concat([bm.array([1, 2]), bm.array([3])])
/// array([1, 2, 3])
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis = Some(0)), text_signature = "(arrays, /, *, axis=0)")]
fn concat(arrays: Vec<ArrayArg>, axis: Option<isize>) -> PyResult<Out> {
    match axis {
        Some(axis) => Ok(Out(Array::concat(&handles(&arrays), axis).or_raise()?)),
        None => {
            let flat: Vec<Array> = arrays.iter().map(|array| array.0.flatten()).collect();
            Ok(Out(Array::concat(&flat.iter().collect::<Vec<_>>(), 0).or_raise()?))
        }
    }
}

/// Arrays of one shape on top of each other, along a new axis.
///
/// >>> import bessemer as bm
/// >>> bm.stack([bm.array([1, 2]), bm.array([3, 4])])
/// array([[1, 2],
///        [3, 4]])
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis = 0))]
fn stack(arrays: Vec<ArrayArg>, axis: isize) -> PyResult<Out> {
    Ok(Out(Array::stack(&handles(&arrays), axis).or_raise()?))
}

/// The parts of an array along an axis, without that axis.
///
/// >>> import bessemer as bm
/// >>> bm.unstack(bm.array([[1, 2], [3, 4]]))
/// (array([1, 2]), array([3, 4]))
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = 0))]
fn unstack<'py>(py: Python<'py>, x: ArrayArg, axis: isize) -> PyResult<Bound<'py, PyTuple>> {
    tuple(py, x.0.unstack(axis).or_raise()?)
}

/// The parts of an array along an axis: as many of equal size, or of these sizes.
///
/// >>> import bessemer as bm
/// >>> bm.split(bm.arange(6), [1, 2, 3])[2]
/// array([3, 4, 5])
/// >>> bm.split(bm.arange(6), 2)[1]
/// array([3, 4, 5])
#[pyfunction]
#[pyo3(signature = (x, sizes, /, *, axis = 0))]
fn split<'py>(
    py: Python<'py>,
    x: ArrayArg,
    sizes: &Bound<'py, PyAny>,
    axis: isize,
) -> PyResult<Bound<'py, PyTuple>> {
    let rank = x.0.rank() as isize;
    let sizes = match sizes.extract::<usize>() {
        Ok(parts) => {
            let at = if axis < 0 { axis + rank } else { axis };
            let size = x.0.dims().get(at.max(0) as usize).copied().unwrap_or(0);
            if parts == 0 || !size.is_multiple_of(parts) {
                return Err(value_error(format!(
                    "split: {size} elements do not divide into {parts}"
                )));
            }
            vec![size / parts; parts]
        }
        Err(_) => sizes.extract()?,
    };
    tuple(py, x.0.split(&sizes, axis).or_raise()?)
}

/// Elements of an axis, or of the flattened array, each repeated: as often, or as often as it says.
///
/// >>> import bessemer as bm
/// >>> bm.repeat(bm.array([1, 2]), 2)
/// array([1, 1, 2, 2])
#[pyfunction]
#[pyo3(signature = (x, repeats, /, *, axis = None))]
fn repeat(
    py: Python<'_>,
    x: ArrayArg,
    repeats: &Bound<'_, PyAny>,
    axis: Option<isize>,
) -> PyResult<Out> {
    let (x, axis) = axis.map_or_else(|| (x.0.flatten(), 0), |axis| (x.0.clone(), axis));
    if let Ok(count) = repeats.extract::<usize>() {
        return Ok(Out(x.repeat(count, axis)));
    }
    let counts = repeats.extract::<ArrayArg>()?.0;
    if counts.elements() == 1 {
        let count = Out(counts.flatten().at(0)).into_pyobject(py)?.extract()?;
        return Ok(Out(x.repeat(count, axis)));
    }
    Ok(Out(py.detach(|| x.repeat_each(&counts, axis))))
}

/// The array as often as told along each axis.
///
/// >>> import bessemer as bm
/// >>> bm.tile(bm.array([1, 2]), (2, 2))
/// array([[1, 2, 1, 2],
///        [1, 2, 1, 2]])
#[pyfunction]
#[pyo3(signature = (x, repetitions, /))]
fn tile(x: ArrayArg, repetitions: ShapeArg) -> Out {
    Out(x.0.tile(&repetitions.0))
}

/// Elements moved along axes, those at the end to the beginning; without axes, of the flattened array.
///
/// >>> import bessemer as bm
/// >>> bm.roll(bm.array([1, 2, 3]), 1)
/// array([3, 1, 2])
#[pyfunction]
#[pyo3(signature = (x, /, shift, *, axis = None))]
fn roll(x: ArrayArg, shift: AxesArg, axis: Option<AxesArg>) -> PyResult<Out> {
    let Some(axes) = axis else {
        let all = shift.0.iter().fold(0isize, |sum, &shift| sum.wrapping_add(shift));
        return Ok(Out(x.0.roll_flat(all)));
    };
    let one = shift.0.len() == 1;
    if !one && shift.0.len() != axes.0.len() {
        return Err(value_error(format!(
            "roll: {} shifts are given for {} axes",
            shift.0.len(),
            axes.0.len()
        )));
    }
    let shifts =
        axes.0.iter().enumerate().map(|(i, &axis)| (shift.0[if one { 0 } else { i }], axis));
    Ok(Out(shifts.fold(x.0, |array, (shift, axis)| array.roll(shift, axis))))
}

/// The lower triangle of each matrix: zeros above the diagonal `k`.
///
/// >>> import bessemer as bm
/// >>> bm.tril(bm.ones((2, 2)))
/// array([[1., 0.],
///        [1., 1.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, k = DiagonalArg(0)), text_signature = "(x, /, *, k=0)")]
fn tril(x: ArrayArg, k: DiagonalArg) -> Out {
    Out(x.0.tril(k.0))
}

/// The upper triangle of each matrix: zeros below the diagonal `k`.
///
/// >>> import bessemer as bm
/// >>> bm.triu(bm.ones((2, 2)))
/// array([[1., 1.],
///        [0., 1.]], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, /, *, k = DiagonalArg(0)), text_signature = "(x, /, *, k=0)")]
fn triu(x: ArrayArg, k: DiagonalArg) -> Out {
    Out(x.0.triu(k.0))
}

/// Coordinates of a grid, from those along each axis.
///
/// >>> import bessemer as bm
/// >>> x, y = bm.meshgrid(bm.arange(3), bm.arange(2))
/// >>> x.shape, y.tolist()
/// ((2, 3), [[0, 0, 0], [1, 1, 1]])
#[pyfunction]
#[pyo3(signature = (*arrays, indexing = "xy"))]
fn meshgrid(arrays: Vec<ArrayArg>, indexing: &str) -> PyResult<Vec<Out>> {
    let by_index = match indexing {
        "xy" => false,
        "ij" => true,
        other => {
            let text = format!("meshgrid: indexing {other:?} is unknown; use \"xy\" or \"ij\"");
            return Err(value_error(text));
        }
    };
    let grid = Array::meshgrid(&handles(&arrays), by_index).or_raise()?;
    Ok(grid.into_iter().map(Out).collect())
}

/// With elements added around it: `pad_width` before and after each axis, or a pair for each, and what
/// `mode` says in them: `constant`, `edge`, `reflect`, `symmetric` or `wrap`.
///
/// >>> import bessemer as bm
/// >>> bm.pad(bm.array([1, 2, 3]), (2, 1), mode="reflect")
/// array([3, 2, 1, 2, 3, 2])
#[pyfunction]
#[pyo3(signature = (x, pad_width, /, mode = "constant", *, constant_values = None))]
fn pad(
    x: ArrayArg,
    pad_width: &Bound<'_, PyAny>,
    mode: &str,
    constant_values: Option<&Bound<'_, PyAny>>,
) -> PyResult<Out> {
    let widths = match (pad_width.extract::<usize>(), pad_width.extract::<(usize, usize)>()) {
        (Ok(width), _) => vec![(width, width); x.0.rank()],
        (_, Ok(pair)) => vec![pair; x.0.rank()],
        _ => pad_width.extract::<Vec<(usize, usize)>>()?,
    };
    let value = constant_values.map(crate::operand::number).transpose()?.flatten();
    let with = match mode {
        "constant" => Pad::Constant(value.unwrap_or_else(|| 0.into())),
        "edge" => Pad::Edge,
        "reflect" => Pad::Reflect,
        "symmetric" => Pad::Symmetric,
        "wrap" => Pad::Wrap,
        other => {
            return Err(value_error(format!(
                "pad: mode {other:?} is unknown; use constant, edge, reflect, symmetric or wrap"
            )));
        }
    };
    Ok(Out(x.0.pad(&widths, with)))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: astype reshape permute_dims expand_dims squeeze flip moveaxis broadcast_to
        broadcast_shapes broadcast_arrays concat stack unstack split repeat tile roll tril triu meshgrid pad)
}
