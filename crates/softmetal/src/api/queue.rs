//! Queues: a thread that runs command buffers in the order they are committed.

use super::Device;
use super::command_buffer::{CommandBuffer, Inner};
use std::sync::{Arc, mpsc};

/// Runs command buffers in the order they are committed.
#[derive(Clone)]
pub struct CommandQueue {
    device: Device,
    sender: mpsc::Sender<Arc<Inner>>,
}

impl CommandQueue {
    pub(crate) fn new(device: &Device) -> CommandQueue {
        let (sender, receiver) = mpsc::channel::<Arc<Inner>>();
        // The thread ends when the queue and its command buffers are gone.
        let spawned = std::thread::Builder::new().name("softmetal-queue".into()).spawn(move || {
            while let Ok(commands) = receiver.recv() {
                commands.run();
            }
        });
        drop(spawned); // a queue without a thread fails at commit
        CommandQueue { device: device.clone(), sender }
    }

    /// A command buffer that keeps its buffers alive.
    pub fn command_buffer(&self) -> CommandBuffer {
        self.make(true)
    }

    /// A command buffer that does not: whoever made the buffers must keep them.
    pub fn command_buffer_with_unretained_references(&self) -> CommandBuffer {
        self.make(false)
    }

    fn make(&self, retained: bool) -> CommandBuffer {
        CommandBuffer { inner: Inner::new(&self.device, self.sender.clone(), retained) }
    }
}
