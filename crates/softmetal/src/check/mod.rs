//! Checked mode: what each access means. Kernels report every access; here it is held against
//! what is bound, what others did, and what was ever written.

mod blame;
mod local;
mod map;
mod private;
mod report;
mod shadow;
mod sites;
mod streaks;
mod sync;
mod words;

pub(crate) use local::Local;
pub(crate) use map::Map;
pub use report::{Kind, Report, Side};
pub(crate) use shadow::{LAST_EPOCH, Shadow};
pub(crate) use sites::{IDLE, Site};

use crate::compile::Module;
use crate::exec::{Extent, Place, Span, Symbols};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use streaks::Streak;
use sync::Releases;

/// Kinds of access, as check.h and atomic.h number them.
pub(crate) const READ: u32 = 0;
pub(crate) const WRITE: u32 = 1;
pub(crate) const ATOMIC_READ: u32 = 2;
pub(crate) const ATOMIC_UPDATE: u32 = 3;

/// No access but a fence for device memory.
pub(crate) const FENCE: u32 = 4;
/// Set when what an atomic update finds does not matter to it.
pub(crate) const OVERWRITES: u32 = 64;
/// Set when an atomic operation orders what came before it.
pub(crate) const RELEASES: u32 = 32;

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
    /// Whether nothing in this dispatch writes it.
    pub(crate) fixed: bool,
    /// For memory that nothing in this dispatch writes and that holds something everywhere: which
    /// bytes are read is all there is to know.
    pub(crate) map: Option<Map>,
    /// Whether accesses may be checked when all is over: threads never meet, and no byte is empty.
    pub(crate) unmet: bool,
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
    /// Different bytes read; those of a buffer that is bound several times count once.
    pub unique_read: u64,
    /// Different bytes written, counted so too.
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
    pub(crate) extent: Extent,
    pub(crate) groups: [u32; 3],
    pub(crate) epoch: u32,
}

impl Launched {
    fn threads_per_group(&self) -> u32 {
        self.extent.tpg.iter().product::<u32>().max(1)
    }

    /// One thread's part, from its number in the grid and the place of its code in the module.
    fn side(&self, number: u32, pc: u32, symbols: &Symbols, action: &str) -> Side {
        let each = self.threads_per_group();
        let (n, [x, y, _]) = (number / each, self.groups.map(|g| g.max(1)));
        let group = [n % x, n / x % y, n / x / y];
        let place = symbols.place(self.module.image.start + pc as usize);
        Side {
            file: place.file,
            line: place.line,
            group,
            thread: self.extent.thread(group, number % each),
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
    releases: Mutex<Releases>,
}

#[derive(Default)]
struct Found {
    reports: Vec<Report>,
    seen: HashSet<(Kind, usize, usize)>,
    traffic: Vec<[u64; 2]>,
    threadgroup: [u64; 2],
    streaks: Vec<Streak>,
    by_word: Vec<bool>,
    /// Different bytes read and written, where streaks alone could tell.
    unique: HashMap<usize, (u64, u64)>,
}

impl Run {
    pub(crate) fn new(launched: Launched, bindings: Vec<Binding>, earlier: Vec<Launched>) -> Run {
        let found = Found {
            traffic: vec![[0; 2]; bindings.len()],
            by_word: vec![false; bindings.len()],
            ..Found::default()
        };
        Run {
            threads_per_group: launched.threads_per_group(),
            launched,
            earlier,
            bindings,
            found: Mutex::new(found),
            releases: Mutex::default(),
        }
    }

    /// A worker's part.
    pub(crate) fn local(self: &Arc<Run>, shared: Range<usize>, spans: Vec<Span>) -> Local {
        Local::new(self.clone(), shared, spans)
    }

    pub(crate) fn merge(&self, mut local: Local) {
        local.finish();
        let mut found = self.lock();
        found.streaks.append(&mut local.streaks);
        for (any, mine) in found.by_word.iter_mut().zip(&local.by_word) {
            *any |= mine;
        }
        for (sum, part) in found.traffic.iter_mut().zip(&local.traffic) {
            sum[0] += part[0];
            sum[1] += part[1];
        }
        found.threadgroup[0] += local.threadgroup[0];
        found.threadgroup[1] += local.threadgroup[1];
    }

    /// Looks at the streaks of all workers, once they are done: buffer by buffer, at a glance where
    /// that is enough, and word by word where it is not.
    pub(crate) fn settle(self: &Arc<Run>) {
        let (mut streaks, by_word) = {
            let mut found = self.lock();
            (std::mem::take(&mut found.streaks), found.by_word.clone())
        };
        let shadow =
            |b: usize| self.bindings[b].shadow.as_ref().map_or(0, |s| Arc::as_ptr(s) as usize);
        streaks.sort_by_key(|s| shadow(s.binding));
        for group in streaks.chunk_by_mut(|a, b| shadow(a.binding) == shadow(b.binding)) {
            let buffer = shadow(group[0].binding);
            let aliases = (0..self.bindings.len()).filter(|b| shadow(*b) == buffer);
            let seen = aliases.clone().any(|b| by_word[b]);
            if !seen && streaks::harmless(group) {
                let unique = streaks::unique(&self.bindings[group[0].binding], group);
                self.lock().unique.extend(aliases.map(|b| (b, unique)));
            } else {
                Local::new(self.clone(), 0..0, Vec::new()).replay(group);
            }
        }
    }

    fn releases(&self) -> std::sync::MutexGuard<'_, Releases> {
        self.releases.lock().unwrap_or_else(|e| e.into_inner())
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
        // Code that was unrolled or inlined has many places for one line.
        if !found.reports.iter().any(|r| r.says_the_same(&report)) {
            found.reports.push(report);
        }
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
            .enumerate()
            .map(|(n, (b, t))| {
                let earlier = &self.bindings[..n];
                let same = |other: &Binding| {
                    b.shadow
                        .as_ref()
                        .zip(other.shadow.as_ref())
                        .is_some_and(|(a, b)| Arc::ptr_eq(a, b))
                };
                let by_word =
                    || b.shadow.as_ref().map_or((0, 0), |s| s.unique(self.launched.epoch));
                // What is said of a whole buffer is said of its first binding.
                let told = earlier.iter().any(|other| other.map.is_none() && same(other));
                let settled = found.unique.get(&n).copied();
                let (read, unique_written) =
                    if told { (0, 0) } else { settled.unwrap_or_else(by_word) };
                // A byte that several bindings reach counts with the first that was asked for it.
                let maps: Vec<&Map> =
                    earlier.iter().filter_map(|other| other.map.as_ref()).collect();
                let unique_read = b.map.as_ref().map_or(read, |map| map.count_apart(&maps));
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
