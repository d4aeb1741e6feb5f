//! Random arrays: `bessemer.random`. The same seed gives the same numbers on every device.

use crate::{
    array::Out,
    device::DeviceArg,
    dtype::DTypeArg,
    errors::value_error,
    operand::{ArrayArg, ShapeArg},
};
use bessemer::{Array, DType};
use pyo3::{prelude::*, types::PyInt};

/// Evenly distributed numbers from `low` to before `high`.
///
/// >>> import bessemer as bm
/// >>> dice = bm.random.uniform(1, 7, 1000, seed=42, dtype=bm.int32)
/// >>> dice.min().item(), dice.max().item()
/// (1, 6)
#[pyfunction]
#[pyo3(signature = (low = 0.0, high = 1.0, size = ShapeArg(vec![]), *, seed = 0, dtype = None, device = None))]
fn uniform(
    py: Python<'_>,
    low: f64,
    high: f64,
    size: ShapeArg,
    seed: u64,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    let device = DeviceArg::or_current(py, device)?;
    let dtype = dtype.map_or(DType::F32, |dtype| dtype.0);
    Ok(Out(py.detach(|| Array::random_uniform(&device, &size.0, low..high, dtype, seed))))
}

/// Numbers of the normal distribution around `loc`, `scale` wide.
///
/// >>> import bessemer as bm
/// >>> x = bm.random.normal(5, 2, 1000, seed=42)
/// >>> abs(x.mean().item() - 5) < 0.2
/// True
#[pyfunction]
#[pyo3(signature = (loc = 0.0, scale = 1.0, size = ShapeArg(vec![]), *, seed = 0, dtype = None, device = None))]
fn normal(
    py: Python<'_>,
    loc: f64,
    scale: f64,
    size: ShapeArg,
    seed: u64,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    let device = DeviceArg::or_current(py, device)?;
    let dtype = dtype.map_or(DType::F32, |dtype| dtype.0);
    Ok(Out(py.detach(|| Array::random_normal(&device, &size.0, loc, scale, dtype, seed))))
}

/// Whole numbers from `low` to before `high`, each as likely.
///
/// >>> import bessemer as bm
/// >>> bm.random.integers(0, 10, 3, seed=1).shape
/// (3,)
#[pyfunction]
#[pyo3(signature = (low, high, size = ShapeArg(vec![]), *, seed = 0, dtype = None, device = None))]
fn integers(
    py: Python<'_>,
    low: i64,
    high: i64,
    size: ShapeArg,
    seed: u64,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    let device = DeviceArg::or_current(py, device)?;
    let dtype = dtype.map_or(DType::I64, |dtype| dtype.0);
    Ok(Out(Array::random_integers(&device, &size.0, low..high, dtype, seed)))
}

/// The numbers from 0 to before `n` in random order, or the parts of an array along its first axis.
///
/// >>> import bessemer as bm
/// >>> sorted(bm.random.permutation(4, seed=1).tolist())
/// [0, 1, 2, 3]
#[pyfunction]
#[pyo3(signature = (x, /, *, seed = 0, device = None))]
fn permutation(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    seed: u64,
    device: Option<DeviceArg>,
) -> PyResult<Out> {
    match x.extract::<usize>() {
        Ok(count) if x.is_instance_of::<PyInt>() => {
            let device = DeviceArg::or_current(py, device)?;
            Ok(Out(Array::random_permutation(&device, count, seed)))
        }
        _ => Ok(Out(x.extract::<ArrayArg>()?.0.shuffled(0, seed))),
    }
}

/// `count` parts of an array along its first axis, drawn with or without putting them back, or as likely as
/// the weights `p` say.
///
/// >>> import bessemer as bm
/// >>> bm.random.choice(bm.array([10, 20, 30]), 5, seed=1).shape
/// (5,)
#[pyfunction]
#[pyo3(signature = (x, /, count, *, replace = true, p = None, seed = 0))]
fn choice(
    x: ArrayArg,
    count: usize,
    replace: bool,
    p: Option<ArrayArg>,
    seed: u64,
) -> PyResult<Out> {
    match p {
        None => Ok(Out(x.0.random_choice(count, replace, seed))),
        Some(weights) if replace => Ok(Out(x.0.random_choice_by(&weights.0, count, seed))),
        Some(_) => Err(value_error("choice: with weights, what is drawn is put back")),
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add_as!(module "_random_": uniform normal integers permutation choice)
}
