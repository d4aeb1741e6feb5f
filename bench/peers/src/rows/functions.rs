//! Functions of whole arrays: sorting, running sums, spreads, products of several, masks.

use super::Row;
use crate::{
    contest::{Against, Ours},
    numbers::{magnitude, numbers},
    report::Goal,
    timing::Timed,
};
use anyhow::Result;
use bessemer::{DType, Device};
use bessemer_array::Array;

/// From what fits into the cache of a core to what fits into none.
const SIZES: [(usize, &str); 3] = [(4 << 10, "4K"), (1 << 20, "1M"), (16 << 20, "16M")];

/// All rows of this kind.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let functions: [(&str, f64, Function, &str); 5] = [
        ("sort(a)", 1.5, |a| a.sort(0), "np.sort(a)"),
        ("cumulative_sum(a)", 1.5, |a| a.cumulative_sum(0), "np.cumsum(a)"),
        ("var(a)", 3.0, |a| a.var(.., 0.0), "np.var(a)"),
        ("std(a)", 3.0, |a| a.std(.., 0.0), "np.std(a)"),
        ("a[a > 0]", 1.0, |a| a.select(&a.gt(0.0)), "a[a > 0]"),
    ];
    for (name, goal, ours, theirs) in functions {
        rows.extend(
            SIZES.map(|(len, size)| of_one(&format!("{name}, {size}"), len, goal, ours, theirs)),
        );
    }
    rows.extend([
        einsum("ij,jk,kl->il", [&[512, 512], &[512, 512], &[512, 512]]),
        einsum("ij,jk,k->i", [&[1024, 1024], &[1024, 1024], &[1024]]),
        einsum("bij,bjk,bk->bi", [&[64, 64, 64], &[64, 64, 64], &[64, 64]]),
    ]);
    rows.extend([256, 1024, 2048].map(matmul));
    rows
}

type Function = fn(&Array) -> Array;

fn of_one(name: &str, len: usize, goal: f64, ours: Function, theirs: &'static str) -> Row {
    Row::new(name, "NumPy", Goal::AtLeast(goal), move |device: &Device| {
        let a = operand(device, 1, &[len], DType::F32)?;
        let setup = format!("a = numbers(1, {len})");
        against_numpy(move || ours(&a), setup, theirs.to_owned())
    })
}

fn einsum(subscripts: &'static str, shapes: [&'static [usize]; 3]) -> Row {
    let name = format!("einsum {subscripts}, {}", shapes[0][0]);
    Row::new(name, "NumPy, optimize=True", Goal::AtLeast(1.0), move |device: &Device| {
        let mut operands = Vec::new();
        let mut setup = String::new();
        for ((seed, shape), name) in (1..).zip(shapes).zip(["a", "b", "c"]) {
            operands.push(operand(device, seed, shape, DType::F32)?);
            setup += &format!("{name} = numbers({seed}, *{shape:?})\n");
        }
        // Once here, so that what is wrong is said.
        Array::einsum(subscripts, &operands.iter().collect::<Vec<_>>())?;
        let ours = move || {
            Array::einsum(subscripts, &operands.iter().collect::<Vec<_>>())
                .expect("it worked before")
        };
        against_numpy(ours, setup, format!("np.einsum('{subscripts}', a, b, c, optimize=True)"))
    })
}

fn matmul(size: usize) -> Row {
    let name = format!("matmul in f64, {size}×{size}");
    Row::new(name, "OpenBLAS", Goal::AtLeast(1.0), move |device: &Device| {
        let [a, b] = [1, 2].map(|seed| operand(device, seed, &[size, size], DType::F64));
        let (a, b) = (a?, b?);
        let setup =
            format!("a, b = (numbers(seed, {size}, {size}).astype(np.float64) for seed in (1, 2))");
        against_numpy(move || a.matmul(&b), setup, "a @ b".to_owned())
    })
}

fn operand(device: &Device, seed: u32, shape: &[usize], dtype: DType) -> Result<Array> {
    let values = numbers(seed, shape.iter().product());
    let array = Array::from_slice(device, &values, shape)?.astype(dtype);
    array.eval()?;
    Ok(array)
}

fn against_numpy(
    ours: impl Fn() -> Array + 'static,
    setup: String,
    statement: String,
) -> Result<Ours> {
    let magnitude = magnitude(&ours().astype(DType::F32).to_vec::<f32>()?);
    let timed = Timed::new(move || {
        ours().eval()?;
        Ok(())
    })?;
    Ok(Ours { timed, against: Against::NumPy { setup, statement, magnitude, within: 1e-3 } })
}
