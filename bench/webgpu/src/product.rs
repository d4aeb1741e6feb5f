//! Our side of products: two matrices of f32 on the WebGPU device.

use anyhow::Result;
use bessemer_core::{Batch, DType, Device, Shape, View};
use bessemer_ops::Matmul;
use std::time::Instant;

/// A product that can be taken again and again.
pub(crate) struct Product<'a> {
    device: &'a dyn Device,
    batch: Batch,
    out: View,
}

impl Product<'_> {
    /// Of two random matrices, `n` by `n`.
    pub(crate) fn new(device: &dyn Device, n: usize) -> Result<Product<'_>> {
        let matrix = || -> Result<View> {
            let buffer = device.alloc(4 * n * n)?;
            Ok(View::new(&buffer, DType::F32, Shape::new(&[n, n])?)?)
        };
        let (a, b, out) = (matrix()?, matrix()?, matrix()?);
        let mut seed = 1u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for view in [&a, &b] {
            let bytes: Vec<u8> = (0..n * n).flat_map(|_| random().to_le_bytes()).collect();
            device.write(&view.slice()?, &bytes)?;
        }
        let mut batch = Batch::new();
        batch.push(Matmul { a, b, out: out.clone() })?;
        Ok(Product { device, batch, out })
    }

    /// Seconds until one number of it is in hand, which is when all of it is there.
    pub(crate) fn take(&self) -> Result<f64> {
        let start = Instant::now();
        let _ = self.device.submit(&self.batch)?;
        let first = self.out.narrow(0, 0..1)?.narrow(1, 0..1)?;
        self.device.read(&first.slice()?, &mut [0; 4])?;
        Ok(start.elapsed().as_secs_f64())
    }
}
