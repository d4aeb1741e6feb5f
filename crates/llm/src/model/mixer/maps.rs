//! The elementwise steps of mixers, as programs.

use crate::Result;
use bessemer_core::{Batch, View};
use bessemer_ops::Map;
use bessemer_program::Program;
use std::fmt::Write;

/// Pushes a map: each view of `reads` is loaded into the register of its name, and each of `writes` is
/// stored from that of its name, which the instructions of `body` assign.
pub(super) fn map(
    batch: &mut Batch,
    reads: &[(&str, &View)],
    body: &str,
    writes: &[(&str, &View)],
) -> Result<()> {
    let mut stores = String::new();
    for (name, _) in writes {
        let _ = writeln!(stores, "store to_{name}[@], %{name}");
    }
    let written = writes.iter().map(|(name, _)| format!("out view to_{name}: f32"));
    let program = program(reads, written, body, &stores);
    let inputs = reads.iter().map(|(_, view)| (*view).clone().into()).collect();
    let outputs = writes.iter().map(|(_, view)| (*view).clone()).collect();
    Ok(batch.push(Map { program, inputs, outputs })?)
}

fn program(
    reads: &[(&str, &View)],
    written: impl Iterator<Item = String>,
    body: &str,
    end: &str,
) -> Program {
    let read = reads.iter().map(|(name, _)| format!("in view {name}: f32"));
    let params: Vec<String> = read.chain(written).collect();
    let mut loads = String::new();
    for (name, _) in reads {
        let _ = writeln!(loads, "%{name} = load {name}[@]");
    }
    let text = format!("program mixer({}) {{\n{loads}{body}\n{end}\n}}", params.join(", "));
    Program::parse("mixer", &text).expect("the programs of mixers are right")
}

/// `x *= by`.
pub(super) fn multiply(batch: &mut Batch, x: &View, by: &View) -> Result<()> {
    map(batch, &[("x", x), ("by", by)], "%y = mul %x, %by", &[("y", x)])
}
