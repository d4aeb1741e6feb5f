//! The checks of single words: who touched the same bytes before, and whether anything orders it.

use super::local::{Access, Local, action};
use super::shadow::{ATOMIC, CROSS, Cell, Mark, SHARED};
use super::{ATOMIC_READ, ATOMIC_UPDATE, Kind, READ};

impl Local {
    pub(super) fn words(&self, a: &Access, offset: usize, binding: Option<usize>) {
        let end = offset + a.size;
        let (shadow, epoch) = match binding {
            Some(b) => (self.run.bindings[b].shadow.as_deref(), self.run.launched.epoch),
            None => (Some(&self.shared_shadow), self.shared_epoch),
        };
        let Some(shadow) = shadow else {
            return;
        };
        let writes = a.writes();
        for word in offset / 4..end.div_ceil(4) {
            let from = offset.max(word * 4) - word * 4;
            let to = end.min(word * 4 + 4) - word * 4;
            let mask = (1u32 << to) - (1u32 << from);
            let Some(cell) = shadow.cell(word) else {
                return;
            };
            if !writes {
                let known = match binding {
                    None => cell.written().0.epoch == epoch,
                    Some(_) => shadow.is_initialized(word),
                };
                if !known {
                    self.uninitialized(a, binding, offset);
                }
            }
            if writes {
                shadow.note_written(word);
            }
            self.word(a, cell, mask, epoch, binding, offset);
        }
    }

    fn word(
        &self,
        a: &Access,
        cell: &Cell,
        mask: u32,
        epoch: u32,
        binding: Option<usize>,
        offset: usize,
    ) {
        let write = a.writes();
        let atomic = a.kind >= ATOMIC_READ;
        let (w, w_phase, w_pc) = cell.written();
        let conflict = |m: &Mark, phase: u32, read: bool| -> Option<Kind> {
            if m.epoch == epoch {
                return self.unordered(a, m, phase, read, binding.is_some());
            }
            // An earlier dispatch of the same concurrent encoder, with no barrier since.
            let since = binding.map_or(u32::MAX, |b| self.run.bindings[b].unordered_since);
            (m.epoch >= since && m.epoch < epoch).then_some(Kind::MissingBarrier)
        };
        let other_atomic = w.is_atomic();
        if w.mask & mask != 0
            && !(atomic && other_atomic)
            && let Some(kind) = conflict(&w, w_phase, false)
        {
            self.race(a, kind, (w, w_pc), action(true, other_atomic), binding, offset);
        }
        let (r, r_phase, r_pc) = cell.was_read();
        if write {
            if r.mask & mask != 0 {
                let mut kind = conflict(&r, r_phase, true);
                // The first reader may be this thread while others have read as well.
                if kind.is_none() && r.epoch == epoch {
                    if r.flags & CROSS != 0 && !self.has_acquired() {
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
                flags: a.fences << 3 | if atomic { ATOMIC } else { 0 },
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
        a: &Access,
        cell: &Cell,
        mask: u32,
        epoch: u32,
        (r, r_phase): (Mark, u32),
        atomic: bool,
    ) {
        let own = if atomic { 0 } else { mask };
        if r.epoch != epoch {
            let m =
                Mark { epoch, touched: mask, mask: own, flags: a.fences << 3, thread: a.thread };
            cell.set_read(r, m, a.read_phase, self.short(a.pc));
            return;
        }
        if r.thread != a.thread && own != 0 && r.mask & own == 0 {
            // Other bytes of the word than the last reader's: there is room for one of them, and
            // taking both for one would blame whoever writes the bytes it has read itself.
            let (touched, flags) = (r.touched | mask, a.fences << 3);
            let m = Mark { epoch, touched, mask: own, flags, thread: a.thread };
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
                m.flags = m.flags & CROSS | a.fences << 3;
                phase = a.read_phase;
            }
        } else if r_phase != a.read_phase && !atomic {
            m.flags = m.flags & CROSS | a.fences << 3;
            phase = a.read_phase;
        }
        if m != r || phase != r_phase {
            cell.set_read(r, m, phase, self.short(a.pc));
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
