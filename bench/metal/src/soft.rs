//! Metal in software, with an eye on what it does.

use anyhow::Result;
use bessemer::core;
use bessemer_metal::{
    Metal, MetalOptions,
    hal::soft::{Counters, Observer, Soft, SoftOptions, Traffic},
};
use std::sync::{Arc, Mutex, PoisonError};

/// A device whose every dispatch is checked and counted.
pub struct Counted {
    /// The device.
    pub device: Arc<dyn core::Device>,
    dispatches: Arc<Mutex<Vec<Counters>>>,
}

impl Counted {
    /// Opens one.
    pub fn open() -> Result<Counted> {
        let dispatches = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&dispatches);
        let observer = Observer::new(move |counters| {
            log.lock().unwrap_or_else(PoisonError::into_inner).push(counters.clone());
        });
        let soft = SoftOptions { checked: true, observer: Some(observer), ..Default::default() };
        let device = Metal::open_soft(&MetalOptions::default(), &soft)?;
        Ok(Counted { device: Arc::new(device), dispatches })
    }

    /// What was dispatched since it was last asked.
    pub fn take(&self) -> Vec<Counters> {
        std::mem::take(&mut *self.dispatches.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A device at full speed.
pub fn fast() -> Result<Arc<Metal<Soft>>> {
    let opened = Metal::open_soft(&MetalOptions::default(), &SoftOptions::default());
    Ok(Arc::new(opened?))
}

/// The buffers of a dispatch. The numbers of a launch, `p` in every kernel, are none: they come with
/// the command, and a GPU keeps them in registers.
pub fn buffers(dispatch: &Counters) -> impl Iterator<Item = &Traffic> {
    dispatch.bindings.iter().filter(|binding| !binding.name.contains("'p'"))
}

/// Sums something over the buffers of dispatches.
pub fn sum(dispatches: &[Counters], of: impl Fn(&Traffic) -> u64) -> u64 {
    dispatches.iter().flat_map(buffers).map(of).sum()
}

/// Whether a binding is the matrix of a linear layer.
pub fn is_matrix(kernel: &str, binding: &Traffic) -> bool {
    kernel.starts_with("linear_") && binding.name.contains("'weight")
}
