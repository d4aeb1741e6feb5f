//! The reference implementation.

use super::{Reduce, ReduceKind};
use crate::bind::{self, Lists};
use bessemer_core::{DType, Host, Meter};
use bessemer_program::{Type, reference::run_element};

pub(super) fn reduce(op: &Reduce, host: &mut Host<'_>) {
    let domain = op.domain().expect("checked");
    let reduced = op.reduced();
    let mut lists = Lists::new(host, &op.program, &op.inputs, &[], Some(&domain));
    let uniforms = lists.uniforms.clone();
    let ty = op.program.yields().unwrap_or(Type::F32);
    // The values of each result, in order.
    let mut values = vec![Vec::new(); op.output.elements()];
    let mut meter = Meter::new(host.deadline());
    for element in 0..domain.elements() {
        let value = match run_element(&op.program, &uniforms, element, &mut lists, &mut meter) {
            Ok(value) => value.map_or(0.0, |value| value.to_f64()),
            Err(why) => bind::fail(why),
        };
        let (mut rest, mut at, mut step) = (element, 0, 1);
        for axis in (0..domain.rank()).rev() {
            let position = rest % domain[axis];
            rest /= domain[axis];
            if !reduced[axis] {
                at += position * step;
                step *= domain[axis];
            }
        }
        values[at].push(value);
    }
    // Bytes keep the low bits, as memory does.
    let kept = |x: f64| if op.output.dtype() == DType::U8 { x % 256.0 } else { x };
    let results: Vec<f64> = values.iter().map(|x| kept(fold(op.kind, ty, x))).collect();
    host.write(&op.output, &results);
}

fn fold(kind: ReduceKind, ty: Type, values: &[f64]) -> f64 {
    // Integers wrap to 32 bits, which is the same at every step as at the end.
    let whole = |fold: fn(u32, u32) -> u32, start: u32| {
        let bits = values.iter().map(|&x| x as i64 as u32).fold(start, fold);
        if ty == Type::I32 { f64::from(bits as i32) } else { f64::from(bits) }
    };
    let first = |better: fn(f64, f64) -> bool| {
        let mut best = 0;
        for (i, x) in values.iter().enumerate() {
            let known = values[best];
            if better(*x, known) && !known.is_nan() || x.is_nan() && !known.is_nan() {
                best = i;
            }
        }
        best
    };
    match kind {
        ReduceKind::Sum if ty.is_integer() => whole(u32::wrapping_add, 0),
        ReduceKind::Prod if ty.is_integer() => whole(u32::wrapping_mul, 1),
        ReduceKind::Sum => values.iter().sum(),
        ReduceKind::Prod => values.iter().product(),
        ReduceKind::Mean => values.iter().sum::<f64>() / values.len() as f64,
        ReduceKind::Min => values[first(|a, b| a < b)],
        ReduceKind::Max => values[first(|a, b| a > b)],
        ReduceKind::ArgMin => first(|a, b| a < b) as f64,
        ReduceKind::ArgMax => first(|a, b| a > b) as f64,
        ReduceKind::Any => f64::from(values.iter().any(|&x| x != 0.0)),
        ReduceKind::All => f64::from(values.iter().all(|&x| x != 0.0)),
    }
}
