//! One product of 1024 × 1024 matrices.

use crate::report::Figure;
use anyhow::Result;
use bessemer::{Batch, DType, Shape, View, ops::Matmul};
use bessemer_metal_bench::soft::{Counted, sum};
use std::path::Path;

const SIZE: usize = 1024;
const TILE: usize = 64;

pub(crate) fn figures(_: &Path) -> Result<Vec<Figure>> {
    eprintln!("matmul");
    let counted = Counted::open()?;
    let device = &counted.device;
    let matrix = || -> Result<View> {
        let bytes = SIZE * SIZE * size_of::<f32>();
        let view = View::new(&device.alloc(bytes)?, DType::F32, Shape::new(&[SIZE, SIZE])?)?;
        device.write(&view.slice()?, &vec![0; bytes])?;
        Ok(view)
    };
    let mut batch = Batch::new();
    batch.push(Matmul { a: matrix()?, b: matrix()?, out: matrix()? })?;
    device.wait(device.submit(&batch)?)?;
    let moved = sum(&counted.take(), |binding| binding.read + binding.written);
    // Each tile reads its rows of one factor and its columns of the other, and is written once.
    let tiles = (SIZE / TILE) * (SIZE / TILE);
    let perfect = tiles * (2 * TILE * SIZE + TILE * TILE) * size_of::<f32>();
    let ratio = moved as f64 / perfect as f64;
    Ok(vec![Figure::at_most("bytes moved, f32 matmul 1024³", "perfect 64 × 64 tiles", 1.1, ratio)])
}
