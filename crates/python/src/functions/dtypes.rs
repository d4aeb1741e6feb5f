//! Functions about dtypes: promotion, kinds and limits.

use crate::{
    array::PyArray,
    device::DeviceArg,
    dtype::{self, DTypeArg, Kind, PyDType, Row},
    errors::{OrRaise, type_error, value_error},
    operand::{dtype_of as number_dtype, number},
};
use bessemer::{
    Array, DType,
    array::{Scalar, promote},
};
use pyo3::{
    prelude::*,
    types::{PyString, PyTuple},
};

/// The dtype that arrays, dtypes and numbers have in common.
///
/// >>> import bessemer as bm
/// >>> bm.result_type(bm.uint8, bm.int32), bm.result_type(bm.float16, 1.5)
/// (bessemer.int32, bessemer.float16)
#[pyfunction]
#[pyo3(signature = (*arrays_and_dtypes))]
fn result_type<'py>(arrays_and_dtypes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyDType>> {
    let py = arrays_and_dtypes.py();
    let (mut common, mut numbers) = (None, Vec::<Scalar>::new());
    for object in arrays_and_dtypes.iter() {
        if let Some(number) = number(&object)? {
            numbers.push(number);
            continue;
        }
        let dtype = dtype_of(&object)?;
        common = Some(match common {
            Some(before) => together(before, dtype)?,
            None => dtype,
        });
    }
    for number in numbers {
        common = Some(match common {
            None => number_dtype(number),
            Some(DType::Bool) => together(DType::Bool, number_dtype(number))?,
            Some(before) => {
                let device = DeviceArg::or_current(py, None)?;
                let beside = Array::zeros(&device, &[], before).number_beside(number);
                together(before, beside.check().or_raise()?.dtype())?
            }
        });
    }
    let common = common.ok_or_else(|| value_error("result_type: nothing is given"))?;
    dtype::object(py, common)
}

fn dtype_of(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    match object.cast::<PyArray>() {
        Ok(array) => Ok(array.get().get().dtype()),
        Err(_) => Ok(object.extract::<DTypeArg>()?.0),
    }
}

fn together(a: DType, b: DType) -> PyResult<DType> {
    promote(a, b).ok_or_else(|| {
        type_error(format!(
            "result_type: {} and {} have no common dtype; convert one with `astype`",
            Row::of(a).name,
            Row::of(b).name
        ))
    })
}

/// Whether every value of one dtype is promoted to another.
///
/// >>> import bessemer as bm
/// >>> bm.can_cast(bm.uint8, bm.int32), bm.can_cast(bm.float32, bm.int32)
/// (True, False)
#[pyfunction]
#[pyo3(signature = (from_, to, /))]
fn can_cast(from_: &Bound<'_, PyAny>, to: DTypeArg) -> PyResult<bool> {
    Ok(promote(dtype_of(from_)?, to.0) == Some(to.0))
}

/// Whether a dtype is another one, or of a kind: `bool`, `signed integer`, `unsigned integer`,
/// `integral`, `real floating`, `complex floating`, `numeric`, or any of a tuple of these.
///
/// >>> import bessemer as bm
/// >>> bm.isdtype(bm.float16, "real floating"), bm.isdtype(bm.int32, ("bool", bm.float32))
/// (True, False)
#[pyfunction]
#[pyo3(signature = (dtype, kind))]
fn isdtype(dtype: DTypeArg, kind: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(kinds) = kind.cast::<PyTuple>() {
        for kind in kinds.iter() {
            if isdtype(dtype, &kind)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let own = Row::of(dtype.0).kind;
    let Ok(name) = kind.cast::<PyString>() else {
        return Ok(kind.extract::<DTypeArg>()?.0 == dtype.0);
    };
    Ok(match name.to_str()? {
        "bool" => own == Kind::Bool,
        "signed integer" => own == Kind::Signed,
        "unsigned integer" => own == Kind::Unsigned,
        "integral" => matches!(own, Kind::Signed | Kind::Unsigned),
        "real floating" => own == Kind::Float,
        "complex floating" => own == Kind::Complex,
        "numeric" => own != Kind::Bool,
        other => {
            return Err(value_error(format!(
                "isdtype: `{other}` is no kind of dtypes; use bool, signed integer, unsigned integer, \
                 integral, real floating, complex floating or numeric"
            )));
        }
    })
}

/// The limits of a dtype of floats.
#[pyclass(name = "finfo", module = "bessemer", frozen, get_all)]
struct FloatInfo {
    /// The bits of a number.
    bits: usize,
    /// The distance from 1 to the next number.
    eps: f64,
    /// The greatest number.
    max: f64,
    /// The least number.
    min: f64,
    /// The least positive number of full precision.
    smallest_normal: f64,
    /// The dtype.
    dtype: Py<PyDType>,
}

#[pymethods]
impl FloatInfo {
    #[new]
    #[pyo3(signature = (r#type, /))]
    fn new(r#type: &Bound<'_, PyAny>) -> PyResult<FloatInfo> {
        let py = r#type.py();
        let dtype = dtype_of(r#type)?;
        let row = Row::of(dtype);
        // Digits after the point, and the exponents of the largest and the smallest normal number.
        let (digits, highest, lowest) = match (row.kind, row.dlpack, dtype.block_bytes()) {
            (Kind::Complex, ..) => (23, 127, -126),
            (Kind::Float, 4, _) => (7, 127, -126),
            (Kind::Float, _, 2) => (10, 15, -14),
            (Kind::Float, _, 4) => (23, 127, -126),
            (Kind::Float, _, 8) => (52, 1023, -1022),
            _ => return Err(type_error(format!("finfo: {} is no dtype of floats", row.name))),
        };
        let eps = 2f64.powi(-digits);
        let max = (2.0 - eps) * 2f64.powi(highest);
        Ok(FloatInfo {
            bits: if row.kind == Kind::Complex { 32 } else { dtype.block_bytes() * 8 },
            eps,
            max,
            min: -max,
            smallest_normal: 2f64.powi(lowest),
            dtype: dtype::object(py, if row.kind == Kind::Complex { DType::F32 } else { dtype })?
                .unbind(),
        })
    }
}

/// The limits of a dtype of integers.
#[pyclass(name = "iinfo", module = "bessemer", frozen, get_all)]
struct IntegerInfo {
    /// The bits of a number.
    bits: usize,
    /// The greatest number.
    max: u64,
    /// The least number.
    min: i64,
    /// The dtype.
    dtype: Py<PyDType>,
}

#[pymethods]
impl IntegerInfo {
    #[new]
    #[pyo3(signature = (r#type, /))]
    fn new(r#type: &Bound<'_, PyAny>) -> PyResult<IntegerInfo> {
        let py = r#type.py();
        let dtype = dtype_of(r#type)?;
        let bits = dtype.block_bytes() * 8;
        let (min, max) = match Row::of(dtype).kind {
            Kind::Signed => (i64::MIN >> (64 - bits), u64::MAX >> (65 - bits)),
            Kind::Unsigned => (0, u64::MAX >> (64 - bits)),
            _ => {
                let name = Row::of(dtype).name;
                return Err(type_error(format!("iinfo: {name} is no dtype of integers")));
            }
        };
        Ok(IntegerInfo { bits, max, min, dtype: dtype::object(py, dtype)?.unbind() })
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FloatInfo>()?;
    module.add_class::<IntegerInfo>()?;
    super::add!(module: result_type can_cast isdtype)
}
