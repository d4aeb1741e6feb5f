//! Fast path for one step on evaluated arrays of one shape: the most common small evaluation, in which
//! planning would take most of the time.

use super::{
    lower,
    ops::push_map,
    recipe::{Arg, Operands, Recipe, Step},
};
use crate::{Array, Result, node::Kind};
use bessemer_core::{Batch, View};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Computes `root` if it is such a step; the planner's lock is held. `None` leaves it to a plan.
pub(super) fn evaluate(root: &Array) -> Option<Result<()>> {
    let mut recipe = Recipe {
        inputs: smallvec![],
        uniforms: smallvec![],
        literals: smallvec![],
        steps: smallvec![],
        result: Arg::Step(0),
        dtype: root.dtype(),
        fold: None,
    };
    let mut views: SmallVec<[View; 4]> = SmallVec::new();
    let expr = root.node.expr();
    let Kind::Map(op) = expr.as_ref()?.kind else {
        return None;
    };
    let inputs = &expr.as_ref()?.inputs;
    let mut args = [Arg::Step(0); 3];
    for (i, (input, arg)) in inputs.iter().zip(&mut args).enumerate() {
        let view = input.known()?;
        // What nobody else has may be overwritten, which is for the plan to see.
        if input.shape() != root.shape() || Arc::strong_count(&input.node) == 1 {
            return None;
        }
        let before = inputs[..i].iter().position(|other| Arc::ptr_eq(&other.node, &input.node));
        *arg = match before {
            Some(before) => args_of(before, inputs),
            None => {
                views.push(view.clone());
                recipe.inputs.push(input.dtype());
                Arg::Input(views.len() as u8 - 1)
            }
        };
    }
    recipe.steps.push(Step { op, args, dtype: root.dtype() });
    drop(expr);
    Some(run(root, &recipe, views))
}

/// The argument of an array that came before, at `place`.
fn args_of(place: usize, inputs: &[Array]) -> Arg {
    let first =
        |i: &usize| !inputs[..*i].iter().any(|other| Arc::ptr_eq(&other.node, &inputs[*i].node));
    Arg::Input((0..place).filter(first).count() as u8)
}

fn run(root: &Array, recipe: &Recipe, mut views: SmallVec<[View; 4]>) -> Result<()> {
    let device = root.device();
    let shape = *root.shape();
    let bytes = root.dtype().bytes_for(shape.elements()).ok_or_else(|| {
        bessemer_core::Error::view(format!("{} {shape} has too many bytes", root.dtype()))
    })?;
    let out = View::new(&device.alloc(bytes)?, root.dtype(), shape)?;
    if out.elements() > 0 {
        let mut batch = Batch::new();
        let program = lower::program(recipe)?;
        push_map(&mut batch, program, views.drain(..), recipe, &Operands::default(), &out)?;
        let _ticket = device.submit(&batch)?;
    }
    // Its inputs are dropped when the lock on them is gone.
    let expr = root.node.expr().take();
    let _ = root.node.value.set(Ok(out));
    drop(expr);
    Ok(())
}
