//! The memory of a CPU device: what both devices here share.

use crate::memory::HostBytes;
use bessemer_core::{
    Buffer, DeviceId, HostMemory, Memory, Pool, PoolLimits, PoolStats, Result, Slice, contract,
};
use std::{
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Buffers of one device, on the host.
pub(crate) struct Store {
    id: DeviceId,
    name: String,
    pool: Pool<HostBytes>,
    adopted: Arc<AtomicUsize>,
}

/// What adopted memory must be a multiple of to be used in place.
const ADOPTED_ALIGNMENT: usize = 16;

impl Store {
    pub(crate) fn new(id: DeviceId, name: &str, limit: usize) -> Store {
        // Idle memory is cheap to keep: untouched pages cost nothing, and getting new ones from
        // the system (a page fault each) costs more than most ops.
        let limits = PoolLimits { bytes: limit, idle_bytes: limit / 4, idle_buffers: 256 };
        let device = name.to_owned();
        let pool = Pool::new(id, name, limits, move |bytes| HostBytes::new(&device, bytes));
        Store { id, name: name.to_owned(), pool, adopted: Arc::default() }
    }

    pub(crate) fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.pool.take(bytes)
    }

    /// Memory of the host in place, or copied if vectors would not like where it is.
    pub(crate) fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        if host.bytes().as_ptr().addr().is_multiple_of(ADOPTED_ALIGNMENT) {
            return Ok(self.keep(host));
        }
        let mut copy = HostBytes::new(&self.name, host.bytes().len())?;
        copy.as_mut().copy_from_slice(host.bytes());
        Ok(self.keep(copy))
    }

    /// A read-only buffer of memory from elsewhere than the pool.
    pub(crate) fn keep(&self, memory: impl Memory) -> Buffer {
        let bytes = memory.bytes();
        let adopted = Adopted::new(memory, &self.adopted);
        Buffer::new(self.id, Box::new(adopted), bytes, false)
    }

    /// # Safety
    /// No op may run meanwhile.
    pub(crate) unsafe fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        contract::writable(self.id, dst, bytes.len())?;
        // SAFETY: a slice lies within its buffer, and nobody else uses it now.
        unsafe { address(dst).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// # Safety
    /// No op may run meanwhile.
    pub(crate) unsafe fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        contract::readable(self.id, src, out.len())?;
        // SAFETY: as in `write`.
        unsafe { address(src).copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    pub(crate) fn pool_stats(&self) -> PoolStats {
        self.pool.stats()
    }

    pub(crate) fn adopted_bytes(&self) -> usize {
        self.adopted.load(Ordering::Relaxed)
    }

    pub(crate) fn trim(&self) {
        self.pool.trim(0);
    }
}

fn address(slice: &Slice) -> *mut u8 {
    let host = slice.buffer().host().expect("buffers of this device are on the host");
    // SAFETY: a slice lies within its buffer.
    unsafe { host.as_ptr().add(slice.range().start) }
}

/// Memory of the host, counted while it is in use.
struct Adopted<M: Memory> {
    memory: M,
    total: Arc<AtomicUsize>,
}

impl<M: Memory> Adopted<M> {
    fn new(memory: M, total: &Arc<AtomicUsize>) -> Adopted<M> {
        total.fetch_add(memory.bytes(), Ordering::Relaxed);
        Adopted { memory, total: Arc::clone(total) }
    }
}

impl<M: Memory> Memory for Adopted<M> {
    fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    fn host(&self) -> Option<NonNull<u8>> {
        self.memory.host()
    }
}

impl<M: Memory> Drop for Adopted<M> {
    fn drop(&mut self) {
        self.total.fetch_sub(self.memory.bytes(), Ordering::Relaxed);
    }
}
