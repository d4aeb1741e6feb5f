//! The ops of one submission.

use crate::{Access, Error, Operation, Result};
use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Ops in program order, checked as they are added: one submission, one command buffer.
///
/// A batch can be submitted any number of times.
///
/// ```
/// # use bessemer_core::{Access, Batch, Cost, DType, Device, Error, Host, Operation, Result, View, cpu::CpuContext};
/// # #[derive(Debug)]
/// # struct Square {
/// #     x: View,
/// #     out: View,
/// # }
/// #
/// # impl Operation for Square {
/// #     fn name(&self) -> &'static str {
/// #         "square"
/// #     }
/// #
/// #     fn check(&self) -> Result<()> {
/// #         let alike = self.x.shape() == self.out.shape();
/// #         alike.then_some(()).ok_or_else(|| {
/// #             let operands = [("x", &self.x), ("out", &self.out)];
/// #             Error::rule("square", "x and out differ in shape", &operands)
/// #         })
/// #     }
/// #
/// #     fn access(&self) -> Access {
/// #         Access::new(&[&self.x], &[&self.out])
/// #     }
/// #
/// #     fn cost(&self) -> Cost {
/// #         Cost::of(&self.access(), self.x.elements() as u64)
/// #     }
/// #
/// #     fn reference(&self, host: &mut Host) {
/// #         let squares: Vec<f64> = host.read(&self.x).iter().map(|x| x * x).collect();
/// #         host.write(&self.out, &squares);
/// #     }
/// #
/// #     fn cpu(&self, cpu: &CpuContext<'_>) {
/// #         let x = cpu.rows(&self.x);
/// #         cpu.for_each_row(&self.out, 1, |row, out| {
/// #             let (mut from, mut to) = (vec![0.0; x.width()], vec![0.0; x.width()]);
/// #             let from = x.get(row, &mut from);
/// #             out.compute(&mut to, |to| to.iter_mut().zip(from).for_each(|(y, x)| *y = x * x));
/// #         });
/// #     }
/// # }
/// #
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[2.0f32, 3.0], &[2])?;
/// let out = View::alloc(&device, DType::F32, &[2])?;
/// let mut batch = Batch::new();
/// batch.push(Square { x: x.clone(), out: out.clone() })?;
/// batch.push(Square { x: out, out: x.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(x.to_vec::<f32>(&device)?, [16.0, 81.0]);
/// assert_eq!(format!("{batch:?}"), r#"["square", "square"]"#);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Batch {
    steps: Vec<Step>,
    plan: OnceLock<Arc<dyn Any + Send + Sync>>,
    time_limit: Option<Duration>,
}

/// An op of a batch, with what it touches.
#[derive(Clone)]
pub struct Step {
    /// The op.
    pub op: Arc<dyn Operation>,
    /// What it touches.
    pub access: Access,
}

impl Batch {
    /// A batch of no ops.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Adds an op after the others, if it may run at all.
    ///
    /// ```
    /// # use bessemer_core::{Access, Batch, Cost, DType, Device, Error, Host, Operation, Result, View, cpu::CpuContext};
    /// # #[derive(Debug)]
    /// # struct Square {
    /// #     x: View,
    /// #     out: View,
    /// # }
    /// #
    /// # impl Operation for Square {
    /// #     fn name(&self) -> &'static str {
    /// #         "square"
    /// #     }
    /// #
    /// #     fn check(&self) -> Result<()> {
    /// #         let alike = self.x.shape() == self.out.shape();
    /// #         alike.then_some(()).ok_or_else(|| {
    /// #             let operands = [("x", &self.x), ("out", &self.out)];
    /// #             Error::rule("square", "x and out differ in shape", &operands)
    /// #         })
    /// #     }
    /// #
    /// #     fn access(&self) -> Access {
    /// #         Access::new(&[&self.x], &[&self.out])
    /// #     }
    /// #
    /// #     fn cost(&self) -> Cost {
    /// #         Cost::of(&self.access(), self.x.elements() as u64)
    /// #     }
    /// #
    /// #     fn reference(&self, host: &mut Host) {
    /// #         let squares: Vec<f64> = host.read(&self.x).iter().map(|x| x * x).collect();
    /// #         host.write(&self.out, &squares);
    /// #     }
    /// #
    /// #     fn cpu(&self, cpu: &CpuContext<'_>) {
    /// #         let x = cpu.rows(&self.x);
    /// #         cpu.for_each_row(&self.out, 1, |row, out| {
    /// #             let (mut from, mut to) = (vec![0.0; x.width()], vec![0.0; x.width()]);
    /// #             let from = x.get(row, &mut from);
    /// #             out.compute(&mut to, |to| to.iter_mut().zip(from).for_each(|(y, x)| *y = x * x));
    /// #         });
    /// #     }
    /// # }
    /// #
    /// let device = bessemer_cpu::Reference::new();
    /// let x = View::alloc(&device, DType::F32, &[2])?;
    /// let out = View::alloc(&device, DType::F32, &[3])?;
    /// let mut batch = Batch::new();
    /// let error = batch.push(Square { x, out }).unwrap_err();
    /// assert_eq!(error.to_string(), "square: x and out differ in shape (x: f32 [2], out: f32 [3])");
    /// assert!(batch.is_empty());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn push(&mut self, op: impl Operation + 'static) -> Result<()> {
        self.push_shared(Arc::new(op))
    }

    /// The same for an op that is shared.
    pub fn push_shared(&mut self, op: Arc<dyn Operation>) -> Result<()> {
        op.check()?;
        let access = op.access();
        access.check(op.name())?;
        let home = self.steps.iter().flat_map(|step| step.access.views()).next();
        if let Some(first) = home.or(access.views().next()).map(|view| view.buffer().device())
            && let Some(stray) = access.views().find(|view| view.buffer().device() != first)
        {
            return Err(Error::OtherDevice { op: op.name(), buffer: stray.buffer().id() });
        }
        self.steps.push(Step { op, access });
        self.plan = OnceLock::new();
        Ok(())
    }

    /// What its device has made of these very ops, kept for as long as they stay: a batch that is
    /// submitted again needs no more than a look here. `make` runs the first time, and if what is
    /// here is of another type.
    pub fn plan<P: Any + Send + Sync, E>(
        &self,
        make: impl FnOnce() -> Result<P, E>,
    ) -> Result<Arc<P>, E> {
        if let Some(plan) = self.plan.get()
            && let Ok(plan) = Arc::downcast(Arc::clone(plan))
        {
            return Ok(plan);
        }
        let plan = Arc::new(make()?);
        // If another thread was first, its plan stays; this one is as good.
        let _ = self.plan.set(Arc::clone(&plan) as Arc<dyn Any + Send + Sync>);
        Ok(plan)
    }

    /// How long a submission may take, if there is a limit.
    pub fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// Limits how long each submission may take; there is no limit unless one is set.
    ///
    /// Devices that run on the CPU check it between ops and inside programs (maps, reductions and
    /// kernels), and stop with [`Error::Stopped`]; outputs then hold whatever was written before. An op
    /// that is no program runs to its end. GPUs ignore the limit: the operating system stops work that
    /// takes seconds.
    pub fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.time_limit = limit;
    }

    /// The ops, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many ops there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes all ops out; the memory of the list is kept for the next ones.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.plan = OnceLock::new();
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps.iter().map(|step| step.op.name())).finish()
    }
}
