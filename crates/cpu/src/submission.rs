//! What both devices do for each op of a batch besides running it: its time limit, and the error if it
//! fails.

use bessemer_core::{Batch, Deadline, Error, Result};
use std::any::Any;

/// A batch while it runs.
pub(crate) struct Submission<'b> {
    device: &'static str,
    batch: &'b Batch,
    deadline: Deadline,
}

impl<'b> Submission<'b> {
    /// Its time starts now.
    pub(crate) fn new(device: &'static str, batch: &'b Batch) -> Submission<'b> {
        Submission { device, batch, deadline: Deadline::start(batch.time_limit()) }
    }

    /// When it has to end.
    pub(crate) fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// An error if the time is over before `op`.
    pub(crate) fn begin(&self, op: &'static str) -> Result<()> {
        self.deadline.is_over();
        self.stopped(op).map_or(Ok(()), Err)
    }

    /// The error for an op that panicked: its time was over, or it made a mistake, which is reported and
    /// not spread.
    pub(crate) fn failed(&self, op: &'static str, panic: &(dyn Any + Send)) -> Error {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
        let failed = Error::Failed { device: self.device.to_owned(), op, why: text.to_owned() };
        self.stopped(op).unwrap_or(failed)
    }

    fn stopped(&self, op: &'static str) -> Option<Error> {
        let limit = self.batch.time_limit().filter(|_| self.deadline.stopped())?;
        Some(Error::Stopped { device: self.device.to_owned(), op, limit })
    }
}
