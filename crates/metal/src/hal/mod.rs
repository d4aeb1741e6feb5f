//! Metal's own objects as a few traits, so that all above them runs on Apple's GPUs and, through
//! softmetal, anywhere. Nothing here knows of ops, batches or pools.

#[cfg(target_vendor = "apple")]
pub mod apple;
#[cfg(any(test, target_vendor = "apple"))]
mod ledger;
#[cfg(any(test, target_vendor = "apple"))]
mod remedy;
#[cfg(any(test, target_vendor = "apple"))]
mod replace;
#[cfg(all(unix, feature = "soft"))]
pub mod soft;

use bessemer_core::gpu::{Constant, GpuTraits};
use std::fmt;

/// The objects of one implementation of Metal.
pub trait Hal: Sized + 'static {
    /// `MTLDevice`.
    type Device: Device<Self>;
    /// `MTLCommandQueue`.
    type Queue: Queue<Self>;
    /// `MTLLibrary`.
    type Library: Send + Sync;
    /// `MTLComputePipelineState`.
    type Pipeline: Pipeline;
    /// `MTLBuffer`.
    type Buffer: Buffer;
    /// `MTLCommandBuffer`.
    type Commands: Commands<Self>;
    /// `MTLComputeCommandEncoder`.
    type Encoder: Encoder<Self>;
    /// `MTLSharedEvent`.
    type Event: Event;

    /// Calls a function that uses these objects, and lets go of what they leave behind.
    fn entry<R>(call: impl FnOnce() -> R) -> R {
        call()
    }
}

/// What Metal said no to, or what went wrong on the GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kernel it happened in, if that is known.
    pub kernel: Option<String>,
    /// What happened, in Metal's own words.
    pub why: String,
}

impl Fault {
    /// A fault of no kernel in particular.
    pub fn new(why: impl Into<String>) -> Fault {
        Fault { kernel: None, why: why.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// The result of what can fail here.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

/// What a device is, beyond what kernels ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What kernels ask.
    pub traits: GpuTraits,
    /// GPU families and the like, for people to read.
    pub features: Vec<String>,
    /// The most bytes that should be in use at once.
    pub working_set: usize,
    /// The most bytes of one buffer.
    pub max_buffer: usize,
    /// What memory of the host starts at, and is a multiple of, to be used in place.
    pub page: usize,
    /// Whether CPU and GPU have one memory.
    pub unified: bool,
    /// Whether it imitates a GPU.
    pub software: bool,
    /// What drives it, and its version.
    pub system: String,
}

/// A GPU.
pub trait Device<H: Hal>: Send + Sync {
    /// What it is.
    fn facts(&self) -> &Facts;

    /// A queue of command buffers.
    fn queue(&self) -> Result<H::Queue>;

    /// A counter that command buffers set, at 0.
    fn event(&self) -> Result<H::Event>;

    /// Memory, all zero, that CPU and GPU reach.
    fn buffer(&self, bytes: usize) -> Result<H::Buffer>;

    /// Memory that holds these bytes and is only to be read: the GPU's own, if it has some.
    fn buffer_of(&self, bytes: &[u8]) -> Result<H::Buffer>;

    /// Memory of the host's, in place, only to be read.
    ///
    /// # Safety
    /// It starts at a page and is as long as whole pages; it stays until the buffer is gone, and no
    /// command writes to it.
    unsafe fn buffer_in_place(&self, memory: *mut u8, bytes: usize) -> Result<H::Buffer>;

    /// Compiles MSL, which debuggers show by a name.
    fn library(&self, name: &str, source: &str) -> Result<H::Library>;

    /// A kernel of a library, made for values of its function constants.
    fn pipeline(
        &self,
        library: &H::Library,
        entry: &str,
        constants: &[(u16, Constant)],
    ) -> Result<H::Pipeline>;

    /// Keeps the pipelines made so far for the next time, where that can be.
    fn keep_pipelines(&self) {}

    /// Whether the system lets go of memory that was not used for a while, unless it is asked not to.
    fn cools(&self) -> bool {
        false
    }

    /// Asks the system to keep all memory within the GPU's reach for a while.
    fn keep_warm(&self) {}
}

/// A kernel that is ready to run.
pub trait Pipeline: Send + Sync {
    /// The most threads of a threadgroup.
    fn max_threads(&self) -> u32;
    /// Threads that run in lockstep.
    fn simd_width(&self) -> u32;
    /// Bytes of threadgroup memory it has by itself.
    fn threadgroup_bytes(&self) -> u32;
}

/// Memory.
pub trait Buffer: Send + Sync {
    /// Its size.
    fn bytes(&self) -> usize;

    /// Copies bytes in. The range lies within it; who calls sees to it that no command in flight
    /// uses them.
    fn write(&self, offset: usize, bytes: &[u8]) -> Result<()>;

    /// Copies bytes out; the same holds.
    fn read(&self, offset: usize, out: &mut [u8]) -> Result<()>;

    /// A name for debuggers.
    fn label(&self, name: &str);
}

/// A queue: command buffers run in the order they are committed.
pub trait Queue<H: Hal>: Send + Sync {
    /// A command buffer that keeps nothing alive.
    fn commands(&self, label: &str) -> Result<H::Commands>;
}

/// A counter that only grows. Command buffers set it, and the CPU sees how far they have come without
/// having to be called.
pub trait Event: Send + Sync {
    /// The largest value that has been set.
    fn reached(&self) -> u64;
}

/// When commands ran, in seconds on the clock of the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// When the first started.
    pub start: f64,
    /// When the last ended.
    pub end: f64,
}

/// What is called when commands have run.
pub type Done = Box<dyn FnOnce(Result<Times>) + Send>;

/// A command buffer. One that is dropped before it is committed never runs, and nothing waits for it.
pub trait Commands<H: Hal>: Sized + Send {
    /// An encoder whose dispatches run at the same time unless a barrier is between them; it
    /// starts after all that was committed before. Debuggers show it by its label.
    fn encoder(&mut self, label: &str) -> Result<H::Encoder>;

    /// Sets an event to `value` when all that was encoded before has run; if that fails, perhaps
    /// never. Who calls keeps the event until then.
    fn signal(&mut self, event: &H::Event, value: u64) -> Result<()>;

    /// Hands it to its queue. `done` is called once, from any thread, whatever happens.
    fn commit(self, done: Done);
}

/// An encoder of dispatches.
pub trait Encoder<H: Hal> {
    /// What the dispatches that follow are shown as by debuggers, and named by in faults.
    fn label(&mut self, op: &str, kernel: &str);
    /// The kernel of the dispatches that follow.
    fn pipeline(&mut self, pipeline: &H::Pipeline);
    /// A buffer from an offset on, until another takes its place.
    fn buffer(&mut self, index: usize, buffer: &H::Buffer, offset: usize) -> Result<()>;
    /// A copy of at most 4096 bytes.
    fn bytes(&mut self, index: usize, bytes: &[u8]) -> Result<()>;
    /// Runs threadgroups.
    fn dispatch(&mut self, groups: [u32; 3], threads: [u32; 3]) -> Result<()>;
    /// Runs so many threads, in threadgroups that may be smaller at the ends.
    fn dispatch_threads(&mut self, threads: [u32; 3], group: [u32; 3]) -> Result<()>;
    /// Orders all dispatches before it ahead of all after it.
    fn barrier(&mut self) -> Result<()>;
    /// Ends it. What is encoded later runs after it.
    fn end(self);
    /// Ends it when something could not be encoded: its commands will not be committed, and nothing
    /// that comes later may wait for it.
    fn abandon(self);
}
