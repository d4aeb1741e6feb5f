//! The checks of single words: who touched the same bytes before, and whether anything orders it.

use super::local::{Access, Local, action};
use super::shadow::{ATOMIC, Cell, Mark, mask_of};
use super::{ATOMIC_READ, ATOMIC_UPDATE, Kind, READ};

/// One word or byte of an access.
struct Part<'a> {
    cell: &'a Cell,
    mask: u32,
    epoch: u32,
    /// Reads and writes of dispatches from this epoch on are not ordered before this one.
    since: u32,
    binding: Option<usize>,
    offset: usize,
}

impl Local {
    pub(super) fn words(&self, a: &Access, offset: usize, binding: Option<usize>) {
        let end = offset + a.size;
        let bound = binding.map(|b| &self.run.bindings[b]);
        let (shadow, epoch, since, apart) = match bound {
            // What nothing in a dispatch writes can be read by whoever likes.
            Some(b) => (b.shadow.as_deref(), self.run.launched.epoch, b.unordered_since, !b.fixed),
            None => (Some(&self.shared_shadow), self.shared_epoch, u32::MAX, true),
        };
        let Some(shadow) = shadow else {
            return;
        };
        for word in offset / 4..end.div_ceil(4) {
            let mask = mask_of(offset.max(word * 4) - word * 4..end.min(word * 4 + 4) - word * 4);
            let mut known = !a.reads() || shadow.is_initialized(word, mask);
            if a.writes() {
                shadow.note_written(word, mask);
            }
            shadow.each(word, mask, apart, |cell, mask| {
                let (w, _, _) = cell.written();
                let fresh = w.epoch != epoch || w.touched & mask != mask;
                known &= !(a.reads() && binding.is_none() && fresh);
                self.word(a, &Part { cell, mask, epoch, since, binding, offset });
            });
            if !known {
                self.uninitialized(a, binding, offset);
            }
        }
    }

    fn word(&self, a: &Access, part: &Part<'_>) {
        let &Part { cell, mask, epoch, binding, offset, .. } = part;
        let atomic = a.kind >= ATOMIC_READ;
        let conflict = |m: &Mark, phase: u32, read: bool| -> Option<Kind> {
            if m.epoch == epoch {
                return self.unordered(a, m, phase, read, binding.is_some());
            }
            // An earlier dispatch of the same concurrent encoder, with no barrier since.
            (m.epoch >= part.since && m.epoch < epoch).then_some(Kind::MissingBarrier)
        };
        let (w, w_phase, w_pc) = cell.written();
        let other_atomic = w.is_atomic();
        if w.mask & mask != 0
            && !(atomic && other_atomic)
            && let Some(kind) = conflict(&w, w_phase, false)
        {
            self.race(a, kind, (w, w_pc), action(true, other_atomic), binding, offset);
        }
        if a.writes() {
            for (r, r_phase, r_pc) in cell.reads() {
                if r.mask & mask != 0
                    && let Some(kind) = conflict(&r, r_phase, true)
                {
                    self.race(a, kind, (r, r_pc), "read", binding, offset);
                }
            }
            let again = w.epoch == epoch;
            let same = again && w.thread == a.thread && w_phase == a.phase;
            let m = Mark {
                epoch,
                touched: mask | if again { w.touched } else { 0 },
                mask: mask | if same { w.mask } else { 0 },
                flags: a.fences << 1 | if atomic { ATOMIC } else { 0 },
                thread: a.thread,
            };
            cell.set_written((m, a.phase, self.short(a.pc)));
        }
        match a.kind {
            READ => self.note_read(a, part),
            // It reads as well, for the counters.
            ATOMIC_UPDATE => self.note_touched(a, part),
            _ => {}
        }
    }

    /// Counts bytes as read without a record of who did it.
    fn note_touched(&self, a: &Access, part: &Part<'_>) {
        let [(r, phase, pc), _] = part.cell.reads();
        if r.epoch == part.epoch {
            let m = Mark { touched: r.touched | part.mask, ..r };
            if m != r {
                part.cell.set_latest_read(r, (m, phase, pc));
            }
        } else {
            let (epoch, touched, thread) = (part.epoch, part.mask, a.thread);
            let m = Mark { epoch, touched, mask: 0, flags: 0, thread };
            self.replace_read(part.cell, (m, a.read_phase, 0));
        }
    }

    /// Puts a read in the place of the latest, which is kept as the other one if it says anything.
    fn replace_read(&self, cell: &Cell, new: (Mark, u32, u32)) {
        let [old, _] = cell.reads();
        if old.0.mask != 0 {
            cell.set_other_read(old);
        }
        cell.set_latest_read(old.0, new);
    }

    /// Keeps a read. Two are enough to tell whether a write is ordered after all of them: the
    /// latest, and one of another simdgroup or threadgroup or else of another thread. Reads before
    /// the last barrier are ordered before whatever comes; a barrier of a simdgroup orders them
    /// only for that simdgroup, where the latest read stands for those before it.
    fn note_read(&self, a: &Access, part: &Part<'_>) {
        let &Part { cell, mask, epoch, since, .. } = part;
        let [(r, r_phase, r_pc), (other, other_phase, _)] = cell.reads();
        let same_epoch = r.epoch == epoch;
        let pc = self.short(a.pc);
        let m = Mark {
            epoch,
            touched: mask | if same_epoch { r.touched } else { 0 },
            mask: mask | if same_epoch { r.mask } else { 0 },
            flags: a.fences << 1,
            thread: a.thread,
        };
        let tpg = self.run.threads_per_group;
        let group = |thread: u32| thread / tpg;
        let simdgroup = |thread: u32| thread % tpg / 32;
        if !same_epoch || r.mask == 0 || group(r.thread) != group(a.thread) {
            return self.replace_read(cell, (m, a.read_phase, pc));
        }
        let (barriers, now) = (|phase: u32| phase >> 12, a.read_phase);
        let same_simdgroup = simdgroup(r.thread) == simdgroup(a.thread);
        if r.thread == a.thread
            || barriers(r_phase) != barriers(now)
            || same_simdgroup && r_phase != now
        {
            if (m, now) != (r, r_phase) {
                cell.set_latest_read(r, (m, now, pc));
            }
            return;
        }
        let kept = other.mask != 0
            && if other.epoch != epoch {
                other.epoch >= since
            } else if group(other.thread) != group(a.thread) {
                true
            } else {
                barriers(other_phase) == barriers(now)
                    && simdgroup(other.thread) != simdgroup(r.thread)
                    && simdgroup(other.thread) != simdgroup(a.thread)
            };
        if !kept && (other.thread, other.epoch, other_phase) != (a.thread, epoch, now) {
            cell.set_other_read((m, now, pc));
        }
        let merged = Mark { touched: m.touched, mask: m.mask, ..r };
        if merged != r {
            cell.set_latest_read(r, (merged, r_phase, r_pc));
        }
    }

    /// Whether an access of this dispatch is unordered with an earlier one, in phase `then`.
    fn unordered(&self, a: &Access, m: &Mark, then: u32, read: bool, device: bool) -> Option<Kind> {
        if m.thread == a.thread {
            return None;
        }
        let tpg = self.run.threads_per_group;
        if m.thread / tpg != a.thread / tpg {
            let race = device && !self.synchronized(a, m, then, read);
            return race.then_some(Kind::RaceBetweenThreadgroups);
        }
        let now = if read { a.read_phase } else { a.phase };
        let same_barriers = then >> 12 == now >> 12;
        let same_simdgroup = m.thread % tpg / 32 == a.thread % tpg / 32;
        let ordered_by_simd = same_simdgroup && then & 0xfff != now & 0xfff;
        (same_barriers && !ordered_by_simd).then_some(Kind::RaceInThreadgroup)
    }

    /// A code address as an offset in the module, to fit a cell.
    pub(super) fn short(&self, pc: usize) -> u32 {
        pc.wrapping_sub(self.run.launched.module.image.start) as u32
    }
}
