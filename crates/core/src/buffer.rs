//! Device memory and its lifetime.

use crate::{DeviceId, Error, Result};
use std::{
    any::Any,
    fmt,
    fs::File,
    ops::Range,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A piece of memory as its device keeps it: what a [`Buffer`] is a handle to.
pub trait Memory: Any + Send + Sync {
    /// Its size.
    fn bytes(&self) -> usize;

    /// Where the CPU can reach it, if it can. The address stays valid, and all its bytes
    /// initialised, for as long as the memory lives.
    fn host(&self) -> Option<NonNull<u8>>;
}

/// Takes memory back when the last handle to it is gone.
pub(crate) trait Home: Send + Sync {
    fn give_back(&self, memory: Box<dyn Memory>);
}

/// A handle to device memory. Clones share it; it is freed, or returned to its pool, when the
/// last one is dropped. A submission keeps clones of what it uses until it is done.
///
/// ```
/// use bessemer_core::Device;
///
/// let device = bessemer_cpu::Reference::new();
/// let buffer = device.alloc(100)?;
/// assert_eq!(buffer.bytes(), 100);
/// assert_eq!(device.stats().pool.live_buffers, 1);
/// drop(buffer);
/// assert_eq!(device.stats().pool.live_buffers, 0);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Buffer(Arc<Inner>);

struct Inner {
    id: u64,
    device: DeviceId,
    bytes: usize,
    writable: bool,
    /// `None` only while being dropped.
    memory: Option<Box<dyn Memory>>,
    home: Option<Arc<dyn Home>>,
}

impl Buffer {
    /// A buffer of the first `bytes` of `memory`, owned by `device` and freed when done.
    ///
    /// # Panics
    /// If the memory is smaller.
    pub fn new(device: DeviceId, memory: Box<dyn Memory>, bytes: usize, writable: bool) -> Buffer {
        Buffer::with_home(device, memory, bytes, writable, None)
    }

    pub(crate) fn with_home(
        device: DeviceId,
        memory: Box<dyn Memory>,
        bytes: usize,
        writable: bool,
        home: Option<Arc<dyn Home>>,
    ) -> Buffer {
        assert!(bytes <= memory.bytes(), "a buffer of {bytes} in {} bytes", memory.bytes());
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Buffer(Arc::new(Inner { id, device, bytes, writable, memory: Some(memory), home }))
    }

    /// A number no other buffer of this process has.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// The device it belongs to.
    pub fn device(&self) -> DeviceId {
        self.0.device
    }

    /// Whether ops may write to it; adopted memory is read-only.
    pub fn is_writable(&self) -> bool {
        self.0.writable
    }

    /// Whether both are handles to the same memory.
    pub fn is(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether this is the only handle to its memory.
    ///
    /// ```
    /// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
    /// # let device = bessemer_cpu::Reference::new();
    /// let buffer = device.alloc(16)?;
    /// let same = buffer.clone();
    /// assert!(buffer.is(&same) && !buffer.is_unique());
    /// drop(same);
    /// assert!(buffer.is_unique());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn is_unique(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// The memory as the device that made it knows it; `None` if another kind made it.
    pub fn memory<M: Memory>(&self) -> Option<&M> {
        let memory: &dyn Any = self.dyn_memory();
        memory.downcast_ref()
    }

    /// Where the CPU can reach it, if it can.
    pub fn host(&self) -> Option<NonNull<u8>> {
        self.dyn_memory().host()
    }

    fn dyn_memory(&self) -> &dyn Memory {
        self.0.memory.as_deref().expect("a live buffer has its memory")
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let (Some(home), Some(memory)) = (&self.home, self.memory.take()) {
            home.give_back(memory);
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer {} ({} bytes on {:?})", self.id(), self.bytes(), self.device())
    }
}

/// A range of bytes of a buffer: what is copied in and out of a device.
///
/// ```
/// use bessemer_core::{Device, Slice};
///
/// let device = bessemer_cpu::Reference::new();
/// let buffer = device.alloc(8)?;
/// device.write(&Slice::all(&buffer), &[0; 8])?;
/// device.write(&Slice::new(&buffer, 2..4)?, b"ab")?;
/// let mut bytes = [0; 8];
/// device.read(&Slice::all(&buffer), &mut bytes)?;
/// assert_eq!(&bytes, b"\0\0ab\0\0\0\0");
/// assert!(Slice::new(&buffer, 6..10).is_err());
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Slice {
    buffer: Buffer,
    range: Range<usize>,
}

impl Slice {
    /// The bytes `range` of `buffer`, which must lie within it.
    pub fn new(buffer: &Buffer, range: Range<usize>) -> Result<Slice> {
        if range.start > range.end || range.end > buffer.bytes() {
            return Err(Error::view(format!(
                "slice: bytes {}..{} are out of range ({buffer:?})",
                range.start, range.end
            )));
        }
        Ok(Slice { buffer: buffer.clone(), range })
    }

    /// The whole of `buffer`.
    pub fn all(buffer: &Buffer) -> Slice {
        Slice { buffer: buffer.clone(), range: 0..buffer.bytes() }
    }

    /// The buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The bytes of the buffer.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// How many bytes.
    pub fn bytes(&self) -> usize {
        self.range.len()
    }
}

/// Memory of the host that a device may use in place: a mapped file, usually.
///
/// ```
/// use bessemer_core::{Device, HostMemory};
/// use std::sync::Arc;
///
/// let device = bessemer_cpu::Reference::new();
/// let memory = HostMemory::new(Arc::new(vec![1u8, 2, 3, 4]));
/// let buffer = device.adopt(memory.slice(1..3)?)?;
/// assert_eq!(buffer.bytes(), 2);
/// assert!(!buffer.is_writable());
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone)]
pub struct HostMemory {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    /// What `owner` maps.
    file: Option<Arc<File>>,
    range: Range<usize>,
}

impl HostMemory {
    /// All bytes of `owner`, which must always give the same ones.
    pub fn new(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> HostMemory {
        let range = 0..(*owner).as_ref().len();
        HostMemory { owner, file: None, range }
    }

    /// The same for a file: `owner` maps it from its first byte on. A device may rather read the
    /// bytes from the file than use the map.
    pub fn mapped(owner: Arc<dyn AsRef<[u8]> + Send + Sync>, file: File) -> HostMemory {
        HostMemory { file: Some(Arc::new(file)), ..HostMemory::new(owner) }
    }

    /// Some of its bytes.
    pub fn slice(&self, range: Range<usize>) -> Result<HostMemory> {
        if range.start > range.end || range.end > self.range.len() {
            return Err(Error::view(format!(
                "slice: bytes {}..{} are out of range for {} bytes of host memory",
                range.start,
                range.end,
                self.range.len()
            )));
        }
        let start = self.range.start;
        Ok(HostMemory {
            owner: Arc::clone(&self.owner),
            file: self.file.clone(),
            range: start + range.start..start + range.end,
        })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &(*self.owner).as_ref()[self.range.clone()]
    }

    /// The file that the bytes are from, and where in it they begin.
    pub fn file(&self) -> Option<(&File, u64)> {
        self.file.as_deref().map(|file| (file, self.range.start as u64))
    }
}

impl Memory for HostMemory {
    fn bytes(&self) -> usize {
        self.range.len()
    }

    fn host(&self) -> Option<NonNull<u8>> {
        NonNull::new(HostMemory::bytes(self).as_ptr().cast_mut())
    }
}

impl fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostMemory ({} bytes)", self.range.len())
    }
}
