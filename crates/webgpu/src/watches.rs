//! Data that is read back repeatedly, such as the token that a batch chose: the batch that writes it also
//! copies it to the host. A read then waits for that batch only, and not for later submissions.

use crate::{
    memory::GpuMemory,
    readback::{Copying, Planned, Readback},
};
use bessemer_core::{Batch, Slice};
use std::{collections::VecDeque, ops::Range};

/// Places that were read lately, the last one at the end.
pub(crate) struct Watches(VecDeque<Watch>);

struct Watch {
    /// The number of the buffer, which it does not keep alive, and the bytes of it.
    buffer: u64,
    range: Range<usize>,
    /// The copy that came with the last batch that wrote there; nothing has written since.
    taken: Option<Copying>,
}

/// Places that are watched at a time.
const PLACES: usize = 4;
/// More than that is not brought along unasked.
const MOST: usize = 1 << 20;

impl Watches {
    pub(crate) fn new() -> Watches {
        Watches(VecDeque::new())
    }

    /// The copy of a place, if a batch brought it along. The place is watched from now on.
    pub(crate) fn read(&mut self, slice: &Slice, readback: &mut Readback) -> Option<Copying> {
        if slice.bytes() > MOST.min(readback.at_once()) || slice.bytes() == 0 {
            return None;
        }
        let (buffer, range) = (slice.buffer().id(), slice.range());
        let same = |watch: &Watch| watch.buffer == buffer && watch.range == range;
        let known = self.0.iter().position(same).and_then(|place| self.0.remove(place));
        let mut watch = known.unwrap_or(Watch { buffer, range, taken: None });
        let taken = watch.taken.take();
        self.0.push_back(watch);
        if self.0.len() > PLACES {
            let oldest = self.0.pop_front();
            if let Some(copying) = oldest.and_then(|watch| watch.taken) {
                readback.drop(copying);
            }
        }
        taken
    }

    /// Something else writes to the buffer of `slice`.
    pub(crate) fn written(&mut self, slice: &Slice, readback: &mut Readback) {
        let buffer = slice.buffer().id();
        for watch in self.0.iter_mut().filter(|watch| watch.buffer == buffer) {
            if let Some(copying) = watch.taken.take() {
                readback.drop(copying);
            }
        }
    }

    /// Adds to the commands of a batch what brings along the places it writes.
    pub(crate) fn plan(
        &mut self,
        gpu: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        batch: &Batch,
        readback: &mut Readback,
    ) -> Result<Vec<(usize, Planned)>, String> {
        let mut planned = Vec::new();
        for (place, watch) in self.0.iter_mut().enumerate() {
            let mut writes = batch.steps().iter().flat_map(|step| &step.access.writes);
            let Some(view) = writes.find(|view| view.buffer().id() == watch.buffer) else {
                continue;
            };
            if let Some(copying) = watch.taken.take() {
                readback.drop(copying);
            }
            let Some(memory) = view.buffer().memory::<GpuMemory>() else { continue };
            let range = watch.range.start as u64..watch.range.end as u64;
            planned.push((place, readback.plan(gpu, encoder, memory, range)?));
        }
        Ok(planned)
    }

    /// The batch is submitted: its copies are on their way.
    pub(crate) fn submitted(
        &mut self,
        planned: Vec<(usize, Planned)>,
        index: &wgpu::SubmissionIndex,
    ) {
        for (place, planned) in planned {
            self.0[place].taken = Some(planned.submitted(index.clone()));
        }
    }
}
