//! Conformance cases.

use super::{Rope, RopePairs, RopeScaling};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, I32, U32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for pairs in [RopePairs::Halves, RopePairs::Neighbours] {
        for dims in [[1, 1, 2], [5, 3, 64], [0, 3, 64], [2, 0, 8], [3, 2, 1], [70, 9, 128]] {
            for dtype in [F32, F16, BF16] {
                cases.push(plain(dtype, dtype, dims, dims[2] / 2, pairs));
            }
        }
        // A part of the head.
        cases.push(plain(F32, F32, [6, 2, 80], 16, pairs));
        cases.push(plain(F32, F16, [6, 2, 33], 15, pairs).quick());
        cases.push(plain(F32, F32, [6, 2, 33], 0, pairs));
        cases.push(case(
            format!("f32 {pairs:?}, part of a wider array, in place"),
            F32,
            move |f| {
                let x = f.random(F32, &[6, 200])?.narrow(1, 8..136)?;
                let x = x.reshape([6, 2, 64].as_slice().try_into()?)?.expect("gapless rows");
                op(f, [x.clone(), x], I32, 32, pairs)
            },
        ));
    }
    cases.push(case("f32 far into a text, backwards and negative", F32, |f| {
        let x = f.random(F32, &[4, 2, 64])?;
        let mut op = op(f, [x.clone(), x], I32, 32, RopePairs::Halves)?;
        let positions = f.values(I32, &[4], &[-5.0, 131_071.0, 1_000_000.0, 2_147_483_647.0])?;
        op.positions = positions.step(0, 3, 4, -1)?;
        op.magnitude = 1.2;
        Ok(op)
    }));
    cases.push(case("f32 NaN and inf stay in their pairs", F32, |f| {
        let x = f.operand(F32, &[3, 1, 8], |f, i| match i {
            1 => f64::NAN,
            9 => f64::INFINITY,
            _ => 1e6 * f.normal(),
        })?;
        let out = f.output(F32, &[3, 1, 8])?;
        op(f, [x, out], U32, 4, RopePairs::Neighbours)
    }));
    cases
}

fn plain(x: DType, out: DType, dims: [usize; 3], pairs: usize, kind: RopePairs) -> Case {
    case(format!("{x} → {out} {dims:?}, {pairs} {kind:?}"), out, move |f| {
        let (x, out) = (f.random(x, &dims)?, f.output(out, &dims)?);
        op(f, [x, out], U32, pairs, kind)
    })
}

fn op(
    f: &mut Fixture<'_>,
    [x, out]: [View; 2],
    positions: DType,
    pairs: usize,
    kind: RopePairs,
) -> Result<Rope> {
    let positions = f.operand(positions, &x.shape()[..1], |_, i| 37.0 * i as f64 + 1.0)?;
    let frequencies = RopeScaling::None.frequencies(10_000.0, 2 * pairs)?;
    let frequencies = f.operand(F32, &[pairs], |_, i| frequencies.per_pair[i].into())?;
    Ok(Rope { x, positions, frequencies, magnitude: 1.0, pairs: kind, out })
}

fn case(
    name: impl Into<String>,
    out: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<Rope> + Send + Sync + 'static,
) -> Case {
    Case::new("rope", name, Tolerance::of(out), make)
}
