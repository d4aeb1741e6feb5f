//! Functions that make arrays.

use crate::{
    array::{Out, PyArray, array_like, from_dlpack},
    device::DeviceArg,
    dtype::DTypeArg,
    errors::{type_error, value_error},
    operand::{ArrayArg, DiagonalArg, ShapeArg, dtype_of, number},
};
use bessemer::{Array, DType, array::Scalar};
use pyo3::prelude::*;

/// An array of what an object holds: a number, nested lists, or an array of any library. It is always
/// a copy; `asarray` leaves arrays of bessemer as they are.
///
/// Python's floats become `float32` and its integers `int64`, unless a dtype is given.
///
/// >>> import bessemer as bm
/// >>> bm.array([[1, 2], [3, 4]])
/// array([[1, 2],
///        [3, 4]])
/// >>> bm.array([1, 2], dtype=bm.float16)
/// array([1., 2.], dtype=float16)
#[pyfunction]
#[pyo3(signature = (obj, dtype = None, *, device = None, copy = true))]
fn array(
    obj: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    copy: Option<bool>,
) -> PyResult<Out> {
    made(obj, dtype, device, copy)
}

fn made(
    obj: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    copy: Option<bool>,
) -> PyResult<Out> {
    let py = obj.py();
    let device = device.map(|device| device.0);
    let array = array_like(obj, dtype.map(|dtype| dtype.0), device.clone(), copy)?;
    match device {
        Some(device) if device.info().id != array.device().info().id => {
            Ok(Out(py.detach(|| array.to_device(&device))))
        }
        _ => Ok(Out(array)),
    }
}

/// An array of what an object holds. An array of bessemer stays as it is if it has that dtype and is
/// on that device; all else is copied, unless `copy=False` asks to share its memory.
///
/// >>> import bessemer as bm
/// >>> bm.asarray([1.5, 2.5])
/// array([1.5, 2.5], dtype=float32)
#[pyfunction]
#[pyo3(signature = (obj, /, *, dtype = None, device = None, copy = None))]
fn asarray<'py>(
    obj: &Bound<'py, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyArray>> {
    // The same handle, so that what is assigned to one shows in the other.
    if let Ok(array) = obj.cast::<PyArray>()
        && copy != Some(true)
    {
        let own = array.get().get();
        let fits = dtype.as_ref().is_none_or(|dtype| dtype.0 == own.dtype())
            && device.as_ref().is_none_or(|device| device.0.info().id == own.device().info().id);
        if fits {
            return Ok(array.clone());
        }
    }
    made(obj, dtype, device, copy)?.into_pyobject(obj.py())
}

/// A number as an argument, of which the dtype follows.
fn scalar(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if let Some(number) = number(value)? {
        return Ok(number);
    }
    // Arrays of one element, and NumPy's scalars.
    let plain = value.call_method0("item").ok();
    plain
        .and_then(|plain| number(&plain).transpose())
        .transpose()?
        .ok_or_else(|| type_error(format!("{name}: it must be a number, not {}", value.get_type())))
}

fn filled(
    py: Python<'_>,
    shape: &ShapeArg,
    value: impl Into<Scalar>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    let value = value.into();
    let dtype = dtype.map_or_else(|| dtype_of(value), |dtype| dtype.0);
    let device = DeviceArg::or_current(py, device)?;
    Ok(Out(Array::full(&device, &shape.0, value, dtype)))
}

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (shape, *, dtype = None, device = None))]
        fn $name(
            py: Python<'_>,
            shape: ShapeArg,
            dtype: Option<DTypeArg>,
            device: Option<DeviceArg>,
        ) -> PyResult<Out> {
            filled(py, &shape, $value, dtype, device)
        }
    )*};
}

constants! {
    /// All zero.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.zeros((2, 2))
    /// array([[0., 0.],
    ///        [0., 0.]], dtype=float32)
    zeros = 0.0;
    /// All one.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.ones(3, dtype=bm.int32)
    /// array([1, 1, 1], dtype=int32)
    ones = 1.0;
    /// Elements that nobody cares about; they are zero.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.empty((2, 3)).shape
    /// (2, 3)
    empty = 0.0;
}

/// The same number everywhere.
///
/// >>> import bessemer as bm
/// >>> bm.full(3, 7)
/// array([7, 7, 7])
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype = None, device = None))]
fn full(
    py: Python<'_>,
    shape: ShapeArg,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    filled(py, &shape, scalar("fill_value", fill_value)?, dtype, device)
}

macro_rules! constants_like {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, dtype = None, device = None))]
        fn $name(
            py: Python<'_>,
            x: ArrayArg,
            dtype: Option<DTypeArg>,
            device: Option<DeviceArg>,
        ) -> PyResult<Out> {
            like(py, &x.0, $value, dtype, device)
        }
    )*};
}

/// A constant with the shape of an array, and with its dtype and device unless others are given.
fn like(
    _py: Python<'_>,
    x: &Array,
    value: impl Into<Scalar>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    let dtype = dtype.map_or(x.dtype(), |dtype| dtype.0);
    Ok(Out(match device {
        Some(device) => Array::full(&device.0, x.dims(), value, dtype),
        None => Array::full(x.device(), x.dims(), value, dtype),
    }))
}

constants_like! {
    /// Zeros in the shape and dtype of an array.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.zeros_like(bm.array([1, 2]))
    /// array([0, 0])
    zeros_like = 0;
    /// Ones in the shape and dtype of an array.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.ones_like(bm.array([3, 2]))
    /// array([1, 1])
    ones_like = 1;
    /// Elements that nobody cares about, in the shape and dtype of an array.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.empty_like(bm.array([3, 2])).shape
    /// (2,)
    empty_like = 0;
}

/// The same number everywhere, in the shape and dtype of an array.
///
/// >>> import bessemer as bm
/// >>> bm.full_like(bm.array([3, 2]), 7)
/// array([7, 7])
#[pyfunction]
#[pyo3(signature = (x, /, fill_value, *, dtype = None, device = None))]
fn full_like(
    py: Python<'_>,
    x: ArrayArg,
    fill_value: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    like(py, &x.0, scalar("fill_value", fill_value)?, dtype, device)
}

/// Numbers from `start` to before `stop`, `step` apart.
///
/// >>> import bessemer as bm
/// >>> bm.arange(5)
/// array([0, 1, 2, 3, 4])
/// >>> bm.arange(1.0, 2.0, 0.25)
/// array([1.  , 1.25, 1.5 , 1.75], dtype=float32)
#[pyfunction]
#[pyo3(signature = (start, /, stop = None, step = None, *, dtype = None, device = None))]
fn arange(
    py: Python<'_>,
    start: &Bound<'_, PyAny>,
    stop: Option<&Bound<'_, PyAny>>,
    step: Option<&Bound<'_, PyAny>>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    let device = DeviceArg::or_current(py, device)?;
    let start = scalar("arange", start)?;
    let (start, stop) = match stop {
        Some(stop) => (start, scalar("arange", stop)?),
        None => (Scalar::from(0), start),
    };
    let step = step.map_or(Ok(Scalar::from(1)), |step| scalar("arange", step))?;
    let dtype = dtype.map_or_else(
        || match [start, stop, step].into_iter().any(|number| number.dtype().is_float()) {
            true => DType::F32,
            false => DType::I64,
        },
        |dtype| dtype.0,
    );
    Ok(Out(py.detach(|| Array::arange_as(&device, start, stop, step, dtype))))
}

/// `num` numbers evenly spaced from `start` to `stop`, which is the last unless `endpoint` is false.
///
/// >>> import bessemer as bm
/// >>> bm.linspace(0, 1, 5)
/// array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
#[pyfunction]
#[pyo3(signature = (start, stop, /, num, *, dtype = None, device = None, endpoint = true))]
fn linspace(
    py: Python<'_>,
    start: f64,
    stop: f64,
    num: usize,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    endpoint: bool,
) -> PyResult<Out> {
    let device = DeviceArg::or_current(py, device)?;
    let dtype = dtype.map_or(DType::F32, |dtype| dtype.0);
    Ok(Out(py.detach(|| Array::linspace_as(&device, start, stop, num, endpoint, dtype))))
}

/// A matrix with ones on the diagonal that is `k` above the main one, and zeros elsewhere.
///
/// >>> import bessemer as bm
/// >>> bm.eye(2, 3, k=1)
/// array([[0., 1., 0.],
///        [0., 0., 1.]], dtype=float32)
#[pyfunction]
#[pyo3(
    signature = (n_rows, n_cols = None, /, *, k = DiagonalArg(0), dtype = None, device = None),
    text_signature = "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)"
)]
fn eye(
    py: Python<'_>,
    n_rows: usize,
    n_cols: Option<usize>,
    k: DiagonalArg,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    let device = DeviceArg::or_current(py, device)?;
    let columns = n_cols.unwrap_or(n_rows);
    let long = |size: usize| i32::try_from(size).map_err(|_| value_error("eye: it is too large"));
    let (rows, columns) = (long(n_rows)?, long(columns)?);
    let row = Array::arange(&device, 0, rows, 1).expand_dims(-1);
    let column = Array::arange(&device, 0, columns, 1);
    // Farther than both sizes there is no diagonal.
    let k = (k.0 as i64).clamp(-i64::from(rows) - 1, i64::from(columns) + 1);
    let dtype = dtype.map_or(DType::F32, |dtype| dtype.0);
    Ok(Out((row + k).eq(&column).astype(dtype)))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: array asarray from_dlpack zeros ones empty full zeros_like ones_like empty_like full_like
        arange linspace eye)
}
