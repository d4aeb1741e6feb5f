//! Checks shared by all devices: memory of another device, lengths that differ, and writes to read-only
//! memory. `bessemer-conformance` has the test that all devices pass.

use crate::{Batch, Buffer, DeviceId, Error, Result, Slice};

/// Refuses a buffer that belongs to another device than `device`.
pub fn owned(device: DeviceId, op: &'static str, buffer: &Buffer) -> Result<()> {
    if buffer.device() == device {
        return Ok(());
    }
    Err(Error::OtherDevice { op, buffer: buffer.id() })
}

/// Refuses a batch whose buffers belong to another device than `device`. [`Batch::push`] sees to it
/// that all of them belong to the same one, so looking at the first is enough.
pub fn submittable(device: DeviceId, batch: &Batch) -> Result<()> {
    for step in batch.steps() {
        if let Some(view) = step.access.views().next() {
            return owned(device, step.op.name(), view.buffer());
        }
    }
    Ok(())
}

/// Refuses to read `src` into `bytes` bytes of the host.
pub fn readable(device: DeviceId, src: &Slice, bytes: usize) -> Result<()> {
    transferable(device, "read", src, bytes)
}

/// Refuses to write `bytes` bytes of the host to `dst`.
pub fn writable(device: DeviceId, dst: &Slice, bytes: usize) -> Result<()> {
    transferable(device, "write", dst, bytes)?;
    if dst.buffer().is_writable() {
        return Ok(());
    }
    Err(Error::Output { op: "write", why: format!("the buffer is read-only ({:?})", dst.buffer()) })
}

fn transferable(device: DeviceId, op: &'static str, slice: &Slice, bytes: usize) -> Result<()> {
    owned(device, op, slice.buffer())?;
    if slice.bytes() == bytes {
        return Ok(());
    }
    let (there, buffer) = (slice.bytes(), slice.buffer());
    Err(Error::view(format!(
        "{op}: the slice has {there} bytes, but {bytes} are given ({buffer:?})"
    )))
}
