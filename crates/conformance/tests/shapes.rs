//! Ops on random shapes, dtypes and layouts: what nobody thought of when writing down cases.

use bessemer_conformance::{Failure, judge_varied};
use bessemer_core::{DType, Error};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_ops::{
    Concat, Copy, Gather, LayerNorm, RmsNorm, Scatter, Softmax,
    case::{Case, Tolerance, Variation},
};
use bessemer_simd::Isa;
use proptest::{collection::vec, prelude::*, sample::select};
use std::sync::LazyLock;

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];
const PLAIN: [DType; 7] =
    [DType::F32, DType::F16, DType::BF16, DType::I32, DType::U32, DType::U8, DType::Bool];

/// Every instruction set of this machine, the widest with more than one thread.
static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| {
    let open = |isa| {
        let threads = if isa == Isa::widest() { 2 } else { 1 };
        let options = CpuOptions { isa: Some(isa), threads: Some(threads), ..Default::default() };
        Cpu::open(options).unwrap()
    };
    Isa::here().map(open).collect()
});

/// Sizes around what vectors, tiles and threads are made of, and any others.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        1 => Just(0usize),
        2 => Just(1),
        4 => 2usize..20,
        2 => select(vec![31usize, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257]),
    ]
}

/// Shapes of so many dimensions and not too many elements.
fn dims(rank: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<usize>> {
    vec(size(), rank).prop_filter("small", |dims| dims.iter().product::<usize>() < 1 << 14)
}

fn holds(case: &Case, seed: u64) -> Result<(), TestCaseError> {
    let variation =
        if seed.is_multiple_of(3) { Variation::default() } else { Variation::layout(seed) };
    for cpu in CPUS.iter() {
        match judge_varied(case, &variation, cpu, &Reference::new()) {
            Ok(_) => {}
            // An op may ask for rows without gaps, but not for anything of a plain layout.
            Err(Failure::Refused(Error::Rule { .. })) if variation.layout.is_some() => {}
            Err(failure) => {
                return Err(TestCaseError::fail(format!("{case:?}, {cpu:?}: {failure}")));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    #[test]
    fn copy(dims in dims(0..=5), from in select(&PLAIN), to in select(&PLAIN), seed: u64) {
        let case = Case::new("copy", format!("{from} → {to} {dims:?}"), Tolerance::EXACT, move |f| {
            Ok(Copy { x: f.random(from, &dims)?, out: f.output(to, &dims)? })
        });
        holds(&case, seed)?;
    }

    #[test]
    fn concat(dims in dims(1..=4), dtype in select(&PLAIN), axis: u8, parts in vec(0usize..9, 1..6), seed: u64) {
        let axis = usize::from(axis) % dims.len();
        let name = format!("{dtype} {dims:?}, {parts:?} along {axis}");
        let case = Case::new("concat", name, Tolerance::EXACT, move |f| {
            let with = |size| { let mut dims = dims.clone(); dims[axis] = size; dims };
            let inputs = parts.iter().map(|&part| f.random(dtype, &with(part)));
            let inputs = inputs.collect::<Result<_, _>>()?;
            Ok(Concat { inputs, axis, out: f.output(dtype, &with(parts.iter().sum()))? })
        });
        holds(&case, seed)?;
    }

    #[test]
    fn gather(dims in dims(1..=3), picked in dims(0..=2), dtype in select(&PLAIN), axis: u8, seed: u64) {
        prop_assume!(picked.iter().product::<usize>() < 40);
        let axis = usize::from(axis) % dims.len();
        let name = format!("{dtype} {dims:?} at {picked:?} along {axis}");
        let case = Case::new("gather", name, Tolerance::EXACT, move |f| {
            let table = f.random(dtype, &dims)?;
            let len = dims[axis] as f64;
            // Some from the end, some outside.
            let index = |f: &mut bessemer_ops::case::Fixture<'_>, _| ((f.uniform() * 2.5 - 1.2) * len).floor();
            let indices = f.operand(DType::I32, &picked, index)?;
            let shape = [&dims[..axis], &picked, &dims[axis + 1..]].concat();
            Ok(Gather { table, indices, axis, out: f.output(dtype, &shape)? })
        });
        holds(&case, seed)?;
    }

    #[test]
    fn scatter(dims in dims(1..=4), rows in 0usize..9, dtype in select(&PLAIN), axis: u8, seed: u64) {
        let axis = usize::from(axis) % dims.len();
        let name = format!("{dtype} {rows} into {dims:?} along {axis}");
        let case = Case::new("scatter", name, Tolerance::EXACT, move |f| {
            let mut part = dims.clone();
            part[axis] = rows;
            let x = f.random(dtype, &part)?;
            let len = dims[axis] as f64;
            let index = |f: &mut bessemer_ops::case::Fixture<'_>, _| ((f.uniform() * 2.5 - 1.2) * len).floor();
            let indices = f.operand(DType::I32, &[rows], index)?;
            Ok(Scatter { x, indices, axis, table: f.operand(dtype, &dims, |_, _| 1.0)? })
        });
        holds(&case, seed)?;
    }

    #[test]
    fn norms(dims in dims(1..=4), x in select(&FLOATS), weight in select(&FLOATS), out in select(&FLOATS), seed: u64) {
        let width = dims[dims.len() - 1];
        let name = format!("{x} × {weight} → {out} {dims:?}");
        let shape = dims.clone();
        let rms = Case::new("rms_norm", name.clone(), Tolerance::of(out), move |f| {
            Ok(RmsNorm {
                x: f.random(x, &shape)?,
                weight: f.random(weight, &[width])?,
                epsilon: 1e-5,
                out: f.output(out, &shape)?,
            })
        });
        holds(&rms, seed)?;
        let layer = Case::new("layer_norm", name, Tolerance::of(out).widen(4.0), move |f| {
            Ok(LayerNorm {
                x: f.random(x, &dims)?,
                weight: Some(f.random(weight, &[width])?),
                bias: Some(f.random(weight, &[width])?),
                epsilon: 1e-5,
                out: f.output(out, &dims)?,
            })
        });
        holds(&layer, seed)?;
    }

    #[test]
    fn softmax(dims in dims(1..=4), x in select(&FLOATS), out in select(&FLOATS), log: bool, seed: u64) {
        let name = format!("{x} → {out} {dims:?} log {log}");
        let case = Case::new("softmax", name, Tolerance::of(out), move |f| {
            let mask = f.random(DType::F16, &dims[dims.len() - 1..])?;
            Ok(Softmax { x: f.random(x, &dims)?, scale: 0.7, mask: Some(mask), log, out: f.output(out, &dims)? })
        });
        holds(&case, seed)?;
    }
}
