//! Linear layers: one row against the time it takes to read the weights, many rows against
//! OpenBLAS on weights that are not quantised.

use super::{
    Row,
    limit::ReadAll,
    operands::{floats, read, submit},
};
use crate::{
    contest::{Against, Ours},
    numbers::{magnitude, numbers},
    report::Goal,
    timing::Timed,
};
use bessemer::{Batch, Buffer, DType, Element, Shape, View, formats, ops::Linear};
use half::f16;

const QUANTISED: [DType; 5] = [DType::Q4_0, DType::Q4_1, DType::Q8_0, DType::Q4_K, DType::Q6_K];

/// Bytes of weights that one call goes through: more than caches hold, as a model's are.
const WEIGHTS: usize = 1 << 30;

/// One row, as in decoding: bound by reading the weights.
pub(super) fn one_row() -> Vec<Row> {
    QUANTISED.into_iter().chain([DType::F16]).map(matvec).collect()
}

/// Many rows, as in reading a prompt: bound by arithmetic.
pub(super) fn many_rows() -> Vec<Row> {
    QUANTISED.into_iter().map(matmul).collect()
}

fn matvec(dtype: DType) -> Row {
    const SIZE: usize = 4096;
    let name = format!("linear, 1 row, {SIZE}×{SIZE}, {dtype}");
    Row::new(name, "reading the weights", Goal::AtLeast(0.85), move |device| {
        let one = weights(dtype, SIZE * SIZE);
        let bytes = one.len();
        let layers = WEIGHTS.div_ceil(bytes);
        let buffer = device.alloc(layers * bytes)?;
        let all = View::new(&buffer, dtype, Shape::new(&[layers * SIZE, SIZE])?)?;
        let x = floats(device, 1, &[1, SIZE])?;
        let mut batch = Batch::new();
        for layer in 0..layers {
            let weight = all.narrow(0, layer * SIZE..(layer + 1) * SIZE)?;
            device.write(&weight.slice()?, &one)?;
            let out = floats(device, 2, &[1, SIZE])?;
            batch.push(Linear { x: x.clone(), weight, bias: None, out })?;
        }
        let words = |buffer: &Buffer, count| View::new(buffer, DType::U32, Shape::new(&[count])?);
        // Pieces of a megabyte, which threads take in turn.
        let out = words(&device.alloc(4 << 10)?, 1 << 10)?;
        let mut read = Batch::new();
        read.push(ReadAll { data: words(&buffer, layers * bytes / 4)?, out })?;
        let limit = Timed::new(submit(device, read))?;
        Ok(Ours { timed: Timed::new(submit(device, batch))?, against: Against::Limit(limit) })
    })
}

fn matmul(dtype: DType) -> Row {
    const ROWS: usize = 512;
    const SIZE: usize = 2048;
    let name = format!("linear, {ROWS} rows, {SIZE}×{SIZE}, {dtype}");
    Row::new(name, "OpenBLAS in f32", Goal::AtLeast(3.0), move |device| {
        let bytes = weights(dtype, SIZE * SIZE);
        let weight = View::new(&device.alloc(bytes.len())?, dtype, Shape::new(&[SIZE, SIZE])?)?;
        device.write(&weight.slice()?, &bytes)?;
        let (x, out) = (floats(device, 1, &[ROWS, SIZE])?, floats(device, 2, &[ROWS, SIZE])?);
        let mut batch = Batch::new();
        batch.push(Linear { x, weight, bias: None, out: out.clone() })?;
        let timed = Timed::new(submit(device, batch))?;
        let magnitude = magnitude(&read(device, &out)?);
        let setup = format!(
            "x, w, y = numbers(1, {ROWS}, {SIZE}), numbers(0, {SIZE}, {SIZE}), numbers(2, {ROWS}, {SIZE})"
        );
        let statement = "np.matmul(x, w.T, out=y)".to_owned();
        // Weights of 4 bits are not the weights NumPy has, only near to them.
        Ok(Ours { timed, against: Against::NumPy { setup, statement, magnitude, within: 0.1 } })
    })
}

/// Weights as they are stored.
fn weights(dtype: DType, count: usize) -> Vec<u8> {
    let values = numbers(0, count);
    let mut bytes = vec![0; values.len() / dtype.block_len() * dtype.block_bytes()];
    if dtype == DType::F16 {
        let halves: Vec<f16> = values.into_iter().map(f16::from_f32).collect();
        bytes.copy_from_slice(f16::as_bytes(&halves));
    } else {
        formats::encode(dtype, &values, &mut bytes);
    }
    bytes
}
