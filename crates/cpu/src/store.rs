//! The memory of a CPU device: what both devices here share.

use crate::memory::HostBytes;
use bessemer_core::{
    Batch, Buffer, DeviceId, Error, HostMemory, Pool, PoolLimits, PoolStats, Result, Slice,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
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

    pub(crate) fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        let bytes = host.bytes().len();
        let address = host.bytes().as_ptr().addr();
        if address.is_multiple_of(ADOPTED_ALIGNMENT) {
            let adopted = Adopted::new(host, &self.adopted);
            return Ok(Buffer::new(self.id, Box::new(adopted), bytes, false));
        }
        let copy = HostBytes::new(&self.name, bytes)?;
        // SAFETY: both are `bytes` long, and `copy` is new.
        unsafe {
            let first = bessemer_core::Memory::host(&copy).expect("it is on the host").as_ptr();
            first.copy_from_nonoverlapping(host.bytes().as_ptr(), bytes);
        }
        Ok(Buffer::new(self.id, Box::new(copy), bytes, false))
    }

    /// # Safety
    /// No op may run meanwhile.
    pub(crate) unsafe fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        self.owns("write", dst.buffer())?;
        same_length("write", dst, bytes.len())?;
        if !dst.buffer().is_writable() {
            let why = format!("{:?} is read-only memory", dst.buffer());
            return Err(Error::Output { op: "write", why });
        }
        // SAFETY: a slice lies within its buffer, and nobody else uses it now.
        unsafe { address(dst).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// # Safety
    /// No op may run meanwhile.
    pub(crate) unsafe fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        self.owns("read", src.buffer())?;
        same_length("read", src, out.len())?;
        // SAFETY: as in `write`.
        unsafe { address(src).copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    /// Whether all of a batch is this device's.
    pub(crate) fn owns_all(&self, batch: &Batch) -> Result<()> {
        for step in batch.steps() {
            for view in step.access.views() {
                self.owns(step.op.name(), view.buffer())?;
            }
        }
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

    fn owns(&self, op: &'static str, buffer: &Buffer) -> Result<()> {
        if buffer.device() == self.id {
            return Ok(());
        }
        Err(Error::OtherDevice { op, buffer: buffer.id() })
    }
}

fn same_length(op: &str, slice: &Slice, bytes: usize) -> Result<()> {
    if slice.bytes() == bytes {
        return Ok(());
    }
    Err(Error::view(format!(
        "{op}: {} bytes of {:?} against {bytes}",
        slice.bytes(),
        slice.buffer()
    )))
}

fn address(slice: &Slice) -> *mut u8 {
    let host = slice.buffer().host().expect("buffers of this device are on the host");
    // SAFETY: a slice lies within its buffer.
    unsafe { host.as_ptr().add(slice.range().start) }
}

/// Memory of the host, counted while it is in use.
struct Adopted {
    host: HostMemory,
    total: Arc<AtomicUsize>,
}

impl Adopted {
    fn new(host: HostMemory, total: &Arc<AtomicUsize>) -> Adopted {
        total.fetch_add(host.bytes().len(), Ordering::Relaxed);
        Adopted { host, total: Arc::clone(total) }
    }
}

impl bessemer_core::Memory for Adopted {
    fn bytes(&self) -> usize {
        self.host.bytes().len()
    }

    fn host(&self) -> Option<std::ptr::NonNull<u8>> {
        bessemer_core::Memory::host(&self.host)
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        self.total.fetch_sub(self.host.bytes().len(), Ordering::Relaxed);
    }
}
