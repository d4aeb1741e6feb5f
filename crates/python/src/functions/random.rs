//! Random arrays: `bessemer.random`. The same seed gives the same numbers on every device.

use crate::{array::Out, device::DeviceArg, dtype::DTypeArg, operand::ShapeArg};
use bessemer::{Array, DType};
use pyo3::prelude::*;

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

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add_as!(module "_random_": uniform normal)
}
