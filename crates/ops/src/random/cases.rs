//! Conformance cases.

use super::{Random, RandomKind};
use crate::case::{Case, Tolerance};
use bessemer_core::DType::{self, BF16, F16, F32, F64, I32, U32, U64};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dims in [&[1][..], &[0], &[3, 5], &[4099], &[2, 30_000]] {
        let case = case("bits", RandomKind::Bits, U32, dims, Tolerance::EXACT);
        cases.push(if dims.len() == 2 { case.quick() } else { case });
    }
    for dims in [&[1][..], &[3, 5], &[4099]] {
        cases.push(case("bits", RandomKind::Bits, U64, dims, Tolerance::EXACT));
    }
    let unit = RandomKind::Uniform { low: 0.0, high: 1.0 };
    cases.push(case("0..1", unit, F32, &[4099], Tolerance::EXACT).quick());
    for dtype in [F32, F16, BF16, F64] {
        let tolerance = Tolerance::of(dtype);
        cases.push(case("0..1", unit, dtype, &[777], tolerance));
        let range = RandomKind::Uniform { low: -3.5, high: 100.25 };
        cases.push(case("-3.5..100.25", range, dtype, &[777], tolerance.widen(4.0)));
        let normal = RandomKind::Normal { mean: 0.0, deviation: 1.0 };
        cases.push(case("normal", normal, dtype, &[3, 777], tolerance.widen(2.0)));
        let normal = RandomKind::Normal { mean: -5.0, deviation: 0.25 };
        let case = case("normal around -5", normal, dtype, &[78], tolerance.widen(2.0));
        cases.push(if dtype == F32 { case.quick() } else { case });
    }
    for (low, last) in [(0, 9), (0, u32::MAX), (7, 0), (1 << 31, (1 << 31) + 5)] {
        for dtype in [I32, U32] {
            let kind = RandomKind::Integers { low, last };
            let name = format!("{low} and {last} more");
            let case = case(&name, kind, dtype, &[5, 201], Tolerance::EXACT);
            cases.push(if last == 9 { case.quick() } else { case });
        }
    }
    cases
}

fn case(
    what: &str,
    kind: RandomKind,
    dtype: DType,
    dims: &'static [usize],
    tolerance: Tolerance,
) -> Case {
    let name = match kind {
        RandomKind::Bits => "random_bits",
        RandomKind::Uniform { .. } => "random_uniform",
        RandomKind::Normal { .. } => "random_normal",
        RandomKind::Integers { .. } => "random_integers",
    };
    Case::new(name, format!("{dtype} {dims:?}, {what}"), tolerance, move |f| {
        Ok(Random { seed: 0x1234_5678_9abc_def0, stream: 3, kind, out: f.output(dtype, dims)? })
    })
}
