//! Synchronous copies between CPU memory and the memory of a discrete GPU.

use super::fault;
use crate::hal::{Fault, Result};
use objc2::{
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
use objc2_foundation::NSString;
use objc2_metal::{
    MTLBlitCommandEncoder, MTLBuffer, MTLCommandBuffer, MTLCommandEncoder, MTLCommandQueue,
    MTLDevice, MTLResource, MTLResourceOptions,
};

type Memory = ProtocolObject<dyn MTLBuffer>;

/// A queue of its own for them.
#[derive(Clone)]
pub(super) struct Copies {
    gpu: Retained<ProtocolObject<dyn MTLDevice>>,
    queue: Retained<ProtocolObject<dyn MTLCommandQueue>>,
}

/// The most bytes of memory that copies go through at a time.
const STAGING: usize = 64 << 20;

impl Copies {
    pub(super) fn new(gpu: &Retained<ProtocolObject<dyn MTLDevice>>) -> Result<Copies> {
        let queue = gpu.newCommandQueue().ok_or_else(|| Fault::new("no command queue"))?;
        queue.setLabel(Some(&NSString::from_str("bessemer copies")));
        Ok(Copies { gpu: gpu.clone(), queue })
    }

    /// Brings what the GPU wrote to managed memory to the CPU.
    pub(super) fn synchronize(&self, buffer: &Memory) -> Result<()> {
        self.run(|encoder| encoder.synchronizeResource(ProtocolObject::from_ref(buffer)))
    }

    /// Copies bytes to private memory, where there is room for them from `offset` on.
    pub(super) fn write(&self, buffer: &Memory, offset: usize, bytes: &[u8]) -> Result<()> {
        let staging = self.staging(bytes.len())?;
        for (number, piece) in bytes.chunks(STAGING).enumerate() {
            let to = staging.contents().as_ptr().cast::<u8>();
            // SAFETY: the staging memory has room for a piece, and no copy uses it now.
            unsafe { to.copy_from_nonoverlapping(piece.as_ptr(), piece.len()) };
            let at = offset + number * STAGING;
            self.run(|encoder| {
                // SAFETY: both ranges lie within their buffers: who calls sees to it.
                unsafe {
                    encoder.copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size(
                        &staging,
                        0,
                        buffer,
                        at,
                        piece.len(),
                    );
                }
            })?;
        }
        Ok(())
    }

    /// Copies bytes from private memory, which has as many from `offset` on.
    pub(super) fn read(&self, buffer: &Memory, offset: usize, out: &mut [u8]) -> Result<()> {
        let staging = self.staging(out.len())?;
        for (number, piece) in out.chunks_mut(STAGING).enumerate() {
            let at = offset + number * STAGING;
            self.run(|encoder| {
                // SAFETY: as in `write`.
                unsafe {
                    encoder.copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size(
                        buffer,
                        at,
                        &staging,
                        0,
                        piece.len(),
                    );
                }
            })?;
            let from = staging.contents().as_ptr().cast::<u8>();
            // SAFETY: the copy has ended, and the staging memory has a piece.
            unsafe { from.copy_to_nonoverlapping(piece.as_mut_ptr(), piece.len()) };
        }
        Ok(())
    }

    /// Memory that both reach, for a piece of `bytes`.
    fn staging(&self, bytes: usize) -> Result<Retained<Memory>> {
        let bytes = bytes.clamp(1, STAGING);
        let options = MTLResourceOptions::StorageModeShared;
        let made = self.gpu.newBufferWithLength_options(bytes, options);
        let made = made.ok_or_else(|| Fault::new(format!("no {bytes} bytes to copy through")))?;
        made.setLabel(Some(&NSString::from_str("bessemer staging")));
        Ok(made)
    }

    fn run(&self, encode: impl FnOnce(&ProtocolObject<dyn MTLBlitCommandEncoder>)) -> Result<()> {
        autoreleasepool(|_| {
            let commands =
                self.queue.commandBuffer().ok_or_else(|| Fault::new("no command buffer"))?;
            let encoder =
                commands.blitCommandEncoder().ok_or_else(|| Fault::new("no blit encoder"))?;
            encoder.setLabel(Some(&NSString::from_str("bessemer copies")));
            encode(&encoder);
            encoder.endEncoding();
            commands.commit();
            commands.waitUntilCompleted();
            commands.error().map_or(Ok(()), |error| Err(fault(&error)))
        })
    }
}
