//! The device: the contract of `core`, kept by wgpu.

use crate::{
    adapter::{self, AdapterSummary, Power},
    edges,
    engine::Engine,
    fault::Faults,
    memory::GpuMemory,
};
use bessemer_core::{
    Batch, Buffer, Device, DeviceId, DeviceInfo, DeviceKind, Error, HostMemory, Pool, PoolLimits,
    Result, Slice, Stats, Ticket, gpu::GpuTraits,
};
use std::{
    env, fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// How to open a [`WebGpu`].
#[derive(Clone, Debug, Default)]
pub struct WebGpuOptions {
    /// A part of the adapter's name; else `BESSEMER_ADAPTER`, else the best one is taken.
    pub adapter: Option<String>,
    /// Which of several is best.
    pub power: Power,
    /// The most bytes all buffers may take; WebGPU does not say how many there are.
    pub memory_limit: Option<usize>,
    /// Uses nothing that an adapter need not have: no subgroups, no 16-bit floats.
    pub portable: bool,
}

/// A GPU by way of WebGPU.
///
/// ```no_run
/// use bessemer_core::Device;
/// use bessemer_webgpu::{WebGpu, WebGpuOptions};
///
/// let gpu = WebGpu::open(WebGpuOptions::default())?;
/// println!("{}", gpu.info().name);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
pub struct WebGpu {
    info: DeviceInfo,
    traits: GpuTraits,
    gpu: wgpu::Device,
    faults: Faults,
    pool: Pool<GpuMemory>,
    adopted: Arc<AtomicUsize>,
    max_buffer: u64,
    engine: Mutex<Engine>,
}

impl WebGpu {
    /// Opens an adapter.
    pub fn open(options: WebGpuOptions) -> Result<WebGpu> {
        let named = options.adapter.clone().or_else(|| env::var("BESSEMER_ADAPTER").ok());
        let adapter = adapter::choose(named.as_deref(), options.power)?;
        let summary = AdapterSummary::of(&adapter.get_info());
        let wanted = wgpu::Features::SUBGROUP | wgpu::Features::SHADER_F16;
        let wanted = if options.portable { wgpu::Features::empty() } else { wanted };
        let features = adapter.features() & wanted;
        let limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("bessemer"),
            required_features: features,
            required_limits: limits.clone(),
            ..Default::default()
        };
        let (gpu, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| {
                Error::Unavailable { device: "webgpu".into(), why: format!("{summary}: {error}") }
            })?;
        let faults = Faults::listen(&gpu);
        let traits = traits(&summary, &adapter.get_info(), features, &limits);
        let id = DeviceId::new();
        let memory_limit = options.memory_limit.unwrap_or(isize::MAX as usize);
        let info = DeviceInfo {
            id,
            kind: DeviceKind::WebGpu,
            name: summary.name.clone(),
            features: named_features(&summary, features, &traits),
            threads: traits.cores as usize,
            memory_limit,
            software: summary.software,
        };
        let pool = {
            let (gpu, name, most) = (gpu.clone(), summary.name.clone(), limits.max_buffer_size);
            let limits = PoolLimits {
                bytes: memory_limit,
                idle_bytes: memory_limit.min(IDLE_BYTES),
                idle_buffers: 256,
            };
            Pool::new(id, summary.name.clone(), limits, move |bytes| {
                GpuMemory::new(&gpu, &name, most, bytes)
            })
        };
        // naga knows subgroups without being told.
        let prelude = if traits.f16 { "enable f16;\n" } else { "" };
        let uniform = limits.min_uniform_buffer_offset_alignment;
        let engine = Mutex::new(Engine::new(gpu.clone(), queue, prelude, uniform));
        let max_buffer = limits.max_buffer_size;
        Ok(WebGpu { info, traits, gpu, faults, pool, adopted: Arc::default(), max_buffer, engine })
    }

    /// What its launches may depend on.
    pub fn traits(&self) -> &GpuTraits {
        &self.traits
    }

    /// Gives the adapter back. All that is asked of the device later is an error, as if the
    /// adapter had been lost.
    pub fn close(&self) {
        self.gpu.destroy();
        // The callback that says so runs as the device is polled.
        let _ = self.gpu.poll(wgpu::PollType::Poll);
    }

    fn engine(&self) -> MutexGuard<'_, Engine> {
        // What is kept there is whole between calls; a panic in an op's launch changes nothing.
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, op: &'static str, why: String) -> Error {
        // If the device is gone, that is why.
        match self.faults.check(&self.info.name, op) {
            Err(fault) => fault,
            Ok(()) => Error::Failed { device: self.info.name.clone(), op, why },
        }
    }

    fn check(&self, op: &'static str) -> Result<()> {
        self.faults.check(&self.info.name, op)
    }

    fn owns(&self, op: &'static str, buffer: &Buffer) -> Result<()> {
        if buffer.device() == self.info.id {
            return Ok(());
        }
        Err(Error::OtherDevice { op, buffer: buffer.id() })
    }

    fn same_length(&self, op: &'static str, slice: &Slice, bytes: usize) -> Result<()> {
        self.owns(op, slice.buffer())?;
        if slice.bytes() == bytes {
            return Ok(());
        }
        let (have, buffer) = (slice.bytes(), slice.buffer());
        Err(Error::view(format!("{op}: {have} bytes of {buffer:?} against {bytes}")))
    }
}

/// What may lie idle: enough for the arrays of a program that makes and drops them.
const IDLE_BYTES: usize = 1 << 30;

impl Device for WebGpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.check("alloc")?;
        self.pool.take(bytes)
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        self.check("adopt")?;
        let bytes = host.bytes().len();
        let held = self.pool.stats().live_bytes + self.adopted.load(Ordering::Relaxed);
        let limit = self.info.memory_limit;
        if bytes > limit.saturating_sub(held) {
            let device = self.info.name.clone();
            return Err(Error::OutOfMemory { device, asked: bytes, held, limit });
        }
        let memory = GpuMemory::new(&self.gpu, &self.info.name, self.max_buffer, bytes)?;
        let memory = memory.counted(&self.adopted);
        let buffer = Buffer::new(self.info.id, Box::new(memory), bytes, false);
        let written =
            edges::write(&mut self.engine(), &self.traits, &Slice::all(&buffer), host.bytes());
        written.map_err(|why| self.failed("adopt", why))?;
        Ok(buffer)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        self.same_length("write", dst, bytes.len())?;
        if !dst.buffer().is_writable() {
            let why = format!("{:?} is read-only memory", dst.buffer());
            return Err(Error::Output { op: "write", why });
        }
        self.check("write")?;
        let written = edges::write(&mut self.engine(), &self.traits, dst, bytes);
        written.map_err(|why| self.failed("write", why))
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        self.same_length("read", src, out.len())?;
        self.check("read")?;
        let memory = GpuMemory::of("read", src.buffer())?;
        let Engine { gpu, queue, readback, .. } = &mut *self.engine();
        let read = readback.read(gpu, queue, &memory.buffer, src.range().start, out);
        read.map_err(|why| self.failed("read", why))?;
        self.check("read")
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        for step in batch.steps() {
            for view in step.access.views() {
                self.owns(step.op.name(), view.buffer())?;
            }
        }
        self.check("submit")?;
        let submitted = self.engine().submit(&self.info.name, &self.traits, batch)?;
        self.check("submit")?;
        Ok(Ticket(submitted))
    }

    fn wait(&self, ticket: Ticket) -> Result<()> {
        let index = self.engine().index(ticket.0);
        if let Some(index) = index {
            let until = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
            self.gpu.poll(until).map_err(|error| self.failed("wait", error.to_string()))?;
        }
        self.check("wait")
    }

    fn stats(&self) -> Stats {
        let engine = self.engine();
        Stats {
            pool: self.pool.stats(),
            adopted_bytes: self.adopted.load(Ordering::Relaxed),
            submissions: engine.submissions,
            dispatches: engine.dispatches,
        }
    }

    fn trim(&self) {
        self.engine().forget_all();
        self.pool.trim(0);
    }
}

fn traits(
    summary: &AdapterSummary,
    info: &wgpu::AdapterInfo,
    features: wgpu::Features,
    limits: &wgpu::Limits,
) -> GpuTraits {
    let subgroups = features.contains(wgpu::Features::SUBGROUP);
    let one_width = info.subgroup_min_size == info.subgroup_max_size;
    GpuTraits {
        name: summary.name.clone(),
        simd_width: if subgroups && one_width { info.subgroup_min_size } else { 1 },
        simd_reduce: subgroups,
        simd_matrix: false,
        f16: features.contains(wgpu::Features::SHADER_F16),
        bf16: false,
        max_threads: limits.max_compute_invocations_per_workgroup,
        max_threadgroup_bytes: limits.max_compute_workgroup_storage_size,
        max_groups: limits.max_compute_workgroups_per_dimension,
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        offset_alignment: limits.min_storage_buffer_offset_alignment,
        // WebGPU does not tell; a software adapter has those of the machine.
        cores: match summary.software {
            true => std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
            false => 32,
        },
    }
}

/// What it can do, for people to read.
fn named_features(
    summary: &AdapterSummary,
    features: wgpu::Features,
    traits: &GpuTraits,
) -> Vec<String> {
    let mut named = vec![summary.api.clone()];
    if features.contains(wgpu::Features::SHADER_F16) {
        named.push("f16".into());
    }
    match traits.simd_width {
        _ if !traits.simd_reduce => {}
        1 => named.push("subgroups".into()),
        width => named.push(format!("subgroups of {width}")),
    }
    named
}

impl fmt::Debug for WebGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebGpu ({})", self.info.name)
    }
}
