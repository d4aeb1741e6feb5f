//! Checked mode: what each access means. Kernels report every access; here it is held against
//! what is bound, what others did, and what was ever written.

mod blame;
mod local;
mod report;
mod shadow;

pub(crate) use local::Local;
pub use report::{Kind, Report, Side};
pub(crate) use shadow::{LAST_EPOCH, Shadow};

use crate::compile::Module;
use crate::exec::{Place, Symbols};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Kinds of access, as check.h and atomic.h number them.
pub(crate) const READ: u32 = 0;
pub(crate) const ATOMIC_READ: u32 = 2;
pub(crate) const ATOMIC_UPDATE: u32 = 3;

/// Set when the compiler takes the address to be aligned.
pub(crate) const ALIGNED: u32 = 16;

/// Reports kept of one dispatch.
const MAX_REPORTS: usize = 16;

/// One thing a kernel may access.
pub(crate) struct Binding {
    pub(crate) range: Range<usize>,
    /// As in messages: `buffer(3) 'x'`.
    pub(crate) name: String,
    pub(crate) index: Option<u32>,
    pub(crate) shadow: Option<Arc<Shadow>>,
    /// Whether bytes never written hold nothing (private storage).
    pub(crate) tracks_init: bool,
    /// Where in the shadow the range starts.
    pub(crate) shadow_offset: usize,
    /// Accesses of dispatches from this epoch on are not ordered before this one.
    pub(crate) unordered_since: u32,
}

/// Traffic of one binding in one dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The binding, as in messages.
    pub name: String,
    /// Its index in the buffer table; none for resources used indirectly.
    pub index: Option<u32>,
    /// Bytes read, each access counted.
    pub read: u64,
    /// Bytes written, each access counted.
    pub written: u64,
    /// Different bytes read.
    pub unique_read: u64,
    /// Different bytes written.
    pub unique_written: u64,
}

/// What a checked dispatch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The kernel.
    pub kernel: String,
    /// Per binding, in order of index.
    pub bindings: Vec<Traffic>,
    /// Bytes read from threadgroup memory.
    pub threadgroup_read: u64,
    /// Bytes written to threadgroup memory.
    pub threadgroup_written: u64,
    /// Barriers passed, counted once per threadgroup.
    pub barriers: u64,
    /// SIMD-group operations, counted once per SIMD-group.
    pub simd_operations: u64,
}

/// What is known of a dispatch before it runs, and remembered while others may conflict with it.
#[derive(Clone)]
pub(crate) struct Launched {
    pub(crate) kernel: String,
    pub(crate) module: Arc<Module>,
    pub(crate) tpg: [u32; 3],
    pub(crate) groups: [u32; 3],
    pub(crate) epoch: u32,
}

impl Launched {
    fn threads_per_group(&self) -> u32 {
        self.tpg.iter().product::<u32>().max(1)
    }

    /// One thread's part, from its number in the grid and the place of its code in the module.
    fn side(&self, number: u32, pc: u32, symbols: &Symbols, action: &str) -> Side {
        let each = self.threads_per_group();
        let split = |n: u32, size: [u32; 3]| {
            let size = size.map(|s| s.max(1));
            [n % size[0], n / size[0] % size[1], n / size[0] / size[1]]
        };
        let place = symbols.place(self.module.image.start + pc as usize);
        Side {
            file: place.file,
            line: place.line,
            group: split(number / each, self.groups),
            thread: split(number % each, self.tpg),
            action: action.into(),
        }
    }
}

/// One checked dispatch, shared by its workers.
pub(crate) struct Run {
    pub(crate) launched: Launched,
    /// Dispatches of the same concurrent encoder before it.
    earlier: Vec<Launched>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) threads_per_group: u32,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    reports: Vec<Report>,
    seen: std::collections::HashSet<(Kind, usize, usize)>,
    traffic: Vec<[u64; 2]>,
    threadgroup: [u64; 2],
}

impl Run {
    pub(crate) fn new(launched: Launched, bindings: Vec<Binding>, earlier: Vec<Launched>) -> Run {
        let found = Found { traffic: vec![[0; 2]; bindings.len()], ..Found::default() };
        Run {
            threads_per_group: launched.threads_per_group(),
            launched,
            earlier,
            bindings,
            found: Mutex::new(found),
        }
    }

    /// A worker's part.
    pub(crate) fn local(self: &Arc<Run>, shared: Range<usize>) -> Local {
        Local::new(self.clone(), shared)
    }

    pub(crate) fn merge(&self, local: Local) {
        let mut found = self.lock();
        for (sum, part) in found.traffic.iter_mut().zip(&local.traffic) {
            sum[0] += part[0];
            sum[1] += part[1];
        }
        found.threadgroup[0] += local.threadgroup[0];
        found.threadgroup[1] += local.threadgroup[1];
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Keeps a report unless the same was made of the same place.
    pub(super) fn report(
        &self,
        kind: Kind,
        pc: usize,
        other_pc: usize,
        make: impl FnOnce(&Symbols) -> Report,
    ) {
        let mut found = self.lock();
        if found.reports.len() >= MAX_REPORTS || !found.seen.insert((kind, pc, other_pc)) {
            return;
        }
        let report = make(&Symbols::new(&self.launched.module));
        found.reports.push(report);
    }

    pub(super) fn place(&self, pc: usize) -> Place {
        Symbols::new(&self.launched.module).place(pc)
    }

    pub(crate) fn take_reports(&self) -> Vec<Report> {
        std::mem::take(&mut self.lock().reports)
    }

    /// The traffic, once all workers have merged.
    pub(crate) fn counters(&self, barriers: u64, simd_operations: u64) -> Counters {
        let found = self.lock();
        let mut bindings: Vec<Traffic> = self
            .bindings
            .iter()
            .zip(&found.traffic)
            .map(|(b, t)| {
                let (unique_read, unique_written) = b
                    .shadow
                    .as_ref()
                    .map_or((t[0].min(b.range.len() as u64), 0), |s| s.unique(self.launched.epoch));
                Traffic {
                    name: b.name.clone(),
                    index: b.index,
                    read: t[0],
                    written: t[1],
                    unique_read,
                    unique_written,
                }
            })
            .collect();
        bindings.sort_by_key(|b| b.index.unwrap_or(u32::MAX));
        Counters {
            kernel: self.launched.kernel.clone(),
            bindings,
            threadgroup_read: found.threadgroup[0],
            threadgroup_written: found.threadgroup[1],
            barriers,
            simd_operations,
        }
    }
}
