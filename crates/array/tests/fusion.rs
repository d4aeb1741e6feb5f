//! What is computed together, how often, and in which memory: counted by the device.

mod common;

use bessemer_array::{Array, s};
use bessemer_core::{DType, Device};
use common::values;
use std::sync::Arc;

/// Ops and batches that `work` runs.
fn counted(device: &Arc<dyn Device>, work: impl FnOnce()) -> (u64, u64) {
    let before = device.stats();
    work();
    let after = device.stats();
    (after.dispatches - before.dispatches, after.submissions - before.submissions)
}

fn random(device: &Arc<dyn Device>, shape: &[usize], seed: u64) -> Array {
    let array = Array::random_uniform(device, shape, -1.0..1.0, DType::F32, seed);
    array.eval().unwrap();
    array
}

#[test]
fn a_chain_into_a_reduction_is_one_program() {
    let device = common::cpu();
    let [a, b, c] = [1, 2, 3].map(|seed| random(&device, &[100, 30], seed));
    let y = (&a * &b + &c).relu().sum_all();
    let text = y.explain();
    assert!(text.starts_with("#1 mul, add, max, sum: f32 [100, 30] -> f32 [1, 1]\n"), "{text}");
    assert!(!text.contains("#2"), "{text}");
    assert_eq!(counted(&device, || y.eval().unwrap()), (1, 1));
    let wanted: f64 = values(&a)
        .iter()
        .zip(values(&b))
        .zip(values(&c))
        .map(|((a, b), c)| (a * b + c).max(0.0))
        .sum();
    assert!((f64::from(y.item::<f32>().unwrap()) - wanted).abs() < 1e-3 * wanted);
    assert!(y.explain().contains("nothing to do"));
}

#[test]
fn what_is_used_twice_is_computed_once() {
    let device = common::cpu();
    let x = random(&device, &[64], 1);
    let e = x.exp();
    let y = &e / &(&e + 1.0);
    let text = y.explain();
    assert_eq!(text.matches("= exp").count(), 1, "{text}");
    assert_eq!(counted(&device, || y.eval().unwrap()), (1, 1));
}

#[test]
fn what_several_groups_need_is_kept() {
    let device = common::cpu();
    let x = random(&device, &[10, 10], 1);
    let e = &x * 2.0;
    let (rows, columns) = (e.sum(0), e.sum(1));
    assert_eq!(counted(&device, || Array::eval_all(&[&rows, &columns]).unwrap()), (3, 1));
    assert!(e.is_evaluated());
    // A softmax by hand: the largest, what is shifted by it, the sum, the quotient.
    let shifted = (&x - &x.max_keepdim(1)).exp();
    let y = &shifted / &shifted.sum_keepdim(1);
    assert_eq!(counted(&device, || y.eval().unwrap()), (4, 1));
    let sums = values(&y.sum(1));
    assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5));
}

#[test]
fn small_operands_are_not_computed_for_each_element() {
    let device = common::cpu();
    let (x, row) = (random(&device, &[50, 8], 1), random(&device, &[8], 2));
    let y = &x * &row.exp();
    let text = y.explain();
    assert!(text.contains("#1 exp: f32 [8]"), "{text}");
    assert!(text.contains("b: f32 [8] of #1 seen as [50, 8]"), "{text}");
    assert_eq!(counted(&device, || y.eval().unwrap()), (2, 1));
    // But an axis of size 1 more is no reason.
    let z = &row.exp().expand_dims(0) + &row.reshape(&[1, 8]);
    assert_eq!(counted(&device, || z.eval().unwrap()), (1, 1));
}

#[test]
fn views_go_into_the_programs() {
    let device = common::cpu();
    let (x, y) = (random(&device, &[6, 4], 1), random(&device, &[4, 6], 2));
    let z = &(&x * 2.0).transpose() + &y;
    assert_eq!(counted(&device, || z.eval().unwrap()), (1, 1));
    let (x, y) = (values(&x), values(&y));
    for (i, z) in values(&z).into_iter().enumerate() {
        let wanted = (2.0 * x[i % 6 * 4 + i / 6]) as f32 + y[i] as f32;
        assert_eq!(z, f64::from(wanted));
    }
    // Only the part that is asked for is computed.
    let big = random(&device, &[1000, 10], 3);
    let part = (&big + 1.0).slice(s![5, ..]);
    assert!(part.explain().contains("add: f32 [10]"), "{}", part.explain());
    assert_eq!(**part.view().unwrap().shape(), [10]);
    assert!(part.view().unwrap().buffer().bytes() < 100);
}

#[test]
fn nothing_is_computed_more_than_twice() {
    let device = common::cpu();
    let mut x = random(&device, &[32], 1);
    let mut dispatches = 0;
    for _ in 0..100 {
        x = (&x * 0.5 + 1.0).tanh();
        let sum = x.sum_all();
        dispatches += counted(&device, || sum.eval().unwrap()).0;
        // Without keeping what was computed before, programs would grow without end.
        assert!(sum.explain().len() < 1000 && x.explain().len() < 2000);
    }
    assert!(dispatches <= 200, "{dispatches}");
}

#[test]
fn one_eval_of_many_is_one_batch() {
    let device = common::cpu();
    let x = random(&device, &[16], 1);
    let arrays: Vec<Array> = (0..20).map(|i| &x + i).collect();
    let all: Vec<&Array> = arrays.iter().collect();
    assert_eq!(counted(&device, || Array::eval_all(&all).unwrap()), (20, 1));
    assert_eq!(counted(&device, || Array::eval_all(&all).unwrap()), (0, 0));
    assert_eq!(values(&arrays[7])[3], f64::from(values(&x)[3] as f32 + 7.0));
}

#[test]
fn long_chains_neither_overflow_the_stack_nor_take_memory() {
    let device = common::cpu();
    let x = Array::zeros(&device, &[1000], DType::F32);
    let x = &x + &Array::new(&device, vec![0.0f32; 1000]).unwrap();
    x.eval().unwrap();
    let mut y = x;
    for _ in 0..100_000 {
        y += 1.0;
    }
    let before = device.stats().pool.live_bytes;
    assert_eq!(y.max_all().item::<f32>().unwrap(), 100_000.0);
    let peak = device.stats().pool.peak_bytes;
    assert!(peak <= before + 64 * 1024, "{before} then {peak}");
    // Never evaluated, only dropped.
    let mut z = y;
    for _ in 0..100_000 {
        z = -z;
    }
    drop(z);
    // A chain of views and of reductions, too.
    let mut v = &Array::new(&device, [[1.0f32, 2.0], [3.0, 4.0]]).unwrap() + 0.0;
    for _ in 0..3_000 {
        v = v.transpose().reshape(&[4]).reshape(&[2, 2]).transpose().max_keepdim(0);
        v = &v + &Array::zeros(&device, &[2, 2], DType::F32);
    }
    assert_eq!(v.to_vec::<f32>().unwrap().len(), 4);
}

#[test]
fn a_fused_chain_takes_the_memory_of_inputs_and_output() {
    let device = common::cpu();
    let n = 1 << 20;
    let [a, b, c] = [1, 2, 3].map(|seed| random(&device, &[n], seed));
    device.trim();
    let held = device.stats().pool.live_bytes;
    let y = ((&a * &b + &c).relu() - &a) * 0.5 + (&b * 2.0).tanh();
    y.eval().unwrap();
    let needed = held + 4 * n;
    let peak = device.stats().pool.peak_bytes;
    assert!(peak as f64 <= 1.1 * needed as f64, "{peak} for {needed}");
}

#[test]
fn memory_that_nobody_else_has_is_used_again() {
    let device = common::cpu();
    let n = 1 << 16;
    let mut x = &random(&device, &[n], 1) + 1.0;
    x.eval().unwrap();
    let place = x.view().unwrap().buffer().id();
    for _ in 0..5 {
        x *= 2.0;
        x.eval().unwrap();
        assert_eq!(x.view().unwrap().buffer().id(), place);
    }
    // Not while somebody can still ask for it.
    let kept = x.clone();
    let before = values(&kept);
    let y = x + 1.0;
    y.eval().unwrap();
    assert_ne!(y.view().unwrap().buffer().id(), place);
    assert_eq!(values(&kept), before);
    // Nor a view of it.
    let part = kept.slice(s![0..3]);
    let first = values(&part);
    let z = kept * 0.0;
    z.eval().unwrap();
    assert_eq!(values(&part), first);
    // Nor where it is read in another order.
    let m = &random(&device, &[64, 64], 2) + 0.0;
    m.eval().unwrap();
    let wanted: Vec<f64> = {
        let m = values(&m);
        (0..4096).map(|i| f64::from(m[i] as f32 - m[i % 64 * 64 + i / 64] as f32)).collect()
    };
    let t = m.transpose();
    let d = m - t;
    assert_eq!(values(&d), wanted);
}

#[test]
fn what_is_held_can_be_asked_for_later() {
    let device = common::cpu();
    let x = random(&device, &[8], 1);
    let hidden = x.sum_keepdim(0).exp();
    let step = &(&hidden * 2.0) + &x;
    drop(hidden);
    let all = step.sum_all();
    all.eval().unwrap();
    assert!(!step.is_evaluated());
    let sum: f64 = values(&step).iter().sum();
    assert!((f64::from(all.item::<f32>().unwrap()) - sum).abs() < 1e-3);
}
