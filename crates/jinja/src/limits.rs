//! The limits on a template, and the meter that everything is charged to before it is done.

use crate::{
    clock::Clock,
    error::{Error, ErrorKind, Result},
};
use std::{
    cell::Cell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// How much a template may use. The defaults are far above what real templates need, even for long
/// conversations.
///
/// ```
/// use bessemer_jinja::{Limits, Template};
/// use serde_json::json;
///
/// let limits = Limits { steps: 1000, ..Limits::default() };
/// let template = Template::with_limits("{% for i in range(99999) %}{% endfor %}", limits)?;
/// let error = template.render(&json!({})).unwrap_err();
/// assert_eq!(error.to_string(), "line 1: the template takes more than 1,000 steps");
/// # Ok::<(), bessemer_jinja::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of source: 1 MB.
    pub source: usize,
    /// Tags, expressions and their parts in the source: 100,000.
    pub nodes: usize,
    /// How deep tags and expressions may nest in the source: 64.
    pub nesting: usize,
    /// How deep tags, expressions and calls may nest while the template runs, which bounds the
    /// recursion of macros: 200.
    pub depth: usize,
    /// How deep lists and dicts may nest: 130, a little more than JSON readers allow.
    pub value_depth: usize,
    /// Steps: 10,000,000. A node evaluated, an element visited, 8 bytes read or 128 bytes copied
    /// is one step. It bounds the work in the same way on every machine.
    pub steps: u64,
    /// CPU time: 100 ms, checked every few thousand steps. Time in which other threads run does not
    /// count, so a busy machine refuses no template that an idle one takes.
    pub time: Duration,
    /// Bytes of all values and texts that are alive at any time: 64 MB.
    pub memory: usize,
    /// Bytes of the rendered text: 16 MB.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source: 1 << 20,
            nodes: 100_000,
            nesting: 64,
            depth: 200,
            value_depth: 130,
            steps: 10_000_000,
            time: Duration::from_millis(100),
            memory: 64 << 20,
            output: 16 << 20,
        }
    }
}

/// How often the clock and the cancel flag are looked at, in steps.
const LOOK_EVERY: u64 = 4096;

/// Counts what one rendering uses.
pub(crate) struct Meter {
    pub(crate) limits: Limits,
    steps: Cell<u64>,
    next_look: Cell<u64>,
    live: Cell<usize>,
    depth: Cell<usize>,
    clock: Clock,
    cancel: Option<Arc<AtomicBool>>,
}

/// A shared meter: every value that owns memory holds one, to give the memory back.
pub(crate) type Gauge = Rc<Meter>;

impl Meter {
    pub(crate) fn new(limits: Limits, cancel: Option<Arc<AtomicBool>>) -> Gauge {
        Rc::new(Meter {
            limits,
            steps: Cell::new(0),
            // The first step looks: a run that is cancelled before it begins does not begin.
            next_look: Cell::new(0),
            live: Cell::new(0),
            depth: Cell::new(0),
            clock: Clock::start(),
            cancel,
        })
    }

    /// Charges steps, before they are taken.
    #[inline]
    pub(crate) fn steps(&self, count: u64) -> Result<()> {
        let total = self.steps.get().saturating_add(count);
        self.steps.set(total);
        if total >= self.next_look.get() { self.look(total) } else { Ok(()) }
    }

    #[cold]
    fn look(&self, total: u64) -> Result<()> {
        if total > self.limits.steps {
            let most = grouped(self.limits.steps);
            return Err(Error::limit(format!("the template takes more than {most} steps")));
        }
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Error::new(ErrorKind::Cancelled, "cancelled"));
        }
        if self.clock.elapsed() > self.limits.time {
            let most = self.limits.time.as_millis();
            return Err(Error::limit(format!(
                "the template takes more than {most} ms of CPU time"
            )));
        }
        self.next_look.set((total + LOOK_EVERY).min(self.limits.steps + 1));
        Ok(())
    }

    /// Charges for copying bytes.
    pub(crate) fn copy(&self, bytes: usize) -> Result<()> {
        self.steps(1 + bytes as u64 / 128)
    }

    /// Charges for looking at every byte.
    pub(crate) fn scan(&self, bytes: usize) -> Result<()> {
        self.steps(1 + bytes as u64 / 8)
    }

    /// Goes one level deeper; [`shallower`](Meter::shallower) comes back.
    pub(crate) fn deeper(&self) -> Result<()> {
        let most = self.limits.depth;
        if self.depth.get() >= most {
            return Err(Error::limit(format!(
                "tags, expressions and calls nest deeper than {most}"
            )));
        }
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    pub(crate) fn shallower(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// Takes memory, before it is allocated.
    fn take(&self, bytes: usize) -> Result<()> {
        let live = self.live.get().saturating_add(bytes);
        if live > self.limits.memory {
            let most = self.limits.memory;
            return Err(Error::limit(format!(
                "the template needs more than {} bytes of memory",
                grouped(most as u64)
            )));
        }
        self.live.set(live);
        Ok(())
    }
}

/// Memory that is taken until this is dropped.
pub(crate) struct Charge {
    meter: Gauge,
    bytes: usize,
}

impl Charge {
    pub(crate) fn new(meter: &Gauge, bytes: usize) -> Result<Charge> {
        meter.take(bytes)?;
        Ok(Charge { meter: Rc::clone(meter), bytes })
    }

    pub(crate) fn meter(&self) -> &Gauge {
        &self.meter
    }

    pub(crate) fn grow(&mut self, bytes: usize) -> Result<()> {
        self.meter.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    pub(crate) fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.meter.live.set(self.meter.live.get() - bytes);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

/// A number with commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
