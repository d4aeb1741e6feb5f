//! Queues, command buffers and encoders.

use super::{Apple, Buffer, Event, Pipeline, fault, residency::Residency};
use crate::hal::{self, Done, Fault, Result, Times, remedy::explained};
use block2::RcBlock;
use objc2::{
    rc::{Retained, autoreleasepool},
    runtime::ProtocolObject,
};
use objc2_foundation::{NSArray, NSError, NSString};
use objc2_metal::{
    MTLBarrierScope, MTLCommandBuffer, MTLCommandBufferDescriptor, MTLCommandBufferEncoderInfo,
    MTLCommandBufferEncoderInfoErrorKey, MTLCommandBufferErrorOption, MTLCommandEncoder,
    MTLCommandEncoderErrorState, MTLCommandQueue, MTLComputeCommandEncoder, MTLDevice,
    MTLDispatchType, MTLFence, MTLSize,
};
use std::{ptr::NonNull, sync::Mutex};

/// A queue, and the fence that keeps its command buffers in order: resources are not tracked.
pub struct Queue {
    queue: Retained<ProtocolObject<dyn MTLCommandQueue>>,
    fence: Retained<ProtocolObject<dyn MTLFence>>,
    /// Whether dispatches are labelled: it costs a string each.
    labels: bool,
}

impl Queue {
    pub(super) fn new(
        gpu: &ProtocolObject<dyn MTLDevice>,
        residency: Option<&Residency>,
    ) -> Result<Queue> {
        let queue = gpu.newCommandQueue().ok_or_else(|| Fault::new("no command queue"))?;
        queue.setLabel(Some(&NSString::from_str("bessemer")));
        if let Some(residency) = residency {
            residency.attach(&queue);
        }
        let fence = gpu.newFence().ok_or_else(|| Fault::new("no fence"))?;
        let wanted = |name| std::env::var_os(name).is_some();
        let labels = wanted("BESSEMER_LABELS") || wanted("BESSEMER_CAPTURE");
        Ok(Queue { queue, fence, labels })
    }
}

impl hal::Queue<Apple> for Queue {
    fn commands(&self, label: &str) -> Result<Commands> {
        autoreleasepool(|_| {
            let descriptor = MTLCommandBufferDescriptor::new();
            descriptor.setRetainedReferences(false);
            if self.labels {
                descriptor.setErrorOptions(MTLCommandBufferErrorOption::EncoderExecutionStatus);
            }
            let commands = self
                .queue
                .commandBufferWithDescriptor(&descriptor)
                .ok_or_else(|| Fault::new("no command buffer"))?;
            commands.setLabel(Some(&NSString::from_str(label)));
            Ok(Commands { commands, fence: self.fence.clone(), labels: self.labels })
        })
    }
}

/// A command buffer.
pub struct Commands {
    commands: Retained<ProtocolObject<dyn MTLCommandBuffer>>,
    fence: Retained<ProtocolObject<dyn MTLFence>>,
    labels: bool,
}

// SAFETY: Metal lets any thread use a command buffer, one at a time, and this is the only handle to it
// until it is committed.
unsafe impl Send for Commands {}

impl hal::Commands<Apple> for Commands {
    fn encoder(&mut self, label: &str) -> Result<Encoder> {
        autoreleasepool(|_| {
            let encoder = self
                .commands
                .computeCommandEncoderWithDispatchType(MTLDispatchType::Concurrent)
                .ok_or_else(|| Fault::new("no compute encoder"))?;
            encoder.setLabel(Some(&NSString::from_str(label)));
            encoder.waitForFence(&self.fence);
            Ok(Encoder { encoder, fence: self.fence.clone(), labels: self.labels })
        })
    }

    fn signal(&mut self, event: &Event, value: u64) -> Result<()> {
        self.commands.encodeSignalEvent_value(event.as_event(), value);
        Ok(())
    }

    fn commit(self, done: Done) {
        autoreleasepool(|_| {
            // A block may be called any number of times as far as its type says.
            let done = Mutex::new(Some(done));
            let ended =
                RcBlock::new(move |commands: NonNull<ProtocolObject<dyn MTLCommandBuffer>>| {
                    // SAFETY: Metal hands over the command buffer that has ended.
                    let commands = unsafe { commands.as_ref() };
                    let done = done.lock().map_or(None, |mut done| done.take());
                    if let Some(done) = done {
                        autoreleasepool(|_| done(outcome(commands)));
                    }
                });
            // SAFETY: the block is sound to call from another thread: what it holds is `Send`, and it is
            // called once. Metal keeps a copy of it.
            unsafe { self.commands.addCompletedHandler(RcBlock::as_ptr(&ended)) };
            self.commands.commit();
        });
    }
}

/// How a command buffer went.
fn outcome(commands: &ProtocolObject<dyn MTLCommandBuffer>) -> Result<Times> {
    match commands.error() {
        None => Ok(Times { start: commands.GPUStartTime(), end: commands.GPUEndTime() }),
        Some(error) => {
            let why = explained(&fault(&error).why, error.code());
            Err(Fault { kernel: culprit(&error), why })
        }
    }
}

/// The kernel that was running when an encoder failed, if the command buffer kept account.
fn culprit(error: &NSError) -> Option<String> {
    // SAFETY: a constant of Metal's.
    let key = unsafe { MTLCommandBufferEncoderInfoErrorKey };
    let infos = error.userInfo().objectForKey(key)?;
    let infos = infos.downcast::<NSArray>().ok()?;
    for info in &infos {
        // SAFETY: Metal says that the array under this key holds encoder infos.
        let info: &ProtocolObject<dyn MTLCommandBufferEncoderInfo> =
            unsafe { &*Retained::as_ptr(&info).cast() };
        if info.errorState() == MTLCommandEncoderErrorState::Faulted {
            let last = info.debugSignposts().lastObject()?.to_string();
            return Some(last.rsplit(' ').next().unwrap_or_default().to_owned());
        }
    }
    None
}

/// An encoder of dispatches.
pub struct Encoder {
    encoder: Retained<ProtocolObject<dyn MTLComputeCommandEncoder>>,
    fence: Retained<ProtocolObject<dyn MTLFence>>,
    labels: bool,
}

impl hal::Encoder<Apple> for Encoder {
    fn label(&mut self, op: &str, kernel: &str) {
        if self.labels {
            autoreleasepool(|_| {
                let text = NSString::from_str(&format!("{op}: {kernel}"));
                self.encoder.insertDebugSignpost(&text);
            });
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        self.encoder.setComputePipelineState(&pipeline.state);
    }

    fn buffer(&mut self, index: usize, buffer: &Buffer, offset: usize) -> Result<()> {
        if offset >= hal::Buffer::bytes(buffer) || index > 30 {
            return Err(Fault::new(format!("binding {index} at byte {offset} cannot be")));
        }
        // SAFETY: the index and the offset are in range, and the device keeps the buffer until the
        // command buffer has ended.
        unsafe { self.encoder.setBuffer_offset_atIndex(Some(&buffer.buffer), offset, index) };
        Ok(())
    }

    fn bytes(&mut self, index: usize, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() || bytes.len() > 4096 || index > 30 {
            return Err(Fault::new(format!("{} bytes as binding {index} cannot be", bytes.len())));
        }
        let Some(first) = NonNull::new(bytes.as_ptr().cast_mut().cast()) else {
            return Ok(());
        };
        // SAFETY: the bytes are copied at once.
        unsafe { self.encoder.setBytes_length_atIndex(first, bytes.len(), index) };
        Ok(())
    }

    fn dispatch(&mut self, groups: [u32; 3], threads: [u32; 3]) -> Result<()> {
        self.encoder.dispatchThreadgroups_threadsPerThreadgroup(size(groups), size(threads));
        Ok(())
    }

    fn dispatch_threads(&mut self, threads: [u32; 3], group: [u32; 3]) -> Result<()> {
        self.encoder.dispatchThreads_threadsPerThreadgroup(size(threads), size(group));
        Ok(())
    }

    fn barrier(&mut self) -> Result<()> {
        self.encoder.memoryBarrierWithScope(MTLBarrierScope::Buffers);
        Ok(())
    }

    fn end(self) {
        self.encoder.updateFence(&self.fence);
        self.encoder.endEncoding();
    }

    fn abandon(self) {
        // Without the fence. What Metal has encoded must be ended before it may be dropped.
        self.encoder.endEncoding();
    }
}

fn size([x, y, z]: [u32; 3]) -> MTLSize {
    MTLSize { width: x as usize, height: y as usize, depth: z as usize }
}
