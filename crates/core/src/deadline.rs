//! Time limits of batches: what runs on the CPU looks at the clock now and then.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// When a submission has to end. Devices that run on the CPU start one for each submission of a batch
/// with a time limit ([`Batch::set_time_limit`](crate::Batch::set_time_limit)).
///
/// ```
/// use bessemer_core::Deadline;
/// use std::time::Duration;
///
/// assert!(!Deadline::none().is_over());
/// let deadline = Deadline::start(Some(Duration::ZERO));
/// assert!(!deadline.stopped() && deadline.is_over() && deadline.stopped());
/// ```
#[derive(Debug)]
pub struct Deadline {
    at: Option<Instant>,
    stopped: AtomicBool,
}

impl Deadline {
    /// None: the work may take as long as it likes.
    pub fn none() -> &'static Deadline {
        static NONE: Deadline = Deadline { at: None, stopped: AtomicBool::new(false) };
        &NONE
    }

    /// The end of a time limit that starts now. Limits beyond what the clock can count are none.
    pub fn start(limit: Option<Duration>) -> Deadline {
        let at = limit.and_then(|limit| Instant::now().checked_add(limit));
        Deadline { at, stopped: AtomicBool::new(false) }
    }

    /// Whether the time is over. Looks at the clock; whoever is told so has to stop.
    pub fn is_over(&self) -> bool {
        let over = self.at.is_some_and(|at| Instant::now() >= at);
        if over {
            self.stopped.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Whether anybody was told that the time is over.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether there is an end at all.
    fn exists(&self) -> bool {
        self.at.is_some()
    }
}

/// Counts work, to look at a deadline only every so often.
///
/// ```
/// use bessemer_core::{Deadline, Meter};
/// use std::time::Duration;
///
/// let deadline = Deadline::start(Some(Duration::ZERO));
/// let mut meter = Meter::new(&deadline);
/// assert!(meter.spend(1).is_ok());
/// assert!(meter.spend(1 << 20).is_err());
/// assert!(Meter::new(Deadline::none()).spend(1 << 20).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Meter<'a> {
    deadline: Option<&'a Deadline>,
    left: usize,
}

/// The time of a batch is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeIsUp;

/// Work between two looks at the clock. A unit of work takes a nanosecond to a few dozen, and a look
/// about forty.
const BETWEEN: usize = 1 << 15;

impl<'a> Meter<'a> {
    /// A meter for work that has to end by `deadline`.
    pub fn new(deadline: &'a Deadline) -> Meter<'a> {
        Meter { deadline: deadline.exists().then_some(deadline), left: BETWEEN }
    }

    /// Counts `work` units: one instruction of one element, say. An error if the time is over.
    #[inline]
    pub fn spend(&mut self, work: usize) -> Result<(), TimeIsUp> {
        let Some(deadline) = self.deadline else {
            return Ok(());
        };
        if let Some(left) = self.left.checked_sub(work) {
            self.left = left;
            return Ok(());
        }
        self.left = BETWEEN;
        if deadline.is_over() { Err(TimeIsUp) } else { Ok(()) }
    }
}
