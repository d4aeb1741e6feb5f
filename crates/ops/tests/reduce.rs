//! What the documentation of reductions promises: the error of sums, and results that do not
//! depend on the number of threads. And that bad programs are errors, not panics.

use bessemer_core::{Batch, DType, Device, Element, Error, Operation, Result, Shape, View};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_ops::{Kernel, Reduce, ReduceKind};
use bessemer_program::{Builder, Direction, LaunchConfig, Program};

fn cpu(threads: usize) -> Cpu {
    Cpu::open(CpuOptions { threads: Some(threads), ..Default::default() }).unwrap()
}

fn identity() -> Program {
    let mut b = Builder::new("identity");
    let x = b.view("x", DType::F32, Direction::In);
    let x = b.load(x);
    b.yield_(x);
    b.finish().unwrap()
}

fn run(cpu: &Cpu, op: impl Operation + 'static) -> Result<()> {
    let mut batch = Batch::new();
    batch.push(op)?;
    cpu.wait(cpu.submit(&batch)?)
}

/// The sums over `axis` of `values` in rows of `width`.
fn sums(threads: usize, values: &[f32], width: usize, axis: usize) -> Vec<f32> {
    let cpu = cpu(threads);
    let shape = Shape::new(&[values.len() / width, width]).unwrap();
    let x = View::new(&cpu.alloc(values.len() * 4).unwrap(), DType::F32, shape).unwrap();
    cpu.write(&x.slice().unwrap(), f32::as_bytes(values)).unwrap();
    let kept = Shape::new(&[shape[1 - axis]]).unwrap();
    let output = View::new(&cpu.alloc(kept[0] * 4).unwrap(), DType::F32, kept).unwrap();
    let op = Reduce {
        program: identity(),
        kind: ReduceKind::Sum,
        axes: vec![axis],
        keepdim: false,
        inputs: vec![x.into()],
        output: output.clone(),
    };
    run(&cpu, op).unwrap();
    let mut found = vec![0.0; kept[0]];
    cpu.read(&output.slice().unwrap(), f32::as_bytes_mut(&mut found)).unwrap();
    found
}

/// Numbers of many sizes and both signs, which mostly cancel.
fn hard(n: usize) -> Vec<f32> {
    (0..n as u32)
        .map(|i| {
            let noise = i.wrapping_mul(2_654_435_761);
            let size = ((noise >> 8) as f32 / 1e3) * 10f32.powi((noise % 9) as i32 - 4);
            if noise & 64 == 0 { size } else { -size }
        })
        .collect()
}

#[test]
fn sums_are_as_near_as_stated() {
    let values = hard(3_000_000);
    let exact: f64 = values.iter().map(|&x| f64::from(x)).sum();
    let magnitudes: f64 = values.iter().map(|&x| f64::from(x.abs())).sum();
    let found = sums(2, &values, values.len(), 1)[0];
    let unit = f64::from((exact as f32).abs().next_up() - (exact as f32).abs());
    let bound = unit / 2.0 + values.len() as f64 * magnitudes / 2f64.powi(53);
    let off = (f64::from(found) - exact).abs();
    assert!(off <= bound, "{found} is {off} from {exact}, more than {bound}");
}

#[test]
fn results_do_not_depend_on_threads() {
    let values = hard(1_200_000);
    for (width, axis) in [(1_200_000, 1), (6, 0), (6, 1), (1200, 0), (1200, 1), (60_000, 0)] {
        let one = sums(1, &values, width, axis);
        for threads in [2, 3] {
            let more = sums(threads, &values, width, axis);
            let bits = |sums: &[f32]| sums.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one), bits(&more), "width {width}, axis {axis}, {threads} threads");
        }
    }
}

#[test]
fn an_index_outside_is_an_error_of_the_op() {
    let cpu = cpu(2);
    let text = "program stray(out buffer c: f32) {
        %i = global.x
        store c[%i], 1.0
    }";
    let output =
        View::new(&cpu.alloc(400).unwrap(), DType::F32, Shape::new(&[100]).unwrap()).unwrap();
    let op = Kernel {
        program: Program::parse("stray.bp", text).unwrap(),
        launch: LaunchConfig::linear(128, 64),
        inputs: vec![],
        outputs: vec![output],
    };
    let error = run(&cpu, op).unwrap_err();
    assert!(
        matches!(&error, Error::Failed { why, .. } if why.contains("element 100 is out of range")),
        "{error}"
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let cpu = cpu(1);
    let view = |dims: &[usize], dtype| {
        View::new(&cpu.alloc(4000).unwrap(), dtype, Shape::new(dims).unwrap()).unwrap()
    };
    let reduce = |kind, axes: &[usize], output| Reduce {
        program: identity(),
        kind,
        axes: axes.to_vec(),
        keepdim: false,
        inputs: vec![view(&[4, 5], DType::F32).into()],
        output,
    };
    let cases = [
        (
            reduce(ReduceKind::Sum, &[2], view(&[4], DType::F32)),
            "are out of range for [4, 5], or repeated",
        ),
        (
            reduce(ReduceKind::Sum, &[1, 1], view(&[4], DType::F32)),
            "are out of range for [4, 5], or repeated",
        ),
        (reduce(ReduceKind::Sum, &[1], view(&[5], DType::F32)), "over axes [1] is [4]"),
        (reduce(ReduceKind::Any, &[1], view(&[4], DType::Bool)), "the any of f32"),
        (reduce(ReduceKind::ArgMax, &[1], view(&[4], DType::F32)), "cannot be stored as f32"),
    ];
    for (op, wanted) in cases {
        let error = op.check().unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}\n  not {wanted}");
    }
    let mut none = reduce(ReduceKind::Max, &[1], view(&[4], DType::F32));
    none.inputs = vec![view(&[4, 0], DType::F32).into()];
    assert!(none.check().unwrap_err().to_string().contains("the max of no elements is undefined"));
}
