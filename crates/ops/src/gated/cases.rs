//! Conformance cases.

use super::{Activation, Gated};
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for activation in Activation::ALL {
        for dims in [&[][..], &[1], &[0, 5], &[5, 0], &[1, 1536], &[3, 257], &[70, 3, 63]] {
            for dtype in [F32, F16, BF16] {
                cases.push(plain(activation, dtype, dtype, dims));
            }
        }
        cases.push(plain(activation, F16, F32, &[4, 100]).quick());
        cases.push(case(activation, "f32 halves of one array, in place of the gate", F32, |f| {
            let both = f.operand(F32, &[5, 130], |f, _| 4.0 * f.normal())?;
            let gate = both.narrow(1, 0..65)?;
            Ok((gate.clone(), f.random(F32, &[5, 65])?, gate))
        }));
        cases.push(case(activation, "f16 in place of up, transposed", F16, |f| {
            let up = f.random(F16, &[40, 6])?.transpose()?;
            Ok((f.random(F16, &[6, 40])?, up.clone(), up))
        }));
        cases.push(case(activation, "f32 NaN, inf, large, tiny", F32, |f| {
            let special = [f64::NAN, f64::INFINITY, 1e30, 1e-30, -1e30, 88.0, -20.0, -0.0, 3e38];
            let gate = f.operand(F32, &[2, 40], |f, i| match special.get(i) {
                Some(&x) => x,
                None => 10.0 * f.normal(),
            })?;
            let up =
                f.operand(F32, &[2, 40], |f, i| if i == 20 { f64::NAN } else { f.uniform() })?;
            Ok((gate, up, f.output(F32, &[2, 40])?))
        }));
    }
    cases
}

fn plain(activation: Activation, x: DType, out: DType, dims: &'static [usize]) -> Case {
    case(activation, format!("{x} → {out} {dims:?}"), out, move |f| {
        let gate = f.operand(x, dims, |f, _| 3.0 * f.normal())?;
        Ok((gate, f.random(x, dims)?, f.output(out, dims)?))
    })
}

fn case(
    activation: Activation,
    name: impl Into<String>,
    out: DType,
    make: impl Fn(&mut Fixture<'_>) -> Result<(View, View, View)> + Send + Sync + 'static,
) -> Case {
    let name = format!("{activation:?} {}", name.into());
    Case::new("gated", name, Tolerance::of(out), move |f| {
        let (gate, up, out) = make(f)?;
        Ok(Gated { gate, up, activation, out })
    })
}
