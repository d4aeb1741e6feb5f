//! Evaluation: from requested arrays to one batch of ops.
//!
//! `plan` decides which nodes are computed together, `recipe` and `lower` make a program of each
//! group, `emit` gives them memory; `single` does all of it for a single step; `explain` only
//! prints it, and `work` guesses how long it takes.

mod emit;
mod explain;
mod lower;
mod ops;
mod plan;
mod recipe;
mod single;
mod work;

use crate::{Array, Error, Result, call::HostOperands, node::Expr};
use bessemer_core::{Batch, Device};
use emit::{Emitted, Stage};
use plan::{Plan, Planned, Role};
use rustc_hash::FxBuildHasher;
use std::{
    hash::BuildHasher,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Guards the graph of a device while a part of it is evaluated. Devices share few of them.
static LOCKS: [Mutex<u64>; 16] = [const { Mutex::new(0) }; 16];

impl Array {
    /// Computes its elements, if they are not known yet. What it was made of is forgotten then,
    /// and its memory free unless somebody else needs it.
    ///
    /// Arrays that are only steps on the way are not kept, even if a handle to them is: asked for
    /// later, they are computed again, and then kept.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::arange(&device, 0, 4, 1);
    /// let b = (&a + 1).square();
    /// b.eval()?;
    /// assert_eq!(b.explain(), "i32 [4] is known: nothing to do\n");
    /// // An error comes out here, at the latest.
    /// assert!(b.reshape(&[5]).eval().is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn eval(&self) -> Result<()> {
        match self.node.value.get() {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(error.clone()),
            None => evaluate(&[self]),
        }
    }

    /// Computes several arrays of one device in one batch: what they have in common is computed
    /// once.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let x = Array::arange(&device, 0, 5, 1.0);
    /// let (min, max) = (x.min_all(), x.max_all());
    /// Array::eval_all(&[&min, &max])?;
    /// assert_eq!((min.item::<f32>()?, max.item::<f32>()?), (0.0, 4.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn eval_all(arrays: &[&Array]) -> Result<()> {
        for array in arrays {
            array.check()?;
            if array.device().info().id != arrays[0].device().info().id {
                let named = [("array", *array), ("first", arrays[0])];
                return Err(Error::rule(
                    "eval_all",
                    "the arrays are on different devices; evaluate them separately",
                    &named,
                ));
            }
        }
        if arrays.iter().all(|array| array.is_evaluated()) {
            return Ok(());
        }
        evaluate(arrays)
    }
}

/// The lock of an array's device, with the number of the next plan.
fn lock(array: &Array) -> MutexGuard<'static, u64> {
    let hash = FxBuildHasher.hash_one(array.device().info().id) >> 32;
    // It guards only a number; plans that failed put back what they took.
    let lock = LOCKS[hash as usize % LOCKS.len()].lock();
    let mut epoch = lock.unwrap_or_else(PoisonError::into_inner);
    *epoch += 1;
    epoch
}

fn evaluate(roots: &[&Array]) -> Result<()> {
    let epoch = lock(roots[0]);
    if let [root] = roots
        && let Some(done) = single::evaluate(root)
    {
        return done;
    }
    let device = roots[0].device();
    let mut plan = Plan::new(roots, *epoch)?;
    let Emitted { stages, batch, views, made_after } =
        match emit::emit(&mut plan, &**device, *epoch) {
            Ok(emitted) => emitted,
            Err(error) => {
                plan.put_back();
                return Err(error);
            }
        };
    let mut done = 0;
    let run = run(&**device, stages, &batch, &mut done);
    for ((node, view), made_after) in plan.nodes.into_iter().zip(views).zip(made_after) {
        // What was made before something failed is there.
        let made = if made_after <= done { &Ok(()) } else { &run };
        finish(node, view, made);
    }
    run
}

/// Runs all batches and the functions between them, and counts both.
fn run(device: &dyn Device, stages: Vec<Stage>, last: &Batch, done: &mut usize) -> Result<()> {
    let submit = |batch: &Batch, done: &mut usize| -> Result<()> {
        if !batch.is_empty() {
            let _ticket = device.submit(batch)?;
        }
        *done += 1;
        Ok(())
    };
    for Stage { batch, call, inputs, out } in stages {
        submit(&batch, done)?;
        let operands = HostOperands { device, inputs, out };
        // A panic of a library ends the evaluation, not the program.
        let run = catch_unwind(AssertUnwindSafe(|| call.run(&operands)));
        run.unwrap_or_else(|_| {
            Err(Error::rule(call.name(), "the computation on the host failed unexpectedly", &[]))
        })?;
        *done += 1;
    }
    submit(last, done)
}

/// Gives a node of a plan that has run what it needs from now on.
fn finish(node: Planned, view: Option<bessemer_core::View>, run: &Result<()>) {
    if !node.retained {
        return;
    }
    let keep = |expr: Expr| *node.array.node.expr() = Some(expr);
    match (node.role, view, run) {
        (Role::Step(..) | Role::Constant, ..) | (_, None, _) => {
            keep(node.expr);
            node.array.node.mark.pass();
        }
        (_, Some(view), Ok(())) => {
            let _ = node.array.node.value.set(Ok(view));
        }
        // Memory may have been overwritten: there is no second try.
        (_, Some(_), Err(error)) => {
            let _ = node.array.node.value.set(Err(error.clone()));
        }
    }
}
