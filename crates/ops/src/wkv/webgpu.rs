//! On WebGPU: a workgroup per head of a sequence, a thread per column of its state.

use super::HELD;
use crate::wgsl::{Build, size, step};
use bessemer_core::{Result, View, gpu::Launch};

/// Where the heads of a view of `[sequences, tokens, heads, size]` lie: `place_NAME(sequence, head,
/// i)` of the first token, and `params.NAME_token`, the step to the next.
pub(crate) fn places<'g>(
    build: Build<'g>,
    op: &'static str,
    name: &str,
    view: &View,
) -> Result<Build<'g>> {
    let steps = view.strides();
    let build = build.i32(&format!("{name}_token"), step(op, steps[1])?);
    three(build, op, name, [steps[0], steps[2], steps[3]])
}

/// `place_NAME(a, b, c)`: where an element lies that is so many steps from the first.
fn three<'g>(
    mut build: Build<'g>,
    op: &'static str,
    name: &str,
    steps: [isize; 3],
) -> Result<Build<'g>> {
    for (axis, by) in steps.into_iter().enumerate() {
        build = build.i32(&format!("{name}_step{axis}"), step(op, by)?);
    }
    Ok(build.also(&format!(
        "fn place_{name}(a: u32, b: u32, c: u32) -> i32 {{
    return i32(a) * params.{name}_step0 + i32(b) * params.{name}_step1 + i32(c) * params.{name}_step2;
}}
"
    )))
}

/// The column of a thread, in registers.
const REGISTERS: &str = "var<private> held: array<f32, HELD>;
fn take_column(column: i32) {
    for (var i = 0u; i < HELD; i++) { held[i] = load_state(column + i32(i) * params.state_key); }
}
fn cell(column: i32, i: u32) -> f32 { return held[i]; }
fn set_cell(column: i32, i: u32, value: f32) { held[i] = value; }
fn give_column(column: i32) {
    for (var i = 0u; i < HELD; i++) { store_state(column + i32(i) * params.state_key, held[i]); }
}
";

/// The same in the memory of the device.
const MEMORY: &str = "fn take_column(column: i32) {}
fn cell(column: i32, i: u32) -> f32 { return load_state(column + i32(i) * params.state_key); }
fn set_cell(column: i32, i: u32, value: f32) { store_state(column + i32(i) * params.state_key, value); }
fn give_column(column: i32) {}
";

/// The state, of which `place_state(sequence, head, value)` is a column, and the launch. The text
/// knows the size of heads as `SIZE`.
pub(crate) fn launch(build: Build<'_>, op: &'static str, state: &View) -> Result<Launch> {
    let (sequences, heads, width) = (state.shape()[0], state.shape()[1], state.shape()[2]);
    let steps = state.strides();
    let build = build.write("state", state).i32("state_key", step(op, steps[2])?);
    let build = three(build, op, "state", [steps[0], steps[1], steps[3]])?
        .define("SIZE", format!("{width}u"))
        .also(&match width {
            HELD => REGISTERS.replace("HELD", &format!("{HELD}u")),
            _ => MEMORY.to_owned(),
        });
    let threads = width.next_multiple_of(32) as u32;
    build.launch([size(op, heads)?, size(op, sequences)?, 1], threads)
}
