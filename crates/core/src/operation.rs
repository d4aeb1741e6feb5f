//! The contract every op keeps.

use crate::{
    DeviceKind, Error, Host, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use std::fmt;

/// What to compute, as data: which views, by which rule, at what cost, and how each kind of
/// device runs it. An op never touches a queue, a pool or a thread itself.
pub trait Operation: fmt::Debug + Send + Sync {
    /// Its name in errors, tables and traces.
    fn name(&self) -> &'static str;

    /// The only place that says no: whether the operands fit the rule of the op. What holds for
    /// all ops (outputs writable and apart from inputs) is checked by
    /// [`Batch::push`](crate::Batch::push).
    fn check(&self) -> Result<()>;

    /// Which views are read and written.
    fn access(&self) -> Access;

    /// Bytes and arithmetic at the least: what a perfect device could not avoid.
    fn cost(&self) -> Cost;

    /// The meaning: scalar, in double precision, obvious.
    fn reference(&self, host: &mut Host);

    /// The same on the CPU, fast.
    fn cpu(&self, cpu: &CpuContext<'_>);

    /// What runs on a Metal device; an op that has no kernels there is refused by name.
    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        let _ = gpu;
        let why = "the op has no kernel for it; use `cpu`";
        Err(Error::NoKernel { op: self.name(), device: DeviceKind::Metal, why })
    }

    /// What runs on a WebGPU device; an op that has no kernels there is refused by name.
    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        let _ = gpu;
        let why = "the op has no kernel for it; use `cpu`";
        Err(Error::NoKernel { op: self.name(), device: DeviceKind::WebGpu, why })
    }
}

/// The views an op touches. Everything it reads or writes must be here.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Views that are only read.
    pub reads: Vec<View>,
    /// Views that are written, and perhaps read.
    pub writes: Vec<View>,
    /// How many views at the end of `writes` are only room to work in: a device need not write
    /// them, and what they hold afterwards means nothing.
    pub room: usize,
    /// Whether a read may be the very same view as a write. Reads that overlap a write in any
    /// other way are never allowed.
    pub in_place: bool,
}

impl Access {
    /// Reads and writes that may not overlap.
    pub fn new(reads: &[&View], writes: &[&View]) -> Access {
        let own = |views: &[&View]| views.iter().map(|&view| view.clone()).collect();
        Access { reads: own(reads), writes: own(writes), room: 0, in_place: false }
    }

    /// The same, where an output may be the very same view as an input.
    pub fn in_place(mut self) -> Access {
        self.in_place = true;
        self
    }

    /// The same, with views that are only room to work in.
    pub fn with_room(mut self, room: &[&View]) -> Access {
        self.writes.extend(room.iter().map(|&view| view.clone()));
        self.room += room.len();
        self
    }

    /// What the op is asked for: `writes` without the room to work in.
    pub fn results(&self) -> &[View] {
        &self.writes[..self.writes.len().saturating_sub(self.room)]
    }

    /// What holds for every op: outputs are writable, hold each element once, and lie apart from
    /// each other and from the inputs.
    pub(crate) fn check(&self, op: &'static str) -> Result<()> {
        let refuse = |why: String| Err(Error::Output { op, why });
        for (i, out) in self.writes.iter().enumerate() {
            if !out.buffer().is_writable() {
                return refuse(format!("the output {out:?} lies in read-only memory"));
            }
            if out.repeats_elements() {
                return refuse(format!("the output {out:?} holds elements more than once"));
            }
            for input in &self.reads {
                if out.overlaps(input) && !(self.in_place && out.is_same_place(input)) {
                    return refuse(format!("the output {out:?} overlaps the input {input:?}"));
                }
            }
            let overlaps = |other: &&View| out.overlaps(other) && !out.is_beside(other);
            if let Some(other) = self.writes[..i].iter().find(overlaps) {
                return refuse(format!("the outputs {out:?} and {other:?} overlap"));
            }
        }
        Ok(())
    }

    /// All views.
    pub fn views(&self) -> impl Iterator<Item = &View> {
        self.reads.iter().chain(&self.writes)
    }
}

/// What an op must move and compute at the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes read and written, each once.
    pub bytes: u64,
    /// Arithmetic operations.
    pub flops: u64,
}

impl Cost {
    /// Everything `access` reads and every result written once, and `flops` operations.
    pub fn of(access: &Access, flops: u64) -> Cost {
        let views = access.reads.iter().chain(access.results());
        Cost { bytes: views.map(|view| view.stored_bytes() as u64).sum(), flops }
    }
}
