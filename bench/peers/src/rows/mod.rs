//! What is compared with what, and what we aim at.

mod elementwise;
mod functions;
mod limit;
mod linear;
mod matmul;
mod operands;

use crate::{contest::Ours, report::Goal};
use anyhow::Result;
use bessemer::Device;

/// A row of the table.
pub(crate) struct Row {
    /// What is computed.
    pub(crate) work: String,
    /// Against whom.
    pub(crate) against: &'static str,
    /// What we aim at.
    pub(crate) goal: Goal,
    /// Makes it ready to be measured.
    pub(crate) prepare: Box<Prepare>,
}

type Prepare = dyn Fn(&Device) -> Result<Ours>;

impl Row {
    fn new(
        work: impl Into<String>,
        against: &'static str,
        goal: Goal,
        prepare: impl Fn(&Device) -> Result<Ours> + 'static,
    ) -> Row {
        Row { work: work.into(), against, goal, prepare: Box::new(prepare) }
    }
}

/// All rows but that of memory, in the order of the table.
pub(crate) fn all() -> Vec<Row> {
    let groups = [
        elementwise::rows(),
        functions::rows(),
        matmul::rows(),
        linear::one_row(),
        linear::many_rows(),
    ];
    groups.into_iter().flatten().collect()
}
