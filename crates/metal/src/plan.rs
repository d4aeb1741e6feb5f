//! The plan of a batch: dispatches in order, with barriers where they overlap in memory. Built once per
//! batch, and encoded each time it is submitted.

use crate::{
    hal::{Encoder as _, Hal, Pipeline as _, Result as HalResult},
    hazards::{Hazards, Touch},
    memory::GpuMemory,
    parts::{Speed, spread},
    pipelines::Pipelines,
};
use bessemer_core::{
    Batch, Buffer, Cost, Error, Pool, Result, View,
    gpu::{Binding, GpuTraits, Launch, Launches},
};
use smallvec::SmallVec;
use std::{ops::Range, sync::Arc};

/// A batch, ready to be encoded. It keeps alive whatever it uses.
pub(crate) struct Plan<H: Hal> {
    pub(crate) dispatches: Vec<Dispatch<H>>,
    /// Which of them are a command buffer each: one for all, unless that would take too long.
    pub(crate) parts: Vec<Range<usize>>,
    /// Every buffer, once.
    pub(crate) buffers: Vec<Buffer>,
    /// Which of them it writes, by their places.
    pub(crate) written: Vec<bool>,
    pub(crate) barriers: u64,
    /// What debuggers show it as.
    pub(crate) label: String,
}

/// One dispatch.
pub(crate) struct Dispatch<H: Hal> {
    /// The op it belongs to.
    pub(crate) op: &'static str,
    pub(crate) kernel: String,
    /// What it must move and compute.
    pub(crate) cost: Cost,
    barrier: bool,
    pipeline: Arc<H::Pipeline>,
    /// Buffers of Metal, which are the plan's, and from which byte on.
    bindings: SmallVec<[(Arc<H::Buffer>, usize); 6]>,
    params: SmallVec<[u8; 64]>,
    grid: Grid,
}

/// How many threads a dispatch has.
enum Grid {
    /// Threadgroups, and the threads of each.
    Groups([u32; 3], [u32; 3]),
    /// Threads, and how many of them at most are a threadgroup.
    Threads([u32; 3], [u32; 3]),
}

/// What plans are made with.
pub(crate) struct Maker<'a, H: Hal> {
    pub(crate) device: &'a H::Device,
    pub(crate) name: &'a str,
    pub(crate) traits: &'a GpuTraits,
    pub(crate) speed: Speed,
    pub(crate) pipelines: &'a Pipelines<H>,
    pub(crate) pool: &'a Pool<GpuMemory<H>>,
}

/// Bytes after which scratch memory is used again, if the ops of a batch want more than this in
/// all: ops that share it wait for each other.
const SCRATCH: usize = 32 << 20;
/// What pieces of scratch memory start at.
const SCRATCH_ALIGNMENT: usize = 256;
/// What Metal takes as bytes of an encoder.
const MOST_PARAMS: usize = 4096;
/// Buffers of a kernel.
const MOST_BINDINGS: usize = 31;

impl<H: Hal> Maker<'_, H> {
    pub(crate) fn plan(&self, batch: &Batch) -> Result<Plan<H>> {
        let mut all: Vec<Launches> = Vec::with_capacity(batch.len());
        for step in batch.steps() {
            all.push(step.op.metal(self.traits)?);
        }
        let scratch = self.scratch(&all)?;
        let mut plan = Plan {
            dispatches: Vec::new(),
            parts: Vec::new(),
            buffers: Vec::new(),
            written: Vec::new(),
            barriers: 0,
            label: label(batch),
        };
        for access in batch.steps().iter().map(|step| &step.access) {
            for view in &access.reads {
                plan.place(view.buffer());
            }
            for view in &access.writes {
                let place = plan.place(view.buffer());
                plan.written[place] = true;
            }
        }
        let mut hazards = Hazards::default();
        let mut costs = Vec::new();
        let mut free = 0;
        for (step, launches) in batch.steps().iter().zip(&all) {
            let room = scratch.as_ref().map_or(0, Buffer::bytes);
            let from = if free + launches.scratch > room { 0 } else { free };
            free = from + launches.scratch.next_multiple_of(SCRATCH_ALIGNMENT);
            let runs = || launches.launches.iter().filter(|launch| !launch.groups.contains(&0));
            let each: Vec<u64> = runs().map(moved).collect();
            costs.extend(match each.len() {
                1 => vec![step.op.cost()],
                _ => spread(step.op.cost(), &each),
            });
            for (launch, &bytes) in runs().zip(&each) {
                let op = step.op.name();
                let piece = scratch.as_ref().map(|buffer| (buffer, from, launches.scratch));
                let mut dispatch = self.dispatch(op, launch, piece, &mut plan)?;
                // How the arithmetic is spread over several launches, only the op knows.
                let alone = each.len() == 1;
                dispatch.cost = if alone { step.op.cost() } else { Cost { bytes, flops: 0 } };
                let touches =
                    launch.bindings.iter().map(|binding| touch(binding, scratch.as_ref(), from));
                dispatch.barrier = hazards.dispatch(touches);
                plan.barriers += u64::from(dispatch.barrier);
                plan.dispatches.push(dispatch);
            }
        }
        plan.parts = self.speed.parts(&costs);
        Ok(plan)
    }

    /// The scratch memory of a whole batch.
    fn scratch(&self, all: &[Launches]) -> Result<Option<Buffer>> {
        let rounded = all.iter().map(|one| one.scratch.next_multiple_of(SCRATCH_ALIGNMENT));
        let (sum, most) = rounded.fold((0, 0), |(sum, most), one| (sum + one, one.max(most)));
        match sum {
            0 => Ok(None),
            _ => self.pool.take(sum.min(SCRATCH).max(most)).map(Some),
        }
    }

    fn dispatch(
        &self,
        op: &'static str,
        launch: &Launch,
        scratch: Option<(&Buffer, usize, usize)>,
        plan: &mut Plan<H>,
    ) -> Result<Dispatch<H>> {
        let kernel = &launch.kernel;
        let failed = |why: String| Error::Failed { device: self.name.to_owned(), op, why };
        let refuse = |why: String| {
            let file = kernel.source.name();
            Err(failed(format!("kernel `{}` of {file}: {why}", kernel.entry)))
        };
        let made = self.pipelines.get(self.device, kernel);
        let pipeline = made.map_err(|fault| failed(fault.why))?;
        let most = pipeline.max_threads();
        let grid = match launch.threads {
            Launch::FREE => {
                Grid::Threads(launch.groups, block(launch.groups, pipeline.simd_width(), most))
            }
            threads => {
                let all = threads.iter().try_fold(1u32, |all, &one| all.checked_mul(one));
                if !all.is_some_and(|all| (1..=most).contains(&all)) {
                    let why = format!("threadgroups of {threads:?} threads; it can have {most}");
                    return refuse(why);
                }
                Grid::Groups(launch.groups, threads)
            }
        };
        let params: SmallVec<[u8; 64]> =
            launch.params.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        if params.len() > MOST_PARAMS || launch.bindings.len() >= MOST_BINDINGS {
            let (bytes, buffers) = (params.len(), launch.bindings.len());
            return refuse(format!("{buffers} buffers and {bytes} bytes of numbers are too many"));
        }
        let mut bindings = SmallVec::new();
        for binding in &launch.bindings {
            let (buffer, range) = match (binding, scratch) {
                (Binding::Read(view) | Binding::Write(view), _) => {
                    // A view of nothing may lie at the very end, where nothing can be bound.
                    let range = if view.elements() == 0 { 0..0 } else { view.range() };
                    (view.buffer(), range)
                }
                (Binding::Scratch { range, .. }, Some((buffer, from, bytes)))
                    if range.start < range.end && range.end <= bytes =>
                {
                    (buffer, from + range.start..from + range.end)
                }
                (Binding::Scratch { range, .. }, _) => {
                    return refuse(format!("bytes {range:?} are not within its scratch memory"));
                }
            };
            plan.place(buffer);
            match GpuMemory::<H>::of(buffer).whole(self.device, range) {
                Ok(bound) => bindings.push(bound),
                Err(fault) => return refuse(fault.why),
            }
        }
        Ok(Dispatch {
            op,
            kernel: kernel.entry.to_string(),
            cost: Cost::default(),
            barrier: false,
            pipeline,
            bindings,
            params,
            grid,
        })
    }
}

/// Threads of a threadgroup that suit a grid: whole simdgroups along its rows, and several rows where
/// those are short. Larger ones would only make the last of them wait longer for each other.
fn block([x, y, _]: [u32; 3], simd_width: u32, most: u32) -> [u32; 3] {
    let (width, most) = (simd_width.clamp(1, most.max(1)), most.clamp(1, 256));
    let across = x.clamp(1, most).next_multiple_of(width).min((most / width).max(1) * width);
    [across, y.clamp(1, (most / across).max(1)), 1]
}

/// What one of several launches of an op must move: all it is bound to, once.
fn moved(launch: &Launch) -> u64 {
    let mut seen: SmallVec<[&View; 8]> = SmallVec::new();
    let mut bytes = 0;
    for binding in &launch.bindings {
        match binding {
            Binding::Scratch { range, .. } => bytes += range.len() as u64,
            // What is missing is stood in for by what is bound already.
            Binding::Read(view) | Binding::Write(view) => {
                if !seen.iter().any(|known| known.is_same_place(view)) {
                    bytes += view.stored_bytes() as u64;
                    seen.push(view);
                }
            }
        }
    }
    bytes
}

/// The ops of a batch in few words.
fn label(batch: &Batch) -> String {
    let mut names = batch.steps().iter().map(|step| step.op.name());
    match (names.next(), names.next_back()) {
        (Some(first), Some(last)) => format!("{first} … {last} ({} ops)", batch.len()),
        (only, _) => only.unwrap_or_default().to_owned(),
    }
}

/// The memory that a binding is.
fn touch<'a>(binding: &'a Binding, scratch: Option<&Buffer>, from: usize) -> Touch<'a> {
    let of = |view: &'a View, write| Touch {
        buffer: view.buffer().id(),
        range: view.range(),
        write,
        view: Some(view),
    };
    match binding {
        Binding::Read(view) => of(view, false),
        Binding::Write(view) => of(view, true),
        Binding::Scratch { range, write } => Touch {
            buffer: scratch.map_or(0, Buffer::id),
            range: from + range.start..from + range.end,
            write: *write,
            view: None,
        },
    }
}

impl<H: Hal> Plan<H> {
    /// Whether it uses a buffer, or writes it.
    pub(crate) fn uses(&self, buffer: &Buffer, writes: bool) -> bool {
        let place = self.buffers.iter().position(|known| known.is(buffer));
        place.is_some_and(|place| !writes || self.written[place])
    }

    /// The place of a buffer in the list.
    fn place(&mut self, buffer: &Buffer) -> usize {
        self.buffers.iter().position(|known| known.is(buffer)).unwrap_or_else(|| {
            self.buffers.push(buffer.clone());
            self.written.push(false);
            self.buffers.len() - 1
        })
    }
}

impl<H: Hal> Dispatch<H> {
    pub(crate) fn encode(&self, encoder: &mut H::Encoder) -> HalResult<()> {
        if self.barrier {
            encoder.barrier()?;
        }
        encoder.label(self.op, &self.kernel);
        encoder.pipeline(&self.pipeline);
        for (index, (buffer, offset)) in self.bindings.iter().enumerate() {
            encoder.buffer(index, buffer, *offset)?;
        }
        if !self.params.is_empty() {
            encoder.bytes(self.bindings.len(), &self.params)?;
        }
        match self.grid {
            Grid::Groups(groups, threads) => encoder.dispatch(groups, threads),
            Grid::Threads(threads, group) => encoder.dispatch_threads(threads, group),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn threadgroups_fit_the_grid_and_the_pipeline() {
        assert_eq!(block([1000, 1, 1], 32, 1024), [256, 1, 1]);
        assert_eq!(block([1000, 7, 1], 32, 1024), [256, 1, 1]);
        assert_eq!(block([40, 1, 1], 32, 1024), [64, 1, 1]);
        assert_eq!(block([40, 100, 3], 32, 1024), [64, 4, 1]);
        assert_eq!(block([3, 2, 1], 32, 1024), [32, 2, 1]);
        // A pipeline that needs many registers, one without simdgroups, one with odd ones.
        assert_eq!(block([1000, 9, 1], 32, 96), [96, 1, 1]);
        assert_eq!(block([1000, 9, 1], 1, 64), [64, 1, 1]);
        assert_eq!(block([5, 90, 1], 64, 32), [32, 1, 1]);
        assert_eq!(block([1000, 9, 1], 24, 250), [240, 1, 1]);
    }
}
