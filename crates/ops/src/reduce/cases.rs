//! Conformance cases.

use super::{Reduce, ReduceKind};
use crate::{
    bind::Input,
    case::{Case, Fixture, Tolerance},
};
use bessemer_core::{
    DType::{self, Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64},
    Error, Result, View,
};
use bessemer_program::{Builder, Direction, Program, Type};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    dtypes(&mut cases);
    axes(&mut cases);
    sizes(&mut cases);
    special(&mut cases);
    cases
}

/// Yields the elements of one view.
fn identity(dtype: DType) -> Result<Program> {
    let mut b = Builder::new("identity");
    let x = b.view("x", dtype, Direction::In);
    let x = b.load(x);
    b.yield_(x);
    b.finish().map_err(|error| Error::view(error.to_string()))
}

/// The shape of a result.
fn result_dims(dims: &[usize], axes: &[usize], keepdim: bool) -> Vec<usize> {
    let keep = |(axis, &size): (usize, &usize)| match (axes.contains(&axis), keepdim) {
        (false, _) => Some(size),
        (true, true) => Some(1),
        (true, false) => None,
    };
    dims.iter().enumerate().filter_map(keep).collect()
}

/// A plain reduction of one view.
fn of(
    f: &mut Fixture<'_>,
    kind: ReduceKind,
    (dtype, x): (DType, View),
    axes: &[usize],
    keepdim: bool,
    out: DType,
) -> Result<Reduce> {
    let output = f.output(out, &result_dims(x.shape(), axes, keepdim))?;
    Ok(Reduce {
        program: identity(dtype)?,
        kind,
        axes: axes.to_vec(),
        keepdim,
        inputs: vec![x.into()],
        output,
    })
}

/// What a reduction of `dtype` is stored as.
fn result_dtype(kind: ReduceKind, dtype: DType) -> Option<DType> {
    let ty = Type::of(dtype)?;
    let out = match kind {
        ReduceKind::ArgMin | ReduceKind::ArgMax if ty.is_wide() => I64,
        ReduceKind::ArgMin | ReduceKind::ArgMax => U32,
        ReduceKind::Mean if !dtype.is_float() => F32,
        _ => dtype,
    };
    kind.fits(ty, out).then_some(out)
}

fn dtypes(cases: &mut Vec<Case>) {
    for kind in ReduceKind::ALL {
        for dtype in DType::PLAIN {
            let Some(out) = result_dtype(kind, dtype) else {
                continue;
            };
            let name = format!("{dtype} [5, 37, 9] over 1");
            let case = Case::new(kind.name(), name, Tolerance::of(out), move |f| {
                let x = match kind {
                    // Near 1, so that products stay within bounds.
                    ReduceKind::Prod if dtype.is_float() => {
                        f.operand(dtype, &[5, 37, 9], |f, _| 0.8 + 0.4 * f.uniform())?
                    }
                    _ => f.random(dtype, &[5, 37, 9])?,
                };
                of(f, kind, (dtype, x), &[1], false, out)
            });
            let quick = matches!(dtype, F32 | Bool);
            cases.push(if quick { case.quick() } else { case });
        }
    }
}

fn axes(cases: &mut Vec<Case>) {
    // Every set of axes of a small array and of one that is larger than a box.
    for (kind, out) in [(ReduceKind::Sum, F32), (ReduceKind::ArgMax, U32)] {
        for dims in [[3, 4, 5], [2, 70, 45], [1, 1300, 2]] {
            for set in 0..8usize {
                let axes: Vec<usize> = (0..3).filter(|axis| set >> axis & 1 == 1).collect();
                let name = format!("f32 {dims:?} over {axes:?}");
                cases.push(Case::new(kind.name(), name, Tolerance::of(out), move |f| {
                    let x = f.random(F32, &dims)?;
                    of(f, kind, (F32, x), &axes, set % 2 == 0, out)
                }));
            }
        }
        for axis in 0..3 {
            let name = format!("f32 permuted, every other, over {axis}");
            cases.push(Case::new(kind.name(), name, Tolerance::of(out), move |f| {
                let x = f.random(F32, &[40, 30, 50])?.permute(&[2, 0, 1])?.step(1, 39, 20, -2)?;
                of(f, kind, (F32, x), &[axis], false, out)
            }));
        }
    }
}

fn sizes(cases: &mut Vec<Case>) {
    for kind in [ReduceKind::Sum, ReduceKind::Mean, ReduceKind::Min, ReduceKind::ArgMin] {
        let out = if kind == ReduceKind::ArgMin { U32 } else { F32 };
        for dims in [&[1][..], &[31], &[1024], &[1025], &[50_001], &[300_000]] {
            let name = format!("f32 {dims:?}");
            cases.push(Case::new(kind.name(), name, Tolerance::of(out), move |f| {
                let x = f.random(F32, dims)?;
                of(f, kind, (F32, x), &[0], false, out)
            }));
        }
        for (dims, axis) in
            [([2000, 3], 0), ([2000, 3], 1), ([3, 2000], 0), ([3, 2000], 1), ([700, 700], 0)]
        {
            let name = format!("f32 {dims:?} over {axis}");
            cases.push(Case::new(kind.name(), name, Tolerance::of(out), move |f| {
                let x = f.random(F32, &dims)?;
                of(f, kind, (F32, x), &[axis], true, out)
            }));
        }
    }
    for kind in ReduceKind::ALL {
        let dtype = if matches!(kind, ReduceKind::Any | ReduceKind::All) { Bool } else { F32 };
        let out = result_dtype(kind, dtype).unwrap_or(F32);
        cases.push(Case::new(kind.name(), "[4, 0] over 0", Tolerance::EXACT, move |f| {
            let x = f.random(dtype, &[4, 0])?;
            of(f, kind, (dtype, x), &[0], false, out)
        }));
        if kind.takes_none() {
            cases.push(Case::new(kind.name(), "[4, 0] over 1", Tolerance::EXACT, move |f| {
                let x = f.random(dtype, &[4, 0])?;
                of(f, kind, (dtype, x), &[1], false, out)
            }));
        }
    }
}

/// Integers with all their bits in use.
fn extremes(f: &mut Fixture<'_>, dtype: DType, dims: &[usize]) -> Result<View> {
    let most = if dtype.is_signed_integer() { u64::MAX >> 1 } else { u64::MAX };
    let most = most >> (64 - 8 * dtype.block_bytes());
    f.integers(dtype, dims, |f, i| match i % 5 {
        0 => most - i as u64 % 3,
        1 => most.wrapping_add(1 + i as u64),
        _ => f.uniform().to_bits() >> 3,
    })
}

fn special(cases: &mut Vec<Case>) {
    for kind in ReduceKind::ALL {
        let Some(out) = result_dtype(kind, F32) else {
            continue;
        };
        cases.push(Case::new(kind.name(), "NaN, inf, ties", Tolerance::of(out), move |f| {
            let x = f.operand(F32, &[6, 1500], |f, i| match (i / 1500, i % 1500) {
                (0, 700 | 1200) => f64::NAN,
                (1, 3) => f64::INFINITY,
                (2, 1499) => f64::NEG_INFINITY,
                (3, _) => f64::NEG_INFINITY,
                (4, 5 | 900) => 9.0,
                (4, 77 | 78) => -9.0,
                (5, _) => 0.0,
                // Products of few that are not 1 stay within bounds.
                (_, column) if column % 100 != 0 => 1.0,
                _ => f.normal(),
            })?;
            of(f, kind, (F32, x), &[1], false, out)
        }));
    }
    for (dtype, out) in [(I8, I64), (I16, I64), (I32, I64), (U8, U64), (U16, U64), (U32, U64)] {
        for kind in [ReduceKind::Sum, ReduceKind::Prod] {
            for (dims, axis) in [([3, 700], 1), ([700, 3], 0), ([5, 3], 1)] {
                let name = format!("{dtype} {dims:?} over {axis} → {out}");
                cases.push(Case::new(kind.name(), name, Tolerance::EXACT, move |f| {
                    let x = extremes(f, dtype, &dims)?;
                    of(f, kind, (dtype, x), &[axis], false, out)
                }));
            }
        }
    }
    for dtype in [I64, U64] {
        for kind in [ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Min, ReduceKind::Max] {
            let name = format!("{dtype} of many bits");
            cases.push(Case::new(kind.name(), name, Tolerance::EXACT, move |f| {
                let x = extremes(f, dtype, &[4, 1200])?;
                of(f, kind, (dtype, x), &[1], false, dtype)
            }));
        }
    }
    for kind in [ReduceKind::ArgMin, ReduceKind::ArgMax] {
        cases.push(Case::new(kind.name(), "f32 [3, 900] → i64", Tolerance::EXACT, move |f| {
            let x = f.random(F32, &[3, 900])?;
            of(f, kind, (F32, x), &[1], false, I64)
        }));
    }
    cases.push(Case::new("sum", "f64 that cancel", Tolerance::of(F64), |f| {
        let x = f.operand(F64, &[100_000], |f, i| match i % 4 {
            0 => 1e15,
            2 => -1e15,
            _ => f.uniform(),
        })?;
        of(f, ReduceKind::Sum, (F64, x), &[0], false, F64)
    }));
    cases.push(Case::new("sum", "wrapping i32", Tolerance::EXACT, |f| {
        let x = f.operand(I32, &[1000], |_, i| f64::from(i32::MAX - i as i32))?;
        of(f, ReduceKind::Sum, (I32, x), &[0], false, I32)
    }));
    cases.push(Case::new("sum", "large and small floats", Tolerance::of(F32), |f| {
        let x = f.operand(F32, &[200_000], |_, i| if i == 0 { 1e8 } else { 0.25 })?;
        of(f, ReduceKind::Sum, (F32, x), &[0], false, F32)
    }));
    cases.push(Case::new("sum", "relu(a * b + c), broadcast", Tolerance::of(F32), |f| {
        let mut b = Builder::new("chain");
        let [x, y, z] = ["x", "y", "z"].map(|name| b.view(name, F32, Direction::In));
        let (x, y, z) = (b.load(x), b.load(y), b.load(z));
        let value = b.mul(x, y);
        let value = b.add(value, z);
        let value = b.max(value, 0.0);
        b.yield_(value);
        let inputs: [Input; 3] = [
            f.random(F32, &[33, 700])?.into(),
            f.random(F32, &[33, 1])?.into(),
            f.random(F32, &[700, 33])?.transpose()?.into(),
        ];
        Ok(Reduce {
            program: b.finish().expect("a case's program is right"),
            kind: ReduceKind::Sum,
            axes: vec![0],
            keepdim: false,
            inputs: inputs.into(),
            output: f.strided_output(F32, &[700], &[3], 1, 2200)?,
        })
    }));
    cases.push(Case::new("mean", "of one number repeated", Tolerance::of(F32), |f| {
        let x = f.random(F32, &[])?.broadcast_to(bessemer_core::Shape::new(&[40, 50])?)?;
        of(f, ReduceKind::Mean, (F32, x), &[0, 1], false, F32)
    }));
}
