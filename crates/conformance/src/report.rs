//! The results of a run: per case, and totals per op and dtype.

use bessemer_core::{DType, DeviceInfo};
use serde::{Serialize, Serializer, ser::SerializeSeq};
use std::{collections::BTreeMap, fmt};

/// The results of a run on one device.
///
/// ```
/// use bessemer_conformance::{Selection, check};
///
/// let cases = Selection::quick().op("softmax").cases()?;
/// let report = check(&bessemer_cpu::Cpu::open(Default::default())?, &cases, |_| ());
/// assert_eq!(report.device, "cpu");
/// assert!(report.rows().iter().all(|row| row.op == "softmax" && row.failed == 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The kind of device, as `Device::open` takes it.
    pub device: &'static str,
    /// The name of the hardware.
    pub hardware: String,
    /// Its instruction sets, GPU families and the like.
    pub features: Vec<String>,
    /// The threads or compute units it runs on.
    pub threads: usize,
    /// What became of each case, in the order of the list.
    pub results: Vec<CaseResult>,
}

/// What became of one case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// The op.
    pub op: &'static str,
    /// The name of the case.
    pub case: String,
    /// Whether `auto` asks for it.
    pub quick: bool,
    /// The dtypes of its operands, each once.
    #[serde(serialize_with = "names")]
    pub dtypes: Vec<DType>,
    /// How it went.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How a case went.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// All results are as near to the reference as they must be.
    Passed {
        /// The mean squared error over the mean square of the reference.
        nmse: f64,
        /// The largest error of an element.
        max_abs: f64,
    },
    /// A result is wrong, something else was written, or the op broke down.
    Failed {
        /// What is wrong.
        why: String,
    },
    /// The device said no before it did anything.
    Refused {
        /// Its words.
        why: String,
    },
    /// The case needs doubles, which the device does not have and says so.
    Lacking {
        /// Its words.
        why: String,
    },
}

/// All cases of one op with operands of one dtype, summed up. A case with operands of several
/// dtypes counts for each of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The op.
    pub op: &'static str,
    /// The dtype.
    #[serde(serialize_with = "name")]
    pub dtype: DType,
    /// Cases that passed.
    pub passed: usize,
    /// Cases with wrong results.
    pub failed: usize,
    /// Cases the device would not run.
    pub refused: usize,
    /// Cases of doubles on a device without: counted for `f64` only.
    pub lacking: usize,
    /// The largest normalised mean squared error of those that passed.
    pub nmse: f64,
    /// The largest error of an element of those that passed.
    pub max_abs: f64,
}

impl Report {
    pub(crate) fn new(info: &DeviceInfo) -> Report {
        Report {
            device: info.kind.name(),
            hardware: info.name.clone(),
            features: info.features.clone(),
            threads: info.threads,
            results: Vec::new(),
        }
    }

    /// Whether all cases passed, and there were any: what was refused did not pass.
    pub fn passed(&self) -> bool {
        !self.results.is_empty() && self.troubles().next().is_none()
    }

    /// The cases that did not pass.
    pub fn troubles(&self) -> impl Iterator<Item = &CaseResult> {
        self.results.iter().filter(|result| !result.passed())
    }

    /// Sums up per op and dtype, in the order of the list and of [`DType::ALL`].
    pub fn rows(&self) -> Vec<Row> {
        let mut ops: Vec<&str> = Vec::new();
        let mut rows = BTreeMap::new();
        for result in &self.results {
            let place = ops.iter().position(|&op| op == result.op).unwrap_or_else(|| {
                ops.push(result.op);
                ops.len() - 1
            });
            for &dtype in &result.dtypes {
                let row = rows.entry((place, dtype)).or_insert_with(|| Row::new(result.op, dtype));
                row.add(&result.outcome);
            }
        }
        rows.into_values().collect()
    }
}

impl CaseResult {
    /// Whether it passed, or needs what the device does not claim to have.
    pub fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Passed { .. } | Outcome::Lacking { .. })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Passed { nmse, max_abs } => {
                write!(f, "passed, nmse {nmse:.1e}, largest error {max_abs:.1e}")
            }
            Outcome::Failed { why } => write!(f, "failed: {why}"),
            Outcome::Refused { why } => write!(f, "refused: {why}"),
            Outcome::Lacking { why } => write!(f, "not on this device: {why}"),
        }
    }
}

impl Row {
    fn new(op: &'static str, dtype: DType) -> Row {
        Row { op, dtype, passed: 0, failed: 0, refused: 0, lacking: 0, nmse: 0.0, max_abs: 0.0 }
    }

    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed { nmse, max_abs } => {
                self.passed += 1;
                self.nmse = self.nmse.max(*nmse);
                self.max_abs = self.max_abs.max(*max_abs);
            }
            Outcome::Failed { .. } => self.failed += 1,
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Lacking { .. } => self.lacking += usize::from(self.dtype == DType::F64),
        }
    }
}

fn name<S: Serializer>(dtype: &DType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(dtype.name())
}

fn names<S: Serializer>(dtypes: &[DType], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(dtypes.len()))?;
    for dtype in dtypes {
        list.serialize_element(dtype.name())?;
    }
    list.end()
}
