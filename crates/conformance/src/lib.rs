//! Tests every device against the reference, op by op.
//!
//! The cases are next to their ops ([`bessemer_ops::cases`]). This crate judges one case ([`judge`]),
//! runs a selection of them ([`check`]) and reports the results ([`Report`], [`support_table`]). `cargo
//! test`, `bessemer check`, the quick check of `auto` and the table of supported ops all use this list.
//!
//! ```
//! use bessemer_conformance::{Selection, check};
//! use bessemer_cpu::{Cpu, CpuOptions};
//!
//! let cpu = Cpu::open(CpuOptions { threads: Some(2), ..Default::default() })?;
//! let cases = Selection::quick().cases()?;
//! let report = check(&cpu, &cases, |progress| assert!(progress.done < cases.len()));
//! assert!(report.passed(), "{:?}", report.troubles().next());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contract;
mod judge;
mod report;
mod run;
mod selection;
mod snapshot;
mod support;

pub use contract::contract;
pub use judge::{Failure, Values, execute, judge, judge_varied, needs_doubles, results};
pub use report::{CaseResult, Outcome, Report, Row};
pub use run::{Progress, check};
pub use selection::{Selection, UnknownOp};
pub use support::support_table;
