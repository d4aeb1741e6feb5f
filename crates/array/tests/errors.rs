//! Bad input: an error that names op, operands and rule, and never a panic.

mod common;

use bessemer_array::{Array, s};
use bessemer_core::DType::{self, F32};
use bessemer_cpu::{Cpu, CpuOptions};
use std::sync::Arc;

fn refused(array: Array, parts: &[&str]) {
    let error = array.to_vec::<f32>().expect_err("it should be refused").to_string();
    for part in parts {
        assert!(error.contains(part), "`{error}` should name `{part}`");
    }
    // Whatever is done with it carries on the same error.
    let later = (&array + 1).reshape(&[7]).sum_keepdim(3).transpose().exp();
    assert_eq!(later.eval().unwrap_err().to_string(), error);
    assert_eq!(later.to_string(), format!("error: {error}"));
    assert!(later.explain().contains(&error));
    assert!(later.item::<i32>().is_err() && later.write_npy(&mut Vec::new()).is_err());
    assert!(Array::concat(&[&later], 0).is_err() && Array::stack(&[&later], 0).is_err());
    assert!(later.split(&[1], 0).is_err() && Array::eval_all(&[&later]).is_err());
}

#[test]
fn shapes() {
    let device = common::cpu();
    let a = Array::ones(&device, &[2, 3], F32);
    let b = Array::ones(&device, &[4], F32);
    refused(&a + &b, &["add", "[2, 3]", "[4]", "3 against 4", "a: f32"]);
    refused(a.maximum(&b), &["maximum", "broadcast"]);
    refused(Array::where_(&a, &b, 1), &["where", "condition: f32 [2, 3]"]);
    refused(a.reshape(&[5]), &["reshape", "6 elements", "shape: [5]"]);
    refused(a.reshape(&[-1, -1]), &["more than one -1"]);
    refused(a.reshape(&[-2, 3]), &["negative size"]);
    refused(a.reshape(&[isize::MAX, isize::MAX]), &["elements"]);
    refused(a.permute(&[0]), &["permute", "axes: [0]"]);
    refused(a.permute(&[0, 0]), &["each dimension exactly once"]);
    refused(a.permute(&[0, isize::MIN]), &["permute"]);
    refused(a.swap_axes(0, 5), &["permute"]);
    refused(a.broadcast_to(&[3, 3]), &["broadcast_to", "[2, 3] does not broadcast to [3, 3]"]);
    refused(a.broadcast_to(&[3]), &["broadcast_to"]);
    refused(a.broadcast_to(&[usize::MAX, 2, 3]), &["number of elements overflows"]);
    refused(a.squeeze([0]), &["squeeze", "size 1"]);
    refused(a.expand_dims(9), &["expand_dims"]);
    refused(a.flip([2]), &["flip", "axis 2 is out of range"]);
    refused(a.slice(s![2]), &["slice", "index 2", "indices: "]);
    refused(a.slice(s![.., .., ..]), &["too many"]);
    refused(a.sum([0, -2]), &["sum", "axis -2 is given twice"]);
    refused(a.argmax([0, 1]), &["argmax", "2 axes are given; give one"]);
    refused(a.sum(2), &["sum", "axis 2 is out of range for an array of rank 2"]);
    refused(a.argmax(-3), &["argmax", "axis -3 is out of range"]);
    refused(a.slice(s![0..0]).max_all(), &["max", "no elements"]);
    refused(a.slice(s![0..0]).min(0), &["min", "no elements"]);
    let mut deep = a.clone();
    for _ in 0..10 {
        deep = deep.expand_dims(0);
    }
    refused(deep, &["dimensions"]);
}

#[test]
fn creation() {
    let device = common::cpu();
    refused(Array::zeros(&device, &[usize::MAX, 2], F32), &["number of elements overflows"]);
    refused(Array::zeros(&device, &[1; 9], F32), &["9 dimensions"]);
    refused(Array::zeros(&device, &[32], DType::Q4_0), &["a quantised format"]);
    refused(
        Array::ones(&device, &[32], F32).astype(DType::Q8_0),
        &["astype", "a quantised format"],
    );
    refused(Array::arange(&device, 0, 10, 0), &["arange", "step: 0"]);
    refused(Array::arange(&device, 0.0, f64::INFINITY, 1.0), &["arange"]);
    refused(Array::arange(&device, f64::NAN, 1.0, 1.0), &["arange"]);
    refused(Array::arange(&device, 0, 1i64 << 40, 1 << 20), &["fit i32"]);
    refused(Array::eye(&device, usize::MAX, F32), &["number of elements overflows"]);
    refused(Array::linspace(&device, 0, 1, usize::MAX), &["number of elements overflows"]);
    refused(Array::random_uniform(&device, &[2], 1.0..1.0, F32, 0), &["random_uniform"]);
    refused(Array::random_uniform(&device, &[2], 0.0..1.0, DType::Bool, 0), &["dtype"]);
    refused(Array::random_normal(&device, &[2], 0.0, -1.0, F32, 0), &["deviation: -1"]);
    refused(Array::random_normal(&device, &[2], 0.0, 1.0, DType::I32, 0), &["dtype"]);
    let error = Array::from_slice(&device, &[1.0f32, 2.0], &[3]).unwrap_err().to_string();
    assert!(error.contains("3 elements, but 2 are given"), "{error}");
    assert!(Array::from_vec(&device, vec![1u8], &[2]).is_err());
    assert!(Array::new(&device, vec![vec![1.0f32], vec![]]).is_err());
    assert!(Array::new(&device, vec![vec![], vec![1.0f32]]).is_err());
    assert_eq!(Array::new(&device, Vec::<f32>::new()).unwrap().dims(), [0]);
    let nothing: [[f32; 0]; 2] = [[], []];
    assert_eq!(Array::new(&device, nothing).unwrap().dims(), [2, 0]);
}

#[test]
fn too_much_memory_can_be_tried_again() {
    let options =
        CpuOptions { memory_limit: Some(1 << 20), threads: Some(1), ..Default::default() };
    let device: Arc<dyn bessemer_core::Device> = Arc::new(Cpu::open(options).unwrap());
    let held = Array::new(&device, vec![1.0f32; 100_000]).unwrap();
    let other = Array::new(&device, vec![1.0f32; 100_000]).unwrap();
    let sum = &held + &other;
    let error = sum.eval().unwrap_err().to_string();
    assert!(error.contains("out of memory") && error.contains("400000"), "{error}");
    assert!(Array::zeros(&device, &[1 << 31], F32).eval().is_err());
    // Its edges are computed, not all of it.
    assert_eq!(Array::zeros(&device, &[1 << 40], F32).to_string(), "[0. 0. 0. ... 0. 0. 0.]");
    let small = held.slice(s![..10]).sum_all();
    assert_eq!(small.item::<f32>().unwrap(), 10.0);
    // What could not be computed can be later, when there is room.
    drop((held, other));
    assert_eq!(sum.slice(s![0]).item::<f32>().unwrap(), 2.0);
}

#[test]
fn devices_do_not_mix() {
    let (a, b) = (common::cpu(), common::reference());
    let (a, b) = (Array::ones(&a, &[2], F32), Array::ones(&b, &[2], F32));
    refused(&a + &b, &["add", "different devices"]);
    assert!(Array::concat(&[&a, &b], 0).is_err());
    assert!(Array::eval_all(&[&a, &b]).is_err());
    assert!(Array::from_view(a.device(), &b.view().unwrap()).is_err());
}

#[test]
fn wrong_types_and_counts() {
    let device = common::cpu();
    let a = Array::ones(&device, &[2], F32);
    assert!(a.to_vec::<i32>().unwrap_err().to_string().contains("is f32, not i32"));
    assert!(a.item::<f32>().unwrap_err().to_string().contains("2 elements, not one"));
    assert!(Array::eval_all(&[]).is_ok());
}

#[test]
fn nothing_is_fine_too() {
    for device in [common::cpu(), common::reference()] {
        let a = Array::zeros(&device, &[0, 3], F32);
        assert_eq!((&a + 1.0).exp().to_vec::<f32>().unwrap(), []);
        assert_eq!(a.sum(0).to_vec::<f32>().unwrap(), [0.0; 3]);
        assert_eq!(a.prod_all().item::<f32>().unwrap(), 1.0);
        assert!(a.mean_all().item::<f32>().unwrap().is_nan());
        assert_eq!(a.sum(1).to_vec::<f32>().unwrap(), []);
        assert!(!a.any(..).item::<bool>().unwrap());
        assert!(a.all(..).item::<bool>().unwrap());
        assert_eq!(a.transpose().reshape(&[0, 7]).to_string(), "[]");
    }
}
