//! A device that computes nothing: it records what a browser would be asked to compile and to bind, so
//! that implementations of WebGPU can validate it. It needs no adapter.

use crate::{
    adapter::AdapterSummary, device, launch, memory::Extent, pipelines::Key, source::Dialect,
};
use bessemer_core::{
    Batch, Buffer, Device, DeviceId, DeviceInfo, DeviceKind, Error, HostMemory, Memory, Result,
    Slice, Stats, Ticket,
    gpu::{GpuTraits, Launch, Span},
};
use rustc_hash::FxHashMap;
use std::{
    fmt,
    ops::RangeInclusive,
    ptr::NonNull,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What the adapter would have that launches are made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Nothing but what every implementation of WebGPU has.
    Portable,
    /// Subgroups of one of these widths, 16-bit floats, and the limits of a common GPU.
    Subgroups(RangeInclusive<u32>),
}

/// A text to compile, as browsers take it.
#[derive(Clone, Debug)]
pub struct Module {
    /// The op that first asked for it.
    pub op: &'static str,
    /// The name of the kernel.
    pub kernel: String,
    /// The text.
    pub text: String,
    /// The function that runs.
    pub entry: String,
    /// Numbers it is specialised by, by their ids.
    pub constants: Vec<(u16, f64)>,
    /// By binding, whether it is written.
    pub writes: Vec<bool>,
    /// Whether numbers are bound after the buffers.
    pub params: bool,
}

/// One dispatch.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The op.
    pub op: &'static str,
    /// The number of its module.
    pub module: usize,
    /// What it binds.
    pub spans: Vec<Span>,
    /// How long the buffers are, by binding.
    pub sizes: Vec<u64>,
    /// Bytes of its numbers.
    pub params: usize,
    /// Workgroups in x, y and z.
    pub groups: [u32; 3],
    /// Why our own check refuses it, if it does.
    pub refused: Option<String>,
}

/// The device.
///
/// ```
/// use bessemer_core::Device;
/// use bessemer_webgpu::{Profile, Recorder};
///
/// let device = Recorder::new(Profile::Portable);
/// let buffer = device.alloc(64)?;
/// assert_eq!(device.modules().len(), 0);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
pub struct Recorder {
    info: DeviceInfo,
    traits: GpuTraits,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    numbers: FxHashMap<Key, usize>,
    modules: Vec<Module>,
    launches: Vec<Recorded>,
    submissions: u64,
}

/// What is written is kept, so that it can be read again.
enum Kept {
    Host(HostMemory),
    Bytes(Mutex<Vec<u8>>),
}

impl Recorder {
    /// One with the limits of `profile`.
    pub fn new(profile: Profile) -> Recorder {
        let limits = wgpu::Limits::default();
        let (name, widths, features, limits) = match &profile {
            Profile::Portable => ("portable".to_owned(), 1..=1, wgpu::Features::empty(), limits),
            Profile::Subgroups(widths) => (
                format!("subgroups of {} to {}", widths.start(), widths.end()),
                widths.clone(),
                wgpu::Features::SUBGROUP | wgpu::Features::SHADER_F16,
                wgpu::Limits {
                    max_storage_buffers_per_shader_stage: 10,
                    max_buffer_size: 1 << 31,
                    max_storage_buffer_binding_size: (1 << 31) - 4,
                    max_compute_invocations_per_workgroup: 1024,
                    max_compute_workgroup_size_x: 1024,
                    max_compute_workgroup_size_y: 1024,
                    max_compute_workgroup_storage_size: 32768,
                    ..limits
                },
            ),
        };
        let summary = AdapterSummary { name: name.clone(), api: "webgpu".into(), software: false };
        let extent = Extent::new(limits.max_buffer_size, limits.max_storage_buffer_binding_size);
        let traits = device::traits(&summary, widths, features, &limits, extent);
        let info = DeviceInfo {
            id: DeviceId::new(),
            kind: DeviceKind::WebGpu,
            name,
            features: vec![summary.api],
            threads: traits.cores as usize,
            memory_limit: isize::MAX as usize,
            max_operands: traits.max_buffers as usize,
            software: true,
            capabilities: device::CAPABILITIES,
        };
        Recorder { info, traits, log: Mutex::default() }
    }

    /// What its launches may depend on.
    pub fn traits(&self) -> &GpuTraits {
        &self.traits
    }

    /// Every module that was asked for, each once.
    ///
    /// ```
    /// use bessemer_core::{Batch, DType, Device, View};
    /// use bessemer_ops::Copy;
    /// use bessemer_webgpu::{Profile, Recorder};
    ///
    /// let recorder = Recorder::new(Profile::Portable);
    /// let x = View::alloc(&recorder, DType::F32, &[4])?;
    /// let out = View::alloc(&recorder, DType::F32, &[4])?;
    /// let mut batch = Batch::new();
    /// batch.push(Copy { x, out })?;
    /// recorder.wait(recorder.submit(&batch)?)?;
    /// assert_eq!(recorder.modules().len(), 1);
    /// assert!(recorder.modules()[0].text.contains("@compute"));
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn modules(&self) -> Vec<Module> {
        self.log().modules.clone()
    }

    /// Every dispatch, in order.
    pub fn launches(&self) -> Vec<Recorded> {
        self.log().launches.clone()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept<'b>(&self, op: &'static str, slice: &'b Slice, bytes: usize) -> Result<&'b Kept> {
        let buffer = slice.buffer();
        if slice.bytes() != bytes {
            let have = slice.bytes();
            return Err(Error::view(format!("{op}: {have} bytes of {buffer:?} against {bytes}")));
        }
        buffer.memory().ok_or(Error::OtherDevice { op, buffer: buffer.id() })
    }

    fn record(&self, op: &'static str, launch: &Launch) {
        let spans = launch::spans(launch, &self.traits);
        let sizes =
            launch.bindings.iter().zip(&spans).map(|(binding, span)| match binding.view() {
                Some(view) => (view.buffer().bytes() as u64).max(1).next_multiple_of(Span::WIDEST),
                None => span.range.end,
            });
        let recorded = Recorded {
            op,
            module: self.log().number(op, Key::new(launch, &spans)),
            sizes: sizes.collect(),
            params: 4 * launch.params.words().len(),
            groups: launch.groups,
            refused: launch::check(launch, &spans, &self.traits).err(),
            spans,
        };
        self.log().launches.push(recorded);
    }
}

impl Log {
    fn number(&mut self, op: &'static str, key: Key) -> usize {
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = self.modules.len();
        self.modules.push(Module {
            op,
            kernel: key.kernel.source.name().to_owned(),
            text: key.text(Dialect::Browser),
            entry: key.kernel.entry.clone().into_owned(),
            constants: key.constants(),
            writes: key.writes.clone(),
            params: key.params,
        });
        self.numbers.insert(key, number);
        number
    }
}

impl Device for Recorder {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        let kept = Kept::Bytes(Mutex::new(vec![0; bytes]));
        Ok(Buffer::new(self.info.id, Box::new(kept), bytes, true))
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        let bytes = host.bytes().len();
        Ok(Buffer::new(self.info.id, Box::new(Kept::Host(host)), bytes, false))
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        match self.kept("write", dst, bytes.len())? {
            Kept::Bytes(kept) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept[dst.range()].copy_from_slice(bytes);
                Ok(())
            }
            Kept::Host(_) => {
                let why = format!("{:?} is read-only memory", dst.buffer());
                Err(Error::Output { op: "write", why })
            }
        }
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        match self.kept("read", src, out.len())? {
            Kept::Bytes(kept) => {
                let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                out.copy_from_slice(&kept[src.range()]);
            }
            Kept::Host(host) => out.copy_from_slice(&host.bytes()[src.range()]),
        }
        Ok(())
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        for step in batch.steps() {
            let launches = step.op.webgpu(&self.traits)?.launches;
            for launch in launches.iter().filter(|launch| !launch.groups.contains(&0)) {
                self.record(step.op.name(), launch);
            }
        }
        let mut log = self.log();
        log.submissions += 1;
        Ok(Ticket(log.submissions))
    }

    fn wait(&self, _: Ticket) -> Result<()> {
        Ok(())
    }

    fn stats(&self) -> Stats {
        let log = self.log();
        let dispatches = log.launches.len() as u64;
        Stats { submissions: log.submissions, dispatches, ..Stats::default() }
    }

    fn trim(&self) {}
}

impl Memory for Kept {
    fn bytes(&self) -> usize {
        match self {
            Kept::Host(host) => host.bytes().len(),
            Kept::Bytes(kept) => kept.lock().unwrap_or_else(PoisonError::into_inner).len(),
        }
    }

    fn host(&self) -> Option<NonNull<u8>> {
        None
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder ({})", self.info.name)
    }
}
