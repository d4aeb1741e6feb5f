//! What the tests of this folder share.

#![allow(dead_code)] // No test needs all of it.

use bessemer_array::Array;
use bessemer_core::{Complex, DType, Device};
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

/// An array of the nearest values of `dtype`; of complex numbers these are the parts.
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
        DType::F64 => from(device, shape, values, of),
        DType::I8 => from(device, shape, values, |x| of(x) as i8),
        DType::I16 => from(device, shape, values, |x| of(x) as i16),
        DType::I64 => from(device, shape, values, |x| of(x) as i64),
        DType::U16 => from(device, shape, values, |x| of(x) as u16),
        DType::U64 => from(device, shape, values, |x| of(x) as u64),
        DType::Complex64 => {
            let pair = |z: &[f64; 2]| Complex::new(z[0] as f32, z[1] as f32);
            let items: Vec<Complex<f32>> = values.as_chunks().0.iter().map(pair).collect();
            Array::from_slice(device, &items, shape)
        }
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

/// All elements as doubles; of complex numbers the parts.
pub(crate) fn values(array: &Array) -> Vec<f64> {
    match array.dtype() {
        DType::F32 => array.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect(),
        DType::F16 => array.to_vec::<f16>().unwrap().into_iter().map(f64::from).collect(),
        DType::BF16 => array.to_vec::<bf16>().unwrap().into_iter().map(f64::from).collect(),
        DType::I32 => array.to_vec::<i32>().unwrap().into_iter().map(f64::from).collect(),
        DType::U32 => array.to_vec::<u32>().unwrap().into_iter().map(f64::from).collect(),
        DType::U8 => array.to_vec::<u8>().unwrap().into_iter().map(f64::from).collect(),
        DType::F64 => array.to_vec().unwrap(),
        DType::I8 => array.to_vec::<i8>().unwrap().into_iter().map(f64::from).collect(),
        DType::I16 => array.to_vec::<i16>().unwrap().into_iter().map(f64::from).collect(),
        DType::I64 => array.to_vec::<i64>().unwrap().into_iter().map(|x| x as f64).collect(),
        DType::U16 => array.to_vec::<u16>().unwrap().into_iter().map(f64::from).collect(),
        DType::U64 => array.to_vec::<u64>().unwrap().into_iter().map(|x| x as f64).collect(),
        DType::Complex64 => {
            let parts = |z: Complex<f32>| [f64::from(z.re), f64::from(z.im)];
            array.to_vec().unwrap().into_iter().flat_map(parts).collect()
        }
        _ => array.to_vec::<bool>().unwrap().into_iter().map(f64::from).collect(),
    }
}
