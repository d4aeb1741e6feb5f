//! The device: its limits, and the maker of everything else.

use super::buffer::{Buffer, StorageMode};
use super::memory::Memory;
use super::profile::Profile;
use super::{CommandQueue, CompileOptions, ComputePipeline, Function, Library, PipelineOptions};
use crate::check::{Counters, Shadow};
use crate::compile::{Cache, Compiler, Optimization};
use crate::error::{Result, invalid};
use crate::exec::MAX_THREADS;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::{Duration, Instant};

/// How a device behaves.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// Whether pipelines are checked unless they say otherwise.
    pub checked: bool,
    /// A seed for the order in which threads and threadgroups run; none for the natural order.
    pub seed: Option<u64>,
    /// How long one dispatch may take.
    pub time_limit: Duration,
    /// The folder of compiled kernels; none for the user's own.
    pub cache: Option<PathBuf>,
    /// Who is told of every checked dispatch.
    pub observer: Option<Observer>,
    /// How much memory it has: buffers beyond that are refused.
    pub memory: Memory,
    /// The longest buffer it makes; none for what a large Mac has.
    pub max_buffer_length: Option<usize>,
    /// How hard the compiler tries to make kernels fast that are not checked.
    pub optimization: Optimization,
    /// Whether buffers are not tracked: command buffers of a queue then run in any order, of which
    /// the seed chooses one, unless fences or events order them.
    pub untracked: bool,
    /// The GPU it imitates; none for one that has everything.
    pub profile: Option<&'static Profile>,
}

/// Is told what a checked dispatch did, as soon as it has run.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(&Counters) + Send + Sync>);

impl Observer {
    /// An observer that calls `tell`, on the thread of a queue.
    pub fn new(tell: impl Fn(&Counters) + Send + Sync + 'static) -> Observer {
        Observer(Arc::new(tell))
    }

    pub(crate) fn tell(&self, counters: &Counters) {
        (self.0)(counters);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Default for DeviceOptions {
    fn default() -> Self {
        DeviceOptions {
            checked: false,
            seed: None,
            time_limit: Duration::from_secs(600),
            cache: None,
            observer: None,
            memory: Memory::default(),
            max_buffer_length: None,
            optimization: Optimization::default(),
            untracked: false,
            profile: None,
        }
    }
}

/// GPU families, of which this device claims those whose compute features it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// Features all GPUs have.
    Common3,
    /// Metal 3.
    Metal3,
    /// M1 and A14: SIMD-group reductions and matrices.
    Apple7,
    /// M2 and A15.
    Apple8,
    /// M3 and A17: bfloat.
    Apple9,
    /// GPUs of Macs.
    Mac2,
    /// A12, and GPUs of virtual machines.
    Apple5,
    /// M5.
    Apple10,
}

pub(crate) struct DeviceInner {
    pub(crate) options: DeviceOptions,
    compiler: OnceLock<std::result::Result<Compiler, crate::Error>>,
    pub(crate) start: Instant,
    /// The epoch of the last checked dispatch, and every shadow that must be aged at wrap-around.
    epochs: Mutex<(u32, Vec<Weak<Shadow>>)>,
}

/// A software Metal device.
///
/// ```
/// use softmetal::{CompileOptions, Device, Size, StorageMode};
/// # fn main() -> softmetal::Result<()> {
/// let device = Device::open()?;
/// let library = device.new_library_with_source(
///     "kernel void twice(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2; }",
///     &CompileOptions::default(),
/// )?;
/// let pipeline = device.new_compute_pipeline(&library.function("twice")?)?;
/// let x = device.new_buffer_with_slice(&[1.0f32, 2.0, 3.0], StorageMode::Shared)?;
/// let queue = device.new_command_queue();
/// let commands = queue.command_buffer();
/// let mut encoder = commands.compute_encoder()?;
/// encoder.set_pipeline(&pipeline);
/// encoder.set_buffer(0, &x, 0)?;
/// encoder.dispatch_threads(Size::new(3, 1, 1), Size::new(32, 1, 1))?;
/// encoder.end_encoding();
/// commands.commit()?;
/// commands.wait_until_completed()?;
/// assert_eq!(x.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<DeviceInner>,
}

impl Device {
    /// A device with the usual options. Fails if there is no clang.
    pub fn open() -> Result<Device> {
        Device::with_options(DeviceOptions::default())
    }

    /// A device whose pipelines are all checked.
    ///
    /// ```
    /// use softmetal::{CompileOptions, Device, Size, StorageMode};
    ///
    /// let source = "kernel void beyond(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i + 1] = 0; }";
    /// let device = Device::checked()?;
    /// let library = device.new_library_with_source(source, &CompileOptions::default())?;
    /// let pipeline = device.new_compute_pipeline(&library.function("beyond")?)?;
    /// let x = device.new_buffer_with_slice(&[0.0f32; 4], StorageMode::Shared)?;
    /// let commands = device.new_command_queue().command_buffer();
    /// let mut encoder = commands.compute_encoder()?;
    /// encoder.set_pipeline(&pipeline);
    /// encoder.set_buffer(0, &x, 0)?;
    /// encoder.dispatch_threads(Size::new(4, 1, 1), Size::new(4, 1, 1))?;
    /// encoder.end_encoding();
    /// commands.commit()?;
    /// // The last thread writes beyond the buffer.
    /// assert!(commands.wait_until_completed().is_err());
    /// # Ok::<(), softmetal::Error>(())
    /// ```
    pub fn checked() -> Result<Device> {
        Device::with_options(DeviceOptions { checked: true, ..DeviceOptions::default() })
    }

    /// A device with options of one's own. Fails if there is no clang.
    pub fn with_options(options: DeviceOptions) -> Result<Device> {
        crate::platform::supported()?;
        let inner = DeviceInner {
            options,
            compiler: OnceLock::new(),
            start: Instant::now(),
            epochs: Mutex::new((0, Vec::new())),
        };
        let device = Device { inner: Arc::new(inner) };
        device.inner.compiler()?;
        Ok(device)
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        "softmetal"
    }

    /// The clang it compiles with.
    pub fn compiler_path(&self) -> Result<PathBuf> {
        Ok(self.inner.compiler()?.clang().path().to_path_buf())
    }

    /// Whether it has the compute features of a family.
    pub fn supports_family(&self, family: Family) -> bool {
        self.inner.profile().families.contains(&family)
    }

    /// Bytes of threadgroup memory a threadgroup may have.
    pub fn max_threadgroup_memory_length(&self) -> usize {
        self.inner.profile().threadgroup_memory
    }

    /// Threads a threadgroup may have, in each dimension and in all.
    pub fn max_threads_per_threadgroup(&self) -> super::Size {
        super::Size::new(MAX_THREADS, MAX_THREADS, MAX_THREADS)
    }

    /// The longest buffer.
    pub fn max_buffer_length(&self) -> usize {
        let asked = self.inner.options.max_buffer_length;
        asked.unwrap_or(self.inner.profile().max_buffer_length)
    }

    /// Bytes that all buffers in use should stay below.
    pub fn recommended_max_working_set_size(&self) -> usize {
        self.inner.profile().working_set
    }

    /// The GPU it imitates.
    pub fn profile(&self) -> &'static Profile {
        self.inner.profile()
    }

    /// Whether CPU and GPU memory are the same.
    pub fn has_unified_memory(&self) -> bool {
        self.inner.profile().unified_memory
    }

    /// Compiles source.
    pub fn new_library_with_source(
        &self,
        source: &str,
        options: &CompileOptions,
    ) -> Result<Library> {
        Library::new(self, source, options)
    }

    /// Compiles a file; its own folder is searched for includes.
    pub fn new_library_with_file(
        &self,
        path: impl AsRef<std::path::Path>,
        options: &CompileOptions,
    ) -> Result<Library> {
        let path = path.as_ref();
        let source = crate::files::text(path)?;
        let options = CompileOptions { name: path.display().to_string(), ..options.clone() };
        Library::new(self, &source, &options)
    }

    /// A pipeline with the device's own options.
    pub fn new_compute_pipeline(&self, function: &Function) -> Result<ComputePipeline> {
        self.new_compute_pipeline_with_options(function, &PipelineOptions::default())
    }

    /// A pipeline with options of its own.
    pub fn new_compute_pipeline_with_options(
        &self,
        function: &Function,
        options: &PipelineOptions,
    ) -> Result<ComputePipeline> {
        ComputePipeline::new(self, function, options)
    }

    /// A buffer of zeros.
    ///
    /// ```
    /// use softmetal::{Device, StorageMode};
    ///
    /// let buffer = Device::open()?.new_buffer(4, StorageMode::Shared)?;
    /// buffer.write(1, &[7])?;
    /// assert_eq!(buffer.to_vec::<u8>()?, [0, 7, 0, 0]);
    /// # Ok::<(), softmetal::Error>(())
    /// ```
    pub fn new_buffer(&self, length: usize, storage: StorageMode) -> Result<Buffer> {
        if length == 0 || length > self.max_buffer_length() {
            return invalid(
                "new_buffer",
                format!("a buffer has from 1 to {} bytes, not {length}", self.max_buffer_length()),
            );
        }
        Buffer::zeroed(self, length, storage)
    }

    /// A buffer with a copy of some bytes.
    pub fn new_buffer_with_bytes(&self, bytes: &[u8], storage: StorageMode) -> Result<Buffer> {
        let buffer = self.new_buffer(bytes.len(), storage)?;
        buffer.fill_from(bytes);
        Ok(buffer)
    }

    /// A buffer with a copy of some numbers.
    pub fn new_buffer_with_slice<T: Copy>(
        &self,
        values: &[T],
        storage: StorageMode,
    ) -> Result<Buffer> {
        // SAFETY: any initialised values can be read as bytes; T has no padding in practice, and
        // bytes are only copied.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values))
        };
        self.new_buffer_with_bytes(bytes, storage)
    }

    /// A buffer over memory of the host's, which is not copied: whole pages of a mapping.
    ///
    /// # Safety
    /// The memory must stay valid and unmoved until the buffer and every command buffer that uses
    /// it are gone, and is written by kernels.
    pub unsafe fn new_buffer_no_copy(&self, memory: *mut u8, length: usize) -> Result<Buffer> {
        let op = "new_buffer_no_copy";
        let page = crate::platform::page();
        let start = memory as usize;
        if length == 0 || !start.is_multiple_of(page) || !length.is_multiple_of(page) {
            return invalid(
                op,
                format!(
                    "{length} bytes at {start:#x} are not whole pages: address and length are multiples of {page}"
                ),
            );
        }
        if length > self.max_buffer_length() {
            let most = self.max_buffer_length();
            return invalid(op, format!("a buffer has at most {most} bytes, not {length}"));
        }
        if !crate::platform::is_mapped(start..start.saturating_add(length)) {
            return invalid(
                op,
                format!("{length} bytes at {start:#x} are not all within memory that is mapped"),
            );
        }
        Ok(Buffer::borrowed(self, memory as usize, length))
    }

    /// Bytes of all buffers that it has made and that are still there. Memory of the host's that it
    /// uses in place is not among them.
    pub fn current_allocated_size(&self) -> usize {
        self.inner.options.memory.used()
    }

    /// A queue of command buffers, run in the order they are committed.
    pub fn new_command_queue(&self) -> CommandQueue {
        CommandQueue::new(self)
    }

    /// An event that can be waited for on CPU and GPU.
    pub fn new_shared_event(&self) -> super::SharedEvent {
        super::SharedEvent::default()
    }

    /// A fence between encoders.
    pub fn new_fence(&self) -> super::Fence {
        super::Fence::default()
    }
}

impl DeviceOptions {
    /// The options of a device that imitates a GPU, by the name of its profile.
    pub fn profile(name: &str) -> Result<DeviceOptions> {
        Ok(DeviceOptions { profile: Some(Profile::named(name)?), ..DeviceOptions::default() })
    }
}

impl DeviceInner {
    pub(crate) fn profile(&self) -> &'static Profile {
        self.options.profile.unwrap_or(&Profile::FULL)
    }

    pub(crate) fn compiler(&self) -> Result<&Compiler> {
        let made = self.compiler.get_or_init(|| {
            let cache = match &self.options.cache {
                Some(folder) => Cache::at(folder.clone()),
                None => Cache::standard(),
            };
            Compiler::new(cache, self.options.optimization)
        });
        made.as_ref().map_err(Clone::clone)
    }

    fn epochs(&self) -> MutexGuard<'_, (u32, Vec<Weak<Shadow>>)> {
        self.epochs.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The number of the next checked dispatch.
    pub(crate) fn next_epoch(&self) -> u32 {
        let mut e = self.epochs();
        if e.0 >= crate::check::LAST_EPOCH {
            e.1.retain(|s| s.strong_count() > 0);
            for s in e.1.iter().filter_map(Weak::upgrade) {
                s.age();
            }
            e.0 = 0;
        }
        e.0 += 1;
        e.0
    }

    /// The epoch that the next dispatch will have, unless numbering starts over.
    pub(crate) fn coming_epoch(&self) -> u32 {
        self.epochs().0 + 1
    }

    pub(crate) fn register(&self, shadow: &Arc<Shadow>) {
        self.epochs().1.push(Arc::downgrade(shadow));
    }
}
