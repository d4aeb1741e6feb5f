//! Events and fences: order between queues, encoders and the CPU.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// A counter that only grows; CPU and command buffers signal it and wait for it.
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
    pub(crate) event: SharedEvent,
}
