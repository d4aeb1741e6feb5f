//! The checks themselves, as one worker makes them.

use super::shadow::{ATOMIC, CROSS, Cell, Mark, SHARED, Shadow};
use super::{ALIGNED, ATOMIC_READ, ATOMIC_UPDATE, Kind, READ, Run};
use crate::exec::abi::ThreadState;
use std::ops::Range;
use std::sync::Arc;

/// A worker's state.
pub(crate) struct Local {
    pub(super) run: Arc<Run>,
    pub(super) shared: Range<usize>,
    shared_shadow: Shadow,
    shared_epoch: u32,
    ignored: Vec<Range<usize>>,
    last: usize,
    group: u32,
    /// Barriers passed that order device memory, those that order threadgroup memory, and all.
    device_phase: u32,
    shared_phase: u32,
    any_phase: u32,
    simd_phase: [u32; 32],
    pub(super) traffic: Vec<[u64; 2]>,
    pub(super) threadgroup: [u64; 2],
}

/// One access, with everything that is known of it.
pub(super) struct Access<'a> {
    pub(super) address: usize,
    pub(super) size: usize,
    kind: u32,
    pub(super) pc: usize,
    pub(super) state: &'a ThreadState,
    thread: u32,
    group: u32,
    phase: u32,
    read_phase: u32,
}

impl Access<'_> {
    pub(super) fn action(&self) -> &'static str {
        action(self.kind != READ && self.kind != ATOMIC_READ, self.kind >= ATOMIC_READ)
    }
}

fn action(write: bool, atomic: bool) -> &'static str {
    match (write, atomic) {
        (false, false) => "read",
        (true, false) => "write",
        (false, true) => "atomic read",
        (true, true) => "atomic update",
    }
}

impl Local {
    pub(super) fn new(run: Arc<Run>, shared: Range<usize>) -> Local {
        Local {
            traffic: vec![[0; 2]; run.bindings.len()],
            shared_shadow: Shadow::new(shared.len()),
            run,
            shared,
            shared_epoch: 0,
            ignored: Vec::new(),
            last: 0,
            group: 0,
            device_phase: 0,
            shared_phase: 0,
            any_phase: 0,
            simd_phase: [0; 32],
            threadgroup: [0; 2],
        }
    }

    /// Memory of the executor itself, which kernels touch through our own headers.
    pub(crate) fn ignore(&mut self, range: Range<usize>) {
        self.ignored.push(range);
    }

    pub(crate) fn begin_group(&mut self, number: u32) {
        self.group = number;
        self.device_phase = 0;
        self.shared_phase = 0;
        self.any_phase = 0;
        self.simd_phase = [0; 32];
        self.shared_epoch += 1;
        if self.shared_epoch >= 0xffff {
            self.shared_shadow = Shadow::new(self.shared.len());
            self.shared_epoch = 1;
        }
    }

    /// A threadgroup barrier with its memory flags.
    pub(crate) fn barrier(&mut self, _site: usize, flags: u32) {
        self.device_phase += flags & 1;
        self.shared_phase += flags >> 1 & 1;
        self.any_phase += 1;
    }

    pub(crate) fn simd_barrier(&mut self, simdgroup: u32) {
        if let Some(p) = self.simd_phase.get_mut(simdgroup as usize) {
            *p += 1;
        }
    }

    /// When an access happens: the phase in which others see what it writes, and the one in which
    /// what it reads has been read. A barrier without memory flags orders only the latter.
    fn phases(&self, shared: bool, state: &ThreadState) -> [u32; 2] {
        let own = if shared { self.shared_phase } else { self.device_phase };
        let simd = self.simd_phase[(state.index / 32) as usize & 31] & 0xfff;
        [own << 12 | simd, self.any_phase << 12 | simd]
    }

    /// Checks one access; true when the thread must not go on.
    pub(crate) fn access(
        &mut self,
        address: usize,
        size: usize,
        kind: u32,
        pc: usize,
        state: &ThreadState,
    ) -> bool {
        let misplaced = kind & ALIGNED != 0 && !address.is_multiple_of(size.clamp(1, 8));
        let kind = kind & !ALIGNED;
        if misplaced {
            let place = self.run.place(pc);
            self.misaligned(address, size as u32, place.line, place.file, state);
        }
        let write = kind != READ && kind != ATOMIC_READ;
        let thread = self.group.wrapping_mul(self.run.threads_per_group).wrapping_add(state.index);
        let shared = self.shared.contains(&address) && address + size <= self.shared.end;
        let binding = if shared { None } else { self.binding_of(address, size) };
        let [phase, read_phase] = self.phases(shared, state);
        let group = self.group;
        let a = Access { address, size, kind, pc, state, thread, group, phase, read_phase };
        if let Some(b) = binding {
            self.last = b;
            let traffic = &mut self.traffic[b];
            traffic[usize::from(write)] += size as u64;
            if kind == ATOMIC_UPDATE {
                traffic[0] += size as u64;
            }
            let bound = &self.run.bindings[b];
            self.words(&a, address - bound.range.start + bound.shadow_offset, Some(b));
            return false;
        }
        if shared {
            self.threadgroup[usize::from(write)] += size as u64;
            self.words(&a, address - self.shared.start, None);
            return false;
        }
        if self.ignored.iter().any(|r| r.contains(&address)) {
            return false;
        }
        self.out_of_bounds(&a);
        true
    }

    /// The binding that holds all bytes; most often that of the access before, or the next.
    fn binding_of(&self, address: usize, size: usize) -> Option<usize> {
        let all = &self.run.bindings;
        let holds = |b: &usize| {
            all.get(*b).is_some_and(|b| b.range.contains(&address) && address + size <= b.range.end)
        };
        [self.last, self.last + 1].into_iter().find(holds).or_else(|| (0..all.len()).find(holds))
    }

    fn words(&self, a: &Access<'_>, offset: usize, binding: Option<usize>) {
        let end = offset + a.size;
        let (shadow, epoch) = match binding {
            Some(b) => (self.run.bindings[b].shadow.as_deref(), self.run.launched.epoch),
            None => (Some(&self.shared_shadow), self.shared_epoch),
        };
        let Some(shadow) = shadow else {
            return;
        };
        for word in offset / 4..end.div_ceil(4) {
            let from = offset.max(word * 4) - word * 4;
            let to = end.min(word * 4 + 4) - word * 4;
            let mask = (1u32 << to) - (1u32 << from);
            if let Some(cell) = shadow.cell(word) {
                self.word(a, cell, mask, epoch, binding, offset);
            }
        }
    }

    fn word(
        &self,
        a: &Access<'_>,
        cell: &Cell,
        mask: u32,
        epoch: u32,
        binding: Option<usize>,
        offset: usize,
    ) {
        let write = a.kind != READ && a.kind != ATOMIC_READ;
        let atomic = a.kind >= ATOMIC_READ;
        let (w, w_phase, w_pc) = cell.written();
        let conflict = |m: &Mark, phase: u32, now: u32| -> Option<Kind> {
            if m.epoch == epoch {
                return self.unordered(a, m.thread, (phase, now), binding.is_some());
            }
            // An earlier dispatch of the same concurrent encoder, with no barrier since.
            let since = binding.map_or(u32::MAX, |b| self.run.bindings[b].unordered_since);
            (m.epoch >= since && m.epoch < epoch).then_some(Kind::MissingBarrier)
        };
        let other_atomic = w.flags & ATOMIC != 0;
        if w.mask & mask != 0
            && !(atomic && other_atomic)
            && let Some(kind) = conflict(&w, w_phase, a.phase)
        {
            self.race(a, kind, (w, w_pc), action(true, other_atomic), binding, offset);
        }
        let uninit = match binding {
            None => w.epoch != epoch,
            Some(b) => self.run.bindings[b].tracks_init && w == Mark::default(),
        };
        if uninit && a.kind != 1 && a.kind != ATOMIC_UPDATE {
            self.uninitialized(a, binding, offset);
        }
        let (r, r_phase, r_pc) = cell.was_read();
        if write {
            if r.mask & mask != 0 {
                let mut kind = conflict(&r, r_phase, a.read_phase);
                // The first reader may be this thread while others have read as well.
                if kind.is_none() && r.epoch == epoch {
                    if r.flags & CROSS != 0 {
                        kind = Some(Kind::RaceBetweenThreadgroups);
                    } else if r.flags & SHARED != 0 && r_phase == a.read_phase {
                        kind = Some(Kind::RaceInThreadgroup);
                    }
                }
                if let Some(kind) = kind {
                    self.race(a, kind, (r, r_pc), "read", binding, offset);
                }
            }
            let again = w.epoch == epoch;
            let same = again && w.thread == a.thread && w_phase == a.phase;
            let m = Mark {
                epoch,
                touched: mask | if again { w.touched } else { 0 },
                mask: mask | if same { w.mask } else { 0 },
                flags: if atomic { ATOMIC } else { 0 },
                thread: a.thread,
            };
            cell.set_written(m, a.phase, self.short(a.pc));
        }
        // An atomic update reads as well, for the counters.
        if a.kind == READ || (a.kind == ATOMIC_UPDATE && r.touched & mask != mask) {
            self.note_read(a, cell, mask, epoch, (r, r_phase), atomic);
        }
    }

    fn note_read(
        &self,
        a: &Access<'_>,
        cell: &Cell,
        mask: u32,
        epoch: u32,
        (r, r_phase): (Mark, u32),
        atomic: bool,
    ) {
        let own = if atomic { 0 } else { mask };
        if r.epoch != epoch {
            let m = Mark { epoch, touched: mask, mask: own, flags: 0, thread: a.thread };
            cell.set_read(r, m, a.read_phase, self.short(a.pc));
            return;
        }
        let tpg = self.run.threads_per_group;
        let mut m = r;
        m.touched |= mask;
        m.mask |= own;
        let mut phase = r_phase;
        if r.thread != a.thread && !atomic {
            if r.thread / tpg != a.thread / tpg {
                m.flags |= CROSS;
            } else if r_phase == a.read_phase {
                m.flags |= SHARED;
            } else {
                // A new phase of the same threadgroup: earlier reads are ordered before it.
                m.thread = a.thread;
                m.flags &= CROSS;
                phase = a.read_phase;
            }
        } else if r_phase != a.read_phase && !atomic {
            m.flags &= CROSS;
            phase = a.read_phase;
        }
        if m != r || phase != r_phase {
            cell.set_read(r, m, phase, self.short(a.pc));
        }
    }

    /// Whether an access of this dispatch is unordered with one by `thread` in phase `then`.
    fn unordered(
        &self,
        a: &Access<'_>,
        thread: u32,
        (then, now): (u32, u32),
        device: bool,
    ) -> Option<Kind> {
        if thread == a.thread {
            return None;
        }
        let tpg = self.run.threads_per_group;
        if thread / tpg != a.group {
            return device.then_some(Kind::RaceBetweenThreadgroups);
        }
        let same_barriers = then >> 12 == now >> 12;
        let same_simdgroup = thread % tpg / 32 == a.state.index / 32;
        let ordered_by_simd = same_simdgroup && then & 0xfff != now & 0xfff;
        (same_barriers && !ordered_by_simd).then_some(Kind::RaceInThreadgroup)
    }

    /// A code address as an offset in the module, to fit a cell.
    fn short(&self, pc: usize) -> u32 {
        pc.wrapping_sub(self.run.launched.module.image.start) as u32
    }
}
