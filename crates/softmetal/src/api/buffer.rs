//! Buffers: memory with a storage mode, shared between CPU and kernels.

use super::Device;
use super::command_buffer::Inner as CommandInner;
use super::device::DeviceInner;
use super::memory::Taken;
use crate::check::{Kind, Report, Shadow, Side};
use crate::error::{Error, Result, invalid};
use std::alloc::Layout;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// Where a buffer's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageMode {
    /// CPU and GPU share it.
    Shared,
    /// The GPU alone has it; what was never written there is garbage.
    Private,
    /// Each has a copy. Here there is one, as on Apple's own GPUs.
    Managed,
}

pub(crate) struct BufferInner {
    pub(crate) id: u64,
    address: usize,
    length: usize,
    storage: StorageMode,
    layout: Option<Layout>,
    /// Its share of the device's memory.
    _taken: Option<Taken>,
    label: Mutex<String>,
    shadow: OnceLock<Arc<Shadow>>,
    device: Weak<DeviceInner>,
    checked: bool,
    /// Command buffers between commit and completion that use it.
    holders: Mutex<Vec<Weak<CommandInner>>>,
    /// How many command buffers that use it have run.
    runs: AtomicU64,
}

/// What a buffer held at some time, to tell later whether the CPU has changed it.
pub(crate) struct Print {
    digest: u64,
    runs: u64,
}

// SAFETY: the memory is plain bytes; races between kernels and the CPU are the user's, as on a
// GPU, and every access here is by copy.
unsafe impl Send for BufferInner {}
// SAFETY: as above.
unsafe impl Sync for BufferInner {}

impl Drop for BufferInner {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: allocated with this layout in `zeroed`.
            unsafe { std::alloc::dealloc(self.address as *mut u8, layout) };
        }
    }
}

/// Memory that kernels read and write.
#[derive(Clone)]
pub struct Buffer {
    pub(crate) inner: Arc<BufferInner>,
}

/// A page of Apple's GPUs.
const PAGE: usize = 16384;

impl Buffer {
    fn new(
        device: &Device,
        address: usize,
        length: usize,
        storage: StorageMode,
        own: Option<(Layout, Taken)>,
    ) -> Buffer {
        let (layout, taken) = own.unzip();
        static IDS: AtomicU64 = AtomicU64::new(1);
        let inner = BufferInner {
            id: IDS.fetch_add(1, Ordering::Relaxed),
            address,
            length,
            storage,
            layout,
            _taken: taken,
            label: Mutex::new(String::new()),
            shadow: OnceLock::new(),
            device: Arc::downgrade(&device.inner),
            checked: device.inner.options.checked,
            holders: Mutex::new(Vec::new()),
            runs: AtomicU64::new(0),
        };
        Buffer { inner: Arc::new(inner) }
    }

    pub(crate) fn zeroed(device: &Device, length: usize, storage: StorageMode) -> Result<Buffer> {
        let refuse = |why: String| Error::Io { what: format!("new_buffer of {length} bytes"), why };
        let no_memory = || refuse("out of memory".into());
        let taken = device.inner.options.memory.take(length);
        let taken = taken.map_err(|why| refuse(format!("out of memory: {why}")))?;
        // Vector loads of the compiler may round up to a whole vector.
        let layout =
            Layout::from_size_align(length.next_multiple_of(64), PAGE).map_err(|_| no_memory())?;
        // SAFETY: the layout is not empty.
        let memory = unsafe { std::alloc::alloc_zeroed(layout) };
        if memory.is_null() {
            return Err(no_memory());
        }
        Ok(Buffer::new(device, memory as usize, length, storage, Some((layout, taken))))
    }

    pub(crate) fn borrowed(device: &Device, address: usize, length: usize) -> Buffer {
        Buffer::new(device, address, length, StorageMode::Shared, None)
    }

    /// Bytes it holds.
    pub fn length(&self) -> usize {
        self.inner.length
    }

    /// Its storage mode.
    pub fn storage_mode(&self) -> StorageMode {
        self.inner.storage
    }

    /// A name for messages.
    pub fn set_label(&self, label: &str) {
        *self.inner.label.lock().unwrap_or_else(|e| e.into_inner()) = label.into();
    }

    /// The name given, if any.
    pub fn label(&self) -> String {
        self.inner.label.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// Its address in kernels, for argument buffers.
    pub fn gpu_address(&self) -> u64 {
        self.inner.address as u64
    }

    /// The memory itself; null for private storage.
    pub fn contents(&self) -> *mut u8 {
        match self.inner.storage {
            StorageMode::Private => std::ptr::null_mut(),
            _ => self.inner.address as *mut u8,
        }
    }

    pub(crate) fn address(&self) -> usize {
        self.inner.address
    }

    fn range(&self, op: &str, offset: usize, length: usize) -> Result<()> {
        if self.inner.storage == StorageMode::Private {
            return invalid(
                op,
                "a buffer with private storage cannot be accessed by the CPU: copy it with a blit encoder",
            );
        }
        match offset.checked_add(length) {
            Some(end) if end <= self.inner.length => Ok(()),
            _ => invalid(
                op,
                format!(
                    "{length} bytes at offset {offset} are not within the buffer's {}",
                    self.inner.length
                ),
            ),
        }
    }

    /// Copies bytes out.
    pub fn read(&self, offset: usize, out: &mut [u8]) -> Result<()> {
        self.range("Buffer::read", offset, out.len())?;
        // SAFETY: in range, as checked.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (self.inner.address + offset) as *const u8,
                out.as_mut_ptr(),
                out.len(),
            )
        };
        Ok(())
    }

    /// Copies bytes in. In checked mode it is an error while a command buffer holds the buffer.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.range("Buffer::write", offset, bytes.len())?;
        self.rewritten(offset, bytes.len());
        // SAFETY: in range, as checked.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                (self.inner.address + offset) as *mut u8,
                bytes.len(),
            )
        };
        if let Some(shadow) = self.inner.shadow.get() {
            shadow.initialize(offset..offset + bytes.len());
        }
        Ok(())
    }

    /// The contents as numbers.
    pub fn to_vec<T: Copy + Default>(&self) -> Result<Vec<T>> {
        let n = self.inner.length / size_of::<T>().max(1);
        let mut out = vec![T::default(); n];
        // SAFETY: the vector's own memory, as bytes; T is plain data.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u8>(), n * size_of::<T>())
        };
        self.read(0, bytes)?;
        Ok(out)
    }

    /// Initial contents, which private storage may have too.
    pub(crate) fn fill_from(&self, bytes: &[u8]) {
        // SAFETY: the buffer was made with this length.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                self.inner.address as *mut u8,
                bytes.len(),
            )
        };
        if self.inner.storage == StorageMode::Private {
            self.shadow().initialize(0..bytes.len());
        }
    }

    /// Who did what to each word; made when first needed.
    pub(crate) fn shadow(&self) -> &Arc<Shadow> {
        self.inner.shadow.get_or_init(|| {
            let private = self.inner.storage == StorageMode::Private;
            let shadow = Arc::new(Shadow::new(self.inner.length, private));
            if let Some(device) = self.inner.device.upgrade() {
                device.register(&shadow);
            }
            shadow
        })
    }

    pub(crate) fn initialized(&self, bytes: std::ops::Range<usize>) {
        if self.inner.storage == StorageMode::Private {
            self.shadow().initialize(bytes);
        }
    }

    pub(crate) fn hold(&self, by: &Arc<CommandInner>) {
        let mut holders = self.inner.holders.lock().unwrap_or_else(|e| e.into_inner());
        holders.retain(|h| h.strong_count() > 0);
        holders.push(Arc::downgrade(by));
    }

    pub(crate) fn release(&self, by: &Arc<CommandInner>) {
        self.inner.runs.fetch_add(1, Ordering::SeqCst);
        let mut holders = self.inner.holders.lock().unwrap_or_else(|e| e.into_inner());
        holders.retain(|h| h.strong_count() > 0 && !std::ptr::eq(h.as_ptr(), Arc::as_ptr(by)));
    }

    /// Tells every command buffer in flight that the CPU has written here.
    fn rewritten(&self, offset: usize, size: usize) {
        if !self.inner.checked {
            return;
        }
        let holders = self.inner.holders.lock().unwrap_or_else(|e| e.into_inner()).clone();
        for holder in holders.iter().filter_map(Weak::upgrade) {
            holder.add_report(Report {
                kind: Kind::RewrittenInFlight,
                kernel: holder.first_kernel(),
                binding: self.describe(),
                offset: offset as i64,
                size,
                side: Side::default(),
                other: None,
                detail: "the CPU wrote to it between commit and completion".into(),
            });
        }
    }

    pub(crate) fn describe(&self) -> String {
        match self.label() {
            l if l.is_empty() => format!("buffer #{} ({} bytes)", self.inner.id, self.inner.length),
            l => format!("buffer '{l}'"),
        }
    }

    /// Enough to tell whether bytes have changed by mistake, at the speed of memory.
    fn digest(&self) -> u64 {
        // SAFETY: the buffer's own memory.
        let bytes = unsafe {
            std::slice::from_raw_parts(self.inner.address as *const u8, self.inner.length)
        };
        let mix = |h: u64, w: u64| (h ^ w).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let (words, rest) = bytes.as_chunks::<8>();
        let all = words.iter().fold(0, |h, w| mix(h, u64::from_le_bytes(*w)));
        rest.iter().fold(all, |h, b| mix(h, u64::from(*b)))
    }

    /// What it holds now.
    pub(crate) fn print(&self) -> Print {
        Print { digest: self.digest(), runs: self.inner.runs.load(Ordering::SeqCst) }
    }

    /// Whether its bytes have changed since, with no command buffer that could have done it.
    pub(crate) fn has_changed(&self, since: &Print) -> bool {
        self.inner.runs.load(Ordering::SeqCst) == since.runs && self.digest() != since.digest
    }

    /// Whether one command buffer in flight uses it and no other.
    pub(crate) fn sole_holder(&self) -> bool {
        let holders = self.inner.holders.lock().unwrap_or_else(|e| e.into_inner());
        holders.iter().filter(|h| h.strong_count() > 0).count() == 1
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.describe())
    }
}
