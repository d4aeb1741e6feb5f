//! What the tests of this folder share.

#![allow(dead_code)] // No test needs all of it.

use bessemer_array::Array;
use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use half::{bf16, f16};
use std::sync::Arc;

pub(crate) fn reference() -> Arc<dyn Device> {
    Arc::new(Reference::new())
}

pub(crate) fn cpu() -> Arc<dyn Device> {
    let options = CpuOptions { threads: Some(2), ..Default::default() };
    Arc::new(Cpu::open(options).unwrap())
}

/// An array of the nearest values of `dtype`.
pub(crate) fn array(
    device: &Arc<dyn Device>,
    dtype: DType,
    shape: &[usize],
    values: &[f64],
) -> Array {
    let of = |x: &f64| *x;
    let made = match dtype {
        DType::F32 => from(device, shape, values, |x| of(x) as f32),
        DType::F16 => from(device, shape, values, |x| f16::from_f64(*x)),
        DType::BF16 => from(device, shape, values, |x| bf16::from_f64(*x)),
        DType::I32 => from(device, shape, values, |x| of(x) as i32),
        DType::U32 => from(device, shape, values, |x| of(x) as u32),
        DType::U8 => from(device, shape, values, |x| of(x) as u8),
        _ => from(device, shape, values, |x| *x != 0.0),
    };
    made.unwrap()
}

fn from<T: bessemer_array::Item>(
    device: &Arc<dyn Device>,
    shape: &[usize],
    values: &[f64],
    each: impl Fn(&f64) -> T,
) -> bessemer_array::Result<Array> {
    let items: Vec<T> = values.iter().map(each).collect();
    Array::from_slice(device, &items, shape)
}

/// All elements as doubles.
pub(crate) fn values(array: &Array) -> Vec<f64> {
    match array.dtype() {
        DType::F32 => array.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect(),
        DType::F16 => array.to_vec::<f16>().unwrap().into_iter().map(f64::from).collect(),
        DType::BF16 => array.to_vec::<bf16>().unwrap().into_iter().map(f64::from).collect(),
        DType::I32 => array.to_vec::<i32>().unwrap().into_iter().map(f64::from).collect(),
        DType::U32 => array.to_vec::<u32>().unwrap().into_iter().map(f64::from).collect(),
        DType::U8 => array.to_vec::<u8>().unwrap().into_iter().map(f64::from).collect(),
        _ => array.to_vec::<bool>().unwrap().into_iter().map(f64::from).collect(),
    }
}
