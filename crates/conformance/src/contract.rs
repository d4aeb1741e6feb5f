//! Tests of the device contract beyond ops: ownership, lengths and read-only memory.

use bessemer_core::{Batch, DType, Device, Error, HostMemory, Shape, Slice, View};
use bessemer_ops::Copy;
use std::sync::Arc;

/// Holds `device` to the contract; `other` is a second device of the same kind. Gives what is
/// broken, in words.
///
/// ```
/// use bessemer_conformance::contract;
/// use bessemer_cpu::Reference;
///
/// assert_eq!(contract(&Reference::new(), &Reference::new()), Ok(()));
/// ```
pub fn contract(device: &dyn Device, other: &dyn Device) -> Result<(), String> {
    let made = |what: &str, error: Error| format!("{what}: {error}");
    let (x, out) = pair(device).map_err(|error| made("alloc", error))?;
    let (theirs, their_out) = pair(other).map_err(|error| made("alloc on the other", error))?;
    let (slice, strange) = (all(&x), all(&theirs));
    let bytes: Vec<u8> = (0..BYTES as u8).collect();

    device.write(&slice, &bytes).map_err(|error| made("write", error))?;
    refused("a write of too few bytes", device.write(&slice, &bytes[1..]), is_view)?;
    refused("a read of too many bytes", device.read(&slice, &mut [0; BYTES + 1]), is_view)?;
    refused("a write to another device", device.write(&strange, &bytes), is_strange)?;
    refused("a read from another device", device.read(&strange, &mut [0; BYTES]), is_strange)?;

    let host = HostMemory::new(Arc::new(bytes.clone()));
    let adopted = device.adopt(host).map_err(|error| made("adopt", error))?;
    let adopted = Slice::all(&adopted);
    refused("a write to adopted memory", device.write(&adopted, &bytes), is_output)?;
    holds("adopted memory", device, &adopted, &bytes)?;

    let mixed = Batch::new().push(Copy { x: x.clone(), out: their_out.clone() });
    refused("an op on two devices", mixed, is_strange)?;
    let mut batch = Batch::new();
    let copy = Copy { x: theirs.clone(), out: their_out.clone() };
    batch.push(copy).map_err(|error| made("push", error))?;
    refused("a batch of another device", device.submit(&batch).map(drop), is_strange)?;
    // The same again after its own device has taken it, and may have kept something with it.
    other.write(&strange, &bytes).map_err(|error| made("write", error))?;
    run(other, &batch)?;
    refused("a batch that another device ran", device.submit(&batch).map(drop), is_strange)?;
    device.encode_ahead(&batch);
    holds("the other device's copy", other, &all(&their_out), &bytes)?;

    // After all that, the device still works.
    let mut batch = Batch::new();
    batch.push(Copy { x, out: out.clone() }).map_err(|error| made("push", error))?;
    run(device, &batch)?;
    run(device, &batch)?;
    holds("a copy", device, &all(&out), &bytes)
}

const BYTES: usize = 64;

fn pair(device: &dyn Device) -> bessemer_core::Result<(View, View)> {
    let view = || View::new(&device.alloc(BYTES)?, DType::F32, Shape::new(&[BYTES / 4])?);
    Ok((view()?, view()?))
}

fn all(view: &View) -> Slice {
    Slice::all(view.buffer())
}

fn run(device: &dyn Device, batch: &Batch) -> Result<(), String> {
    let done = device.submit(batch).and_then(|ticket| device.wait(ticket));
    done.map_err(|error| format!("submit: {error}"))
}

fn holds(what: &str, device: &dyn Device, slice: &Slice, bytes: &[u8]) -> Result<(), String> {
    let mut found = vec![0; bytes.len()];
    device.read(slice, &mut found).map_err(|error| format!("{what}: {error}"))?;
    if found == bytes { Ok(()) } else { Err(format!("{what}: {found:?} instead of {bytes:?}")) }
}

fn refused(
    what: &str,
    result: bessemer_core::Result<()>,
    expected: fn(&Error) -> bool,
) -> Result<(), String> {
    match result {
        Ok(()) => Err(format!("{what} is accepted")),
        Err(error) if expected(&error) => Ok(()),
        Err(error) => Err(format!("{what} is refused for another reason: {error}")),
    }
}

fn is_view(error: &Error) -> bool {
    matches!(error, Error::View(_))
}

fn is_strange(error: &Error) -> bool {
    matches!(error, Error::OtherDevice { .. })
}

fn is_output(error: &Error) -> bool {
    matches!(error, Error::Output { .. })
}
