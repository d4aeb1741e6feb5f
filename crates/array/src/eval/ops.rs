//! Groups as ops of a device.

use super::recipe::{Arg, Operands, Recipe};
use crate::{
    Result, constant,
    node::MapOp,
    reduce::{Fold, Reduction},
};
use bessemer_core::{Batch, Shape, View};
use bessemer_ops::{Copy, Input, Map, Reduce, ReduceKind};
use bessemer_program::Program;
use smallvec::{SmallVec, smallvec};

/// Adds the op that computes every element of `out`.
pub(super) fn push_map(
    batch: &mut Batch,
    program: Program,
    views: impl IntoIterator<Item = View>,
    recipe: &Recipe,
    operands: &Operands,
    out: &View,
) -> Result<()> {
    let mut views = views.into_iter();
    if is_copy(recipe)
        && let Some(x) = views.next()
    {
        return Ok(batch.push(Copy { x, out: out.clone() })?);
    }
    let inputs = inputs(views, recipe, operands)?;
    let outputs = parts(out.clone())?.into_vec();
    Ok(batch.push(Map { program, inputs, outputs })?)
}

/// Adds the op that folds what `program` yields. The views have the shape that is folded; there
/// is at least one.
pub(super) fn push_reduce(
    batch: &mut Batch,
    program: Program,
    reduction: Reduction,
    views: impl IntoIterator<Item = View>,
    recipe: &Recipe,
    operands: &Operands,
    out: &View,
) -> Result<()> {
    Ok(batch.push(Reduce {
        program,
        kind: kind(reduction.fold),
        axes: (0..out.shape().rank()).filter(|&axis| reduction.has(axis)).collect(),
        keepdim: true,
        inputs: inputs(views, recipe, operands)?,
        output: out.clone(),
    })?)
}

/// The recipe of one number, where `recipe` folds many of it: a fold needs memory to know how
/// many. The second folds that memory.
pub(super) fn in_two(recipe: &Recipe, folded: bessemer_core::DType) -> (Recipe, Recipe) {
    let one = Recipe { fold: None, dtype: folded, ..recipe.clone() };
    let many = Recipe {
        inputs: smallvec![folded],
        uniforms: smallvec![],
        literals: smallvec![],
        steps: smallvec![],
        result: Arg::Input(0),
        dtype: recipe.dtype,
        fold: recipe.fold,
    };
    (one, many)
}

/// A shape of one element with as many dimensions as `domain`.
pub(super) fn one_of(domain: &Shape) -> Result<Shape> {
    Ok(Shape::new(&vec![1; domain.rank()])?)
}

fn inputs(
    views: impl IntoIterator<Item = View>,
    recipe: &Recipe,
    operands: &Operands,
) -> Result<Vec<Input>> {
    let mut inputs = Vec::with_capacity(recipe.inputs.len() + operands.uniforms.len());
    for view in views {
        inputs.extend(parts(view)?.into_iter().map(Input::from));
    }
    let values = operands.uniforms.iter().zip(&recipe.uniforms);
    let literals = values.flat_map(|(&value, &dtype)| constant::literals(dtype, value));
    inputs.extend(literals.map(Input::Value));
    Ok(inputs)
}

/// The views that programs have of one: two of a complex one.
fn parts(view: View) -> Result<SmallVec<[View; 2]>> {
    match view.dtype().is_complex() {
        true => Ok(view.parts()?.into_iter().collect()),
        false => Ok(smallvec![view]),
    }
}

/// Whether all it does is move elements.
fn is_copy(recipe: &Recipe) -> bool {
    let moves = match recipe.steps.as_slice() {
        [] => true,
        [step] => step.op == MapOp::Cast,
        _ => false,
    };
    moves && *recipe.inputs == [recipe.dtype]
}

fn kind(fold: Fold) -> ReduceKind {
    match fold {
        Fold::Sum => ReduceKind::Sum,
        Fold::Mean => ReduceKind::Mean,
        Fold::Prod => ReduceKind::Prod,
        Fold::Min => ReduceKind::Min,
        Fold::Max => ReduceKind::Max,
        Fold::ArgMin => ReduceKind::ArgMin,
        Fold::ArgMax => ReduceKind::ArgMax,
        Fold::Any => ReduceKind::Any,
        Fold::All => ReduceKind::All,
    }
}
