//! Copies on Metal: maps of programs that convert. Blocks are copied as the bytes they are.

use super::program;
use bessemer_core::{
    DType, DeviceKind, Operation, Result, Shape, Strides, View,
    gpu::{GpuTraits, Launches},
};

/// The launches that copy `x` to `out`, of one shape.
pub(crate) fn copy(x: &View, out: &View, gpu: &GpuTraits) -> Result<Launches> {
    let (x, out) = match x.dtype().is_block() {
        true if x.elements() == 0 => return Ok(Launches::default()),
        true => (bytes(x)?, bytes(out)?),
        false => (x.clone(), out.clone()),
    };
    program::map(&x, &out, DeviceKind::Metal)?.metal(gpu)
}

/// A view of blocks as the bytes they are.
fn bytes(view: &View) -> Result<View> {
    let dtype = view.dtype();
    let (len, bytes) = (dtype.block_len(), dtype.block_bytes());
    let last = view.shape().rank() - 1;
    let mut sizes = view.shape().to_vec();
    sizes[last] = sizes[last] / len * bytes;
    let steps = view.strides().iter().enumerate().map(|(axis, &step)| match axis == last {
        true => 1,
        false => step / len as isize * bytes as isize,
    });
    let steps: Vec<isize> = steps.collect();
    let (shape, strides) = (Shape::new(&sizes)?, Strides::new(&steps)?);
    View::at(view.buffer(), DType::U8, shape, strides, view.offset())
}
