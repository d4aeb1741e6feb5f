//! Queues: a thread that runs command buffers in the order they are committed, or in any order that
//! fences and events allow.

use super::Device;
use super::command_buffer::{CommandBuffer, Inner};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Runs command buffers in the order they are committed.
#[derive(Clone)]
pub struct CommandQueue {
    device: Device,
    sender: mpsc::Sender<Arc<Inner>>,
}

impl CommandQueue {
    pub(crate) fn new(device: &Device) -> CommandQueue {
        let (sender, receiver) = mpsc::channel::<Arc<Inner>>();
        let (untracked, seed) = (device.inner.options.untracked, device.inner.options.seed);
        // The thread ends when the queue and its command buffers are gone.
        let spawned = std::thread::Builder::new().name("softmetal-queue".into()).spawn(move || {
            if untracked {
                return in_any_order(&receiver, seed.unwrap_or(1));
            }
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

/// How long a command buffer waits for others that could be run before it.
const PATIENCE: Duration = Duration::from_millis(2);
/// How many may wait.
const MOST: usize = 8;

/// Runs command buffers as they come, each time one of those that wait for nothing. A GPU runs them
/// at the same time where nothing orders them: whoever relies on the order is to notice.
fn in_any_order(receiver: &mpsc::Receiver<Arc<Inner>>, seed: u64) {
    let mut waiting: Vec<Arc<Inner>> = Vec::new();
    let mut random = seed | 1;
    let mut open = true;
    while open || !waiting.is_empty() {
        if waiting.is_empty() {
            match receiver.recv() {
                Ok(commands) => waiting.push(commands),
                Err(_) => return,
            }
        }
        while waiting.len() < MOST {
            match receiver.recv_timeout(PATIENCE) {
                Ok(commands) => waiting.push(commands),
                Err(mpsc::RecvTimeoutError::Timeout) => break,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    open = false;
                    break;
                }
            }
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let ready: Vec<usize> = (0..waiting.len()).filter(|&n| waiting[n].is_ready()).collect();
        // None: the first waits for another queue or for the CPU.
        let next = match ready.len() {
            0 => 0,
            n => ready[(random % n as u64) as usize],
        };
        waiting.remove(next).run();
    }
}
