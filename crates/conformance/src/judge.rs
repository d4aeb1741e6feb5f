//! Runs one case on a device and on the reference, and compares all outputs.

use crate::snapshot::{Snapshot, differ_outside};
use bessemer_core::{Access, Batch, DType, Device, Error, Result, View};
use bessemer_cpu::Reference;
use bessemer_ops::case::{Case, Distance, Tolerance, Variation};

/// Why a device did not pass a case.
#[derive(Debug)]
pub enum Failure {
    /// The device, or the reference, refused it or failed.
    Refused(Error),
    /// A result is too far from the reference.
    Wrong {
        /// The output.
        output: String,
        /// What is wrong.
        what: String,
    },
    /// Bytes outside the outputs have changed.
    Stray {
        /// The operand whose buffer it is.
        operand: String,
        /// The first such byte.
        byte: usize,
    },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused(error) => write!(f, "{error}"),
            Failure::Wrong { output, what } => write!(f, "output {output}: {what}"),
            Failure::Stray { operand, byte } => {
                write!(f, "byte {byte} of the buffer of {operand} was written, outside of outputs")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(error)
    }
}

/// Whether `device` passes `case`, and how near to the reference it came. A device that has no doubles
/// passes the cases that compute with them by saying so.
///
/// ```
/// use bessemer_conformance::{Selection, judge};
/// use bessemer_cpu::{Cpu, Reference};
///
/// let (cpu, reference) = (Cpu::open(Default::default())?, Reference::new());
/// let cases = Selection::quick().op("softmax").cases()?;
/// let distance = judge(&cases[0], &cpu, &reference)?;
/// assert!(distance.nmse < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge(case: &Case, device: &dyn Device, reference: &Reference) -> Result<Distance, Failure> {
    judge_varied(case, &Variation::default(), device, reference)
}

/// The same with the operands of the case varied, alike on both devices.
pub fn judge_varied(
    case: &Case,
    variation: &Variation,
    device: &dyn Device,
    reference: &Reference,
) -> Result<Distance, Failure> {
    match trial(case, variation, device, reference) {
        trial if trial.is_lacking(case, device) => Ok(Distance::default()),
        trial => trial.result,
    }
}

/// The numbers of an output.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// How they are stored.
    pub dtype: DType,
    /// All of them, row-major.
    pub values: Vec<f64>,
}

/// What `device` makes of `case`: every output, to compare devices with each other.
///
/// ```
/// use bessemer_conformance::{Selection, results};
///
/// let case = &Selection::quick().op("rms_norm").cases()?[0];
/// let outputs = results(case, &bessemer_cpu::Reference::new())?;
/// assert_eq!(outputs.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn results(case: &Case, device: &dyn Device) -> Result<Vec<Values>> {
    let ran = Ran::new(case, &Variation::default(), device)?;
    let values =
        |output: &Snapshot| Values { dtype: output.view().dtype(), values: output.values() };
    Ok(ran.outputs().iter().map(values).collect())
}

/// What became of a case, and the dtypes of its operands as far as they are known.
pub(crate) struct Trial {
    pub(crate) dtypes: Vec<DType>,
    pub(crate) result: Result<Distance, Failure>,
}

impl Trial {
    /// Whether the device has refused to compute with doubles, which it does not have.
    pub(crate) fn is_lacking(&self, case: &Case, device: &dyn Device) -> bool {
        !device.info().capabilities.doubles
            && needs_doubles(case.op, &self.dtypes)
            && matches!(self.result, Err(Failure::Refused(Error::NoKernel { .. })))
    }
}

/// Whether a case of `op` with operands of these dtypes, each once, can only run on a device that
/// computes with doubles: what is only moved from place to place runs on all.
///
/// ```
/// use bessemer_conformance::needs_doubles;
/// use bessemer_core::DType::{F32, F64};
///
/// assert!(needs_doubles("map", &[F64]) && needs_doubles("copy", &[F32, F64]));
/// assert!(!needs_doubles("copy", &[F64]) && !needs_doubles("map", &[F32]));
/// ```
pub fn needs_doubles(op: &str, dtypes: &[DType]) -> bool {
    let moves = match op {
        "copy" => dtypes.iter().all(|&dtype| dtype == DType::F64),
        op => matches!(op, "compact" | "concat" | "gather" | "scatter" | "take_along"),
    };
    !moves && dtypes.contains(&DType::F64)
}

/// Runs a case without comparing its results: false if the device has refused to compute with doubles,
/// which it does not have.
///
/// ```
/// use bessemer_conformance::{Selection, execute};
///
/// let case = &Selection::quick().cases()?[0];
/// assert!(execute(case, &bessemer_cpu::Reference::new())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn execute(case: &Case, device: &dyn Device) -> Result<bool> {
    let op = case.make(device)?;
    let access = op.access();
    let dtypes: Vec<DType> = access.reads.iter().chain(&access.writes).map(View::dtype).collect();
    let mut batch = Batch::new();
    batch.push_shared(op)?;
    match device.submit(&batch).and_then(|ticket| device.wait(ticket)) {
        Err(Error::NoKernel { .. })
            if !device.info().capabilities.doubles && needs_doubles(case.op, &dtypes) =>
        {
            Ok(false)
        }
        ran => ran.map(|()| true),
    }
}

pub(crate) fn trial(
    case: &Case,
    variation: &Variation,
    device: &dyn Device,
    reference: &Reference,
) -> Trial {
    let wanted = match Ran::new(case, variation, reference) {
        Ok(wanted) => wanted,
        Err(error) => return Trial { dtypes: Vec::new(), result: Err(error.into()) },
    };
    let result = match Ran::new(case, variation, device) {
        Ok(found) => match device.info().capabilities.relaxed_floats {
            true => compare_wgsl(case, variation, reference, &wanted, &found),
            false => compare(case.tolerance, &wanted, &wanted.values(), &found),
        },
        Err(error) => Err(error.into()),
    };
    Trial { dtypes: wanted.dtypes(), result }
}

/// Compares what WGSL promises: where it leaves something open, each element may be one or the other.
fn compare_wgsl(
    case: &Case,
    variation: &Variation,
    reference: &Reference,
    wanted: &Ran,
    found: &Ran,
) -> Result<Distance, Failure> {
    let Some(open) = case.wgsl else {
        return compare(case.tolerance, wanted, &wanted.values(), found);
    };
    let tolerance = open.tolerance(case.tolerance);
    let mut values = wanted.values();
    if let Some(variation) = open.otherwise(variation) {
        let other = Ran::new(case, &variation, reference)?.values();
        for ((wanted, other), found) in values.iter_mut().zip(other).zip(found.values()) {
            for ((wanted, other), found) in wanted.iter_mut().zip(other).zip(found) {
                if !tolerance.accepts(found, *wanted) {
                    *wanted = other;
                }
            }
        }
    }
    compare(tolerance, wanted, &values, found)
}

/// All operands of a case before and after it ran on a device.
struct Ran {
    access: Access,
    before: Vec<Snapshot>,
    after: Vec<Snapshot>,
}

impl Ran {
    fn new(case: &Case, variation: &Variation, device: &dyn Device) -> Result<Ran> {
        let op = case.make_varied(device, variation)?;
        let access = op.access();
        let snapshots = || -> Result<Vec<Snapshot>> {
            access.views().map(|view| Snapshot::take(device, view)).collect()
        };
        let before = snapshots()?;
        let mut batch = Batch::new();
        batch.push_shared(op)?;
        let ticket = device.submit(&batch)?;
        device.wait(ticket)?;
        let after = snapshots()?;
        Ok(Ran { access, before, after })
    }

    /// What it was asked for. Room to work in is none of it.
    fn outputs(&self) -> &[Snapshot] {
        let first = self.access.reads.len();
        &self.after[first..first + self.access.results().len()]
    }

    /// The numbers of each output.
    fn values(&self) -> Vec<Vec<f64>> {
        self.outputs().iter().map(Snapshot::values).collect()
    }

    fn dtypes(&self) -> Vec<DType> {
        let mut dtypes: Vec<DType> = self.access.views().map(View::dtype).collect();
        dtypes.sort();
        dtypes.dedup();
        dtypes
    }
}

/// `values` are those that are wanted, as numbers.
fn compare(
    tolerance: Tolerance,
    wanted: &Ran,
    values: &[Vec<f64>],
    found: &Ran,
) -> Result<Distance, Failure> {
    let mut worst = Distance::default();
    for ((wanted, values), found) in wanted.outputs().iter().zip(values).zip(found.outputs()) {
        let wrong = |what: String| Failure::Wrong { output: format!("{:?}", found.view()), what };
        // Doubles cannot tell all integers of 64 bits apart.
        if let (Some(wanted), Some(found)) = (wanted.wide_integers(), found.wide_integers())
            && let Some(i) = (0..wanted.len()).find(|&i| wanted[i] != found[i])
        {
            return Err(wrong(format!("element {i} is {}, not {}", found[i], wanted[i])));
        }
        let near = tolerance.compare(&found.values(), values);
        let near = near.map_err(|too_far| wrong(too_far.to_string()))?;
        worst.nmse = worst.nmse.max(near.nmse);
        worst.max_abs = worst.max_abs.max(near.max_abs);
    }
    for (before, after) in found.before.iter().zip(&found.after) {
        if let Some(byte) = differ_outside(before, after, &found.access.writes) {
            return Err(Failure::Stray { operand: format!("{:?}", after.view()), byte });
        }
    }
    Ok(worst)
}
