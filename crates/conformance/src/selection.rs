//! Selects the cases to run.

use bessemer_ops::{case::Case, cases};
use std::collections::BTreeSet;

/// A choice of cases: all of them unless narrowed.
///
/// ```
/// use bessemer_conformance::Selection;
///
/// let quick = Selection::quick().cases()?;
/// let norms = Selection::all().op("rms_norm").cases()?;
/// assert!(!quick.is_empty() && norms.iter().all(|case| case.op == "rms_norm"));
/// assert!(Selection::all().op("rms_nrom").cases().is_err());
/// # Ok::<(), bessemer_conformance::UnknownOp>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    op: Option<String>,
    quick: bool,
}

/// A name that is no op with cases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown op `{name}`: expected one of {}", known.join(" "))]
pub struct UnknownOp {
    /// The name that was asked for.
    pub name: String,
    /// The names there are.
    pub known: Vec<&'static str>,
}

impl Selection {
    /// Every case.
    pub fn all() -> Selection {
        Selection::default()
    }

    /// The few that `auto` asks of a device before it takes it.
    pub fn quick() -> Selection {
        Selection { op: None, quick: true }
    }

    /// Only those of one op.
    pub fn op(mut self, name: impl Into<String>) -> Selection {
        self.op = Some(name.into());
        self
    }

    /// The cases.
    pub fn cases(&self) -> Result<Vec<Case>, UnknownOp> {
        let all = cases();
        if let Some(name) = &self.op
            && !all.iter().any(|case| case.op == name)
        {
            let known: BTreeSet<_> = all.iter().map(|case| case.op).collect();
            return Err(UnknownOp { name: name.clone(), known: known.into_iter().collect() });
        }
        let wanted = |case: &Case| {
            self.op.as_ref().is_none_or(|op| case.op == op) && (case.quick || !self.quick)
        };
        Ok(all.into_iter().filter(wanted).collect())
    }
}
