//! The few elementwise steps of models that have no op of their own.

use crate::Result;
use bessemer_core::{Batch, View};
use bessemer_ops::Map;
use bessemer_program::Program;

/// `x *= by`.
pub(super) fn scale(batch: &mut Batch, x: &View, by: f32) -> Result<()> {
    let text = "program scale(in view x: f32, out view y: f32, uniform by: f32) {
        %x = load x[@]
        %y = mul %x, by
        store y[@], %y
    }";
    push(batch, text, &[x], &[by], x)
}

/// `x /= 2`, `y /= 2`.
pub(super) fn halve(batch: &mut Batch, x: &View, y: &View) -> Result<()> {
    scale(batch, x, 0.5)?;
    scale(batch, y, 0.5)
}

/// `x = cap * tanh(x / cap)`.
pub(super) fn cap(batch: &mut Batch, x: &View, cap: f32) -> Result<()> {
    let text = "program cap(in view x: f32, out view y: f32, uniform cap: f32) {
        %x = load x[@]
        %part = div %x, cap
        %bent = tanh %part
        %y = mul %bent, cap
        store y[@], %y
    }";
    push(batch, text, &[x], &[cap], x)
}

/// `sum += sigmoid(gate) * x`, with one gate per row.
pub(super) fn add_gated(batch: &mut Batch, sum: &View, gate: &View, x: &View) -> Result<()> {
    let text =
        "program add_gated(in view s: f32, in view g: f32, in view x: f32, out view y: f32) {
        %s = load s[@]
        %g = load g[@]
        %x = load x[@]
        %part = sigmoid %g
        %y = fma %part, %x, %s
        store y[@], %y
    }";
    push(batch, text, &[sum, gate, x], &[], sum)
}

/// `x += 1`, of whole numbers.
pub(super) fn next(batch: &mut Batch, x: &View) -> Result<()> {
    let text = "program next(in view x: u32, out view y: u32) {
        %x = load x[@]
        %y = add %x, 1u
        store y[@], %y
    }";
    push(batch, text, &[x], &[], x)
}

fn push(batch: &mut Batch, text: &str, x: &[&View], by: &[f32], out: &View) -> Result<()> {
    let program = Program::parse("model", text).expect("the programs of this file are right");
    let views = x.iter().map(|&view| view.clone().into());
    let inputs = views.chain(by.iter().map(|&by| by.into())).collect();
    Ok(batch.push(Map { program, inputs, outputs: vec![out.clone()] })?)
}
