//! A bounded pool of device memory, written once for every device.
//!
//! Freed memory is kept in size classes and handed out again. Two limits hold at all times: the
//! bytes a device may hold in all, and how much of that may be idle (in bytes and in blocks).

use crate::{Buffer, DeviceId, Error, Memory, Result, buffer::Home};
use std::{
    any::Any,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What a pool may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLimits {
    /// Bytes in use and idle together.
    pub bytes: usize,
    /// Bytes that may lie idle.
    pub idle_bytes: usize,
    /// Pieces of memory that may lie idle.
    pub idle_buffers: usize,
}

/// What a pool holds and has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Bytes handed out and not yet returned, in whole size classes.
    pub live_bytes: usize,
    /// Pieces handed out and not yet returned.
    pub live_buffers: usize,
    /// Bytes kept for reuse.
    pub idle_bytes: usize,
    /// Pieces kept for reuse.
    pub idle_buffers: usize,
    /// The most bytes, live and idle, ever held at once.
    pub peak_bytes: usize,
    /// Times memory was taken from the system.
    pub allocations: u64,
    /// Times memory was taken from the idle ones instead.
    pub reuses: u64,
}

/// A bounded pool of memory of one device.
#[derive(Clone)]
pub struct Pool<M: Memory>(Arc<Shared<M>>);

struct Shared<M> {
    device: DeviceId,
    name: String,
    limits: PoolLimits,
    allocate: Box<dyn Fn(usize) -> Result<M> + Send + Sync>,
    state: Mutex<State<M>>,
}

struct State<M> {
    /// Idle memory by size, most recently used last.
    idle: BTreeMap<usize, Vec<Box<M>>>,
    stats: PoolStats,
}

impl<M: Memory> Pool<M> {
    /// A pool for `device`, called `name` in errors, that gets memory by `allocate`.
    pub fn new(
        device: DeviceId,
        name: impl Into<String>,
        limits: PoolLimits,
        allocate: impl Fn(usize) -> Result<M> + Send + Sync + 'static,
    ) -> Pool<M> {
        let state = State { idle: BTreeMap::new(), stats: PoolStats::default() };
        Pool(Arc::new(Shared {
            device,
            name: name.into(),
            limits,
            allocate: Box::new(allocate),
            state: Mutex::new(state),
        }))
    }

    /// A buffer of at least `bytes`, reused or new.
    pub fn take(&self, bytes: usize) -> Result<Buffer> {
        let shared = &self.0;
        let refuse = |held| Error::OutOfMemory {
            device: shared.name.clone(),
            asked: bytes,
            held,
            limit: shared.limits.bytes,
        };
        let mut state = shared.lock();
        let size = size_class(bytes).ok_or_else(|| refuse(state.stats.live_bytes))?;
        let memory = match state.reuse(size) {
            Some(memory) => memory,
            None => {
                if size > shared.limits.bytes.saturating_sub(state.stats.live_bytes) {
                    return Err(refuse(state.stats.live_bytes));
                }
                let room = shared.limits.bytes - state.stats.live_bytes - size;
                drop(state.shrink_idle(room, usize::MAX));
                // The device may have less than the limit says: others use it too.
                let memory = match (shared.allocate)(size) {
                    Err(_) if state.stats.idle_bytes > 0 => {
                        drop(state.shrink_idle(0, usize::MAX));
                        (shared.allocate)(size)?
                    }
                    other => other?,
                };
                state.stats.allocations += 1;
                Box::new(memory)
            }
        };
        state.stats.live_bytes += size;
        state.stats.live_buffers += 1;
        let held = state.stats.live_bytes + state.stats.idle_bytes;
        state.stats.peak_bytes = state.stats.peak_bytes.max(held);
        drop(state);
        let home: Arc<dyn Home> = Arc::clone(&self.0) as Arc<dyn Home>;
        Ok(Buffer::with_home(shared.device, memory, bytes, true, Some(home)))
    }

    /// Gives idle memory back to the system until at most `bytes` of it are left.
    pub fn trim(&self, bytes: usize) {
        let freed = self.0.lock().shrink_idle(bytes, usize::MAX);
        // Freed outside the lock: returning memory to the system can be slow.
        drop(freed);
    }

    /// What it holds and has done.
    pub fn stats(&self) -> PoolStats {
        self.0.lock().stats
    }
}

impl<M> Shared<M> {
    fn lock(&self) -> MutexGuard<'_, State<M>> {
        // The state is only counters and a map; a panic elsewhere leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: Memory> Home for Shared<M> {
    fn give_back(&self, memory: Box<dyn Memory>) {
        let memory: Box<dyn Any> = memory;
        let Ok(memory) = memory.downcast::<M>() else {
            return;
        };
        let size = memory.bytes();
        let mut state = self.lock();
        state.stats.live_bytes -= size;
        state.stats.live_buffers -= 1;
        state.stats.idle_bytes += size;
        state.stats.idle_buffers += 1;
        state.idle.entry(size).or_default().push(memory);
        let freed = state.shrink_idle(self.limits.idle_bytes, self.limits.idle_buffers);
        drop(state);
        drop(freed);
    }
}

impl<M: Memory> State<M> {
    fn reuse(&mut self, size: usize) -> Option<Box<M>> {
        // A list that is empty now stays: sizes come back.
        let memory = self.idle.get_mut(&size)?.pop()?;
        self.stats.idle_bytes -= size;
        self.stats.idle_buffers -= 1;
        self.stats.reuses += 1;
        Some(memory)
    }

    /// Takes idle memory out, largest first, until the rest is within both limits.
    fn shrink_idle(&mut self, bytes: usize, buffers: usize) -> Vec<Box<M>> {
        let mut freed = Vec::new();
        while self.stats.idle_bytes > bytes || self.stats.idle_buffers > buffers {
            let Some(mut entry) = self.idle.last_entry() else {
                break;
            };
            let size = *entry.key();
            if entry.get().is_empty() {
                entry.remove();
                continue;
            }
            // The least recently used of its size.
            freed.push(entry.get_mut().remove(0));
            self.stats.idle_bytes -= size;
            self.stats.idle_buffers -= 1;
        }
        freed
    }
}

/// The size that serves `bytes`: eight classes per power of two, so at most an eighth is wasted,
/// and at least 256 so that tiny buffers share one class.
fn size_class(bytes: usize) -> Option<usize> {
    if bytes <= 256 {
        return Some(256);
    }
    let step = 1usize << (bytes.ilog2() - 3);
    bytes.checked_next_multiple_of(step).filter(|&size| isize::try_from(size).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        ptr::NonNull,
        sync::atomic::{AtomicUsize, Ordering},
    };

    struct Fake(usize);

    impl Memory for Fake {
        fn bytes(&self) -> usize {
            self.0
        }

        fn host(&self) -> Option<NonNull<u8>> {
            None
        }
    }

    fn pool(bytes: usize, idle_bytes: usize, idle_buffers: usize) -> Pool<Fake> {
        let limits = PoolLimits { bytes, idle_bytes, idle_buffers };
        Pool::new(DeviceId::new(), "fake", limits, |bytes| Ok(Fake(bytes)))
    }

    #[test]
    fn a_class_wastes_at_most_an_eighth() {
        for bytes in (257..100_000).chain([1 << 30, (1 << 30) + 1]) {
            let size = size_class(bytes).unwrap();
            assert!(size >= bytes && size - bytes <= bytes / 8, "{bytes} in {size}");
        }
        assert_eq!(size_class(0), Some(256));
        assert_eq!(size_class(usize::MAX), None);
    }

    #[test]
    fn freed_memory_is_used_again() {
        let pool = pool(1 << 20, 1 << 20, 10);
        drop(pool.take(1000).unwrap());
        drop(pool.take(1001).unwrap());
        let stats = pool.stats();
        assert_eq!((stats.allocations, stats.reuses), (1, 1));
        assert_eq!((stats.live_buffers, stats.idle_buffers), (0, 1));
        pool.trim(0);
        assert_eq!(pool.stats().idle_bytes, 0);
    }

    #[test]
    fn memory_is_live_until_the_last_clone_is_gone() {
        let pool = pool(1 << 20, 1 << 20, 10);
        let first = pool.take(512).unwrap();
        let second = first.clone();
        drop(first);
        assert_eq!(pool.stats().live_buffers, 1);
        drop(second);
        assert_eq!(pool.stats().live_buffers, 0);
    }

    #[test]
    fn the_limit_is_an_error_and_idle_memory_makes_room() {
        let pool = pool(4096, 4096, 10);
        let held = pool.take(3072).unwrap();
        let error = pool.take(2048).unwrap_err().to_string();
        assert!(error.contains("2048") && error.contains("3072") && error.contains("4096"));
        drop(held);
        let _other = pool.take(2048).unwrap();
        assert!(pool.stats().idle_bytes + pool.stats().live_bytes <= 4096);
    }

    #[test]
    fn what_the_device_refuses_is_asked_for_again_without_idle_memory() {
        static HELD: AtomicUsize = AtomicUsize::new(0);
        struct Scarce(usize);
        impl Memory for Scarce {
            fn bytes(&self) -> usize {
                self.0
            }

            fn host(&self) -> Option<NonNull<u8>> {
                None
            }
        }
        impl Drop for Scarce {
            fn drop(&mut self) {
                HELD.fetch_sub(self.0, Ordering::Relaxed);
            }
        }
        let limits = PoolLimits { bytes: 1 << 20, idle_bytes: 1 << 20, idle_buffers: 10 };
        let pool = Pool::new(DeviceId::new(), "fake", limits, |bytes| {
            if HELD.load(Ordering::Relaxed) + bytes > 4096 {
                return Err(Error::view("no memory"));
            }
            HELD.fetch_add(bytes, Ordering::Relaxed);
            Ok(Scarce(bytes))
        });
        drop(pool.take(1024).unwrap());
        let held = pool.take(4096).unwrap();
        assert_eq!(pool.stats().idle_bytes, 0, "it made room");
        assert!(pool.take(256).is_err());
        assert_eq!((pool.stats().live_bytes, pool.stats().live_buffers), (4096, 1));
        drop(held);
        assert!(pool.take(256).is_ok());
    }

    #[test]
    fn idle_limits_hold_in_bytes_and_in_pieces() {
        let pool = pool(1 << 20, 2048, 2);
        let held: Vec<_> = [256, 256, 256, 1024].map(|n| pool.take(n).unwrap()).into();
        drop(held);
        assert_eq!(pool.stats().idle_buffers, 2);
        drop(pool.take(4096).unwrap());
        assert!(pool.stats().idle_bytes <= 2048);
    }
}
