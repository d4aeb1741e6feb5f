//! Implements core's `Device` with Metal objects.

use crate::{
    MetalOptions,
    bandwidth::bandwidth,
    hal::{Buffer as _, Device as _, Fault, Hal},
    memory::GpuMemory,
    parts::Speed,
    pipelines::Pipelines,
    plan::{Maker, Plan},
    progress::{Intent, Progress},
    submit::{Counters, Line},
    warmth::{Rhythm, Warmth},
    warmup::Warmup,
};
use bessemer_core::{
    Batch, Buffer, Capabilities, Device, DeviceId, DeviceInfo, DeviceKind, Error, HostMemory, Pool,
    PoolLimits, Result, Slice, Stats, Ticket, Trace, contract,
    gpu::{CompiledKernel, GpuTraits, Kernel, KernelLimits},
};
use std::{
    collections::HashSet,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A Metal device.
///
/// ```
/// # #[cfg(target_os = "linux")] {
/// use bessemer_core::Device;
/// use bessemer_metal::{Metal, MetalOptions, hal::soft::SoftOptions};
///
/// let metal = Metal::open_soft(&MetalOptions::default(), &SoftOptions::default())?;
/// assert!(metal.info().software);
/// # }
/// # Ok::<(), bessemer_core::Error>(())
/// ```
pub struct Metal<H: Hal> {
    pub(crate) info: DeviceInfo,
    traits: GpuTraits,
    speed: Speed,
    warmup: Warmup,
    pub(crate) warmth: Warmth,
    // Before the device: buffers and queues must not outlive it.
    pool: Pool<GpuMemory<H>>,
    pipelines: Arc<Pipelines<H>>,
    pub(crate) progress: Arc<Progress<H>>,
    adopted: Arc<AtomicUsize>,
    pub(crate) trace: Option<Arc<Trace>>,
    /// Held while a batch is encoded and committed: tickets are in the order of the queue.
    queue: Mutex<Line<H>>,
    device: Arc<H::Device>,
}

pub(crate) const NAME: &str = "metal";
/// How long to wait for Metal to call back before looking at how far the GPU has come.
const PATIENCE: Duration = Duration::from_secs(1);

#[cfg(all(unix, feature = "soft"))]
impl Metal<crate::hal::soft::Soft> {
    /// A device in software, which needs no GPU but clang.
    pub fn open_soft(options: &MetalOptions, soft: &crate::hal::soft::SoftOptions) -> Result<Self> {
        let unavailable = |fault: Fault| Error::Unavailable { device: NAME.into(), why: fault.why };
        let device = crate::hal::soft::Device::open(soft).map_err(unavailable)?;
        Metal::new(device, options)
    }
}

#[cfg(target_vendor = "apple")]
impl Metal<crate::hal::apple::Apple> {
    /// The GPU of this machine: the one `options` name, or the system's choice.
    pub fn open(options: &MetalOptions) -> Result<Self> {
        let unavailable = |fault: Fault| Error::Unavailable { device: NAME.into(), why: fault.why };
        let (gpu, capture) = (options.gpu.as_deref(), options.capture.as_deref());
        let device = crate::hal::apple::Device::open(gpu, capture);
        Metal::new(device.map_err(unavailable)?, options)
    }
}

impl<H: Hal> Metal<H> {
    pub(crate) fn new(device: H::Device, options: &MetalOptions) -> Result<Metal<H>> {
        let facts = device.facts().clone();
        let id = DeviceId::new();
        let memory_limit = options.memory_limit.unwrap_or(facts.working_set);
        let info = DeviceInfo {
            id,
            kind: DeviceKind::Metal,
            name: facts.traits.name.clone(),
            features: facts.features,
            threads: facts.traits.cores as usize,
            memory_limit,
            max_operands: facts.traits.max_buffers as usize,
            software: facts.software,
            capabilities: Capabilities::GPU,
        };
        let failed = |fault: Fault| Error::Unavailable { device: NAME.into(), why: fault.why };
        let (queue, event) = (device.queue().map_err(failed)?, device.event().map_err(failed)?);
        let limits =
            PoolLimits { bytes: memory_limit, idle_bytes: memory_limit / 4, idle_buffers: 256 };
        let trace = options.trace.as_ref().map(|path| {
            let limit = bandwidth::<H>(&device, &queue);
            Trace::new(path, info.kind, limit).map(Arc::new)
        });
        let trace = trace.transpose()?;
        let device = Arc::new(device);
        let maker = Arc::clone(&device);
        let pool = Pool::new(id, NAME, limits, move |bytes| {
            let most = maker.facts().max_buffer;
            if bytes > most {
                let hint = "take a shorter context or a smaller model";
                let why = format!("{bytes} bytes; this GPU's buffers have {most} at most: {hint}");
                return Err(failure("alloc", Fault::new(why)));
            }
            let made = maker.buffer(bytes).map_err(|fault| failure("alloc", fault))?;
            made.label(&format!("bessemer pool: {bytes} bytes"));
            Ok(GpuMemory::new(made))
        });
        Ok(Metal {
            info,
            speed: Speed::of(&facts.traits.name, facts.software),
            traits: facts.traits,
            warmth: Warmth::new::<H>(&device, Rhythm::default()),
            warmup: Warmup::default(),
            pool,
            pipelines: Arc::new(Pipelines::new()),
            progress: Arc::new(Progress::new(event, PATIENCE)),
            adopted: Arc::default(),
            trace,
            queue: Mutex::new(Line::new(queue)),
            device,
        })
    }

    /// What the GPU can do, as ops ask it.
    pub fn traits(&self) -> &GpuTraits {
        &self.traits
    }

    /// What it has done.
    pub fn counters(&self) -> Counters {
        Counters { pipelines: self.pipelines.count() as u64, ..self.line().counters }
    }

    /// Waits until all pipelines that [`Device::prepare`] has asked for are made.
    pub fn wait_for_pipelines(&self) {
        self.warmup.wait();
    }

    pub(crate) fn line(&self) -> MutexGuard<'_, Line<H>> {
        // Counters and a queue, whole at any time.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn plan(&self, batch: &Batch) -> Result<Plan<H>> {
        let maker = Maker {
            device: &*self.device,
            name: NAME,
            traits: &self.traits,
            speed: self.speed,
            pipelines: &self.pipelines,
            pool: &self.pool,
        };
        let plan = maker.plan(batch)?;
        self.line().counters.plans += 1;
        Ok(plan)
    }
}

impl<H: Hal> Device for Metal<H> {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.pool.take(bytes)
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        let bytes = host.bytes().len();
        let memory = GpuMemory::<H>::adopt(&self.device, &host, &self.adopted)
            .map_err(|fault| failure("adopt", fault))?;
        Ok(Buffer::new(self.info.id, Box::new(memory), bytes, false))
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        contract::writable(self.info.id, dst, bytes.len())?;
        // Held so that nothing that uses the buffer is submitted meanwhile.
        let _line = self.line();
        self.progress.settle(dst.buffer(), Intent::Write)?;
        let memory = GpuMemory::<H>::of(dst.buffer());
        memory.write(dst.range().start, bytes).map_err(|fault| failure("write", fault))
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        contract::readable(self.info.id, src, out.len())?;
        let _line = self.line();
        self.progress.settle(src.buffer(), Intent::Read)?;
        let memory = GpuMemory::<H>::of(src.buffer());
        memory.read(src.range(), out).map_err(|fault| failure("read", fault))
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        H::entry(|| self.submit_within(batch))
    }

    fn encode_ahead(&self, batch: &Batch) {
        H::entry(|| self.encode_ahead_within(batch));
    }

    fn wait(&self, ticket: Ticket) -> Result<()> {
        self.progress.wait(ticket)
    }

    fn prepare(&self, batch: &Batch) {
        let mut kernels = HashSet::new();
        for step in batch.steps() {
            // What an op refuses is told when it is submitted.
            let launches = step.op.metal(&self.traits).unwrap_or_default().launches;
            let runs = launches.into_iter().filter(|launch| !launch.groups.contains(&0));
            kernels.extend(runs.map(|launch| launch.kernel));
        }
        let new: Vec<Kernel> =
            kernels.into_iter().filter(|kernel| self.pipelines.lacks(kernel)).collect();
        if !new.is_empty() {
            self.warmup.start(&self.device, &self.pipelines, new);
        }
    }

    fn stats(&self) -> Stats {
        let line = self.line();
        Stats {
            pool: self.pool.stats(),
            adopted_bytes: self.adopted.load(Ordering::Relaxed),
            submissions: line.submissions,
            dispatches: line.counters.dispatches,
        }
    }

    fn trim(&self) {
        self.pool.trim(0);
    }

    fn details(&self) -> Vec<String> {
        let GpuTraits { simd_width, max_threads, max_threadgroup_bytes, cores, .. } = self.traits;
        let has = |what: &str, there: bool| format!("{what}: {}", if there { "yes" } else { "no" });
        let facts = self.device.facts();
        let mut lines = vec![
            format!("system: {}", facts.system),
            format!("threads in step: {simd_width}"),
            has("sums over them", self.traits.simd_reduce),
            has("matrices over them", self.traits.simd_matrix),
            has("bfloat", self.traits.bf16),
            format!("threads of a threadgroup: {max_threads}"),
            format!("threadgroup memory: {max_threadgroup_bytes} bytes"),
            format!("longest buffer: {} bytes", facts.max_buffer),
            has("one memory with the CPU", facts.unified),
            format!("recommended working set: {} bytes", facts.working_set),
            format!("cores: {cores}"),
        ];
        lines.extend(self.pipelines.list().into_iter().map(|kernel| {
            let CompiledKernel { file, entry, outcome, .. } = kernel;
            match outcome {
                Err(_) => format!("pipeline {file} {entry}: cannot be made"),
                Ok(KernelLimits { max_threads, simd_width, threadgroup_bytes }) => format!(
                    "pipeline {file} {entry}: up to {max_threads} threads, {simd_width} in step, \
                     {threadgroup_bytes} bytes of threadgroup memory",
                ),
            }
        }));
        lines
    }

    fn kernels(&self) -> Vec<CompiledKernel> {
        self.pipelines.list()
    }
}

impl<H: Hal> Drop for Metal<H> {
    fn drop(&mut self) {
        self.progress.settle_all();
    }
}

impl<H: Hal> fmt::Debug for Metal<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metal ({})", self.info.name)
    }
}

pub(crate) fn failure(op: &'static str, fault: Fault) -> Error {
    Error::Failed { device: NAME.to_owned(), op, why: fault.why }
}
