//! The trait that every op implements.

use crate::{
    DeviceKind, Error, Host, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};
use std::fmt;

/// An op: what to compute, as data. It declares its views, its checks, its cost, and how each kind
/// of device runs it. An op never touches a queue, a pool or a thread itself.
///
/// ```
/// use bessemer_core::{Access, Batch, Cost, DType, Device, Error, Host, Operation, Result, View, cpu::CpuContext};
///
/// #[derive(Debug)]
/// struct Square {
///     x: View,
///     out: View,
/// }
///
/// impl Operation for Square {
///     fn name(&self) -> &'static str {
///         "square"
///     }
///
///     fn check(&self) -> Result<()> {
///         let alike = self.x.shape() == self.out.shape();
///         alike.then_some(()).ok_or_else(|| {
///             let operands = [("x", &self.x), ("out", &self.out)];
///             Error::rule("square", "x and out differ in shape", &operands)
///         })
///     }
///
///     fn access(&self) -> Access {
///         Access::new(&[&self.x], &[&self.out])
///     }
///
///     fn cost(&self) -> Cost {
///         Cost::of(&self.access(), self.x.elements() as u64)
///     }
///
///     fn reference(&self, host: &mut Host) {
///         let squares: Vec<f64> = host.read(&self.x).iter().map(|x| x * x).collect();
///         host.write(&self.out, &squares);
///     }
///
///     fn cpu(&self, cpu: &CpuContext<'_>) {
///         let x = cpu.rows(&self.x);
///         cpu.for_each_row(&self.out, 1, |row, out| {
///             let (mut from, mut to) = (vec![0.0; x.width()], vec![0.0; x.width()]);
///             let from = x.get(row, &mut from);
///             out.compute(&mut to, |to| to.iter_mut().zip(from).for_each(|(y, x)| *y = x * x));
///         });
///     }
/// }
///
/// for device in [&bessemer_cpu::Reference::new() as &dyn Device, &bessemer_cpu::Cpu::open(Default::default())?] {
///     let x = View::from_slice(device, &[1.0f32, 2.0, 3.0], &[1, 3])?;
///     let out = View::alloc(device, DType::F32, &[1, 3])?;
///     let mut batch = Batch::new();
///     batch.push(Square { x, out: out.clone() })?;
///     device.wait(device.submit(&batch)?)?;
///     assert_eq!(out.to_vec::<f32>(device)?, [1.0, 4.0, 9.0]);
/// }
/// # Ok::<(), bessemer_core::Error>(())
/// ```
pub trait Operation: fmt::Debug + Send + Sync {
    /// Its name in errors, tables and traces.
    fn name(&self) -> &'static str;

    /// Validates the operands; the only place where an op may reject them. Rules for all ops
    /// (outputs are writable and do not overlap inputs) are checked by
    /// [`Batch::push`](crate::Batch::push).
    fn check(&self) -> Result<()>;

    /// Which views are read and written.
    fn access(&self) -> Access;

    /// The minimum bytes and arithmetic, which no device can avoid.
    fn cost(&self) -> Cost;

    /// The reference implementation: scalar, in double precision, obvious.
    fn reference(&self, host: &mut Host);

    /// The fast implementation on the CPU.
    fn cpu(&self, cpu: &CpuContext<'_>);

    /// The launches on a Metal device; an error that names the op if it has no kernels there.
    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        let _ = gpu;
        let why = "there is no kernel for this kind of device; use `cpu`";
        Err(Error::NoKernel { op: self.name(), device: DeviceKind::Metal, why })
    }

    /// The launches on a WebGPU device; an error that names the op if it has no kernels there.
    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        let _ = gpu;
        let why = "there is no kernel for this kind of device; use `cpu`";
        Err(Error::NoKernel { op: self.name(), device: DeviceKind::WebGpu, why })
    }
}

/// The views an op touches. Everything it reads or writes must be here.
///
/// ```
/// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
/// # let device = bessemer_cpu::Reference::new();
/// use bessemer_core::Access;
///
/// let x = View::alloc(&device, DType::F32, &[4])?;
/// let out = View::alloc(&device, DType::F32, &[4])?;
/// let access = Access::new(&[&x], &[&out]);
/// assert_eq!(access.views().count(), 2);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
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
                return refuse(format!("the output is in read-only memory (output: {out:?})"));
            }
            if out.repeats_elements() {
                return refuse(format!(
                    "the output holds elements more than once (output: {out:?})"
                ));
            }
            for input in &self.reads {
                if out.overlaps(input) && !(self.in_place && out.is_same_place(input)) {
                    return refuse(format!(
                        "the output overlaps an input (output: {out:?}, input: {input:?})"
                    ));
                }
            }
            let overlaps = |other: &&View| out.overlaps(other) && !out.is_beside(other);
            if let Some(other) = self.writes[..i].iter().find(overlaps) {
                return refuse(format!("two outputs overlap (output: {out:?}, output: {other:?})"));
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
///
/// ```
/// # use bessemer_core::{Batch, DType, Device, Element, Error, Shape, Slice, Strides, View};
/// # let device = bessemer_cpu::Reference::new();
/// use bessemer_core::{Access, Cost};
///
/// let x = View::alloc(&device, DType::F32, &[100])?;
/// let sum = View::alloc(&device, DType::F32, &[1])?;
/// let cost = Cost::of(&Access::new(&[&x], &[&sum]), 100);
/// assert_eq!((cost.bytes, cost.flops), (404, 100));
/// # Ok::<(), bessemer_core::Error>(())
/// ```
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
