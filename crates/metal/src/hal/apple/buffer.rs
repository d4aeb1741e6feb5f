//! Buffers: shared with unified memory; on discrete GPUs managed, and private for data that only kernels
//! read.

use super::{copies::Copies, residency::Residency};
use crate::hal::{self, Fault, Result};
use objc2::{
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
use objc2_foundation::{NSRange, NSString};
use objc2_metal::{MTLBuffer, MTLDevice, MTLResource, MTLResourceOptions};
use std::{ptr::NonNull, sync::Arc};

/// Memory the GPU reaches.
pub struct Buffer {
    pub(super) buffer: Retained<ProtocolObject<dyn MTLBuffer>>,
    bytes: usize,
    storage: Storage,
    residency: Option<Arc<Residency>>,
}

/// Who reaches it.
enum Storage {
    /// Both.
    Shared,
    /// Each has a copy, which are made alike when the CPU writes or reads.
    Managed(Copies),
    /// Only the GPU.
    Private(Copies),
}

// SAFETY: Metal's resources may be used from any thread; what is in them is guarded by the device, which
// copies in and out only while no command in flight uses them.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

type Gpu = ProtocolObject<dyn MTLDevice>;

impl Buffer {
    /// Memory that both reach, with `copies` where each has its own.
    pub(super) fn new(
        gpu: &Gpu,
        bytes: usize,
        copies: Option<&Copies>,
        residency: Option<&Arc<Residency>>,
    ) -> Result<Buffer> {
        let (options, storage) = match copies {
            None => (MTLResourceOptions::StorageModeShared, Storage::Shared),
            Some(copies) => {
                (MTLResourceOptions::StorageModeManaged, Storage::Managed(copies.clone()))
            }
        };
        Buffer::with(gpu, bytes, options, storage, residency)
    }

    /// Memory that holds `content`, which only kernels read.
    pub(super) fn of(
        gpu: &Gpu,
        content: &[u8],
        copies: Option<&Copies>,
        residency: Option<&Arc<Residency>>,
    ) -> Result<Buffer> {
        let (options, storage) = match copies {
            None => (MTLResourceOptions::StorageModeShared, Storage::Shared),
            Some(copies) => {
                (MTLResourceOptions::StorageModePrivate, Storage::Private(copies.clone()))
            }
        };
        let buffer = Buffer::with(gpu, content.len().max(1), options, storage, residency)?;
        hal::Buffer::write(&buffer, 0, content)?;
        Ok(buffer)
    }

    fn with(
        gpu: &Gpu,
        bytes: usize,
        options: MTLResourceOptions,
        storage: Storage,
        residency: Option<&Arc<Residency>>,
    ) -> Result<Buffer> {
        let options = options | MTLResourceOptions::HazardTrackingModeUntracked;
        let buffer = gpu.newBufferWithLength_options(bytes, options).ok_or_else(|| {
            let held = gpu.currentAllocatedSize();
            Fault::new(format!("the GPU has no {bytes} bytes left; {held} are in use"))
        })?;
        Ok(Buffer::resident(buffer, bytes, storage, residency))
    }

    /// # Safety
    /// As of [`hal::Device::buffer_in_place`].
    pub(super) unsafe fn in_place(
        gpu: &Gpu,
        memory: *mut u8,
        bytes: usize,
        residency: Option<&Arc<Residency>>,
    ) -> Result<Buffer> {
        let options =
            MTLResourceOptions::StorageModeShared | MTLResourceOptions::HazardTrackingModeUntracked;
        let memory =
            NonNull::new(memory.cast()).ok_or_else(|| Fault::new("there is no memory at 0"))?;
        // SAFETY: the memory is whole pages that outlive the buffer, and it has no deallocator to call.
        let buffer = unsafe {
            gpu.newBufferWithBytesNoCopy_length_options_deallocator(memory, bytes, options, None)
        };
        let buffer = buffer
            .ok_or_else(|| Fault::new(format!("the GPU cannot use {bytes} bytes in place")))?;
        Ok(Buffer::resident(buffer, bytes, Storage::Shared, residency))
    }

    fn resident(
        buffer: Retained<ProtocolObject<dyn MTLBuffer>>,
        bytes: usize,
        storage: Storage,
        residency: Option<&Arc<Residency>>,
    ) -> Buffer {
        let residency = residency.cloned();
        if let Some(residency) = &residency {
            residency.add(&buffer);
        }
        Buffer { buffer, bytes, storage, residency }
    }

    fn check(&self, offset: usize, bytes: usize) -> Result<()> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            let all = self.bytes;
            return Err(Fault::new(format!("{bytes} bytes at {offset} of a buffer of {all}")));
        }
        Ok(())
    }

    /// Where the CPU reaches it; nowhere if it is private.
    fn address(&self, offset: usize) -> *mut u8 {
        self.buffer.contents().as_ptr().cast::<u8>().wrapping_add(offset)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(residency) = &self.residency {
            autoreleasepool(|_| residency.remove(&self.buffer));
        }
    }
}

impl hal::Buffer for Buffer {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.check(offset, bytes.len())?;
        if let Storage::Private(copies) = &self.storage {
            return autoreleasepool(|_| copies.write(&self.buffer, offset, bytes));
        }
        // SAFETY: the range lies within the buffer, and the device sees to it that nobody uses it now.
        unsafe { self.address(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        if let Storage::Managed(_) = self.storage {
            self.buffer.didModifyRange(NSRange::new(offset, bytes.len()));
        }
        Ok(())
    }

    fn read(&self, offset: usize, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len())?;
        match &self.storage {
            Storage::Private(copies) => {
                return autoreleasepool(|_| copies.read(&self.buffer, offset, out));
            }
            Storage::Managed(copies) => copies.synchronize(&self.buffer)?,
            Storage::Shared => {}
        }
        // SAFETY: as in `write`.
        unsafe { self.address(offset).copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    fn label(&self, name: &str) {
        autoreleasepool(|_| self.buffer.setLabel(Some(&NSString::from_str(name))));
    }
}
