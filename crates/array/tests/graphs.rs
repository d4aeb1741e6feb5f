//! Random graphs: fused, one node at a time, on each device, and by a model that knows no arrays
//! give the same numbers.

mod common;
mod model;

use bessemer_array::Array;
use bessemer_core::{DType, Device};
use model::{Model, Step};
use proptest::prelude::*;
use std::sync::Arc;

/// What a graph starts with: small whole numbers, on which all arithmetic here is exact.
fn leaves(device: &Arc<dyn Device>, seed: u64) -> Vec<(Array, Model)> {
    let leaf = |i: u64, dtype: DType, shape: &[usize]| {
        let count: usize = shape.iter().product();
        let at = |j: usize| ((seed ^ (i * 0x9e37_79b9)).rotate_left(j as u32 * 5) % 9) as f64;
        let unsigned = dtype.is_unsigned_integer() || dtype == DType::Bool;
        let low = if unsigned { 0.0 } else { 4.0 };
        let mut values: Vec<f64> = (0..count).map(|j| at(j) - low).collect();
        if dtype == DType::Bool {
            values.iter_mut().for_each(|x| *x = f64::from(*x > 3.0));
        }
        let array = common::array(device, dtype, shape, &values);
        (array, Model { dtype, shape: shape.to_vec(), values })
    };
    vec![
        leaf(1, DType::F32, &[3, 4]),
        leaf(2, DType::F32, &[4]),
        leaf(3, DType::I32, &[3, 1]),
        leaf(4, DType::U8, &[3, 4]),
        leaf(5, DType::Bool, &[4]),
        leaf(6, DType::F32, &[2, 3, 4]),
        leaf(7, DType::I8, &[4]),
        leaf(8, DType::I64, &[3, 4]),
        leaf(9, DType::U16, &[3, 1]),
        leaf(10, DType::F64, &[2, 1, 4]),
        leaf(11, DType::U64, &[4]),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    (0..model::OPS, any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..12usize)
        .prop_map(|(op, a, b, extra)| Step { op, a, b, extra })
}

/// Runs `steps`; `eager` evaluates each node at once.
fn run(device: &Arc<dyn Device>, seed: u64, steps: &[Step], eager: bool) -> Vec<(Array, Model)> {
    let mut nodes = leaves(device, seed);
    for step in steps {
        let (a, b) = (step.a.get(&nodes), step.b.get(&nodes));
        let array = model::apply(step, &a.0, &b.0);
        let Some(model) = model::predict(step, &a.1, &b.1) else {
            assert!(array.check().is_err(), "{step:?} of {:?} and {:?}", a.0, b.0);
            continue;
        };
        if eager {
            array.eval().unwrap();
        }
        nodes.push((array, model));
    }
    nodes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn all_ways_agree(seed: u64, steps in prop::collection::vec(step(), 1..30), order: u64) {
        for device in [common::reference(), common::cpu()] {
            let eager = run(&device, seed, &steps, true);
            let mut lazy = run(&device, seed, &steps, false);
            // Some are dropped before they are asked for, others asked for in any order.
            let mut wanted: Vec<usize> = (0..lazy.len()).filter(|i| order >> (i % 64) & 1 == 1).collect();
            if order % 3 == 0 {
                wanted.reverse();
            }
            if order % 5 == 0 {
                let all: Vec<&Array> = wanted.iter().map(|&i| &lazy[i].0).collect();
                Array::eval_all(&all).unwrap();
            }
            for &i in &wanted {
                let (array, model) = &lazy[i];
                let what = format!("node {i} on {device:?}:\n{}", array.explain());
                prop_assert_eq!(array.dtype(), model.dtype, "{}", what);
                prop_assert_eq!(array.dims(), model.shape.as_slice(), "{}", what);
                prop_assert_eq!(common::values(array), model.values.clone(), "{}", what);
                prop_assert_eq!(common::values(&eager[i].0), model.values.clone(), "eager {}", what);
            }
            lazy.retain(|_| false);
        }
    }
}
