//! The reference implementation.

use super::{Random, RandomKind, philox};
use bessemer_core::{DType, Host, Number};

pub(super) fn random(op: &Random, host: &mut Host<'_>) {
    let numbers: Vec<Number> = (0..op.out.elements()).map(|i| number(op, i)).collect();
    host.write_numbers(&op.out, &numbers);
}

fn number(op: &Random, i: usize) -> Number {
    let dtype = op.out.dtype();
    let word = |i: usize| {
        let words = philox::group(op.seed, op.stream, (i / philox::WORDS) as u64);
        words[i % philox::WORDS][0]
    };
    let long = |i: usize| u64::from(word(2 * i)) << 32 | u64::from(word(2 * i + 1));
    let double = dtype.block_bytes() == 8;
    let step = 0.5f64.powi(if double { 53 } else { 24 });
    // From 0 to before 1.
    let share =
        |i: usize| step * if double { (long(i) >> 11) as f64 } else { (word(i) >> 8).into() };
    match op.kind {
        RandomKind::Bits if double => Number::Integer(long(i).into()),
        RandomKind::Bits => Number::Integer(word(i).into()),
        RandomKind::Uniform { low, high } => {
            Number::Float((low + share(i) * (high - low)).min(Random::most(low, high, dtype)))
        }
        RandomKind::Normal { mean, deviation } => {
            let radius = (-2.0 * (share(i & !1) + step).ln()).sqrt();
            let (sin, cos) = (std::f64::consts::TAU * share(i | 1)).sin_cos();
            Number::Float(mean + deviation * radius * if i.is_multiple_of(2) { cos } else { sin })
        }
        RandomKind::Integers { low, last } => {
            let place = (u128::from(long(i)) * (u128::from(last) + 1)) >> 64;
            let bits = low.wrapping_add(place as u32);
            Number::Integer(if dtype == DType::I32 { (bits as i32).into() } else { bits.into() })
        }
    }
}
