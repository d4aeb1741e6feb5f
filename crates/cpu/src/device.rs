//! The fast device: SIMD code on a thread pool.

#[cfg(target_os = "linux")]
use crate::large_pages;
use crate::{machine, store::Store, submission::Submission, thread_pool::WorkerPool};
use bessemer_core::{
    Batch, Buffer, Capabilities, Device, DeviceId, DeviceInfo, DeviceKind, Error, HostMemory,
    Result, Slice, Stats, Ticket, contract,
    cpu::{CpuContext, Scratch},
};
use bessemer_simd::Isa;
use std::{
    env, fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How to open a [`Cpu`]. What is `None` is taken from the environment or the machine.
///
/// ```
/// use bessemer_core::Device;
/// use bessemer_cpu::{Cpu, CpuOptions};
///
/// let cpu = Cpu::open(CpuOptions { memory_limit: Some(1 << 20), ..Default::default() })?;
/// let error = cpu.alloc(1 << 21).unwrap_err();
/// assert!(error.to_string().contains("2097152"), "{error}");
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuOptions {
    /// Threads to run on; else `BESSEMER_THREADS`, else as many as the system lets it have.
    pub threads: Option<usize>,
    /// Instructions to use; else `BESSEMER_ISA`, else the widest there are.
    pub isa: Option<Isa>,
    /// The most bytes all buffers may take; else the memory of the machine.
    pub memory_limit: Option<usize>,
    /// Whether results are to be as near to those of `f32` arithmetic as there is code for: layers
    /// with quantised weights then round activations to 16 bits, not to 8, and take longer.
    pub precise: bool,
    /// Whether files are used where they are mapped, always. Else large ones are copied to pages of
    /// 2 MB, where the system has those and memory is plenty: models then run some percent faster,
    /// but take longer to load, and processes that use the same file no longer share its memory.
    pub mapped: bool,
}

/// The fast CPU device.
///
/// ```
/// use bessemer_core::Device;
/// use bessemer_cpu::{Cpu, CpuOptions};
///
/// let cpu = Cpu::open(CpuOptions { threads: Some(1), ..Default::default() })?;
/// assert_eq!(cpu.info().threads, 1);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
pub struct Cpu {
    info: DeviceInfo,
    isa: Isa,
    precise: bool,
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))] // Only there are files copied.
    mapped: bool,
    store: Store,
    /// Held whenever buffers are touched.
    engine: Mutex<Engine>,
}

struct Engine {
    thread_pool: WorkerPool,
    scratch: Scratch,
    submissions: u64,
    dispatches: u64,
}

/// More threads than any machine of today has: a typing mistake, not a wish.
const MOST_THREADS: usize = 4096;

impl Cpu {
    /// Opens the device and starts its threads.
    pub fn open(options: CpuOptions) -> Result<Cpu> {
        let unavailable = |why: String| Error::Unavailable { device: "cpu".into(), why };
        let isa = match options.isa {
            Some(isa) => isa,
            None => {
                let asked =
                    Isa::from_env().map_err(|e| unavailable(format!("BESSEMER_ISA: {e}")))?;
                asked.unwrap_or_else(Isa::widest)
            }
        };
        if !isa.available() {
            let here: Vec<_> = Isa::here().map(Isa::name).collect();
            let here = here.join(", ");
            return Err(unavailable(format!("this machine has no {isa}; it has {here}")));
        }
        let threads = match (options.threads, env::var("BESSEMER_THREADS")) {
            (Some(threads), _) => threads,
            (None, Ok(text)) => text.trim().parse().map_err(|_| {
                unavailable(format!("BESSEMER_THREADS is `{text}`, not a number of threads"))
            })?,
            (None, Err(_)) => machine::threads(),
        };
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(unavailable(format!(
                "{threads} threads are not possible; choose from 1 to {MOST_THREADS}"
            )));
        }
        let memory_limit = options.memory_limit.unwrap_or_else(machine::memory);
        let id = DeviceId::new();
        let thread_pool = WorkerPool::new(threads)
            .map_err(|e| unavailable(format!("cannot start a thread: {e}")))?;
        let mut features = vec![isa.name().to_owned()];
        features.extend(options.precise.then(|| "precise".to_owned()));
        features.extend(options.mapped.then(|| "mapped".to_owned()));
        let info = DeviceInfo {
            id,
            kind: DeviceKind::Cpu,
            name: machine::processor(),
            features,
            threads,
            memory_limit,
            max_operands: usize::MAX,
            software: false,
            capabilities: Capabilities::HOST,
        };
        let scratch = Scratch::new();
        let engine = Mutex::new(Engine { thread_pool, scratch, submissions: 0, dispatches: 0 });
        let store = Store::new(id, "cpu", memory_limit);
        let CpuOptions { precise, mapped, .. } = options;
        Ok(Cpu { info, isa, precise, mapped, store, engine })
    }

    /// The instructions it uses.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    fn engine(&self) -> MutexGuard<'_, Engine> {
        // What ops may leave half done is in buffers, not in here.
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Device for Cpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.store.alloc(bytes)
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        #[cfg(target_os = "linux")]
        if !self.mapped {
            // Most of the memory stays for texts, for other models and for other programs.
            let room = (self.info.memory_limit / 4).saturating_sub(self.store.adopted_bytes());
            if let Some(copy) = large_pages::copy(&host, room, &self.engine().thread_pool) {
                return Ok(self.store.keep(copy));
            }
        }
        self.store.adopt(host)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        let _alone = self.engine();
        // SAFETY: ops only run under the lock.
        unsafe { self.store.write(dst, bytes) }
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        let _alone = self.engine();
        // SAFETY: ops only run under the lock.
        unsafe { self.store.read(src, out) }
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        contract::submittable(self.info.id, batch)?;
        let engine = &mut *self.engine();
        let submission = Submission::new("cpu", batch);
        for step in batch.steps() {
            submission.begin(step.op.name())?;
            let run = AssertUnwindSafe(|| {
                // SAFETY: all buffers are this device's, which only touches them under the lock;
                // `Store` aligns them to 16 bytes at least, and batches check what is pushed.
                let cpu = unsafe {
                    let Engine { thread_pool, scratch, .. } = &*engine;
                    CpuContext::new(&step.access, self.isa, self.precise, thread_pool, scratch)
                };
                step.op.cpu(&cpu.until(submission.deadline()));
            });
            let result = catch_unwind(run);
            engine.scratch.reset();
            result.map_err(|panic| submission.failed(step.op.name(), &*panic))?;
            engine.dispatches += 1;
        }
        engine.submissions += 1;
        Ok(Ticket(engine.submissions))
    }

    fn wait(&self, _: Ticket) -> Result<()> {
        // `submit` returns when all is done: the calling thread takes part in the thread pool.
        Ok(())
    }

    fn stats(&self) -> Stats {
        let engine = self.engine();
        Stats {
            pool: self.store.pool_stats(),
            adopted_bytes: self.store.adopted_bytes(),
            submissions: engine.submissions,
            dispatches: engine.dispatches,
        }
    }

    fn trim(&self) {
        self.store.trim();
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cpu ({}, {} threads)", self.isa, self.info.threads)
    }
}
