//! The reference implementation.

use super::{Random, RandomKind, philox};
use bessemer_core::Host;

pub(super) fn random(op: &Random, host: &mut Host<'_>) {
    let dtype = op.out.dtype();
    let word = |i: usize| {
        let words = philox::group(op.seed, op.stream, (i / philox::WORDS) as u64);
        words[i % philox::WORDS][0]
    };
    // From 0 to before 1.
    let share = |word: u32| f64::from(word >> 8) / f64::from(1 << 24);
    let number = |i: usize| match op.kind {
        RandomKind::Bits => word(i).into(),
        RandomKind::Uniform { low, high } => {
            let (least, end) = (f64::from(low), f64::from(high));
            (least + share(word(i)) * (end - least)).min(Random::most(low, high, dtype).into())
        }
        RandomKind::Normal { mean, deviation } => {
            let (first, second) = (word(i & !1), word(i | 1));
            let radius = (-2.0 * (share(first) + 1.0 / f64::from(1 << 24)).ln()).sqrt();
            let (sin, cos) = (std::f64::consts::TAU * share(second)).sin_cos();
            let normal = radius * if i % 2 == 0 { cos } else { sin };
            f64::from(mean) + f64::from(deviation) * normal
        }
        RandomKind::Integers { low, last } => {
            let bits = u128::from(word(2 * i)) << 32 | u128::from(word(2 * i + 1));
            let place = (bits * (u128::from(last) + 1)) >> 64;
            let bits = low.wrapping_add(place as u32);
            if dtype == bessemer_core::DType::I32 { f64::from(bits as i32) } else { bits.into() }
        }
    };
    let numbers: Vec<f64> = (0..op.out.elements()).map(number).collect();
    host.write(&op.out, &numbers);
}
