//! Errors, in terms of the caller's request.

use crate::{DType, DeviceKind, View};
use std::{fmt::Write, time::Duration};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something was refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An op's operands break one of its rules.
    #[error("{op}: {rule}{}", bracketed(operands))]
    Rule {
        /// The op.
        op: &'static str,
        /// The rule that was broken.
        rule: String,
        /// Its operands: name, dtype and shape of each.
        operands: String,
    },

    /// A shape or a view that cannot exist.
    #[error("{0}")]
    View(String),

    /// An output that an op may not write to.
    #[error("{op}: {why}")]
    Output {
        /// The op.
        op: &'static str,
        /// Why it may not.
        why: String,
    },

    /// More memory was asked for than the device may hold.
    #[error(
        "{device}: out of memory: {asked} bytes were asked for, {held} of at most {limit} are in use; \
         free arrays, use a smaller model or raise the limit"
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        asked: usize,
        /// Bytes in use.
        held: usize,
        /// The most it may hold.
        limit: usize,
    },

    /// A buffer was handed to a device that does not own it.
    #[error("{op}: buffer {buffer} belongs to another device; use one device for all")]
    OtherDevice {
        /// What was asked.
        op: &'static str,
        /// The buffer's number.
        buffer: u64,
    },

    /// A device that is not here or may not be used.
    #[error("device {device}: {why}")]
    Unavailable {
        /// The device asked for.
        device: String,
        /// Why, and what to do.
        why: String,
    },

    /// An op that a kind of device has no kernel for.
    #[error("{op}: {why} (device: {device})")]
    NoKernel {
        /// The op.
        op: &'static str,
        /// The kind of device.
        device: DeviceKind,
        /// What is missing.
        why: &'static str,
    },

    /// An op that failed while it ran.
    #[error("{device}: {op} failed: {why}")]
    Failed {
        /// The device.
        device: String,
        /// The op.
        op: &'static str,
        /// What it said.
        why: String,
    },

    /// An op of a batch that took longer than the batch may.
    #[error("{device}: {op} was stopped after {} s, the time limit of its batch", limit.as_secs_f64())]
    Stopped {
        /// The device.
        device: String,
        /// The op.
        op: &'static str,
        /// The time limit.
        limit: Duration,
    },

    /// Numbers that cannot be read as the dtype asked for.
    #[error("{what}: it is {found}, but was asked for as {wanted}")]
    WrongDType {
        /// What was read.
        what: String,
        /// The dtype it has.
        found: DType,
        /// The dtype asked for.
        wanted: DType,
    },
}

impl Error {
    /// A broken rule of `op`, with the operands it was given.
    pub fn rule(op: &'static str, rule: impl Into<String>, operands: &[(&str, &View)]) -> Error {
        let mut text = String::new();
        for (i, (name, view)) in operands.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{name}: {} {}", view.dtype(), view.shape());
        }
        Error::Rule { op, rule: rule.into(), operands: text }
    }

    /// A shape or view that cannot exist.
    pub fn view(why: impl Into<String>) -> Error {
        Error::View(why.into())
    }
}

/// The operands of an op as they follow its error, if it has any.
#[doc(hidden)]
pub fn bracketed(operands: &str) -> String {
    if operands.is_empty() { String::new() } else { format!(" ({operands})") }
}
