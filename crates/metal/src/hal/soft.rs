//! Metal in software: the objects of softmetal behind the traits.

use super::{Done, Facts, Fault, Hal, Result, Times};
use bessemer_core::gpu::{Constant, GpuTraits};
use softmetal::{
    BlitEncoder, CommandBuffer, CommandQueue, CompileOptions, ComputeEncoder, ComputePipeline,
    DispatchType, Error, Fence, FunctionConstants, Library, SharedEvent, Size, StorageMode,
};
use std::{
    env::consts,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

pub use softmetal::{Counters, Memory, Observer, Optimization, Profile, Traffic};

/// Metal in software.
#[derive(Debug)]
pub struct Soft;

impl Hal for Soft {
    type Device = Device;
    type Queue = Queue;
    type Library = Library;
    type Pipeline = ComputePipeline;
    type Buffer = Buffer;
    type Commands = Commands;
    type Encoder = Encoder;
    type Event = SharedEvent;
}

/// How the software behaves.
#[derive(Clone, Debug, Default)]
pub struct SoftOptions {
    /// Whether every access of every kernel is checked.
    pub checked: bool,
    /// A seed for the order in which threads run; none for the natural order.
    pub seed: Option<u64>,
    /// How long one dispatch may take; none for softmetal's own limit.
    pub time_limit: Option<Duration>,
    /// What it says it can do, to try out the kernels for lesser GPUs; none for all it can.
    pub traits: Option<GpuTraits>,
    /// The GPU that it imitates; none for one that has everything.
    pub profile: Option<&'static Profile>,
    /// Who is told what each dispatch did, if they are checked.
    pub observer: Option<Observer>,
    /// Whether it imitates a GPU with memory of its own, which the CPU cannot reach.
    pub own_memory: bool,
    /// How much memory there is: what is beyond that is refused, as when others use the GPU too.
    pub memory: Memory,
    /// How hard clang tries to make kernels fast that are not checked.
    pub optimization: Optimization,
    /// The longest buffer; none for as long as memory allows.
    pub max_buffer_length: Option<usize>,
    /// What goes wrong on purpose.
    pub failures: Failures,
    /// Whether the fence between command buffers is left out, to see that it would be missed.
    pub unfenced: bool,
    /// Counts how often it was asked to keep memory warm; none for memory that never cools.
    pub warmed: Option<Arc<AtomicU64>>,
}

/// Dispatches that cannot be encoded, to see what becomes of those that can. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Failures(Arc<AtomicU64>);

impl Failures {
    /// The `nth` dispatch from now on fails, counted from 1.
    pub fn dispatch(&self, nth: u64) {
        self.0.store(nth, Ordering::SeqCst);
    }

    fn next(&self) -> Result<()> {
        let left =
            self.0.try_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match left {
            Ok(1) => Err(Fault::new("it fails on purpose")),
            _ => Ok(()),
        }
    }
}

/// softmetal's device.
pub struct Device {
    device: softmetal::Device,
    facts: Facts,
    failures: Failures,
    unfenced: bool,
    warmed: Option<Arc<AtomicU64>>,
}

impl Device {
    /// Opens it; it needs clang.
    pub fn open(options: &SoftOptions) -> Result<Device> {
        let mut asked = softmetal::DeviceOptions {
            checked: options.checked,
            seed: options.seed,
            // Nothing but the fence keeps command buffers in order, as on a Mac.
            untracked: true,
            profile: options.profile,
            observer: options.observer.clone(),
            memory: options.memory.clone(),
            max_buffer_length: options.max_buffer_length,
            optimization: options.optimization,
            ..Default::default()
        };
        if let Some(limit) = options.time_limit {
            asked.time_limit = limit;
        }
        let device = softmetal::Device::with_options(asked).map_err(fault)?;
        let profile = device.profile();
        let name = match options.profile {
            Some(profile) => format!("softmetal (Metal in software, like {})", profile.name),
            None => "softmetal (Metal in software)".to_owned(),
        };
        let traits = options.traits.clone().unwrap_or_else(|| GpuTraits {
            name,
            simd_width: if profile.simd_reduce { 32 } else { 1 },
            simd_reduce: profile.simd_reduce,
            simd_matrix: profile.simd_matrix,
            f16: true,
            bf16: profile.bfloat,
            max_threads: 1024,
            max_threadgroup_bytes: device.max_threadgroup_memory_length() as u32,
            max_groups: u32::MAX,
            max_buffers: 30,
            max_binding_bytes: device.max_buffer_length() as u64,
            part_bytes: device.max_buffer_length() as u64,
            offset_alignment: 1,
            cores: thread::available_parallelism().map_or(1, |n| n.get() as u32),
        });
        let facts = Facts {
            traits,
            features: vec!["software".to_owned()],
            working_set: memory().min(device.recommended_max_working_set_size()),
            max_buffer: device.max_buffer_length(),
            page: page(),
            unified: device.has_unified_memory() && !options.own_memory,
            software: true,
            system: format!("softmetal on {} ({})", consts::OS, consts::ARCH),
        };
        let (failures, warmed) = (options.failures.clone(), options.warmed.clone());
        Ok(Device { device, facts, failures, unfenced: options.unfenced, warmed })
    }
}

impl super::Device<Soft> for Device {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn queue(&self) -> Result<Queue> {
        let queue = self.device.new_command_queue();
        let (simdgroups, failures) = (self.facts.traits.simd_reduce, self.failures.clone());
        let fence = (!self.unfenced).then(|| self.device.new_fence());
        Ok(Queue { queue, fence, simdgroups, failures })
    }

    fn event(&self) -> Result<SharedEvent> {
        Ok(self.device.new_shared_event())
    }

    fn buffer(&self, bytes: usize) -> Result<Buffer> {
        let buffer = self.device.new_buffer(bytes, StorageMode::Shared).map_err(fault)?;
        Ok(Buffer { buffer, private: None })
    }

    fn buffer_of(&self, bytes: &[u8]) -> Result<Buffer> {
        let (storage, private) = match self.facts.unified {
            true => (StorageMode::Shared, None),
            false => (StorageMode::Private, Some(self.device.clone())),
        };
        let buffer = self.device.new_buffer(bytes.len().max(1), storage).map_err(fault)?;
        let buffer = Buffer { buffer, private };
        super::Buffer::write(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    unsafe fn buffer_in_place(&self, memory: *mut u8, bytes: usize) -> Result<Buffer> {
        // SAFETY: who calls sees to it.
        let buffer = unsafe { self.device.new_buffer_no_copy(memory, bytes) }.map_err(fault)?;
        Ok(Buffer { buffer, private: None })
    }

    fn library(&self, name: &str, source: &str) -> Result<Library> {
        let options =
            CompileOptions { name: name.to_owned(), fast_math: false, ..Default::default() };
        self.device.new_library_with_source(source, &options).map_err(fault)
    }

    fn pipeline(
        &self,
        library: &Library,
        entry: &str,
        constants: &[(u16, Constant)],
    ) -> Result<ComputePipeline> {
        let mut values = FunctionConstants::default();
        for &(id, constant) in constants {
            let id = u32::from(id);
            match constant {
                Constant::Bool(value) => values.set(id, value),
                Constant::I32(value) => values.set(id, value),
                Constant::U32(value) => values.set(id, value),
                Constant::F32(bits) => values.set(id, f32::from_bits(bits)),
            };
        }
        let function = library.function_with_constants(entry, &values).map_err(fault)?;
        self.device.new_compute_pipeline(&function).map_err(fault)
    }

    fn cools(&self) -> bool {
        self.warmed.is_some()
    }

    fn keep_warm(&self) {
        if let Some(warmed) = &self.warmed {
            warmed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl super::Pipeline for ComputePipeline {
    fn max_threads(&self) -> u32 {
        self.max_total_threads_per_threadgroup() as u32
    }

    fn simd_width(&self) -> u32 {
        self.thread_execution_width() as u32
    }

    fn threadgroup_bytes(&self) -> u32 {
        self.static_threadgroup_memory_length() as u32
    }
}

/// softmetal's buffer.
pub struct Buffer {
    buffer: softmetal::Buffer,
    /// What copies to memory that the CPU cannot reach.
    private: Option<softmetal::Device>,
}

/// Memory that both reach, of which `copy` is to copy to or from what the CPU cannot reach.
fn staged(
    device: &softmetal::Device,
    bytes: usize,
    fill: impl FnOnce(&softmetal::Buffer) -> softmetal::Result<()>,
    copy: impl FnOnce(&mut BlitEncoder, &softmetal::Buffer) -> softmetal::Result<()>,
) -> softmetal::Result<softmetal::Buffer> {
    let staging = device.new_buffer(bytes, StorageMode::Shared)?;
    fill(&staging)?;
    let commands = device.new_command_queue().command_buffer();
    let mut encoder = commands.blit_encoder()?;
    copy(&mut encoder, &staging)?;
    encoder.end_encoding();
    commands.commit()?;
    commands.wait_until_completed()?;
    Ok(staging)
}

impl super::Buffer for Buffer {
    fn bytes(&self) -> usize {
        self.buffer.length()
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        let Some(device) = self.private.as_ref().filter(|_| !bytes.is_empty()) else {
            return self.buffer.write(offset, bytes).map_err(fault);
        };
        let fill = |staging: &softmetal::Buffer| staging.write(0, bytes);
        let copied = staged(device, bytes.len(), fill, |encoder, staging| {
            encoder.copy(staging, 0, &self.buffer, offset, bytes.len())
        });
        copied.map(drop).map_err(fault)
    }

    fn read(&self, offset: usize, out: &mut [u8]) -> Result<()> {
        let Some(device) = self.private.as_ref().filter(|_| !out.is_empty()) else {
            return self.buffer.read(offset, out).map_err(fault);
        };
        let copied = staged(
            device,
            out.len(),
            |_| Ok(()),
            |encoder, staging| encoder.copy(&self.buffer, offset, staging, 0, out.len()),
        );
        copied.and_then(|staging| staging.read(0, out)).map_err(fault)
    }

    fn label(&self, name: &str) {
        self.buffer.set_label(name);
    }
}

/// softmetal's queue.
pub struct Queue {
    queue: CommandQueue,
    /// What keeps command buffers in order, unless it is left out.
    fence: Option<Fence>,
    /// Whether simdgroups can be used; if not, the checked mode refuses kernels that do.
    simdgroups: bool,
    failures: Failures,
}

impl super::Queue<Soft> for Queue {
    fn commands(&self, _: &str) -> Result<Commands> {
        let commands = self.queue.command_buffer_with_unretained_references();
        let failures = self.failures.clone();
        let fence = self.fence.clone();
        Ok(Commands { commands, fence, simdgroups: self.simdgroups, failures })
    }
}

/// softmetal's command buffer.
pub struct Commands {
    commands: CommandBuffer,
    fence: Option<Fence>,
    simdgroups: bool,
    failures: Failures,
}

impl super::Commands<Soft> for Commands {
    fn encoder(&mut self, _: &str) -> Result<Encoder> {
        let encoder = self.commands.compute_encoder_with_type(DispatchType::Concurrent);
        let mut encoder = encoder.map_err(fault)?;
        if let Some(fence) = &self.fence {
            encoder.wait_for_fence(fence).map_err(fault)?;
        }
        Ok(Encoder { encoder, fence: self.fence.clone(), failures: self.failures.clone() })
    }

    fn signal(&mut self, event: &SharedEvent, value: u64) -> Result<()> {
        self.commands.encode_signal_event(event, value).map_err(fault)
    }

    fn commit(self, done: Done) {
        // Shared, since a command buffer that cannot be committed never calls its handlers.
        let done = Arc::new(Mutex::new(Some(done)));
        let tell = move |result: Result<Times>| {
            let done = done.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(done) = done {
                done(result);
            }
        };
        let ended = tell.clone();
        let added = self.commands.add_completed_handler(move |commands| {
            let times = Times { start: commands.gpu_start_time(), end: commands.gpu_end_time() };
            let uses = |one: &Counters| one.simd_operations > 0;
            ended(match commands.error() {
                Some(error) => Err(fault(error)),
                None if !self.simdgroups && commands.counters().iter().any(uses) => {
                    Err(Fault::new("a kernel uses simdgroups, which this GPU lacks"))
                }
                None => Ok(times),
            });
        });
        if let Err(error) = added.and_then(|()| self.commands.commit()) {
            tell(Err(fault(error)));
        }
    }
}

impl super::Event for SharedEvent {
    fn reached(&self) -> u64 {
        self.signaled_value()
    }
}

/// softmetal's encoder.
pub struct Encoder {
    encoder: ComputeEncoder,
    fence: Option<Fence>,
    failures: Failures,
}

impl super::Encoder<Soft> for Encoder {
    fn label(&mut self, _: &str, _: &str) {}

    fn pipeline(&mut self, pipeline: &ComputePipeline) {
        self.encoder.set_pipeline(pipeline);
    }

    fn buffer(&mut self, index: usize, buffer: &Buffer, offset: usize) -> Result<()> {
        self.encoder.set_buffer(index as u32, &buffer.buffer, offset).map_err(fault)
    }

    fn bytes(&mut self, index: usize, bytes: &[u8]) -> Result<()> {
        self.encoder.set_bytes(index as u32, bytes).map_err(fault)
    }

    fn dispatch(&mut self, groups: [u32; 3], threads: [u32; 3]) -> Result<()> {
        self.failures.next()?;
        self.encoder.dispatch_threadgroups(size(groups), size(threads)).map_err(fault)
    }

    fn dispatch_threads(&mut self, threads: [u32; 3], group: [u32; 3]) -> Result<()> {
        self.failures.next()?;
        self.encoder.dispatch_threads(size(threads), size(group)).map_err(fault)
    }

    fn barrier(&mut self) -> Result<()> {
        self.encoder.memory_barrier().map_err(fault)
    }

    fn end(mut self) {
        if let Some(fence) = &self.fence {
            // It fails only if the command buffer was committed, which has this encoder in it.
            let _ = self.encoder.update_fence(fence);
        }
        self.encoder.end_encoding();
    }

    fn abandon(self) {
        self.encoder.end_encoding();
    }
}

fn size([x, y, z]: [u32; 3]) -> Size {
    Size::new(x.into(), y.into(), z.into())
}

fn fault(error: Error) -> Fault {
    let kernel = match &error {
        Error::Fault { kernel, .. } => Some(kernel.clone()),
        Error::Checked(reports) => reports.first().map(|report| report.kernel.clone()),
        _ => None,
    };
    Fault { kernel, why: error.to_string() }
}

fn number(name: libc::c_int) -> usize {
    // SAFETY: `sysconf` only reads a number.
    usize::try_from(unsafe { libc::sysconf(name) }).unwrap_or(0)
}

fn page() -> usize {
    number(libc::_SC_PAGESIZE).max(4096)
}

fn memory() -> usize {
    number(libc::_SC_PHYS_PAGES).saturating_mul(page())
}
