//! How a block of lanes reads and writes memory: views at its box, and elements by number.

use super::{
    code::{Arg, Dst},
    grid::BufferAt,
    kernels::Word,
    lanes::Src,
    machine::Machine,
    memory::{self, Elements},
};
use crate::ParamId;

impl Machine<'_> {
    pub(super) unsafe fn load_view<W: Elements>(&mut self, view: ParamId, dst: Dst, held: bool) {
        let here = self.views[view.index()];
        let spread = here.spread(self.window);
        // SAFETY: the view has an element per lane, as the caller of `run` promises.
        unsafe {
            if spread.is_point() {
                let mut one = [W::default()];
                memory::load_box(self.isa, here, (1, 1), &mut one);
                self.copy(dst, Src::One(one[0].bits()));
            } else if here.plain && spread.is_row() && !self.blends(dst) && !(here.shared && held) {
                self.file.sources[usize::from(dst.slot)] = Src::At(here.first.cast_const().cast());
            } else {
                let (isa, window) = (self.isa, self.window);
                self.fill::<W, _>(dst, &[], |d| memory::load_box(isa, here, window, d));
            }
        }
    }

    pub(super) unsafe fn store_view<W: Elements>(&mut self, view: ParamId, value: Arg) {
        let (here, value) = (self.views[view.index()], self.arg(value));
        let in_place = matches!(value, Src::At(from) if from == here.first.cast());
        if in_place && here.plain && here.spread(self.window).is_row() {
            return;
        }
        // SAFETY: as for `run`; the view has an element per lane.
        unsafe {
            let value = value.lanes::<W>(self.lanes);
            memory::store_box(self.isa, here, self.window, value, self.mask.as_deref());
        }
    }

    /// Gives `dst` elements of `memory`; those of inactive lanes are not touched.
    pub(super) unsafe fn gather(
        &mut self,
        memory: BufferAt,
        dst: Dst,
        index: Arg,
        signed: bool,
    ) -> Result<(), i64> {
        // SAFETY: as for `run`.
        unsafe {
            match dst.wide {
                false => self.gather_lanes::<u32>(memory, dst, index, signed),
                true => self.gather_lanes::<u64>(memory, dst, index, signed),
            }
        }
    }

    unsafe fn gather_lanes<W: Word>(
        &mut self,
        memory: BufferAt,
        dst: Dst,
        index: Arg,
        signed: bool,
    ) -> Result<(), i64> {
        let index = self.arg(index);
        if let (Src::One(_), None) = (index, &self.mask) {
            let mut one = [W::default()];
            // SAFETY: as for `run`; no lanes are read.
            unsafe { memory.load(&mut one, index.lanes(0), signed, None)? };
            self.copy(dst, Src::One(one[0].bits()));
            return Ok(());
        }
        let mask = self.mask.clone();
        // SAFETY: as for `run`.
        let lanes = unsafe { index.lanes(self.lanes) };
        // SAFETY: as for `run`.
        self.fill::<W, _>(dst, &[index], |d| unsafe {
            memory.load(d, lanes, signed, mask.as_deref())
        })
    }

    /// Replaces elements of `memory` by values of 64 bits or of 32.
    pub(super) unsafe fn scatter(
        &mut self,
        memory: BufferAt,
        (index, signed): (Arg, bool),
        (value, wide): (Arg, bool),
    ) -> Result<(), i64> {
        let (n, mask) = (self.lanes, self.mask.as_deref());
        // SAFETY: as for `run`.
        unsafe {
            let (index, value) = (self.arg(index).lanes(n), self.arg(value));
            match wide {
                false => memory.store::<u32>(n, index, signed, value.lanes(n), mask),
                true => memory.store::<u64>(n, index, signed, value.lanes(n), mask),
            }
        }
    }
}
