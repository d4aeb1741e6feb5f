//! Whether a model and a text fit into the memory of a GPU: estimated before anything is taken. What
//! the CPU uses is mapped, and its pool has a limit of its own.

use super::Config;
use crate::{Error, Result, files::Tensors};
use bessemer_core::{DType, Device, DeviceKind};

/// An error if there is no room for the weights of a model.
pub(super) fn for_weights(tensors: &Tensors, device: &dyn Device) -> Result<()> {
    let bytes = tensors.iter().map(|tensor| tensor.range.len()).fold(0, usize::saturating_add);
    let remedy = "take a file with fewer bits per weight, a smaller model, or the device `cpu`";
    check(device, "the weights", bytes, remedy)
}

/// An error if there is no room for a text of `context` tokens, of which `rows` go through the model
/// at once.
pub(crate) fn for_text(
    config: &Config,
    context: usize,
    cache: DType,
    rows: usize,
    device: &dyn Device,
) -> Result<()> {
    let bytes = config.cache_bytes(context, cache)?.saturating_add(config.work_bytes(rows));
    let remedy = "open a smaller context, keep keys and values as q8_0, or take the device `cpu`";
    check(device, &format!("a context of {context} tokens"), bytes, remedy)
}

fn check(device: &dyn Device, what: &str, bytes: usize, remedy: &str) -> Result<()> {
    let info = device.info();
    if !matches!(info.kind, DeviceKind::Metal | DeviceKind::WebGpu) {
        return Ok(());
    }
    let stats = device.stats();
    let (held, limit) = (stats.pool.live_bytes + stats.adopted_bytes, info.memory_limit);
    if held.saturating_add(bytes) <= limit {
        return Ok(());
    }
    let megabytes = |bytes: usize| format!("{:.1} MB", bytes as f64 / 1e6);
    let (needed, held, limit) = (megabytes(bytes), megabytes(held), megabytes(limit));
    Err(Error::NoRoom(format!(
        "{what} would take {needed} of {}, where {held} of {limit} are in use: {remedy}",
        info.name
    )))
}
