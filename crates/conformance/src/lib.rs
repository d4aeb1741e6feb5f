//! Holds every device to the reference, op by op.
//!
//! The cases themselves lie with their ops ([`bessemer_ops::cases`]); here is how one is judged
//! ([`judge`]), how a selection of them is run ([`check`]) and how the results are told
//! ([`Report`], [`support_table`]). The same list is what `cargo test` runs, what `bessemer
//! check` shows, what `auto` trusts, and what the table of supported ops is made of.
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
pub use judge::{Failure, Values, judge, judge_varied, results};
pub use report::{CaseResult, Outcome, Report, Row};
pub use run::{Progress, check};
pub use selection::{Selection, UnknownOp};
pub use support::support_table;
