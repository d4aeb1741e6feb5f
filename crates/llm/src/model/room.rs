//! Whether a model and a context fit into a device's memory: estimated before anything is allocated.

use super::Config;
use crate::{Error, Result, files::Tensors};
use bessemer_core::{DType, Device};

/// An error if there is no room for the weights of a model.
pub(super) fn for_weights(tensors: &Tensors, device: &dyn Device) -> Result<()> {
    let bytes = tensors.iter().map(|tensor| tensor.range.len()).fold(0, usize::saturating_add);
    // The CPU uses them where they are mapped; what does not fit is read anew.
    if !has_own_memory(device) {
        return Ok(());
    }
    let remedy = "use a file with fewer bits per weight, a smaller model, or the device `cpu`";
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
    // Recurrences need two snapshots, one of the empty text and one to return to when speculation
    // fails. The others are only taken where there is room. Slots per token take nothing in them.
    let snapshots = config.state_bytes(0, cache)?.saturating_mul(2);
    let state = config.state_bytes(context, cache)?.saturating_add(snapshots);
    let bytes = state.saturating_add(config.work_bytes(rows));
    let remedy = match has_own_memory(device) {
        true => "use a smaller context, a cache of q8_0, or the device `cpu`",
        false => "use a smaller context, or a cache of q8_0",
    };
    check(device, &format!("a context of {context} tokens"), bytes, remedy)
}

/// An error if there is no room for so many bytes of texts in pages.
pub(crate) fn for_pages(pages: usize, bytes: usize, device: &dyn Device) -> Result<()> {
    let remedy = "use fewer pages, or a cache of q8_0";
    check(device, &format!("{pages} pages of a KV cache"), bytes, remedy)
}

/// The bytes that a device has room for still.
pub(crate) fn free_bytes(device: &dyn Device) -> usize {
    let (info, stats) = (device.info(), device.stats());
    let adopted = if has_own_memory(device) { stats.adopted_bytes } else { 0 };
    info.memory_limit.saturating_sub(stats.pool.live_bytes.saturating_add(adopted))
}

fn check(device: &dyn Device, what: &str, bytes: usize, remedy: &str) -> Result<()> {
    let (info, stats) = (device.info(), device.stats());
    let adopted = if has_own_memory(device) { stats.adopted_bytes } else { 0 };
    let (held, limit) = (stats.pool.live_bytes + adopted, info.memory_limit);
    if held.saturating_add(bytes) <= limit {
        return Ok(());
    }
    let megabytes = |bytes: usize| format!("{:.1} MB", bytes as f64 / 1e6);
    let (needed, held, limit) = (megabytes(bytes), megabytes(held), megabytes(limit));
    let whose = if has_own_memory(device) { &info.name } else { "this machine" };
    Err(Error::NoRoom(format!(
        "{what}: {needed} do not fit into the memory of {whose}, where {held} of {limit} are in use; {remedy}"
    )))
}

/// Whether what a device uses has to lie in its memory.
fn has_own_memory(device: &dyn Device) -> bool {
    !device.info().capabilities.host_memory
}
