//! The trait that every device implements.

use crate::{Batch, Buffer, HostMemory, PoolStats, Result, Slice, gpu::CompiledKernel};
use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

/// A place that holds buffers and runs ops.
///
/// Ops of one batch, and batches of one device, take effect in the order they were given.
/// A device may run them later and at the same time as long as nobody can tell.
///
/// ```
/// use bessemer_core::{Device, DeviceKind, Slice};
///
/// let device = bessemer_cpu::Reference::new();
/// assert_eq!(device.info().kind, DeviceKind::Reference);
/// let buffer = device.alloc(4)?;
/// device.write(&Slice::all(&buffer), &[1, 2, 3, 4])?;
/// let mut bytes = [0; 4];
/// device.read(&Slice::all(&buffer), &mut bytes)?;
/// assert_eq!(bytes, [1, 2, 3, 4]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
pub trait Device: Send + Sync + fmt::Debug {
    /// What it is.
    fn info(&self) -> &DeviceInfo;

    /// A buffer of `bytes` from its pool. What it holds at first is unspecified.
    fn alloc(&self, bytes: usize) -> Result<Buffer>;

    /// A read-only buffer of memory the host owns, without a copy where the device can use it as it
    /// lies, unless a copy serves better.
    fn adopt(&self, host: HostMemory) -> Result<Buffer>;

    /// Copies `bytes` to `dst`, which must be as long.
    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()>;

    /// Copies `src` to `out`, which must be as long, once all that was submitted before is done.
    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()>;

    /// Starts a batch. Nothing is written if it is refused.
    fn submit(&self, batch: &Batch) -> Result<Ticket>;

    /// Waits until a batch is done and says how it went.
    fn wait(&self, ticket: Ticket) -> Result<()>;

    /// What it holds and has done.
    fn stats(&self) -> Stats;

    /// Gives idle memory back to the system.
    fn trim(&self);

    /// Starts to make ready what a batch needs besides memory, in the background: kernels that are
    /// to be compiled, mostly. Who submits it before that is done waits for the rest, and hears
    /// then of whatever goes wrong.
    fn prepare(&self, batch: &Batch) {
        let _ = batch;
    }

    /// Says that `batch` is likely the next to be submitted, whatever is written to memory until then:
    /// a device with a queue may encode it now, while it still runs what came before.
    fn encode_ahead(&self, batch: &Batch) {
        let _ = batch;
    }

    /// What more there is to say of it, line by line, for people who look closely: its limits, what it
    /// has compiled.
    fn details(&self) -> Vec<String> {
        Vec::new()
    }

    /// All kernels that it has compiled so far, in the order of their names.
    fn kernels(&self) -> Vec<CompiledKernel> {
        Vec::new()
    }
}

/// A number for each device of this process: which buffers are whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(u64);

impl DeviceId {
    /// An id no other device has.
    #[allow(clippy::new_without_default)]
    pub fn new() -> DeviceId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        DeviceId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The kinds of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// Scalar code in double precision: the meaning of every op, and slow.
    Reference,
    /// SIMD code on a thread pool.
    Cpu,
    /// Apple's Metal.
    Metal,
    /// WebGPU through wgpu.
    WebGpu,
}

impl DeviceKind {
    /// Its name, as `Device::open` and `--device` take it.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Reference => "reference",
            DeviceKind::Cpu => "cpu",
            DeviceKind::Metal => "metal",
            DeviceKind::WebGpu => "webgpu",
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a device is.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its number.
    pub id: DeviceId,
    /// What kind it is.
    pub kind: DeviceKind,
    /// The name of the hardware.
    pub name: String,
    /// Instruction sets, GPU families and the like, for people to read.
    pub features: Vec<String>,
    /// The threads or compute units it runs on.
    pub threads: usize,
    /// The most bytes its buffers may take in all.
    pub memory_limit: usize,
    /// The most views that a program may read and write, together; expressions of arrays that
    /// need more become several programs.
    pub max_operands: usize,
    /// Whether it emulates a GPU in software; `auto` never takes such a device.
    pub software: bool,
    /// How it works, as far as callers have to know.
    pub capabilities: Capabilities,
}

/// How a device works, for the few decisions that depend on it. Code above the devices asks for
/// these, never for the kind of a device, so that a new kind needs no changes there.
///
/// ```
/// use bessemer_core::Capabilities;
///
/// assert!(Capabilities::HOST.host_memory && !Capabilities::HOST.asynchronous);
/// assert!(Capabilities::GPU.asynchronous && Capabilities::GPU.can_be_lost);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// It computes on the CPU's own threads, in this process's memory: memory-mapped weights cost
    /// it nothing, and the machine's memory bandwidth is its limit.
    pub host_memory: bool,
    /// `submit` returns while the work is still running, so the caller can prepare the next batch.
    pub asynchronous: bool,
    /// It can fail while it is in use: a GPU that is reset, unplugged or out of memory.
    pub can_be_lost: bool,
    /// Its compiler may flush subnormal numbers and round conversions either way, as WGSL allows.
    pub relaxed_floats: bool,
    /// It computes with doubles; others keep and move them, but no more.
    pub doubles: bool,
}

impl Capabilities {
    /// A device that runs on the calling process's CPU.
    pub const HOST: Capabilities = Capabilities {
        host_memory: true,
        asynchronous: false,
        can_be_lost: false,
        relaxed_floats: false,
        doubles: true,
    };

    /// A GPU with a queue and memory of its own.
    pub const GPU: Capabilities = Capabilities {
        host_memory: false,
        asynchronous: true,
        can_be_lost: true,
        relaxed_floats: false,
        doubles: false,
    };
}

/// A batch that was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[must_use = "wait for it, or read what it wrote"]
pub struct Ticket(pub u64);

/// What a device holds and has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Its memory.
    pub pool: PoolStats,
    /// Bytes of adopted memory, other than copies in the pool.
    pub adopted_bytes: usize,
    /// Batches submitted.
    pub submissions: u64,
    /// Ops run.
    pub dispatches: u64,
}
