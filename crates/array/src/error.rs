//! Errors of arrays, in terms of the caller's operation.

use crate::Array;
use bessemer_core::{DType, bracketed};
use std::{fmt::Write, sync::Arc};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something was refused or failed. Arrays carry it until somebody asks for their elements.
///
/// ```
/// use bessemer_array::{Array, Error};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
///
/// let a = Array::new(&device, [1.5f32, 2.5])?;
/// let error = a.to_vec::<i32>().unwrap_err();
/// assert!(matches!(error, Error::WrongDType { op: "to_vec", .. }));
/// assert_eq!(
///     error.to_string(),
///     "to_vec: the array is f32, not i32; `astype(DType::I32)` converts it"
/// );
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Operands that break a rule of what was asked.
    #[error("{op}: {rule}{}", bracketed(operands))]
    Rule {
        /// What was asked.
        op: &'static str,
        /// The rule that was broken.
        rule: String,
        /// What it was asked of: name, dtype and shape of each array, and other arguments.
        operands: String,
    },

    /// Elements asked for as another type than they are.
    #[error("{op}: the array is {found}, not {wanted}; `astype(DType::{wanted:?})` converts it")]
    WrongDType {
        /// What was asked.
        op: &'static str,
        /// The dtype it has.
        found: DType,
        /// The dtype asked for.
        wanted: DType,
    },

    /// What the device or one of its ops said.
    #[error(transparent)]
    Device(Arc<bessemer_core::Error>),

    /// What the verifier said to a fused program: a mistake in this crate.
    #[error(transparent)]
    Program(Arc<bessemer_program::Error>),

    /// A `.npy` file that can't be read, or an array that can't be written as one.
    #[error(".npy: {why} (byte {at})")]
    Npy {
        /// Where in the file.
        at: u64,
        /// What is wrong.
        why: String,
    },

    /// A file that could not be opened, read or written.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What the system or the format said.
        why: String,
    },
}

impl From<bessemer_core::Error> for Error {
    fn from(error: bessemer_core::Error) -> Error {
        Error::Device(Arc::new(error))
    }
}

impl From<bessemer_program::Error> for Error {
    fn from(error: bessemer_program::Error) -> Error {
        Error::Program(Arc::new(error))
    }
}

impl Error {
    /// A broken rule of `op`, with the arrays it was given.
    pub(crate) fn rule(
        op: &'static str,
        rule: impl Into<String>,
        operands: &[(&str, &Array)],
    ) -> Error {
        Error::rule_with(op, rule, operands, "")
    }

    /// The same, with other arguments in words.
    pub(crate) fn rule_with(
        op: &'static str,
        rule: impl Into<String>,
        operands: &[(&str, &Array)],
        arguments: &str,
    ) -> Error {
        let mut text = String::new();
        for (name, array) in operands {
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{name}: {} {}", array.dtype(), array.shape());
        }
        if !arguments.is_empty() {
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{arguments}");
        }
        Error::Rule { op, rule: rule.into(), operands: text }
    }
}
