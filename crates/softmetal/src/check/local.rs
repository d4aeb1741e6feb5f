//! What one worker has seen: every access comes here unless its site has settled it.

use super::shadow::Shadow;
use super::sites::{ENDLESS, IGNORED, Notes, Site, Sites};
use super::streaks::Streak;
use super::sync::Acquired;
use super::{ALIGNED, ATOMIC_READ, ATOMIC_UPDATE, FENCE, OVERWRITES, READ, RELEASES, Run, WRITE};
use crate::exec::abi::ThreadState;
use crate::exec::{Span, Symbols};
use std::ops::Range;
use std::sync::Arc;

/// A worker's state.
pub(crate) struct Local {
    pub(super) run: Arc<Run>,
    pub(super) shared: Range<usize>,
    /// The arrays in threadgroup memory; between them is nothing.
    pub(super) spans: Vec<Span>,
    pub(super) shared_shadow: Shadow,
    pub(super) shared_epoch: u32,
    ignored: Vec<Range<usize>>,
    last: usize,
    /// By the address of the code: what a place accessed last, and whether it wrote there.
    homes: Box<[(usize, usize, bool)]>,
    sites: Sites,
    /// Barriers passed that order device memory, those that order threadgroup memory, and all.
    device_phase: u32,
    shared_phase: u32,
    any_phase: u32,
    simd_phase: [u32; 32],
    pub(super) traffic: Vec<[u64; 2]>,
    pub(super) threadgroup: [u64; 2],
    pub(super) streaks: Vec<Streak>,
    /// Bindings that were checked word by word.
    pub(super) by_word: Vec<bool>,
    pub(super) acquired: Acquired,
}

/// One access, with everything that is known of it.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) address: usize,
    pub(super) size: usize,
    pub(super) kind: u32,
    pub(super) pc: usize,
    pub(super) thread: u32,
    pub(super) phase: u32,
    pub(super) read_phase: u32,
    /// Of atomic updates: whether what was there before does not matter.
    pub(super) overwrites: bool,
    /// Fences of the thread for device memory before it.
    pub(super) fences: u32,
}

impl Access {
    pub(super) fn action(&self) -> &'static str {
        action(self.writes(), self.kind >= ATOMIC_READ)
    }

    pub(super) fn writes(&self) -> bool {
        self.kind != READ && self.kind != ATOMIC_READ
    }

    /// Whether what was there before makes a difference.
    pub(super) fn reads(&self) -> bool {
        self.kind != WRITE && !self.overwrites
    }
}

pub(super) fn action(write: bool, atomic: bool) -> &'static str {
    match (write, atomic) {
        (false, false) => "read",
        (true, false) => "write",
        (false, true) => "atomic read",
        (true, true) => "atomic update",
    }
}

/// Places in the code of which is known what they access.
const HOMES: usize = 1024;

/// Streaks a worker keeps before it goes word by word.
const MOST_STREAKS: usize = 1 << 18;

impl Local {
    pub(super) fn new(run: Arc<Run>, shared: Range<usize>, spans: Vec<Span>) -> Local {
        Local {
            traffic: vec![[0; 2]; run.bindings.len()],
            by_word: vec![false; run.bindings.len()],
            shared_shadow: Shadow::new(shared.len(), false),
            run,
            shared,
            spans,
            shared_epoch: 0,
            ignored: Vec::new(),
            last: 0,
            homes: vec![(0, 0, false); HOMES].into_boxed_slice(),
            sites: Sites::new(),
            device_phase: 0,
            shared_phase: 0,
            any_phase: 0,
            simd_phase: [0; 32],
            threadgroup: [0; 2],
            streaks: Vec::new(),
            acquired: Acquired::default(),
        }
    }

    /// Memory of the executor itself, which kernels touch through our own headers.
    pub(crate) fn ignore(&mut self, range: Range<usize>) {
        self.ignored.push(range);
    }

    /// The table that the hooks of kernels look at.
    pub(crate) fn sites(&self) -> *const Site {
        self.sites.table()
    }

    pub(crate) fn begin_group(&mut self) {
        self.device_phase = 0;
        self.shared_phase = 0;
        self.any_phase = 0;
        self.simd_phase = [0; 32];
        self.acquired.clear();
        self.shared_epoch += 1;
        if self.shared_epoch >= 0xffff {
            self.shared_shadow = Shadow::new(self.shared.len(), false);
            self.shared_epoch = 1;
        }
    }

    /// A threadgroup barrier with its memory flags.
    pub(crate) fn barrier(&mut self, flags: u32) {
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
    fn phases(&self, shared: bool, index: u32) -> [u32; 2] {
        let own = if shared { self.shared_phase } else { self.device_phase };
        let simd = self.simd_phase[(index / 32) as usize & 31] & 0xfff;
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
        if kind == FENCE {
            self.acquired.fence(state.number);
            return false;
        }
        // Only accesses of a plain size come by way of a site.
        let sited = kind & ALIGNED != 0;
        if kind & RELEASES != 0 {
            self.acquired.fence(state.number);
        }
        let overwrites = kind & OVERWRITES != 0;
        let kind = kind & !(ALIGNED | RELEASES | OVERWRITES);
        if sited && !address.is_multiple_of(size.clamp(1, 8)) {
            let place = self.run.place(pc);
            self.misaligned(address, size as u32, place.line, place.file, state);
        }
        let within = |r: &Range<usize>| r.contains(&address) && address + size <= r.end;
        let shared = within(&self.shared);
        let thread = state.number;
        let [phase, read_phase] = self.phases(shared, state.index);
        let fences = self.acquired.fences(thread);
        let a = Access { address, size, kind, pc, thread, phase, read_phase, overwrites, fences };
        if shared {
            let offset = address - self.shared.start;
            if !self.spans.iter().any(|s| s.holds(offset, size)) {
                self.out_of_bounds(&a);
                return true;
            }
            self.threadgroup[usize::from(a.writes())] += size as u64;
            self.words(&a, offset, None);
            return false;
        }
        if let Some(b) = self.binding_of(address, size) {
            self.last = b;
            self.homes[pc % HOMES] = (pc, b, a.writes());
            self.bound(&a, b, sited);
            return false;
        }
        if let Some(r) = self.ignored.iter().find(|r| within(r)) {
            let module = &self.run.launched.module;
            if module.overrun(address, size).is_some() {
                self.out_of_bounds(&a);
                return true;
            }
            let known = module.image.contains(&address).then(|| module.table(address));
            if let Some(r) = known.unwrap_or(Some(r.clone())).filter(|r| sited && size <= r.len()) {
                let site = Site { map: IGNORED, ..site(pc, &r, size) };
                self.occupy(site, Notes::default());
            }
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

    /// What the same line has accessed in the same way, if anything is known of it.
    pub(super) fn home(&self, a: &Access, symbols: &Symbols) -> Option<usize> {
        let line = symbols.place(a.pc);
        let same = |(pc, _, write): &&(usize, usize, bool)| {
            *pc == a.pc || *pc != 0 && *write == a.writes() && symbols.place(*pc) == line
        };
        self.homes.iter().find(same).map(|(_, binding, _)| *binding)
    }

    /// An access to what is bound.
    fn bound(&mut self, a: &Access, b: usize, sited: bool) {
        let binding = &self.run.bindings[b];
        let mut notes = Notes { binding: b, size: a.size, write: a.writes(), ..Notes::default() };
        if let Some(map) = binding.map.as_ref().filter(|_| a.kind == READ) {
            map.mark(a.address, a.size);
            let begun = Site { map: map.bias(), ..site(a.pc, &binding.range, a.size) };
            self.count(a, b);
            if sited {
                notes.most = ENDLESS;
                self.occupy(begun, notes);
            }
        } else if sited && binding.unmet && !self.by_word[b] {
            self.streak(a, notes);
        } else {
            let offset = a.address - binding.range.start + binding.shadow_offset;
            self.words(a, offset, Some(b));
            if a.kind >= ATOMIC_READ {
                self.synchronize(a);
            }
            self.count(a, b);
            self.by_word[b] = true;
        }
    }

    fn count(&mut self, a: &Access, b: usize) {
        let traffic = &mut self.traffic[b];
        traffic[usize::from(a.writes())] += a.size as u64;
        if a.kind == ATOMIC_UPDATE {
            traffic[0] += a.size as u64;
        }
    }

    /// An access that may go on a streak of its site, or begins one.
    fn streak(&mut self, a: &Access, mut notes: Notes) {
        let slot = Sites::slot(a.pc);
        let (old, was) = (self.sites.get(slot), self.sites.notes[slot]);
        let same = old.pc == a.pc as u64 && old.map == 0 && was.binding == notes.binding;
        let range = &self.run.bindings[notes.binding].range;
        let goes_on = |stride: u64, step: u32| {
            let left = steps(range, a.address, a.size, stride as i64);
            let site = Site {
                next: (a.address as u64).wrapping_add(stride),
                stride,
                left,
                thread: a.thread.wrapping_add(step),
                step,
                ..site(a.pc, range, a.size)
            };
            (site, left)
        };
        if same && was.begun == 1 && old.left == was.most {
            // The second access of a streak says how it goes on.
            let stride = a.address.wrapping_sub(was.base) as u64;
            let (site, most) = goes_on(stride, a.thread.wrapping_sub(was.first));
            self.sites.set(slot, site, Notes { begun: 2, most, ..was });
            return;
        }
        let (stride, step) = if same { (old.stride, old.step) } else { (a.size as u64, 1) };
        let (site, most) = goes_on(stride, step);
        notes = Notes { base: a.address, first: a.thread, begun: 1, most, ..notes };
        self.occupy(site, notes);
    }

    /// Puts a site in its slot, after settling what was there.
    fn occupy(&mut self, site: Site, notes: Notes) {
        let slot = Sites::slot(site.pc as usize);
        self.settle(slot);
        self.sites.set(slot, site, notes);
    }

    /// Adds up what a slot has counted.
    fn settle(&mut self, slot: usize) {
        let (site, notes) = (self.sites.get(slot), self.sites.notes[slot]);
        if site.map == IGNORED {
            return;
        }
        let count = notes.begun + (notes.most - site.left);
        if count == 0 {
            return;
        }
        let none = Notes { begun: 0, most: site.left, ..notes };
        self.sites.set(slot, site, none);
        self.traffic[notes.binding][usize::from(notes.write)] += count * notes.size as u64;
        if site.map != 0 {
            return;
        }
        let streak = Streak {
            binding: notes.binding,
            pc: site.pc as usize,
            write: notes.write,
            size: notes.size,
            base: notes.base,
            stride: site.stride as i64,
            first: notes.first,
            step: site.step as i32,
            count,
        };
        let streak = streak.normal();
        // Sites take turns: what this one goes on with is among the last few.
        let recent = self.streaks.len().saturating_sub(8);
        match self.streaks[recent..].iter_mut().find(|s| s.continues(&streak)) {
            Some(s) => s.count += streak.count,
            None => self.streaks.push(streak),
        }
        if self.streaks.len() > MOST_STREAKS {
            self.by_word.fill(true);
            let kept = std::mem::take(&mut self.streaks);
            self.replay(&kept);
        }
    }

    /// Checks streaks word by word.
    pub(super) fn replay(&self, streaks: &[Streak]) {
        for s in streaks {
            let binding = &self.run.bindings[s.binding];
            let start = binding.range.start.wrapping_sub(binding.shadow_offset);
            for k in 0..s.count {
                let (address, thread) = s.access(k);
                let kind = if s.write { WRITE } else { READ };
                let (phase, read_phase, overwrites, fences) = (0, 0, false, 0);
                let (size, pc) = (s.size, s.pc);
                let a = Access {
                    address,
                    size,
                    kind,
                    pc,
                    thread,
                    phase,
                    read_phase,
                    overwrites,
                    fences,
                };
                self.words(&a, address.wrapping_sub(start), Some(s.binding));
            }
        }
    }

    /// Settles every site, when the worker has no more to do.
    pub(super) fn finish(&mut self) {
        Sites::slots().for_each(|slot| self.settle(slot));
    }
}

/// A site that may settle accesses of a size within a range, by a map.
fn site(pc: usize, range: &Range<usize>, size: usize) -> Site {
    Site {
        pc: pc as u64,
        // No access is there, so that nothing is taken for a streak.
        next: u64::MAX,
        left: ENDLESS,
        low: range.start as u64,
        span: (range.len() - size) as u64,
        ..Site::default()
    }
}

/// How many accesses at even distances follow one without leaving the range or their alignment.
fn steps(range: &Range<usize>, address: usize, size: usize, stride: i64) -> u64 {
    if stride % size.clamp(1, 8) as i64 != 0 {
        return 0;
    }
    let room = if stride > 0 { range.end - size - address } else { address - range.start };
    (room as u64).checked_div(stride.unsigned_abs()).unwrap_or(ENDLESS)
}
