//! What threadgroups know of one another through atomics. A group that has ordered its accesses (a
//! barrier or a fence for device memory) and then updates an atomic releases them there; one that
//! reads the atomic afterwards acquires them. Without the barrier or fence nothing is released, as
//! atomics of Metal are relaxed.

use super::local::{Access, Local};
use super::shadow::{FENCES, Mark};
use std::collections::{HashMap, HashSet};

/// A thread's part of the state of its group when it updates an atomic.
#[derive(Clone, Debug)]
struct Release {
    thread: u32,
    /// Barriers for device memory passed, and all barriers.
    device_phase: u32,
    any_phase: u32,
    /// Fences of the thread itself.
    fences: u32,
    /// Atomics that the group had read from by then.
    knows: Vec<usize>,
}

impl Release {
    /// Whether an access of a thread of this group is ordered before.
    fn covers(&self, m: &Mark, phase: u32, read: bool) -> bool {
        let passed = if read { self.any_phase } else { self.device_phase };
        phase >> 12 < passed
            || m.thread == self.thread && (m.fences() < self.fences || self.fences == FENCES)
    }
}

/// All releases of a dispatch: by the address of the atomic, then by group.
#[derive(Default)]
pub(super) struct Releases {
    at: HashMap<usize, HashMap<u32, Vec<Release>>>,
}

impl Releases {
    /// Whether one of the atomics `from`, or one known through them, has released an access.
    fn cover(&self, from: Vec<usize>, m: &Mark, phase: u32, read: bool, tpg: u32) -> bool {
        let mut seen: HashSet<usize> = from.iter().copied().collect();
        let mut waiting = from;
        while let Some(at) = waiting.pop() {
            let Some(groups) = self.at.get(&at) else {
                continue;
            };
            let own = groups.get(&(m.thread / tpg)).into_iter().flatten();
            if own.into_iter().any(|r| r.covers(m, phase, read)) {
                return true;
            }
            let more = groups.values().flatten().flat_map(|r| r.knows.iter().copied());
            waiting.extend(more.filter(|k| seen.insert(*k)));
        }
        false
    }
}

/// What the group at hand has to do with atomics.
#[derive(Default)]
pub(super) struct Acquired {
    /// Atomics read: by whom, and how many barriers the group had passed.
    read: HashSet<(usize, u32, u32)>,
    /// What was released already.
    released: HashSet<(usize, u32, u32, u32)>,
    /// Fences of each thread that has any.
    fences: HashMap<u32, u32>,
}

impl Acquired {
    pub(super) fn clear(&mut self) {
        self.read.clear();
        self.released.clear();
        self.fences.clear();
    }

    pub(super) fn fence(&mut self, thread: u32) {
        let count = self.fences.entry(thread).or_default();
        *count = (*count + 1).min(FENCES);
    }

    pub(super) fn fences(&self, thread: u32) -> u32 {
        if self.fences.is_empty() { 0 } else { self.fences.get(&thread).copied().unwrap_or(0) }
    }

    /// The atomics that an access of a thread comes after.
    fn known(&self, thread: u32, any_phase: u32) -> Vec<usize> {
        let before = |(_, by, phase): &&(usize, u32, u32)| *by == thread || *phase < any_phase;
        self.read.iter().filter(before).map(|(at, _, _)| *at).collect()
    }
}

impl Local {
    /// An atomic operation on device memory.
    pub(super) fn synchronize(&mut self, a: &Access) {
        let any_phase = a.read_phase >> 12;
        if a.writes() {
            let (device_phase, fences) = (a.phase >> 12, a.fences);
            let knows = self.acquired.known(a.thread, any_phase);
            // Barriers are the whole group's, fences the thread's own.
            let by = if fences > 0 { a.thread } else { u32::MAX };
            let anything = device_phase > 0 || fences > 0;
            if anything && self.acquired.released.insert((a.address, device_phase, by, fences)) {
                let group = a.thread / self.run.threads_per_group;
                let release = Release { thread: a.thread, device_phase, any_phase, fences, knows };
                let mut all = self.run.releases();
                all.at.entry(a.address).or_default().entry(group).or_default().push(release);
            }
        }
        self.acquired.read.insert((a.address, a.thread, any_phase));
    }

    /// Whether an access of another group is ordered before one of this group by atomics.
    pub(super) fn synchronized(&self, a: &Access, m: &Mark, phase: u32, read: bool) -> bool {
        if self.acquired.read.is_empty() {
            return false;
        }
        let known = self.acquired.known(a.thread, a.read_phase >> 12);
        // An atomic operation itself comes before what was read from the same atomic later.
        let own = m.is_atomic() && known.contains(&a.address);
        own || self.run.releases().cover(known, m, phase, read, self.run.threads_per_group)
    }
}
