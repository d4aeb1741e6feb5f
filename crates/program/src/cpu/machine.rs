//! Runs the steps of a program over a block of lanes.

use super::{
    LANES,
    code::{Arg, AtomicPlace, Code, Dst, Step},
    domain::Here,
    grid::{BufferAt, Place},
    kernels::{self, Lanes, Word},
    lanes::{File, Src},
};
use crate::{
    Fold, Index, Literal, MAX_ROUNDS, ParamId, SIMD_WIDTH, Scope, Type, program::stopped, scalar,
};
use bessemer_core::{Deadline, Meter, TimeIsUp};
use bessemer_simd::Isa;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The lanes of one block while it runs.
pub(super) struct Machine<'r> {
    pub(super) code: &'r Code,
    pub(super) isa: Isa,
    pub(super) file: &'r mut File,
    /// The bits of uniforms, by parameter.
    pub(super) uniforms: &'r [u64],
    /// How many lanes.
    pub(super) lanes: usize,
    /// Map form: the views at this box, by parameter, the number of its first element, and how
    /// far apart the numbers of rows and columns are.
    pub(super) views: SmallVec<[Here; 4]>,
    pub(super) first_number: u32,
    pub(super) number_steps: (u32, u32),
    /// Rows and columns of the box.
    pub(super) window: (usize, usize),
    /// Kernel form: buffers, by parameter, threadgroup memory, and where the group is.
    pub(super) buffers: &'r [BufferAt],
    pub(super) shared: &'r mut [u64],
    pub(super) place: Place,
    /// Which lanes are active; `None` if all are.
    pub(super) mask: Option<Box<[u32]>>,
    /// The same for the innermost loop: those that have not left this round, and not the loop.
    pub(super) rounds: Vec<Round>,
    /// Rounds of loops that these lanes may still take.
    pub(super) rounds_left: u32,
    /// Counts the work, to stop when the time is over.
    meter: Meter<'r>,
    /// What lanes of the launch did wrong first: the others may stop then.
    pub(super) failed: &'r OnceLock<String>,
    pub(super) yielded: Option<Src>,
}

/// A loop while it runs.
pub(super) struct Round {
    pub(super) round: Box<[u32]>,
    pub(super) looping: Box<[u32]>,
}

/// An error is what the program did wrong, in words.
pub(super) type Outcome<T = ()> = Result<T, String>;

impl<'r> Machine<'r> {
    pub(super) fn new(
        code: &'r Code,
        file: &'r mut File,
        uniforms: &'r [u64],
        buffers: &'r [BufferAt],
        shared: &'r mut [u64],
        failed: &'r OnceLock<String>,
        deadline: &'r Deadline,
    ) -> Machine<'r> {
        file.resize(code.slots);
        Machine {
            code,
            isa: code.isa,
            file,
            uniforms,
            lanes: 0,
            views: SmallVec::new(),
            first_number: 0,
            number_steps: (0, 0),
            window: (1, 0),
            buffers,
            shared,
            place: Place::default(),
            mask: None,
            rounds: Vec::new(),
            rounds_left: 0,
            meter: Meter::new(deadline),
            failed,
            yielded: None,
        }
    }

    /// Runs the program once over all lanes.
    ///
    /// # Safety
    /// Views and buffers must be where they are said to be, for as many elements, and nobody
    /// else may write to what is read or touch what views write. `lanes` is at most [`LANES`]
    /// unless the code streams.
    pub(super) unsafe fn run(&mut self) -> Outcome {
        self.mask = None;
        self.rounds_left = MAX_ROUNDS;
        let code = self.code;
        // SAFETY: the caller's promise.
        let outcome = self.spend(code.weight).and_then(|()| unsafe { self.block(&code.body) });
        outcome.map_err(|why| self.failed.get_or_init(|| why).clone())
    }

    /// Counts `steps` of all lanes; an error if the time is over.
    pub(super) fn spend(&mut self, steps: usize) -> Outcome {
        let spent = self.meter.spend(steps.saturating_mul(self.lanes));
        spent.map_err(|TimeIsUp| stopped(&self.code.name))
    }

    pub(super) unsafe fn block(&mut self, steps: &[Step]) -> Outcome {
        for step in steps {
            // SAFETY: as for `run`.
            unsafe { self.step(step)? };
        }
        Ok(())
    }

    unsafe fn step(&mut self, step: &Step) -> Outcome {
        let isa = self.isa;
        // SAFETY: as for `run`; slots hold `LANES` lanes, and `assign` gives a place to write
        // that none of the operands lie in.
        unsafe {
            match step {
                Step::Mov { dst, a } => {
                    let a = self.arg(*a);
                    self.copy(*dst, a);
                }
                Step::Unary { op, ty, dst, a } => {
                    let a = self.arg(*a);
                    match ty.is_wide() {
                        false => self.assign(*dst, [a], |d, [a]| match a {
                            Lanes::Many(a) => kernels::unary(isa, *op, *ty, d, a),
                            Lanes::One(a) => kernels::unary(isa, *op, *ty, d, &[a]),
                        }),
                        true => self.assign(*dst, [a], |d, [a]| match a {
                            Lanes::Many(a) => kernels::unary_wide(isa, *op, *ty, d, a),
                            Lanes::One(a) => kernels::unary_wide(isa, *op, *ty, d, &[a]),
                        }),
                    }
                }
                Step::Binary { op, ty, dst, a, b } => {
                    let args = [self.arg(*a), self.arg(*b)];
                    match ty.is_wide() {
                        false => self.assign(*dst, args, |d, [a, b]| {
                            kernels::binary(isa, *op, *ty, d, a, b)
                        }),
                        true => self.assign(*dst, args, |d, [a, b]| {
                            kernels::binary_wide(isa, *op, *ty, d, a, b);
                        }),
                    }
                }
                Step::Compare { op, ty, dst, a, b } => {
                    let args = [self.arg(*a), self.arg(*b)];
                    match ty.is_wide() {
                        false => self.assign(*dst, args, |d, [a, b]| {
                            kernels::compare(isa, *op, *ty, d, a, b);
                        }),
                        true => self.assign(*dst, args, |d, [a, b]| {
                            kernels::compare_wide(isa, *op, *ty, d, a, b);
                        }),
                    }
                }
                Step::Fma { ty, dst, args } => {
                    let args = args.map(|arg| self.arg(arg));
                    match ty.is_wide() {
                        false => {
                            self.assign(*dst, args, |d, [a, b, c]| kernels::fma(isa, d, a, b, c));
                        }
                        true => self.assign(*dst, args, |d, [a, b, c]| {
                            kernels::fma_wide(isa, d, a, b, c);
                        }),
                    }
                }
                Step::Select { dst, cond, a, b } => match dst.wide {
                    false => self.select::<u32>(*dst, *cond, *a, *b),
                    true => self.select::<u64>(*dst, *cond, *a, *b),
                },
                Step::Convert { from, to, dst, a } => self.convert((*from, *to), *dst, *a),
                Step::Index { index, dst } => {
                    let place = self.place;
                    match place.same_for_all(*index) {
                        Some(value) => self.copy(*dst, Src::One(value.into())),
                        None if *index == Index::Element => self.numbers(*dst),
                        None => self.fill(*dst, &[], |d| place.indices(*index, d)),
                    }
                }
                Step::LoadView { view, dst, held } => match dst.wide {
                    false => self.load_view::<u32>(*view, *dst, *held),
                    true => self.load_view::<u64>(*view, *dst, *held),
                },
                Step::StoreView { view, wide, value } => match wide {
                    false => self.store_view::<u32>(*view, *value),
                    true => self.store_view::<u64>(*view, *value),
                },
                Step::LoadBuffer { param, dst, index, signed } => {
                    let at = self.buffers[param.index()];
                    self.gather(at, *dst, *index, *signed).map_err(|at| self.outside(param, at))?;
                }
                Step::StoreBuffer { param, index, signed, wide, value } => {
                    let at = self.buffers[param.index()];
                    self.scatter(at, (*index, *signed), (*value, *wide))
                        .map_err(|at| self.outside(param, at))?;
                }
                Step::LoadShared { shared, dst, index, signed } => {
                    let memory = self.shared_memory(*shared);
                    self.gather(memory, *dst, *index, *signed)
                        .map_err(|at| outside("threadgroup memory", at))?;
                }
                Step::StoreShared { shared, index, signed, wide, value } => {
                    let memory = self.shared_memory(*shared);
                    self.scatter(memory, (*index, *signed), (*value, *wide))
                        .map_err(|at| outside("threadgroup memory", at))?;
                }
                Step::Atomic { op, ty, dst, at, index, signed, value } => {
                    let memory = match at {
                        AtomicPlace::Buffer(param) => self.buffers[param.index()],
                        AtomicPlace::Shared(shared) => self.shared_memory(*shared),
                    };
                    let args = [self.arg(*index), self.arg(*value)];
                    let [index, value] = args.map(|arg| arg.lanes(self.lanes));
                    let mask = self.mask.clone();
                    self.fill::<u32, _>(*dst, &args, |d| {
                        memory.atomic(*op, *ty, d, index, *signed, value, mask.as_deref())
                    })
                    .map_err(|at| outside("the memory of an atomic", at))?;
                }
                Step::Reduce { op, ty, scope, dst, a } => {
                    let width = match scope {
                        Scope::Simd => SIMD_WIDTH,
                        Scope::Group => self.lanes,
                    };
                    match ty.is_wide() {
                        false => self.reduce::<u32>((*op, *ty), width, *dst, *a),
                        true => self.reduce::<u64>((*op, *ty), width, *dst, *a),
                    }
                }
                Step::If { cond, then, other } => self.branch(*cond, then, other)?,
                Step::Loop { body, number, weight } => self.repeat(body, *number, *weight)?,
                Step::Break { cond } => self.leave(*cond, true),
                Step::Continue { cond } => self.leave(*cond, false),
                Step::Yield { value } => self.yielded = Some(self.arg(*value)),
            }
        }
        Ok(())
    }

    pub(super) fn arg(&self, arg: Arg) -> Src {
        match arg {
            Arg::Slot(slot) => self.file.sources[usize::from(slot)],
            Arg::Bits(bits) => Src::One(bits),
            Arg::Uniform(param) => Src::One(self.uniforms[usize::from(param)]),
        }
    }

    /// Whether `dst` must keep the lanes that are not active.
    pub(super) fn blends(&self, dst: Dst) -> bool {
        self.mask.is_some() && !dst.whole
    }

    /// Gives `dst` what `compute` makes of `args`. If they are the same in all lanes, so is it.
    unsafe fn assign<D: Word, W: Word, const N: usize>(
        &mut self,
        dst: Dst,
        args: [Src; N],
        compute: impl FnOnce(&mut [D], [Lanes<'_, W>; N]),
    ) {
        if args.iter().all(|arg| matches!(arg, Src::One(_))) {
            let mut one = [D::default()];
            // SAFETY: no lanes are read.
            compute(&mut one, args.map(|arg| unsafe { arg.lanes(0) }));
            self.copy(dst, Src::One(one[0].bits()));
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            self.place(dst, args, |d, n| compute(d, args.map(|arg| arg.lanes(n))));
        }
    }

    /// Gives `dst` what `compute` writes to as many lanes as it is told, none of which are those of
    /// `args`.
    unsafe fn place<D: Word, const N: usize>(
        &mut self,
        dst: Dst,
        args: [Src; N],
        compute: impl FnOnce(&mut [D], usize),
    ) {
        let n = self.lanes;
        let own = self.file.slot(dst.slot.into());
        let reads = |place: *mut u32| {
            let at = |arg: &Src| matches!(arg, Src::At(from) if *from == place.cast_const());
            args.iter().any(at)
        };
        let place = match dst.out.and_then(|view| self.out(view)) {
            Some(out) if !reads(out) => out,
            _ if self.blends(dst) || reads(own) => self.file.slot(self.code.slots),
            _ => own,
        };
        // SAFETY: slots have room for all lanes, as has the view (`out`), and are not among the
        // operands, as was just seen; operands have as many lanes.
        unsafe {
            compute(std::slice::from_raw_parts_mut(place.cast(), n), n);
        }
        if place == self.file.slot(self.code.slots) {
            self.copy(dst, Src::At(place));
        } else {
            self.file.sources[usize::from(dst.slot)] = Src::At(place);
        }
    }

    /// The view, if lanes can be written to it as they are.
    fn out(&self, view: ParamId) -> Option<*mut u32> {
        let here = self.views[view.index()];
        // A view that is read too may be changed when nothing is left to do.
        let safe = !here.shared || self.code.stores == 1;
        let fits = here.plain && here.spread(self.window).is_row() && self.mask.is_none();
        (safe && fits).then_some(here.first.cast())
    }

    /// Gives `dst` what `fill` writes to its lanes while it reads `args`.
    pub(super) fn fill<W: Word, T>(
        &mut self,
        dst: Dst,
        args: &[Src],
        fill: impl FnOnce(&mut [W]) -> T,
    ) -> T {
        let own = self.file.slot(dst.slot.into()).cast_const();
        let reads = args.iter().any(|arg| matches!(arg, Src::At(from) if *from == own));
        let slot = match self.blends(dst) || reads {
            true => self.code.slots,
            false => dst.slot.into(),
        };
        let place = self.file.slot(slot);
        // SAFETY: a slot has room for all lanes, and nothing else refers to it now: what it held
        // is overwritten, and it is not read, as was just seen.
        let result = fill(unsafe { std::slice::from_raw_parts_mut(place.cast(), self.lanes) });
        if slot == self.code.slots {
            self.copy(dst, Src::At(place));
        } else {
            self.file.sources[slot] = Src::At(place);
        }
        result
    }

    /// Gives `dst` the value of `from`: no lanes move if it is the same for all.
    pub(super) fn copy(&mut self, dst: Dst, from: Src) {
        match dst.wide {
            false => self.copy_lanes::<u32>(dst, from),
            true => self.copy_lanes::<u64>(dst, from),
        }
    }

    fn copy_lanes<W: Word>(&mut self, dst: Dst, from: Src) {
        let (slot, n) = (usize::from(dst.slot), self.lanes);
        let own = self.file.slot(slot);
        let blends = self.blends(dst);
        let now = self.file.sources[slot];
        if let (Src::One(_), false) = (from, blends) {
            self.file.sources[slot] = from;
            return;
        }
        // SAFETY: slots have room for all lanes; the value copied lies elsewhere or is the same
        // slot, which the first test leaves as it is.
        unsafe {
            if matches!(from, Src::At(at) if at == own.cast_const()) {
                return;
            }
            let d: &mut [W] = std::slice::from_raw_parts_mut(own.cast(), n);
            if !matches!(now, Src::At(at) if at == own.cast_const()) && blends {
                spread(now.lanes(n), d);
            }
            match self.mask.as_deref().filter(|_| blends) {
                None => spread(from.lanes(n), d),
                Some(mask) => match from.lanes(n) {
                    Lanes::Many(from) => {
                        for ((d, from), mask) in d.iter_mut().zip(from).zip(mask) {
                            *d = if *mask != 0 { *from } else { *d };
                        }
                    }
                    Lanes::One(from) => {
                        for (d, mask) in d.iter_mut().zip(mask) {
                            *d = if *mask != 0 { from } else { *d };
                        }
                    }
                },
            }
        }
        self.file.sources[slot] = Src::At(own);
    }

    unsafe fn select<W: Word>(&mut self, dst: Dst, cond: Arg, a: Arg, b: Arg) {
        let (a, b, isa) = (self.arg(a), self.arg(b), self.isa);
        match self.arg(cond) {
            Src::One(0) => self.copy(dst, b),
            Src::One(_) => self.copy(dst, a),
            // SAFETY: as for `run`.
            cond => unsafe {
                self.place::<W, 3>(dst, [cond, a, b], |d, n| {
                    if let Lanes::Many(cond) = cond.lanes(n) {
                        kernels::select(isa, d, cond, a.lanes(n), b.lanes(n));
                    }
                });
            },
        }
    }

    unsafe fn convert(&mut self, types: (Type, Type), dst: Dst, a: Arg) {
        let (a, isa) = ([self.arg(a)], self.isa);
        fn all<'a, W>(lanes: &'a Lanes<'_, W>) -> &'a [W] {
            match lanes {
                Lanes::Many(lanes) => lanes,
                Lanes::One(one) => std::slice::from_ref(one),
            }
        }
        // SAFETY: as for `run`.
        unsafe {
            match (types.0.is_wide(), types.1.is_wide()) {
                (false, false) => {
                    self.assign(dst, a, |d, [a]| kernels::narrow(isa, types, d, all(&a)));
                }
                (false, true) => {
                    self.assign(dst, a, |d, [a]| kernels::widen(isa, types, d, all(&a)));
                }
                (true, false) => {
                    self.assign(dst, a, |d, [a]| kernels::shorten(isa, types, d, all(&a)));
                }
                (true, true) => {
                    self.assign(dst, a, |d, [a]| kernels::convert_wide(isa, types, d, all(&a)));
                }
            }
        }
    }

    unsafe fn reduce<W: Word>(&mut self, (op, ty): (Fold, Type), width: usize, dst: Dst, a: Arg) {
        let mut lanes = vec![W::default(); self.lanes];
        // SAFETY: as for `run`.
        spread(unsafe { self.arg(a).lanes(self.lanes) }, &mut lanes);
        for part in lanes.chunks_mut(width) {
            let literal = |lane: W| Literal::from_bits(ty, lane.bits());
            let all = part.iter().map(|&lane| literal(lane)).reduce(|a, b| scalar::fold(op, a, b));
            part.fill(W::of(all.map_or(0, Literal::bits)));
        }
        self.fill::<W, _>(dst, &[], |d| d.copy_from_slice(&lanes));
    }

    /// The numbers of the elements of a box.
    fn numbers(&mut self, dst: Dst) {
        let (first, (row_step, column_step)) = (self.first_number, self.number_steps);
        let columns = self.window.1.max(1);
        self.fill::<u32, _>(dst, &[], |d| {
            for (row, d) in d.chunks_mut(columns).enumerate() {
                let first = first.wrapping_add(row_step.wrapping_mul(row as u32));
                for (column, d) in d.iter_mut().enumerate() {
                    *d = first.wrapping_add(column_step.wrapping_mul(column as u32));
                }
            }
        });
    }

    fn shared_memory(&mut self, shared: usize) -> BufferAt {
        let at = self.code.shared[shared];
        let words = &mut self.shared[at.start..at.start + at.words()];
        BufferAt::of_lanes(words, at.len, at.wide)
    }

    fn outside(&self, param: &ParamId, at: i64) -> String {
        outside(&format!("parameter {}", param.index()), at)
    }
}

fn outside(what: &str, at: i64) -> String {
    format!("element {at} is out of range for {what}")
}

/// All lanes of `from`, wherever they are.
pub(super) fn spread<W: Word>(from: Lanes<'_, W>, to: &mut [W]) {
    match from {
        Lanes::Many(from) => to.copy_from_slice(from),
        Lanes::One(from) => to.fill(from),
    }
}

const _: () = assert!(LANES >= crate::program::MAX_THREADS as usize);
