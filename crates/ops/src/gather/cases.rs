//! Conformance cases.

use super::Gather;
use crate::case::{Case, Fixture, Tolerance};
use bessemer_core::{
    DType::{self, BF16, F16, F32, I32, I64, Q8_0, U32},
    Result, View,
};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in DType::PLAIN {
        cases.push(rows(dtype, dtype, [11, 37], I32));
        cases.push(taken(dtype, &[4, 9, 5], &[3], 1));
        cases.push(taken(dtype, &[4, 9], &[2, 3], 1));
    }
    for dtype in DType::BLOCKS {
        cases.push(rows(dtype, F32, [7, 256], U32));
        cases.push(rows(dtype, F16, [7, 512], I32));
    }
    cases.push(rows(Q8_0, F32, [300, 576], U32));
    cases.push(rows(Q8_0, F32, [9, 96], U32).quick());
    cases.push(rows(F16, F32, [9, 64], U32).quick());
    cases.push(rows(F32, BF16, [9, 257], I32));
    cases.push(rows(F32, F32, [9, 37], I64));
    cases.push(case("i64 of many bits, at i64", |f| {
        let table = f.integers(I64, &[5, 3], |f, _| f.uniform().to_bits() << 3)?;
        let far = [4, u64::MAX, 5, 1 << 32, (-5i64) as u64, (-6i64) as u64, 1 << 63, u64::MAX >> 1];
        let indices = f.integers(I64, &[8], |_, i| far[i])?;
        Ok((table, indices, 0, f.output(I64, &[8, 3])?))
    }));
    cases.push(rows(F32, F32, [5, 1], I32));
    cases.push(rows(F32, F32, [5, 0], I32));
    cases.push(rows(F32, F32, [0, 5], I32));
    cases.push(taken(F32, &[6, 130], &[], 0));
    cases.push(taken(F32, &[6, 130], &[], 1));
    cases.push(taken(F32, &[6, 130], &[0], 0));
    cases.push(taken(F32, &[6, 130], &[0], 1));
    cases.push(taken(F32, &[6], &[2, 0], 0));
    cases.push(taken(F32, &[3, 4, 5, 6], &[2, 2], 2));
    cases.push(case("i32 of many bits", |f| {
        let table = f.operand(I32, &[4, 3], |f, _| (f.uniform() * 2e9).floor())?;
        Ok((table, f.values(U32, &[2], &[3.0, 1.0])?, 0, f.output(I32, &[2, 3])?))
    }));
    cases.push(case("f32 of a transposed table, at strided indices", |f| {
        let table = f.random(F32, &[20, 8])?.transpose()?;
        let indices = f.operand(I32, &[2, 6], |_, i| i as f64 - 3.0)?.transpose()?;
        Ok((table, indices, 0, f.output(F32, &[6, 2, 40])?.step(2, 0, 20, 2)?))
    }));
    cases
}

fn rows(table: DType, out: DType, dims: [usize; 2], index: DType) -> Case {
    case(format!("{table} {dims:?} → {out} at {index}"), move |f| {
        let table = f.random(table, &dims)?;
        let indices = indices(f, index, &[6], dims[0])?;
        Ok((table, indices, 0, f.output(out, &[6, dims[1]])?))
    })
}

fn taken(dtype: DType, dims: &'static [usize], picked: &'static [usize], axis: usize) -> Case {
    case(format!("{dtype} {dims:?} at {picked:?} along {axis}"), move |f| {
        let table = f.random(dtype, dims)?;
        let indices = indices(f, I32, picked, dims[axis])?;
        let shape = [&dims[..axis], picked, &dims[axis + 1..]].concat();
        Ok((table, indices, axis, f.output(dtype, &shape)?))
    })
}

/// Inside and outside of a table of `len`.
fn indices(f: &mut Fixture<'_>, dtype: DType, dims: &[usize], len: usize) -> Result<View> {
    let last = len as f64;
    let some = match dtype {
        I32 | I64 => [last - 1.0, 0.0, -1.0, -last, last, -last - 1.0],
        _ => [last - 1.0, 0.0, last, last / 2.0, 4294967295.0, 2147483648.0],
    };
    f.operand(dtype, dims, |_, i| {
        some[i % 6].floor().max(if dtype == U32 { 0.0 } else { f64::MIN })
    })
}

fn case(
    name: impl Into<String>,
    make: impl Fn(&mut Fixture<'_>) -> Result<(View, View, usize, View)> + Send + Sync + 'static,
) -> Case {
    Case::new("gather", name, Tolerance::EXACT, move |f| {
        let (table, indices, axis, out) = make(f)?;
        Ok(Gather { table, indices, axis, out })
    })
}
