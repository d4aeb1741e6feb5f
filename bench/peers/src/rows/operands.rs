//! Operands and batches of rows that are made of ops rather than arrays.

use crate::numbers::numbers;
use anyhow::Result;
use bessemer::{Batch, DType, Device, Element, Shape, View};

/// An f32 view with numbers in it.
pub(super) fn floats(device: &Device, seed: u32, dims: &[usize]) -> Result<View> {
    let shape = Shape::new(dims)?;
    let values = numbers(seed, shape.elements());
    let view = View::new(&device.alloc(4 * values.len())?, DType::F32, shape)?;
    device.write(&view.slice()?, f32::as_bytes(&values))?;
    Ok(view)
}

/// What is in such a view.
pub(super) fn read(device: &Device, view: &View) -> Result<Vec<f32>> {
    let mut values = vec![0.0; view.elements()];
    device.read(&view.slice()?, f32::as_bytes_mut(&mut values))?;
    Ok(values)
}

/// A call that runs a batch.
pub(super) fn submit(device: &Device, batch: Batch) -> impl FnMut() -> Result<()> + 'static {
    let device = device.clone();
    move || {
        let ticket = device.submit(&batch)?;
        Ok(device.wait(ticket)?)
    }
}
