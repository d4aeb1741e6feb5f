//! Arrays from Python objects: numbers, nested lists, buffers such as NumPy's arrays, and whatever
//! speaks DLPack. The elements are always copied; `from_dlpack` shares them.

use super::{PyArray, dlpack, foreign::Foreign, numbers::Numbers};
use crate::{
    device::DeviceArg,
    dtype::{Kind, ROWS, Row},
    errors::{OrRaise, exception, type_error, value_error},
    operand::{dtype_of, number},
};
use bessemer::{Array, DType, Device, Shape, Slice, View};
use pyo3::{
    prelude::*,
    types::{PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple},
};

/// An array of what an object holds, on a device and of a dtype if they are given.
///
/// With `copy`, the memory is the array's own; without it, an array of bessemer is itself.
pub(crate) fn array_like(
    object: &Bound<'_, PyAny>,
    dtype: Option<DType>,
    device: Option<Device>,
    copy: Option<bool>,
) -> PyResult<Array> {
    let py = object.py();
    let array = if let Ok(array) = object.cast::<PyArray>() {
        let array = array.get().get();
        let elsewhere = device.is_some_and(|device| device.info().id != array.device().info().id);
        // Nobody writes to what an array holds, unless it is another library's memory.
        let foreign = array.is_evaluated() && !array.view().or_raise()?.buffer().is_writable();
        if copy == Some(false) && elsewhere {
            return Err(value_error("asarray: the array is on another device; it must be copied"));
        }
        if copy == Some(true) && foreign {
            let copied = array.copied();
            super::evaluate(py, &[&copied])?;
            copied
        } else {
            array
        }
    } else {
        if copy == Some(false) {
            return dlpack::shared(object, dtype, device);
        }
        let device = match device {
            Some(device) => device,
            None => DeviceArg::or_current(py, None)?,
        };
        from_object(object, dtype, &device)?
    };
    let array = match dtype {
        Some(dtype) if copy == Some(false) && dtype != array.dtype() => {
            return Err(value_error(format!(
                "asarray: the array is {}; as {} it must be copied",
                Row::of(array.dtype()).name,
                Row::of(dtype).name
            )));
        }
        Some(dtype) => array.astype(dtype),
        None => array,
    };
    match array.error() {
        Some(error) => Err(exception(&error.clone().into())),
        None => Ok(array),
    }
}

fn from_object(
    object: &Bound<'_, PyAny>,
    dtype: Option<DType>,
    device: &Device,
) -> PyResult<Array> {
    if let Some(number) = number(object)? {
        // Two steps: the number must fit its dtype, as NumPy has it.
        let own = dtype.unwrap_or_else(|| dtype_of(number));
        return Ok(Array::full(device, &[], number, own));
    }
    if object.is_instance_of::<PyString>() {
        return Err(type_error("array: texts are no numbers"));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return nested(object, dtype, device);
    }
    if Foreign::exists(object) {
        return match Foreign::of(object) {
            Ok(buffer) => from_buffer(object, &buffer, device),
            Err(_) if of_bfloat16(object) => from_bfloat16(object, device),
            Err(error) => Err(error),
        };
    }
    if object.hasattr("__dlpack__")? {
        let shared = dlpack::shared(object, None, Some(device.clone()))?;
        let copied = shared.copied();
        super::evaluate(object.py(), &[&copied])?;
        return Ok(copied);
    }
    if object.hasattr("__array__")? {
        let array = object.call_method0("__array__")?;
        if array.is(object) {
            return Err(type_error("array: `__array__` gives no array"));
        }
        return from_object(&array, dtype, device);
    }
    match object.try_iter() {
        Ok(items) => {
            let items = PyList::new(object.py(), items.collect::<PyResult<Vec<_>>>()?)?;
            nested(items.as_any(), dtype, device)
        }
        Err(_) => Err(type_error(format!(
            "array: {} holds no numbers; use numbers, nested lists, or arrays",
            object.get_type().name()?
        ))),
    }
}

/// Whether it is an array of the `bfloat16` of ml_dtypes, which buffers cannot describe.
fn of_bfloat16(object: &Bound<'_, PyAny>) -> bool {
    let name = object.getattr("dtype").and_then(|dtype| dtype.getattr("name"));
    name.is_ok_and(|name| name.extract::<String>().is_ok_and(|name| name == "bfloat16"))
}

fn from_bfloat16(object: &Bound<'_, PyAny>, device: &Device) -> PyResult<Array> {
    let words = object.call_method1("view", ("uint16",))?;
    let buffer = Foreign::of(&words)?;
    from_bytes(object.py(), device, DType::BF16, &buffer.shape(), &buffer.copied())
}

fn from_buffer(
    object: &Bound<'_, PyAny>,
    buffer: &Foreign<'_>,
    device: &Device,
) -> PyResult<Array> {
    let py = object.py();
    let found = Row::of_format(buffer.format(), buffer.item_bytes());
    let Some((row, swapped)) = found else {
        let what = match object.getattr("dtype") {
            Ok(dtype) => dtype.str()?.to_string(),
            Err(_) => format!("buffers of format {:?}", buffer.format()),
        };
        return Err(type_error(format!(
            "array: arrays cannot hold {what}; convert it to one of {}",
            ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
        )));
    };
    let shape = buffer.shape();
    if let (false, Some(bytes)) = (swapped, buffer.contiguous()) {
        return from_bytes(py, device, row.dtype, &shape, bytes);
    }
    let mut bytes = buffer.copied();
    if swapped {
        let parts = if row.kind == Kind::Complex { 2 } else { 1 };
        bytes.chunks_exact_mut(row.dtype.block_bytes() / parts).for_each(<[u8]>::reverse);
    }
    from_bytes(py, device, row.dtype, &shape, &bytes)
}

/// An array of elements in row-major order.
pub(crate) fn from_bytes(
    py: Python<'_>,
    device: &Device,
    dtype: DType,
    shape: &[usize],
    bytes: &[u8],
) -> PyResult<Array> {
    py.detach(|| {
        let shape = Shape::new(shape)?;
        let buffer = device.alloc(bytes.len())?;
        device.write(&Slice::all(&buffer), bytes)?;
        let view = View::new(&buffer, dtype, shape)?;
        Ok::<_, bessemer::Error>(Array::from_view(device, &view)?)
    })
    .or_raise()
}

/// What nested lists turned out to hold.
enum Found {
    Numbers,
    /// Arrays among them: they are stacked.
    Arrays,
}

fn nested(list: &Bound<'_, PyAny>, dtype: Option<DType>, device: &Device) -> PyResult<Array> {
    let mut shape = Vec::new();
    let mut numbers = Numbers::new();
    match collect(list, 0, &mut shape, &mut numbers)? {
        Found::Numbers => {
            let dtype = dtype.unwrap_or_else(|| numbers.dtype());
            let bytes = numbers.encode(Row::of(dtype))?;
            from_bytes(list.py(), device, dtype, &shape, &bytes)
        }
        Found::Arrays => {
            let arrays = list
                .try_iter()?
                .map(|item| array_like(&item?, dtype, Some(device.clone()), None))
                .collect::<PyResult<Vec<_>>>()?;
            Array::stack(&arrays.iter().collect::<Vec<_>>(), 0).or_raise()
        }
    }
}

/// Adds the numbers of a list to `numbers`; all lists of one depth must be equally long.
fn collect(
    list: &Bound<'_, PyAny>,
    depth: usize,
    shape: &mut Vec<usize>,
    numbers: &mut Numbers,
) -> PyResult<Found> {
    let count = list.len()?;
    match shape.get(depth) {
        None if numbers.is_empty() => shape.push(count),
        Some(&wanted) if wanted == count => {}
        _ => return Err(ragged()),
    }
    for item in list.try_iter()? {
        let item = item?;
        if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
            if let Found::Arrays = collect(&item, depth + 1, shape, numbers)? {
                return Ok(Found::Arrays);
            }
            continue;
        }
        let leaf = item.is_instance_of::<PyFloat>()
            || item.is_instance_of::<PyInt>()
            || item.is_instance_of::<PyComplex>();
        if !leaf {
            return match item.is_instance_of::<PyString>() || item.is_none() {
                true => Err(type_error(format!("array: {} is no number", item.repr()?))),
                false => Ok(Found::Arrays),
            };
        }
        if shape.len() != depth + 1 {
            return Err(ragged());
        }
        numbers.push(&item)?;
    }
    Ok(Found::Numbers)
}

fn ragged() -> PyErr {
    value_error(
        "array: the nested lists are ragged; all lists of one level must have the same length",
    )
}
