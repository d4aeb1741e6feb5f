//! Events and fences: order between queues, encoders and the CPU.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// A counter that only grows; CPU and command buffers signal it and wait for it.
///
/// ```
/// use softmetal::Device;
/// use std::time::Duration;
///
/// let event = Device::open()?.new_shared_event();
/// event.set_signaled_value(2);
/// assert!(event.wait_until_signaled_value(1, Duration::ZERO));
/// assert!(!event.wait_until_signaled_value(3, Duration::ZERO));
/// # Ok::<(), softmetal::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct SharedEvent {
    inner: Arc<(Mutex<u64>, Condvar)>,
}

impl SharedEvent {
    /// The value last signalled.
    pub fn signaled_value(&self) -> u64 {
        *self.inner.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Signals a value; a smaller one than before changes nothing.
    pub fn set_signaled_value(&self, value: u64) {
        let mut now = self.inner.0.lock().unwrap_or_else(|e| e.into_inner());
        *now = (*now).max(value);
        self.inner.1.notify_all();
    }

    /// Signals the next value.
    pub(crate) fn raise(&self) {
        *self.inner.0.lock().unwrap_or_else(|e| e.into_inner()) += 1;
        self.inner.1.notify_all();
    }

    /// Whether both are the same event.
    pub(crate) fn is(&self, other: &SharedEvent) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Waits for a value; false when the time was not enough.
    pub fn wait_until_signaled_value(&self, value: u64, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut now = self.inner.0.lock().unwrap_or_else(|e| e.into_inner());
        while *now < value {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            now = self.inner.1.wait_timeout(now, left).unwrap_or_else(|e| e.into_inner()).0;
        }
        true
    }
}

/// Order between encoders: one updates it, later ones wait for it.
#[derive(Clone, Default)]
pub struct Fence {
    /// How many updates have been run.
    pub(crate) event: SharedEvent,
    /// How many have been committed.
    committed: Arc<AtomicU64>,
}

impl Fence {
    /// An update is committed.
    pub(crate) fn commit_update(&self) {
        self.committed.fetch_add(1, Ordering::SeqCst);
    }

    /// What a wait that is committed now waits for: every update before it. Where there is none,
    /// it waits for nothing.
    pub(crate) fn awaited(&self) -> u64 {
        self.committed.load(Ordering::SeqCst)
    }

    /// An update is run.
    pub(crate) fn update(&self) {
        self.event.raise();
    }
}
