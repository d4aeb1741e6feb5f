//! One dispatch, as the executor sees it: its code, its extent, what is left to do and how it went.

use super::abi::*;
use super::layout::Layout;
use super::shuffle::Shuffle;
use super::trap::Exit;
use super::{Fault, pool, worker};
use crate::check;
use crate::compile::{EntryFacts, Module};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Counts of one dispatch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) barriers: u64,
    pub(crate) simd_operations: u64,
}

/// What SIMD-groups of a GPU cannot do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lacks {
    pub(crate) simd: bool,
    pub(crate) matrix: bool,
}

impl Lacks {
    /// What a meeting of some kind needs and is not there.
    pub(super) fn what(self, kind: u32) -> Option<&'static str> {
        match kind {
            BARRIER | SIMD_BARRIER => None,
            MATRIX => self.matrix.then_some("simdgroup matrices"),
            _ => self.simd.then_some("functions of SIMD-groups"),
        }
    }
}

/// One dispatch.
pub(crate) struct Launch {
    pub(crate) module: Arc<Module>,
    pub(crate) thread: Option<ThreadEntry>,
    pub(crate) run: Option<LoopEntry>,
    pub(crate) walk: Option<WalkEntry>,
    pub(crate) meets: bool,
    pub(crate) buffers: [usize; 31],
    pub(crate) layout: Layout,
    pub(crate) grid: [u32; 3],
    pub(crate) tpg: [u32; 3],
    pub(crate) groups: [u32; 3],
    pub(crate) seed: Option<u64>,
    pub(crate) check: Option<Arc<check::Run>>,
    /// What the GPU at hand does not have.
    pub(crate) lacks: Lacks,
    next: AtomicU32,
    stop: AtomicBool,
    fault: Mutex<Option<Fault>>,
    barriers: AtomicU64,
    simd_operations: AtomicU64,
    chunk: u32,
}

/// Where and how large a dispatch is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) grid: [u32; 3],
    pub(crate) tpg: [u32; 3],
}

impl Extent {
    /// How large a threadgroup is: those at the edges may be smaller.
    pub(crate) fn group_size(&self, position: [u32; 3]) -> [u32; 3] {
        [0, 1, 2]
            .map(|d| self.grid[d].saturating_sub(position[d] * self.tpg[d]).min(self.tpg[d]).max(1))
    }

    /// Where in its threadgroup a thread is, from its index.
    pub(crate) fn thread(&self, group: [u32; 3], index: u32) -> [u32; 3] {
        let [x, y, _] = self.group_size(group);
        [index % x, index / x % y, index / x / y]
    }
}

impl Launch {
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        module: Arc<Module>,
        facts: &EntryFacts,
        meets: bool,
        buffers: [usize; 31],
        threadgroup: [u32; 31],
        extent: Extent,
        seed: Option<u64>,
        check: Option<Arc<check::Run>>,
    ) -> Launch {
        let groups = [0, 1, 2].map(|d| extent.grid[d].div_ceil(extent.tpg[d].max(1)));
        let total: u64 = groups.iter().map(|&g| u64::from(g)).product();
        let threads: u64 = extent.tpg.iter().map(|&t| u64::from(t)).product();
        // Enough pieces for balance, large enough not to fight over the counter.
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
        let by_cores = total.div_ceil(cores * 8);
        let by_size = 65_536u64.div_ceil(threads.max(1));
        Launch {
            thread: facts.thread,
            run: facts.run,
            walk: facts.walk,
            meets,
            buffers,
            layout: Layout::new(facts, &threadgroup, check.is_some()),
            grid: extent.grid,
            tpg: extent.tpg,
            groups,
            seed,
            check,
            lacks: Lacks::default(),
            module,
            next: AtomicU32::new(0),
            stop: AtomicBool::new(false),
            fault: Mutex::new(None),
            barriers: AtomicU64::new(0),
            simd_operations: AtomicU64::new(0),
            chunk: by_cores.min(by_size).max(1) as u32,
        }
    }

    /// Runs to the end, or to the first fault.
    pub(crate) fn execute(&self, limit: Duration) -> Result<Counts, Fault> {
        let total = self.groups.iter().product::<u32>();
        if total > 0 {
            let watched = pool::Watched::start(limit);
            let helpers = total.div_ceil(self.chunk).saturating_sub(1) as usize;
            pool::run(helpers, &|| worker::work(self, &watched));
        }
        match self.fault.lock().unwrap_or_else(|e| e.into_inner()).take() {
            Some(fault) => Err(fault),
            None => Ok(Counts {
                barriers: self.barriers.load(Ordering::Relaxed),
                simd_operations: self.simd_operations.load(Ordering::Relaxed),
            }),
        }
    }

    pub(super) fn take(&self) -> Option<std::ops::Range<u32>> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let total = self.groups.iter().product::<u32>();
        let from = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        (from < total).then(|| from..(from + self.chunk).min(total))
    }

    /// Keeps the first fault and stops everyone.
    pub(crate) fn fail(&self, fault: Fault) {
        self.stop.store(true, Ordering::Relaxed);
        let mut slot = self.fault.lock().unwrap_or_else(|e| e.into_inner());
        // A fault with a place says more than one without.
        let vague = matches!(*slot, None | Some(Fault::TooLong { pc: 0 }));
        if vague {
            *slot = Some(fault);
        }
    }

    pub(super) fn fault(&self, exit: Exit, state: *mut ThreadState) -> Fault {
        // SAFETY: the thread has ended; its state stays where it was.
        let s = unsafe { &*state };
        match exit {
            Exit::Cancelled { pc } => Fault::TooLong { pc },
            Exit::Fault { signal, address, pc, overflow } => {
                Fault::Trap { signal, address, pc, overflow, group: s.position, thread: s.place() }
            }
            Exit::Stopped | Exit::Done => Fault::Stopped,
        }
    }

    pub(super) fn threads_per_group(&self) -> usize {
        self.tpg.iter().product::<u32>() as usize
    }

    pub(super) fn threadgroup_bytes(&self) -> usize {
        self.layout.bytes
    }

    pub(super) fn slots_range(&self) -> std::ops::Range<usize> {
        let r = self.layout.slots.as_ptr_range();
        r.start as usize..r.end as usize
    }

    pub(super) fn call(&self, shared: usize, host: &worker::Host) -> Call {
        let place = |at: Option<u32>| at.map_or(0, |at| shared + at as usize);
        Call {
            buffers: self.buffers,
            threadgroup: self.layout.arguments.map(place),
            shared,
            shared_at: self.layout.slots.as_ptr(),
            grid: self.grid,
            tpg: self.tpg,
            groups: self.groups,
            pad: 0,
            rt: &super::callbacks::RUNTIME,
            host,
        }
    }

    /// The group that comes `n`th, which the shuffler may have moved.
    pub(super) fn group_number(&self, n: u32) -> u32 {
        Shuffle::new(self.seed).order(self.groups.iter().product::<u32>(), 0x9e37).pick(n)
    }

    pub(super) fn position(&self, g: u32) -> [u32; 3] {
        [
            g % self.groups[0],
            g / self.groups[0] % self.groups[1],
            g / self.groups[0] / self.groups[1],
        ]
    }

    pub(super) fn group_size(&self, position: [u32; 3]) -> [u32; 3] {
        [0, 1, 2].map(|d| (self.grid[d] - position[d] * self.tpg[d]).min(self.tpg[d]))
    }

    pub(super) fn count_barrier(&self) {
        self.barriers.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_simd(&self) {
        self.simd_operations.fetch_add(1, Ordering::Relaxed);
    }
}
