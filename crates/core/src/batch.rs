//! The ops of one submission.

use crate::{Access, Error, Operation, Result};
use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

/// Ops in program order, checked as they are added: one submission, one command buffer.
///
/// A batch can be submitted any number of times.
#[derive(Clone, Default)]
pub struct Batch {
    steps: Vec<Step>,
    plan: OnceLock<Arc<dyn Any + Send + Sync>>,
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
