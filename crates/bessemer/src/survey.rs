//! Probing the available devices, for `auto` and `bessemer devices`.

use crate::{
    DeviceOptions,
    candidates::{Asked, Candidate},
};
use bessemer_conformance::{Report, Selection, check};
use bessemer_core::{Device, DeviceInfo, DeviceKind, Error, Result};
use std::{
    collections::HashMap,
    fmt,
    panic::resume_unwind,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// What was found of every device this build knows, best first.
#[derive(Clone, Debug)]
pub struct Survey {
    /// One entry for each.
    pub findings: Vec<Finding>,
}

/// What was found of one device.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind it is.
    pub kind: DeviceKind,
    /// What it is, if it could be opened.
    pub info: Option<DeviceInfo>,
    /// Its quick conformance run, if it could be opened and is not emulated in software: those are
    /// never chosen, so the run is not worth the wait.
    pub check: Option<Arc<QuickCheck>>,
    /// What more there is to say of it, line by line.
    pub details: Vec<String>,
    /// Why `auto` does not take it, however few others there are; `None` if it may.
    pub refusal: Option<String>,
}

/// A quick conformance run.
#[derive(Clone, Debug)]
pub struct QuickCheck {
    /// What it found.
    pub report: Report,
    /// How long it took.
    pub time: Duration,
}

/// A device that `auto` did not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind it is.
    pub kind: DeviceKind,
    /// Why.
    pub why: String,
}

impl Survey {
    /// The one `auto` takes: the first that is not refused.
    pub fn chosen(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.refusal.is_none())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.why)
    }
}

pub(crate) fn survey(candidates: &[Candidate], options: &DeviceOptions) -> Survey {
    let findings = candidates.iter().map(|candidate| {
        let kind = candidate.kind;
        match (candidate.open)(options, Asked::ByName) {
            Ok(device) => {
                let check = (!device.info().software).then(|| quick_check(&*device));
                let refusal = refusal(candidate, device.info(), check.as_deref());
                let info = Some(device.info().clone());
                Finding { kind, info, check, details: device.details(), refusal }
            }
            Err(error) => {
                let refusal = Some(reason(error));
                Finding { kind, info: None, check: None, details: Vec::new(), refusal }
            }
        }
    });
    Survey { findings: findings.collect() }
}

/// Opens a candidate if `auto` may take it.
pub(crate) fn examine(
    candidate: &Candidate,
    options: &DeviceOptions,
) -> Result<(Arc<dyn Device>, Arc<QuickCheck>), Refusal> {
    let refuse = |why| Refusal { kind: candidate.kind, why };
    if let Some(why) = candidate.only_by_name {
        return Err(refuse(why.to_owned()));
    }
    let device = (candidate.open)(options, Asked::Auto).map_err(|error| refuse(reason(error)))?;
    if device.info().software {
        // Refused anyway: no need to wait for what it would compute.
        return Err(refuse(EMULATED.to_owned()));
    }
    let check = quick_check(&*device);
    match refusal(candidate, device.info(), Some(&check)) {
        None => Ok((device, check)),
        Some(why) => Err(refuse(why)),
    }
}

const EMULATED: &str = "it emulates a GPU in software, which is slower than the CPU device";

/// Why `auto` does not take a device that is there.
fn refusal(candidate: &Candidate, info: &DeviceInfo, check: Option<&QuickCheck>) -> Option<String> {
    if let Some(why) = candidate.only_by_name {
        return Some(why.to_owned());
    }
    if info.software {
        return Some(EMULATED.to_owned());
    }
    let check = check.filter(|check| !check.report.passed())?;
    let troubles = check.report.troubles().count();
    let first = check
        .report
        .troubles()
        .next()
        .map(|result| format!(", first {} ({}): {}", result.op, result.case, result.outcome));
    let total = check.report.results.len();
    Some(format!(
        "{troubles} of {total} quick conformance cases do not pass{}",
        first.unwrap_or_default()
    ))
}

/// The quick run of a device: of each kind the first time, then what it was.
fn quick_check(device: &dyn Device) -> Arc<QuickCheck> {
    type Checks = HashMap<(DeviceKind, Vec<String>), Arc<QuickCheck>>;
    static CHECKS: Mutex<Option<Checks>> = Mutex::new(None);
    // Held during the run, so that nobody else starts the same one.
    let mut checks = CHECKS.lock().unwrap_or_else(PoisonError::into_inner);
    let info = device.info();
    let checks = checks.get_or_insert_default();
    let check = checks.entry((info.kind, info.features.clone())).or_insert_with(|| {
        let start = Instant::now();
        let cases = Selection::quick().cases().unwrap_or_default();
        // Most of the time goes into the reference, which is one thread: half of it is for another.
        let (some, others) = cases.split_at(cases.len() / 2);
        let report = thread::scope(|scope| {
            let others = scope.spawn(|| check(device, others, |_| ()));
            let mut report = check(device, some, |_| ());
            let others = others.join().unwrap_or_else(|panic| resume_unwind(panic));
            report.results.extend(others.results);
            report
        });
        Arc::new(QuickCheck { report, time: start.elapsed() })
    });
    Arc::clone(check)
}

/// Why a device could not be opened, without its name.
fn reason(error: Error) -> String {
    match error {
        Error::Unavailable { why, .. } => why,
        other => other.to_string(),
    }
}

#[cfg(test)]
pub(crate) mod disguise;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::CANDIDATES;

    #[test]
    #[cfg(not(target_vendor = "apple"))]
    fn every_candidate_is_found_and_one_is_chosen() {
        let survey = survey(&CANDIDATES, &DeviceOptions::default());
        assert_eq!(survey.findings.len(), CANDIDATES.len());
        let chosen = survey.chosen().unwrap();
        assert_eq!(chosen.kind, DeviceKind::Cpu);
        assert!(chosen.check.as_ref().unwrap().report.passed());
        let reference = &survey.findings[3];
        assert!(reference.info.is_some() && reference.refusal.is_some());
        assert!(survey.findings[0].info.is_none() && survey.findings[0].check.is_none());
    }

    #[test]
    fn a_device_that_imitates_hardware_is_refused() {
        let candidate = &CANDIDATES[2];
        let device = (candidate.open)(&DeviceOptions::default(), Asked::ByName).unwrap();
        let check = quick_check(&*device);
        assert_eq!(refusal(candidate, device.info(), Some(&check)), None);
        let imitation = DeviceInfo { software: true, ..device.info().clone() };
        assert!(refusal(candidate, &imitation, None).unwrap().contains("software"));
    }

    #[test]
    fn the_run_happens_once() {
        let device = (CANDIDATES[2].open)(&DeviceOptions::default(), Asked::ByName).unwrap();
        let first = quick_check(&*device);
        let dispatches = device.stats().dispatches;
        assert!(Arc::ptr_eq(&first, &quick_check(&*device)));
        assert_eq!(device.stats().dispatches, dispatches);
    }
}
