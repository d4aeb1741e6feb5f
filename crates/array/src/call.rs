//! Ops that are not made of programs, as nodes of the graph.

use bessemer_core::{Batch, Result, View};

/// An op whose inputs have to lie in memory.
pub(crate) trait Call: Send + Sync {
    /// Its name in errors and explanations.
    fn name(&self) -> &'static str;

    /// Adds what computes `out` from `inputs` to a batch.
    fn push(&self, inputs: &[View], out: &View, batch: &mut Batch) -> Result<()>;
}
