//! What functions take besides arrays: Python's numbers, other libraries' arrays, axes and shapes.

use crate::{
    array::{PyArray, array_like},
    errors::{type_error, value_error},
};
use bessemer::{
    Array, DType, Device,
    array::Scalar,
    core::{self, Complex},
};
use pyo3::{
    exceptions::PyOverflowError,
    prelude::*,
    types::{PyBool, PyComplex, PyFloat, PyInt, PyTuple},
};

/// An array or one of Python's numbers, which takes the dtype of the array beside it.
pub(crate) enum Operand {
    Array(Array),
    Number(Scalar),
}

impl Operand {
    /// The operand of an operator; `None` for what is neither an array nor a number.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Some(Operand::Array(array.get().get())));
        }
        if let Some(number) = number(object)? {
            return Ok(Some(Operand::Number(number)));
        }
        // Arrays of other libraries, but no lists and no texts.
        if object.hasattr("__array__")? || object.hasattr("__dlpack__")? {
            return Ok(Some(Operand::Array(array_like(object, None, None, None)?)));
        }
        Ok(None)
    }

    /// As an array, beside another one that has a dtype.
    pub(crate) fn beside(self, other: &Array) -> Array {
        match self {
            Operand::Array(array) => array,
            // Booleans hold no other numbers, so the number has its own dtype.
            Operand::Number(number) if other.dtype() == DType::Bool => {
                Array::full(other.device(), &[], number, dtype_of(number))
            }
            Operand::Number(number) => other.number_beside(number),
        }
    }

    /// As an array on a device, with the dtype that the number has by itself.
    pub(crate) fn alone(self, device: &Device) -> Array {
        match self {
            Operand::Array(array) => array,
            Operand::Number(number) => Array::full(device, &[], number, dtype_of(number)),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Operand {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match Operand::of(&object)? {
            Some(operand) => Ok(operand),
            None => Ok(Operand::Array(array_like(&object, None, None, None)?)),
        }
    }
}

/// The dtype of one of Python's numbers by itself: integers have 64 bits, as NumPy's.
pub(crate) fn dtype_of(number: Scalar) -> DType {
    match number.number() {
        _ if !number.dtype().is_integer() => number.dtype(),
        core::Number::Integer(x) if i64::try_from(x).is_err() => DType::U64,
        _ => DType::I64,
    }
}

/// One of Python's numbers; `None` for anything else.
pub(crate) fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if let Ok(float) = object.cast::<PyFloat>() {
        return Ok(Some(Scalar::from(float.value())));
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Some(Scalar::from(truth.is_true())));
    }
    if let Ok(complex) = object.cast::<PyComplex>() {
        let number = Complex::new(complex.real() as f32, complex.imag() as f32);
        return Ok(Some(Scalar::from(number)));
    }
    if object.is_instance_of::<PyInt>() {
        if let Ok(small) = object.extract::<i64>() {
            return Ok(Some(Scalar::from(small)));
        }
        let large = object.extract::<u64>().map_err(|_| {
            PyOverflowError::new_err(format!("the number {object} does not fit in 64 bits"))
        })?;
        return Ok(Some(Scalar::from(large)));
    }
    Ok(None)
}

/// An array as the argument of a function: also lists, numbers, and arrays of other libraries.
pub(crate) struct ArrayArg(pub(crate) Array);

impl<'py> FromPyObject<'_, 'py> for ArrayArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyArray>() {
            Ok(array) => Ok(ArrayArg(array.get().get())),
            Err(_) => Ok(ArrayArg(array_like(&object, None, None, None)?)),
        }
    }
}

/// Axes of an array: one, several, or all of them.
#[derive(Debug)]
pub(crate) struct AxesArg(pub(crate) Vec<isize>);

impl<'py> FromPyObject<'_, 'py> for AxesArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(axis) = object.extract::<isize>() {
            return Ok(AxesArg(vec![axis]));
        }
        object.extract::<Vec<isize>>().map(AxesArg).map_err(|_| {
            type_error("axis: it must be an integer, a tuple of integers, or None for all axes")
        })
    }
}

/// The number of a diagonal: farther than any array is wide, all are alike.
pub(crate) struct DiagonalArg(pub(crate) isize);

impl DiagonalArg {
    /// More than the sizes of arrays, and far from where numbers end.
    const FAR: i64 = 1 << 48;
}

impl<'py> FromPyObject<'_, 'py> for DiagonalArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = match object.extract::<i64>() {
            Ok(number) => number,
            Err(_) if object.is_instance_of::<PyInt>() => match object.lt(0)? {
                true => i64::MIN,
                false => i64::MAX,
            },
            Err(error) => return Err(error),
        };
        Ok(DiagonalArg(number.clamp(-DiagonalArg::FAR, DiagonalArg::FAR) as isize))
    }
}

/// The sizes of a new array: one, or one for each dimension.
#[derive(Debug)]
pub(crate) struct ShapeArg(pub(crate) Vec<usize>);

impl<'py> FromPyObject<'_, 'py> for ShapeArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let sizes = SizesArg::extract(object)?.0;
        let positive = |size: isize| {
            usize::try_from(size).map_err(|_| value_error(format!("shape: {size} is negative")))
        };
        Ok(ShapeArg(sizes.into_iter().map(positive).collect::<PyResult<_>>()?))
    }
}

/// The same, where -1 stands for whatever is left.
#[derive(Debug)]
pub(crate) struct SizesArg(pub(crate) Vec<isize>);

impl<'py> FromPyObject<'_, 'py> for SizesArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(size) = object.extract::<isize>() {
            return Ok(SizesArg(vec![size]));
        }
        let wrong = |_| type_error("shape: it must be an integer or a tuple of integers");
        object.extract::<Vec<isize>>().map(SizesArg).map_err(wrong)
    }
}

impl SizesArg {
    /// From the arguments of a method that takes sizes one by one or as a tuple.
    pub(crate) fn of_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<SizesArg> {
        match arguments.len() {
            1 => arguments.get_item(0)?.extract(),
            _ => arguments.extract(),
        }
    }
}
