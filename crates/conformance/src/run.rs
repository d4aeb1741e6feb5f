//! Runs cases one after another and reports progress.

use crate::{
    judge::{Failure, trial},
    report::{CaseResult, Outcome, Report},
};
use bessemer_core::{Device, Error};
use bessemer_cpu::Reference;
use bessemer_ops::case::{Case, Variation};

/// How far a run is: told before each case.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Cases that are done.
    pub done: usize,
    /// Cases there are.
    pub total: usize,
    /// Those that did not pass so far.
    pub troubles: usize,
    /// The case that is about to run.
    pub case: &'a Case,
}

/// Runs `cases` on `device` and on a reference of its own, and compares.
pub fn check(
    device: &dyn Device,
    cases: &[Case],
    mut progress: impl FnMut(Progress<'_>),
) -> Report {
    let reference = Reference::new();
    let mut report = Report::new(device.info());
    let mut troubles = 0;
    for (done, case) in cases.iter().enumerate() {
        progress(Progress { done, total: cases.len(), troubles, case });
        let trial = trial(case, &Variation::default(), device, &reference);
        let lacking = trial.is_lacking(case, device);
        let outcome = match trial.result {
            Ok(near) => Outcome::Passed { nmse: near.nmse, max_abs: near.max_abs },
            Err(failure) if lacking => Outcome::Lacking { why: failure.to_string() },
            Err(Failure::Refused(error)) if !matches!(error, Error::Failed { .. }) => {
                Outcome::Refused { why: error.to_string() }
            }
            Err(failure) => Outcome::Failed { why: failure.to_string() },
        };
        let result = CaseResult {
            op: case.op,
            case: case.name.clone(),
            quick: case.quick,
            dtypes: trial.dtypes,
            outcome,
        };
        troubles += usize::from(!result.passed());
        report.results.push(result);
    }
    report
}
