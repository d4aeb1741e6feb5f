//! How much memory a device has, and how much of it is in use.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Memory that buffers are made of, with or without a limit. Clones share it, so who holds one sees
/// what a device has taken of it.
///
/// ```
/// use softmetal::{Device, DeviceOptions, Memory, StorageMode};
/// # fn main() -> softmetal::Result<()> {
/// let memory = Memory::limited(1 << 20);
/// let device = Device::with_options(DeviceOptions { memory: memory.clone(), ..Default::default() })?;
/// let buffer = device.new_buffer(1 << 19, StorageMode::Shared)?;
/// assert_eq!(memory.used(), 1 << 19);
/// assert!(device.new_buffer(1 << 20, StorageMode::Shared).is_err());
/// drop(buffer);
/// assert_eq!(memory.used(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Memory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limit: AtomicUsize,
    used: AtomicUsize,
}

impl Default for Memory {
    fn default() -> Self {
        Memory::limited(usize::MAX)
    }
}

impl Memory {
    /// Memory of so many bytes.
    pub fn limited(bytes: usize) -> Memory {
        Memory(Arc::new(Inner { limit: AtomicUsize::new(bytes), used: AtomicUsize::new(0) }))
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Another limit, from now on: as if somebody else took memory, or gave it back. What is in use
    /// stays.
    pub fn limit(&self, bytes: usize) {
        self.0.limit.store(bytes, Ordering::Relaxed);
    }

    /// Some of it, if there is enough left; if not, why.
    pub(crate) fn take(&self, bytes: usize) -> Result<Taken, String> {
        let limit = self.0.limit.load(Ordering::Relaxed);
        let fits = |held: usize| held.checked_add(bytes).filter(|&all| all <= limit);
        match self.0.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Ok(Taken { memory: self.clone(), bytes }),
            Err(held) => Err(format!("{held} of {limit} bytes are in use")),
        }
    }
}

/// Memory that is given back when this is dropped.
pub(crate) struct Taken {
    memory: Memory,
    bytes: usize,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.memory.0.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
