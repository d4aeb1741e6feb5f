//! Conformance cases.

use super::Compact;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, Bool, F32, I32, I64, U32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DType::PLAIN {
        for (len, width) in [(33, 1), (1500, 1), (70, 5)] {
            let case = case(format!("{dtype} [{len}, {width}]"), len, move |f| {
                f.random(dtype, &[len, width])
            });
            cases.push(if dtype == F32 && len == 1500 { case.quick() } else { case });
        }
    }
    for (len, width) in [(0, 3), (5, 0), (1, 1), (1024, 1), (1025, 2), (50_000, 1), (4096, 1)] {
        cases.push(case(format!("f32 [{len}, {width}]"), len, move |f| {
            f.random(F32, &[len, width])
        }));
    }
    cases.push(case("i32 of many bits, transposed", 40, |f| {
        f.operand(I32, &[6, 40], |f, _| (f.uniform() * 4e9 - 2e9).floor())?.transpose()
    }));
    for (len, index) in [(33, U32), (0, U32), (1500, I32), (50_000, U32), (4096, I32), (4097, I64)]
    {
        cases.push(Case::new(
            "compact",
            format!("{index} places in {len}"),
            Tolerance::EXACT,
            move |f| {
                let (mask, count) = mask(f, len, 0.5)?;
                Ok(Compact { mask, x: None, out: f.output(index, &[count])? })
            },
        ));
    }
    for (name, share) in [("none", 0.0), ("all", 1.0), ("few", 0.01), ("most", 0.98)] {
        cases.push(Case::new("compact", format!("f32, {name}"), Tolerance::EXACT, move |f| {
            let (mask, count) = mask(f, 3000, share)?;
            let x = f.random(F32, &[3000, 1])?;
            Ok(Compact { mask, x: Some(x), out: f.output(F32, &[count, 1])? })
        }));
    }
    cases.push(Case::new("compact", "f32, strided", Tolerance::EXACT, |f| {
        let mut count = 0;
        let mask = f.operand(Bool, &[600], |_, i| {
            let (read, set) = (i % 2 == 1, i % 3 == 0);
            count += usize::from(read && set);
            f64::from(u8::from(set))
        })?;
        let mask = mask.step(0, 599, 300, -2)?;
        let x = f.random(F32, &[300, 4])?;
        Ok(Compact { mask, x: Some(x), out: f.output(F32, &[4, count])?.transpose()? })
    }));
    cases
}

/// A mask of which a share is true, and how many those are.
fn mask(f: &mut Fixture<'_>, len: usize, share: f64) -> Result<(View, usize)> {
    let mut count = 0;
    let mask = f.operand(Bool, &[len], |f, _| {
        let set = f.uniform() < share;
        count += usize::from(set);
        f64::from(u8::from(set))
    })?;
    Ok((mask, count))
}

fn case(
    name: impl Into<String>,
    len: usize,
    make: impl Fn(&mut Fixture<'_>) -> Result<View> + Send + Sync + 'static,
) -> Case {
    Case::new("compact", name, Tolerance::EXACT, move |f| {
        let (mask, count) = mask(f, len, 0.5)?;
        let x = make(f)?;
        let out = f.output(x.dtype(), &[count, x.shape()[1]])?;
        Ok(Compact { mask, x: Some(x), out })
    })
}
