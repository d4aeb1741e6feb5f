//! Functions that move elements: shapes, axes, joining and splitting.

use crate::{
    array::{Out, PyArray},
    device::DeviceArg,
    dtype::DTypeArg,
    errors::{OrRaise, value_error},
    operand::{ArrayArg, AxesArg, ShapeArg, SizesArg},
};
use bessemer::{Array, Shape};
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
///        [3, 4, 5]], dtype=int32)
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
#[pyo3(signature = (x, /, *, axis = AxesArg(vec![0])), text_signature = "(x, /, *, axis=0)")]
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
/// array([3, 2, 1], dtype=int32)
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
fn moveaxis(x: ArrayArg, source: AxesArg, destination: AxesArg) -> PyResult<Out> {
    let rank = x.0.rank() as isize;
    let wrong = || {
        value_error(format!(
            "moveaxis: {:?} and {:?} must be as many different axes of an array of rank {rank}",
            source.0, destination.0
        ))
    };
    let find = |axes: &[isize]| -> PyResult<Vec<isize>> {
        let found = axes.iter().map(|&axis| if axis < 0 { axis + rank } else { axis });
        let found: Vec<isize> = found.collect();
        let twice = |(i, axis): (usize, &isize)| found[..i].contains(axis);
        let good = found.iter().all(|axis| (0..rank).contains(axis));
        if good && !found.iter().enumerate().any(twice) { Ok(found) } else { Err(wrong()) }
    };
    let (from, to) = (find(&source.0)?, find(&destination.0)?);
    if from.len() != to.len() {
        return Err(wrong());
    }
    let mut rest = (0..rank).filter(|axis| !from.contains(axis));
    let order: Vec<isize> = (0..rank)
        .filter_map(|place| match to.iter().position(|&to| to == place) {
            Some(at) => Some(from[at]),
            None => rest.next(),
        })
        .collect();
    Ok(Out(x.0.permute(&order)))
}

/// Repeated to a shape, by the rules of broadcasting.
///
/// >>> import bessemer as bm
/// >>> bm.broadcast_to(bm.array([1, 2]), (2, 2))
/// array([[1, 2],
///        [1, 2]], dtype=int32)
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
fn broadcast_arrays<'py>(py: Python<'py>, arrays: Vec<ArrayArg>) -> PyResult<Bound<'py, PyTuple>> {
    let shapes: Vec<Shape> = arrays.iter().map(|array| *array.0.shape()).collect();
    let shape = common_shape(&shapes)?;
    tuple(py, arrays.iter().map(|array| array.0.broadcast_to(&shape)))
}

fn tuple<'py>(
    py: Python<'py>,
    arrays: impl Iterator<Item = Array>,
) -> PyResult<Bound<'py, PyTuple>> {
    let arrays = arrays.map(|array| Out(array).into_pyobject(py));
    PyTuple::new(py, arrays.collect::<PyResult<Vec<Bound<'py, PyArray>>>>()?)
}

fn handles(arrays: &[ArrayArg]) -> Vec<&Array> {
    arrays.iter().map(|array| &array.0).collect()
}

/// Arrays one after another along an axis; with `axis=None`, all their elements in one dimension.
///
/// >>> import bessemer as bm
/// >>> bm.concat([bm.array([1, 2]), bm.array([3])])
/// array([1, 2, 3], dtype=int32)
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
///        [3, 4]], dtype=int32)
#[pyfunction]
#[pyo3(signature = (arrays, /, *, axis = 0))]
fn stack(arrays: Vec<ArrayArg>, axis: isize) -> PyResult<Out> {
    Ok(Out(Array::stack(&handles(&arrays), axis).or_raise()?))
}

/// The parts of an array along an axis, without that axis.
///
/// >>> import bessemer as bm
/// >>> bm.unstack(bm.array([[1, 2], [3, 4]]))
/// (array([1, 2], dtype=int32), array([3, 4], dtype=int32))
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = 0))]
fn unstack<'py>(py: Python<'py>, x: ArrayArg, axis: isize) -> PyResult<Bound<'py, PyTuple>> {
    let rank = x.0.rank() as isize;
    let at = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&at) {
        return Err(pyo3::exceptions::PyIndexError::new_err(format!(
            "unstack: axis {axis} is out of range for an array of rank {rank}"
        )));
    }
    let parts = x.0.split(&vec![1; x.0.dims()[at as usize]], at).or_raise()?;
    tuple(py, parts.into_iter().map(|part| part.squeeze(at)))
}

/// The parts of an array along an axis: as many of equal size, or of these sizes.
///
/// >>> import bessemer as bm
/// >>> bm.split(bm.arange(6), [1, 2, 3])[2]
/// array([3, 4, 5], dtype=int32)
/// >>> bm.split(bm.arange(6), 2)[1]
/// array([3, 4, 5], dtype=int32)
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
    tuple(py, x.0.split(&sizes, axis).or_raise()?.into_iter())
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: astype reshape permute_dims expand_dims squeeze flip moveaxis broadcast_to
        broadcast_shapes broadcast_arrays concat stack unstack split)
}
