//! Products of square f32 matrices against OpenBLAS, into a matrix that is there already.

use super::{
    Row,
    operands::{floats, read, submit},
};
use crate::{
    contest::{Against, Ours},
    numbers::magnitude,
    report::Goal,
    timing::Timed,
};
use bessemer::{Batch, ops::Matmul};

/// All rows of this kind.
pub(super) fn rows() -> Vec<Row> {
    [256, 1024, 2048].map(row).into()
}

fn row(size: usize) -> Row {
    let name = format!("matmul, {size}×{size}");
    Row::new(name, "OpenBLAS", Goal::AtLeast(1.05), move |device| {
        let operand = |seed| floats(device, seed, &[size, size]);
        let (a, b, out) = (operand(1)?, operand(2)?, operand(3)?);
        let mut batch = Batch::new();
        batch.push(Matmul { a, b, out: out.clone() })?;
        let timed = Timed::new(submit(device, batch))?;
        let magnitude = magnitude(&read(device, &out)?);
        let setup = format!("a, b, c = (numbers(seed, {size}, {size}) for seed in (1, 2, 3))");
        let statement = "np.matmul(a, b, out=c)".to_owned();
        Ok(Ours { timed, against: Against::NumPy { setup, statement, magnitude, within: 1e-3 } })
    })
}
