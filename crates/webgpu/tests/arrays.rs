//! Expressions of arrays with more operands than an adapter binds at once: they become several
//! programs, and mean the same.
#![cfg(target_os = "linux")]

use bessemer_array::Array;
use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use std::sync::Arc;

fn webgpu(portable: bool) -> Arc<dyn Device> {
    Arc::new(WebGpu::open(WebGpuOptions { portable, ..Default::default() }).unwrap())
}

/// Arrays that are known.
fn operands(device: &Arc<dyn Device>, count: u64) -> Vec<Array> {
    let random = |seed| Array::random_uniform(device, &[6, 5], -1.0..1.0, DType::F32, seed);
    let all: Vec<_> = (0..count).map(random).collect();
    Array::eval_all(&all.iter().collect::<Vec<_>>()).unwrap();
    all
}

/// A long chain, a deep tree, operands seen in several ways, and all that in a sum.
fn expressions(all: &[Array]) -> Vec<Array> {
    let chain = all[1..].iter().fold(all[0].clone(), |sum, x| sum * 0.5 + x);
    let mut tree = all.to_vec();
    while tree.len() > 1 {
        tree = tree
            .chunks(2)
            .map(|two| two.iter().skip(1).fold(two[0].tanh(), |a, b| a * b))
            .collect();
    }
    let row = all[0].sum_keepdim(0);
    let turned =
        all[1..].iter().fold(all[0].transpose(), |sum, x| sum + x.transpose() * 0.3).transpose()
            + &all[2]
            + row;
    let folded = (&chain + &tree[0]).sum(1);
    vec![chain, tree[0].clone(), turned, folded]
}

#[test]
fn many_operands_on_an_adapter_with_few_bindings() {
    let cpu: Arc<dyn Device> = Arc::new(Cpu::open(CpuOptions::default()).unwrap());
    let wanted: Vec<_> = expressions(&operands(&cpu, 20));
    for portable in [true, false] {
        let device = webgpu(portable);
        assert!(!portable || device.info().max_operands == 8);
        for (made, wanted) in expressions(&operands(&device, 20)).iter().zip(&wanted) {
            let (made, wanted) = (made.to_vec::<f32>().unwrap(), wanted.to_vec::<f32>().unwrap());
            assert_eq!(made.len(), wanted.len());
            for (made, wanted) in made.iter().zip(&wanted) {
                assert!((made - wanted).abs() < 1e-5, "{made} against {wanted}");
            }
        }
    }
}

#[test]
fn no_program_has_more_operands_than_fit() {
    let device = webgpu(true);
    let few = operands(&device, 6);
    let chain = few[1..].iter().fold(few[0].clone(), |sum, x| sum * 0.5 + x);
    assert!(
        !chain.explain().contains("#2"),
        "six inputs, a number and a result fit: {}",
        chain.explain()
    );
    let many = operands(&device, 8);
    let chain = many[1..].iter().fold(many[0].clone(), |sum, x| sum * 0.5 + x);
    assert!(chain.explain().contains("#2"), "{}", chain.explain());
}
