//! The reference implementation.

use super::{Reduce, ReduceKind};
use crate::bind::{self, Lists};
use bessemer_core::{DType, Host, Meter, Number};
use bessemer_program::{Compare, Literal, Type, reference::run_element};

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
            Ok(value) => value.unwrap_or(Literal::from_bits(ty, 0)),
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
    let out = op.output.dtype();
    let results = values.iter().map(|values| fold(op.kind, ty, out, values));
    let results: Vec<u64> = results.collect();
    host.write_bits(&op.output, &results);
}

/// The result, as `out` stores it.
fn fold(kind: ReduceKind, ty: Type, out: DType, values: &[Literal]) -> u64 {
    let numbers = values.iter().map(|value| value.to_f64());
    let register = Type::of(out).unwrap_or(ty);
    // Integers wrap to the bits of the result, which is the same at every step as at the end.
    let whole = |fold: fn(u64, u64) -> u64, start: u64| {
        let bits = values.iter().map(|value| match value.number() {
            Number::Integer(x) => x as u64,
            Number::Float(_) => unreachable!("integers"),
        });
        Literal::from_bits(register, bits.fold(start, fold))
    };
    let float = |x: f64| Literal::from_f64(register, x);
    let first = |better: Compare| {
        let mut best = 0;
        for (i, &x) in values.iter().enumerate() {
            let known = values[best];
            let (nan, known_nan) = (x.to_f64().is_nan(), known.to_f64().is_nan());
            if (nan || holds(better, x, known)) && !known_nan {
                best = i;
            }
        }
        best
    };
    let result = match kind {
        ReduceKind::Sum if ty.is_integer() => whole(u64::wrapping_add, 0),
        ReduceKind::Prod if ty.is_integer() => whole(u64::wrapping_mul, 1),
        ReduceKind::Sum => float(sum(numbers)),
        ReduceKind::Prod => float(numbers.product()),
        ReduceKind::Mean => float(sum(numbers) / values.len() as f64),
        ReduceKind::Min => values[first(Compare::Lt)],
        ReduceKind::Max => values[first(Compare::Gt)],
        ReduceKind::ArgMin => Literal::from_bits(register, first(Compare::Lt) as u64),
        ReduceKind::ArgMax => Literal::from_bits(register, first(Compare::Gt) as u64),
        ReduceKind::Any => values.iter().any(|x| x.bits() != 0).into(),
        ReduceKind::All => values.iter().all(|x| x.bits() != 0).into(),
    };
    result.stored(out)
}

fn holds(op: Compare, a: Literal, b: Literal) -> bool {
    match (a.number(), b.number()) {
        (Number::Integer(a), Number::Integer(b)) if op == Compare::Lt => a < b,
        (Number::Integer(a), Number::Integer(b)) => a > b,
        (a, b) if op == Compare::Lt => a.to_f64() < b.to_f64(),
        (a, b) => a.to_f64() > b.to_f64(),
    }
}

/// The sum with what its roundings lose, by Neumaier: sums of doubles are to be as good as those of
/// other floats.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for x in numbers {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    if sum.is_finite() { sum + lost } else { sum }
}
