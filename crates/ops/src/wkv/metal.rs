//! On Metal: a threadgroup per head of a sequence, a thread per column of its state.

use super::HELD;
use crate::gpu::Draft;
use bessemer_core::{Result, View, gpu::Launch};

/// `Steps NAME;`: where the heads of a view of `[sequences, tokens, heads, size]` lie.
pub(crate) fn steps(draft: Draft, name: &str, view: &View) -> Draft {
    draft
        .step_of(format_args!("{name}.sequence"), view, 0)
        .step_of(format_args!("{name}.token"), view, 1)
        .step_of(format_args!("{name}.head"), view, 2)
        .step_of(format_args!("{name}.element"), view, 3)
}

/// `StateSteps state;` and the launch, with the state in registers if heads are of the usual size.
pub(crate) fn launch(draft: Draft, state: &View) -> Result<Launch> {
    let (sequences, heads, size) = (state.shape()[0], state.shape()[1], state.shape()[2]);
    let draft = if size == HELD { draft.define("HELD", HELD.to_string()) } else { draft };
    draft
        .step_of("state.sequence", state, 0)
        .step_of("state.head", state, 1)
        .step_of("state.key", state, 2)
        .step_of("state.value", state, 3)
        .grid([heads, sequences, 1], [size.next_multiple_of(32) as u32, 1, 1])
}
