//! Errors of bessemer as Python exceptions of the fitting kind, with the message unchanged.
//! Nothing is phrased here.

use bessemer::{Error, array, core, llm, store};
use pyo3::{
    PyErr, PyResult,
    exceptions::{
        PyConnectionError, PyFileNotFoundError, PyIndexError, PyMemoryError, PyNotImplementedError,
        PyOSError, PyOverflowError, PyPermissionError, PyRuntimeError, PyTimeoutError, PyTypeError,
        PyValueError,
    },
};
use std::{io, path::Path};

/// Results of bessemer on their way to Python.
pub(crate) trait OrRaise<T> {
    /// The value, or the error as an exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Into<Error>> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| exception(&error.into()))
    }
}

/// The exception for an error.
pub(crate) fn exception(error: &Error) -> PyErr {
    let text = error.to_string();
    if error.is_out_of_memory() {
        return PyMemoryError::new_err(text);
    }
    match error {
        Error::Device(error) => of_device(error, text),
        Error::Array(error) => of_array(error, text),
        Error::Model(error) => of_model(error, text),
        Error::Store(error) => of_store(error, text),
        Error::Io(error) => of_io(error.kind(), text),
        _ => PyValueError::new_err(text),
    }
}

fn of_array(error: &array::Error, text: String) -> PyErr {
    match error {
        array::Error::Rule { rule, .. } => of_rule(rule, text),
        array::Error::WrongDType { .. } => PyTypeError::new_err(text),
        array::Error::Device(error) => of_device(error, text),
        array::Error::Program(_) => PyRuntimeError::new_err(text),
        array::Error::File { path, .. } if !Path::new(path).exists() => {
            PyFileNotFoundError::new_err(text)
        }
        array::Error::File { .. } => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

fn of_device(error: &core::Error, text: String) -> PyErr {
    match error {
        core::Error::Rule { rule, .. } => of_rule(rule, text),
        core::Error::View(_) | core::Error::Output { .. } | core::Error::OtherDevice { .. } => {
            PyValueError::new_err(text)
        }
        core::Error::NoKernel { .. } => PyNotImplementedError::new_err(text),
        core::Error::Failed { op: "alloc", .. } => PyMemoryError::new_err(text),
        core::Error::Stopped { .. } => PyTimeoutError::new_err(text),
        core::Error::WrongDType { .. } => PyTypeError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// What is in rules about dtypes.
const OF_DTYPES: [&str; 7] = [
    "dtype",
    "astype",
    "bitwise",
    "must be integers",
    "quantised format",
    "complex numbers",
    "be of real numbers",
];

/// What NumPy raises for such a mistake.
fn of_rule(rule: &str, text: String) -> PyErr {
    let says = |words: &[&str]| words.iter().any(|word| rule.contains(word));
    let of_place = rule.starts_with("axis ") || rule.starts_with("index ");
    if rule.starts_with("the mask has shape ") {
        return PyIndexError::new_err(text);
    }
    if rule.starts_with("the number ") && says(&["out of range"]) {
        PyOverflowError::new_err(text)
    } else if says(&["out of bounds", "indices are too many"])
        || of_place && says(&["out of range"]) && !says(&["not of size 1"])
    {
        PyIndexError::new_err(text)
    } else if says(&OF_DTYPES) {
        PyTypeError::new_err(text)
    } else {
        PyValueError::new_err(text)
    }
}

fn of_model(error: &llm::Error, text: String) -> PyErr {
    match error {
        llm::Error::Io { source, .. } => of_io(source.kind(), text),
        llm::Error::Unsupported { .. } => PyNotImplementedError::new_err(text),
        llm::Error::Load { source, .. } => of_device(source, text),
        llm::Error::Core(error) => of_device(error, text),
        _ => PyValueError::new_err(text),
    }
}

fn of_store(error: &store::Error, text: String) -> PyErr {
    match error {
        store::Error::Io { source, .. } => of_io(source.kind(), text),
        store::Error::NotPulled { .. } | store::Error::Unknown { .. } => {
            PyFileNotFoundError::new_err(text)
        }
        store::Error::BadName { .. } | store::Error::Ambiguous { .. } => {
            PyValueError::new_err(text)
        }
        store::Error::Network { .. }
        | store::Error::Refused { .. }
        | store::Error::BadAnswer { .. } => PyConnectionError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}

fn of_io(kind: io::ErrorKind, text: String) -> PyErr {
    match kind {
        io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
        io::ErrorKind::PermissionDenied => PyPermissionError::new_err(text),
        io::ErrorKind::TimedOut => PyTimeoutError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}

/// An argument of the right type that cannot be.
pub(crate) fn value_error(text: impl Into<String>) -> PyErr {
    PyValueError::new_err(text.into())
}

/// An argument of the wrong type.
pub(crate) fn type_error(text: impl Into<String>) -> PyErr {
    PyTypeError::new_err(text.into())
}
