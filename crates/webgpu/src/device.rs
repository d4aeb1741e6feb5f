//! Implements core's `Device` with wgpu.

use crate::{
    WebGpuOptions,
    adapter::{self, AdapterSummary},
    edges,
    engine::Engine,
    fault::Faults,
    memory::{Extent, GpuMemory},
    source::Dialect,
    timeline::{self, Clock, Timeline},
};
use bessemer_core::{
    Batch, Buffer, Capabilities, Device, DeviceId, DeviceInfo, DeviceKind, Error, HostMemory, Pool,
    PoolLimits, Result, Slice, Stats, Ticket, Trace, contract, gpu::GpuTraits,
};
use std::{
    collections::VecDeque,
    env, fmt,
    ops::RangeInclusive,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// What every device of WebGPU is like: WGSL's compilers may treat floats as reals.
pub(crate) const CAPABILITIES: Capabilities =
    Capabilities { relaxed_floats: true, ..Capabilities::GPU };

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
    extent: Extent,
    limits: wgpu::Limits,
    engine: Mutex<Engine>,
}

impl WebGpu {
    /// Opens an adapter.
    pub fn open(options: WebGpuOptions) -> Result<WebGpu> {
        let named = options.adapter.clone().or_else(|| env::var("BESSEMER_ADAPTER").ok());
        let adapter = adapter::choose(named.as_deref(), options.power, options.hardware)?;
        let summary = AdapterSummary::of(&adapter.get_info());
        let features = options.features(adapter.features());
        let limits = options.limits(adapter.limits());
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
        let extent = Extent::new(limits.max_buffer_size, limits.max_storage_buffer_binding_size);
        let info = adapter.get_info();
        let widths = info.subgroup_min_size..=info.subgroup_max_size;
        let traits = traits(&summary, widths, features, &limits, extent);
        let id = DeviceId::new();
        let memory = || adapter::memory(&adapter).unwrap_or(isize::MAX as usize);
        let memory_limit = options.memory_limit.unwrap_or_else(memory);
        let info = DeviceInfo {
            id,
            kind: DeviceKind::WebGpu,
            name: summary.name.clone(),
            features: named_features(&summary, features, &traits),
            threads: traits.cores as usize,
            memory_limit,
            max_operands: traits.max_buffers as usize,
            software: summary.software,
            capabilities: CAPABILITIES,
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
        let dialect = match adapter.get_info().backend {
            wgpu::Backend::BrowserWebGpu => Dialect::Browser,
            _ => Dialect::Naga,
        };
        let timeline = match &options.trace {
            None => None,
            Some(path) => {
                let bandwidth = timeline::bandwidth(&gpu, &queue);
                let asks = features.contains(wgpu::Features::TIMESTAMP_QUERY);
                let clock = asks.then(|| Clock::new(&gpu, &queue));
                Some(Timeline::new(Trace::new(path, info.kind, bandwidth)?, clock))
            }
        };
        let engine = Mutex::new(Engine::new(gpu.clone(), queue, dialect, &limits, timeline));
        let adopted = Arc::default();
        Ok(WebGpu { info, traits, gpu, faults, pool, adopted, extent, limits, engine })
    }

    /// What its launches may depend on.
    pub fn traits(&self) -> &GpuTraits {
        &self.traits
    }

    /// Gives the adapter back. All that is asked of the device later is an error, as if the
    /// adapter had been lost.
    pub fn close(&self) {
        self.faults.lose("it was closed");
        self.gpu.destroy();
    }

    fn engine(&self) -> MutexGuard<'_, Engine> {
        // What is kept there is whole between calls; a panic in an op's launch changes nothing.
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, op: &'static str, why: String) -> Error {
        // If the device is gone, that is why.
        match self.check(op) {
            Err(fault) => fault,
            Ok(()) => Error::Failed { device: self.info.name.clone(), op, why },
        }
    }

    fn check(&self, op: &'static str) -> Result<()> {
        let name = &self.info.name;
        self.faults.check(name, op).or_else(|error| {
            // If the device is lost, that is why; who is told of it is told as the device is polled.
            let _ = self.gpu.poll(wgpu::PollType::Poll);
            self.faults.check(name, op).and(Err(error))
        })
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
        let (gpu, name) = (&self.gpu, &self.info.name);
        let memory = GpuMemory::read_only(gpu, name, self.extent, bytes, &self.adopted)?;
        let buffer = Buffer::new(self.info.id, Box::new(memory), bytes, false);
        let written =
            edges::write(&mut self.engine(), &self.traits, &Slice::all(&buffer), host.bytes());
        written.map_err(|why| self.failed("adopt", why))?;
        Ok(buffer)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        contract::writable(self.info.id, dst, bytes.len())?;
        self.check("write")?;
        let mut engine = self.engine();
        let Engine { watches, readback, .. } = &mut *engine;
        watches.written(dst, readback);
        let written = edges::write(&mut engine, &self.traits, dst, bytes);
        drop(engine);
        written.map_err(|why| self.failed("write", why))
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        contract::readable(self.info.id, src, out.len())?;
        self.check("read")?;
        let memory = GpuMemory::of("read", src.buffer())?;
        let failed = |why| self.failed("read", why);
        let (mut at, end) = (src.range().start as u64, src.range().end as u64);
        let brought = {
            let Engine { watches, readback, .. } = &mut *self.engine();
            watches.read(src, readback)
        };
        if let Some(copying) = brought {
            let staging = copying.finish(&self.gpu, out).map_err(failed)?;
            self.engine().readback.keep(staging);
            return self.check("read");
        }
        let (mut line, mut rest) = (VecDeque::new(), out);
        // One piece is copied while the one before is read.
        while at < end || !line.is_empty() {
            if at < end && line.len() < 2 {
                let Engine { gpu, queue, readback, .. } = &mut *self.engine();
                let copying = readback.start(gpu, queue, memory, at..end).map_err(failed)?;
                at += copying.len() as u64;
                line.push_back(copying);
            } else if let Some(copying) = line.pop_front() {
                let (here, later) = std::mem::take(&mut rest).split_at_mut(copying.len());
                rest = later;
                let staging = copying.finish(&self.gpu, here).map_err(failed)?;
                self.engine().readback.keep(staging);
            }
        }
        self.check("read")
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        contract::submittable(self.info.id, batch)?;
        // What goes wrong as a whole is told of the first op.
        let op = batch.steps().first().map_or("submit", |step| step.op.name());
        self.check(op)?;
        let submitted = self.engine().submit(&self.info.name, &self.traits, batch)?;
        self.check(op)?;
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

    fn details(&self) -> Vec<String> {
        let GpuTraits { simd_width, max_threads, max_threadgroup_bytes, .. } = self.traits;
        let width = if simd_width > 1 { simd_width.to_string() } else { "not one".to_owned() };
        let has = |what: &str, yes: bool| format!("{what}: {}", if yes { "yes" } else { "no" });
        let limits = &self.limits;
        vec![
            format!("adapter: {} by {}", self.info.name, self.info.features[0]),
            has("hardware", !self.info.software),
            has("subgroups", self.traits.simd_reduce),
            format!("threads of a subgroup: {width}"),
            has("16-bit floats", self.traits.f16),
            format!("threads of a workgroup: {max_threads}"),
            format!("workgroup memory: {max_threadgroup_bytes} bytes"),
            format!("workgroups a side: {}", self.traits.max_groups),
            format!("buffers of a kernel: {}", limits.max_storage_buffers_per_shader_stage),
            format!("longest buffer: {} bytes", limits.max_buffer_size),
            format!("longest binding: {} bytes", limits.max_storage_buffer_binding_size),
            format!("weights are bound in parts of: {} bytes", self.traits.part_bytes),
        ]
    }
}

/// What launches may depend on, where subgroups have these `widths`.
pub(crate) fn traits(
    summary: &AdapterSummary,
    widths: RangeInclusive<u32>,
    features: wgpu::Features,
    limits: &wgpu::Limits,
    extent: Extent,
) -> GpuTraits {
    let subgroups = features.contains(wgpu::Features::SUBGROUP);
    let one_width = widths.start() == widths.end();
    GpuTraits {
        name: summary.name.clone(),
        simd_width: if subgroups && one_width { *widths.start() } else { 1 },
        simd_reduce: subgroups,
        simd_matrix: false,
        f16: features.contains(wgpu::Features::SHADER_F16),
        bf16: false,
        max_threads: limits.max_compute_invocations_per_workgroup,
        max_threadgroup_bytes: limits.max_compute_workgroup_storage_size,
        max_groups: limits.max_compute_workgroups_per_dimension,
        max_buffers: limits.max_storage_buffers_per_shader_stage,
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        part_bytes: extent.overlap,
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
