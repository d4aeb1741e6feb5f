//! Buffers: shared where CPU and GPU have one memory, managed where they have two.

use super::residency::Residency;
use crate::hal::{self, Fault, Result};
use objc2::{
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
use objc2_foundation::{NSRange, NSString};
use objc2_metal::{
    MTLBlitCommandEncoder, MTLBuffer, MTLCommandBuffer, MTLCommandEncoder, MTLCommandQueue,
    MTLDevice, MTLResource, MTLResourceOptions,
};
use std::{ptr::NonNull, sync::Arc};

/// Memory the GPU reaches.
pub struct Buffer {
    pub(super) buffer: Retained<ProtocolObject<dyn MTLBuffer>>,
    bytes: usize,
    /// Brings what the GPU wrote to the CPU, where each has its own memory.
    managed: Option<Retained<ProtocolObject<dyn MTLCommandQueue>>>,
    residency: Option<Arc<Residency>>,
}

// SAFETY: Metal's resources may be used from any thread; what is in them is guarded by the device, which
// copies in and out only while no command in flight uses them.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

type Gpu = ProtocolObject<dyn MTLDevice>;

impl Buffer {
    pub(super) fn new(
        gpu: &Gpu,
        bytes: usize,
        residency: Option<&Arc<Residency>>,
    ) -> Result<Buffer> {
        let unified = gpu.hasUnifiedMemory();
        let storage = match unified {
            true => MTLResourceOptions::StorageModeShared,
            false => MTLResourceOptions::StorageModeManaged,
        };
        let options = storage | MTLResourceOptions::HazardTrackingModeUntracked;
        let buffer = gpu.newBufferWithLength_options(bytes, options).ok_or_else(|| {
            let held = gpu.currentAllocatedSize();
            Fault::new(format!("the GPU has no {bytes} bytes left; {held} are in use"))
        })?;
        let managed = if unified { None } else { gpu.newCommandQueue() };
        Ok(Buffer::with(buffer, bytes, managed, residency))
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
        Ok(Buffer::with(buffer, bytes, None, residency))
    }

    fn with(
        buffer: Retained<ProtocolObject<dyn MTLBuffer>>,
        bytes: usize,
        managed: Option<Retained<ProtocolObject<dyn MTLCommandQueue>>>,
        residency: Option<&Arc<Residency>>,
    ) -> Buffer {
        let residency = residency.cloned();
        if let Some(residency) = &residency {
            residency.add(&buffer);
        }
        Buffer { buffer, bytes, managed, residency }
    }

    fn address(&self, offset: usize, bytes: usize) -> Result<*mut u8> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            let all = self.bytes;
            return Err(Fault::new(format!("{bytes} bytes at {offset} of a buffer of {all}")));
        }
        Ok(self.buffer.contents().as_ptr().cast::<u8>().wrapping_add(offset))
    }

    /// Brings what the GPU wrote to the CPU.
    fn synchronize(&self) -> Result<()> {
        let Some(queue) = &self.managed else {
            return Ok(());
        };
        autoreleasepool(|_| {
            let commands = queue.commandBuffer().ok_or_else(|| Fault::new("no command buffer"))?;
            let encoder =
                commands.blitCommandEncoder().ok_or_else(|| Fault::new("no blit encoder"))?;
            encoder.synchronizeResource(ProtocolObject::from_ref(&*self.buffer));
            encoder.endEncoding();
            commands.commit();
            commands.waitUntilCompleted();
            commands.error().map_or(Ok(()), |error| Err(super::fault(&error)))
        })
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
        let to = self.address(offset, bytes.len())?;
        // SAFETY: the range lies within the buffer, and the device sees to it that nobody uses it now.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        if self.managed.is_some() {
            self.buffer.didModifyRange(NSRange::new(offset, bytes.len()));
        }
        Ok(())
    }

    fn read(&self, offset: usize, out: &mut [u8]) -> Result<()> {
        self.synchronize()?;
        let from = self.address(offset, out.len())?;
        // SAFETY: as in `write`.
        unsafe { from.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    fn label(&self, name: &str) {
        autoreleasepool(|_| self.buffer.setLabel(Some(&NSString::from_str(name))));
    }
}
