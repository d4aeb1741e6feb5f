//! Conformance cases.

use super::Copy;
use crate::case::{Case, Tolerance, Wgsl};
use bessemer_core::DType::{self, BF16, F16, F32, I32, I64, U8, U32, U64};

/// What `auto` asks for.
const QUICK: [DType; 4] = [F32, F16, I32, U8];

/// Numbers that are awkward for some dtype: not representable, too large, ties, not numbers.
const AWKWARD: [f64; 24] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.999,
    -2.999,
    255.5,
    256.0,
    -1.0,
    65504.0,
    65519.0,
    65520.0,
    2049.0,
    2051.0,
    1e-7,
    3e-8,
    -6e-5,
    4294967040.0,
    2147483648.0,
    -2147483904.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for from in DType::PLAIN {
        for to in DType::PLAIN {
            if from != to && (from.is_complex() || to.is_complex()) {
                continue;
            }
            let case = case(format!("{from} → {to} [3, 37]"), move |f| {
                let x = f.operand(from, &[3, 37], |f, i| match AWKWARD.get(i) {
                    Some(&x) => x,
                    None => (f.uniform() - 0.3) * 10f64.powf(f.uniform() * 6.0),
                })?;
                Ok(Copy { x, out: f.output(to, &[3, 37])? })
            });
            let quick = from != to && QUICK.contains(&from) && QUICK.contains(&to);
            cases.push(if quick { case.quick() } else { case });
        }
        cases.push(case(format!("{from} transposed [33, 130]"), move |f| {
            Ok(Copy {
                x: f.random(from, &[130, 33])?.transpose()?,
                out: f.output(from, &[33, 130])?,
            })
        }));
    }
    for from in [I64, U64] {
        for to in DType::PLAIN.into_iter().filter(|to| !to.is_complex()) {
            let case = case(format!("{from} → {to}, many bits"), move |f| {
                let x = f.integers(from, &[400], |f, i| {
                    let bits = f.uniform().to_bits() << 4 | i as u64;
                    // Of every size; near ties of floats; and the ends.
                    match i % 8 {
                        0 => [1 << 63, (1 << 63) - 1, u64::MAX, (1 << 24) + 1][i / 8 % 4],
                        1 => (1 << 62) + (1 << 38) - 1 + (i as u64 / 8) % 3,
                        2 => (0xff_u64 << 47) - 1 + (i as u64 / 8) % 3,
                        3 => u64::MAX - (bits >> (i / 8)),
                        _ => bits >> (i / 8),
                    }
                })?;
                Ok(Copy { x, out: f.output(to, &[400])? })
            });
            cases.push(case);
        }
    }
    for to in [BF16, F16, F32] {
        let case = case(format!("u32 → {to}, many bits"), move |f| {
            let x = f.operand(U32, &[200], |f, i| {
                let near_tie = 4278190080.0 + 8388608.0 - 100.0 + i as f64;
                if i % 2 == 0 { near_tie } else { (f.uniform() * 4294967296.0).floor() }
            })?;
            Ok(Copy { x, out: f.output(to, &[200])? })
        });
        cases.push(if to == F32 { case.wgsl(Wgsl::EitherNeighbour) } else { case });
    }
    for dims in [&[][..], &[1], &[0, 4], &[7, 0], &[1, 1, 5], &[300_001]] {
        cases.push(case(format!("f32 {dims:?}"), move |f| {
            Ok(Copy { x: f.random(F32, dims)?, out: f.output(F32, dims)? })
        }));
    }
    cases.push(case("f32 → f16, long", |f| {
        Ok(Copy { x: f.random(F32, &[2, 140_000])?, out: f.output(F16, &[2, 140_000])? })
    }));
    cases.push(case("f32 → bf16 transposed [17, 40]", |f| {
        Ok(Copy { x: f.random(F32, &[40, 17])?.transpose()?, out: f.output(BF16, &[17, 40])? })
    }));
    cases.push(case("i32 backwards, every second", |f| {
        Ok(Copy { x: f.random(I32, &[5, 60])?.step(1, 58, 29, -2)?, out: f.output(I32, &[5, 29])? })
    }));
    cases.push(case("u8 broadcast", |f| {
        let shape = [4, 3, 70].as_slice().try_into()?;
        Ok(Copy { x: f.random(U8, &[3, 1])?.broadcast_to(shape)?, out: f.output(U8, &[4, 3, 70])? })
    }));
    cases.push(case("f32 permuted, into a permuted wider array", |f| {
        Ok(Copy {
            x: f.random(F32, &[5, 40, 3, 21])?.permute(&[2, 1, 0, 3])?,
            out: f.strided_output(F32, &[3, 40, 5, 21], &[1, 63, 2600, 3], 5, 14_000)?,
        })
    }));
    cases.push(case("f16 heads to the front [7, 9, 64]", |f| {
        Ok(Copy {
            x: f.random(F16, &[7, 9, 64])?.permute(&[1, 0, 2])?,
            out: f.output(F16, &[9, 7, 64])?,
        })
    }));
    for dtype in DType::BLOCKS {
        cases.push(case(format!("{dtype} rows in another order"), move |f| {
            Ok(Copy {
                x: f.random(dtype, &[3, 5, 256])?.permute(&[1, 0, 2])?,
                out: f.output(dtype, &[5, 3, 256])?,
            })
        }));
    }
    cases
}

fn case(
    name: impl Into<String>,
    make: impl Fn(&mut crate::case::Fixture<'_>) -> bessemer_core::Result<Copy> + Send + Sync + 'static,
) -> Case {
    Case::new("copy", name, Tolerance::EXACT, make)
}
