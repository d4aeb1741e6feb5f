//! Tracks submissions in flight and failures: the one place where submissions complete.

use crate::{
    hal::{Event as _, Fault, Hal, Result as HalResult, Times},
    plan::Plan,
};
use bessemer_core::{Buffer, Error, Ticket};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Submissions that run, oldest first, and the last ones that failed.
///
/// A submission ends when Metal calls back. It also sets an event to its ticket, and who waits looks
/// at that from time to time: so a call that never comes holds nobody up for good.
pub(crate) struct Progress<H: Hal> {
    state: Mutex<State<H>>,
    changed: Condvar,
    event: H::Event,
    /// How long to wait before looking at the event.
    patience: Duration,
}

struct State<H: Hal> {
    running: Vec<(Ticket, Running<H>)>,
    failures: Vec<Failure>,
    /// What the event had reached when it was last looked at.
    reached: u64,
}

/// What a submission holds until it has ended; `None` while that is given back.
type Running<H> = Option<Arc<Plan<H>>>;

/// A submission that failed.
struct Failure {
    ticket: Ticket,
    device: String,
    op: &'static str,
    why: String,
    /// Whether somebody has heard of it.
    told: bool,
}

/// What the CPU wants with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    Read,
    Write,
}

/// Failures that are remembered for those who wait for them.
const REMEMBERED: usize = 64;

impl<H: Hal> Progress<H> {
    /// `event` is what submissions set to their tickets.
    pub(crate) fn new(event: H::Event, patience: Duration) -> Progress<H> {
        let state = State { running: Vec::new(), failures: Vec::new(), reached: 0 };
        Progress { state: Mutex::new(state), changed: Condvar::new(), event, patience }
    }

    /// What each submission sets to its ticket when all of it has run.
    pub(crate) fn event(&self) -> &H::Event {
        &self.event
    }

    /// A submission starts; waits until fewer than `most` are running.
    pub(crate) fn start(&self, ticket: Ticket, plan: &Arc<Plan<H>>, most: usize) {
        let mut state = self.state();
        while state.running.len() >= most {
            state = self.pause(state);
        }
        state.running.push((ticket, Some(Arc::clone(plan))));
    }

    /// A submission ends. Whoever waits for it finds its memory given back.
    pub(crate) fn end(&self, ticket: Ticket, device: &str, result: HalResult<Times>) {
        let mut state = self.state();
        let mut running = state.running.iter_mut();
        let ended = running.find(|(running, _)| *running == ticket).and_then(|one| one.1.take());
        if let (Err(fault), Some(plan)) = (result, &ended) {
            let op = culprit(plan, &fault);
            let device = device.to_owned();
            state.failures.push(Failure { ticket, device, op, why: fault.why, told: false });
            if state.failures.len() > REMEMBERED {
                state.failures.remove(0);
            }
        }
        drop(state);
        // Outside of the lock: the pool has its own.
        drop(ended);
        self.state().running.retain(|(running, _)| *running != ticket);
        self.changed.notify_all();
    }

    /// Waits for one submission and says how it went.
    pub(crate) fn wait(&self, ticket: Ticket) -> Result<(), Error> {
        let mut state = self.state();
        while state.running.iter().any(|(running, _)| *running == ticket) {
            state = self.pause(state);
        }
        let failure = state.failures.iter_mut().find(|failure| failure.ticket == ticket);
        failure.map_or(Ok(()), |failure| Err(failure.tell()))
    }

    /// Waits for all that use `buffer`, so that it can be written, or for those that write it, so
    /// that it can be read; a failure nobody has heard of is told.
    pub(crate) fn settle(&self, buffer: &Buffer, to: Intent) -> Result<(), Error> {
        let mut state = self.state();
        let uses = |plan: &Running<H>| {
            plan.as_ref().is_none_or(|plan| plan.uses(buffer, to == Intent::Read))
        };
        while state.running.iter().any(|(_, plan)| uses(plan)) {
            state = self.pause(state);
        }
        let failure = state.failures.iter_mut().find(|failure| !failure.told);
        failure.map_or(Ok(()), |failure| Err(failure.tell()))
    }

    /// Waits for everything.
    pub(crate) fn settle_all(&self) {
        let mut state = self.state();
        while !state.running.is_empty() {
            state = self.pause(state);
        }
    }

    /// Waits for something to change. After a while with no news, submissions that the event says
    /// have run, and had the last time too, are taken as ended.
    fn pause<'a>(&'a self, state: MutexGuard<'a, State<H>>) -> MutexGuard<'a, State<H>> {
        let paused = self.changed.wait_timeout(state, self.patience);
        let (mut state, slept) = paused.unwrap_or_else(PoisonError::into_inner);
        if !slept.timed_out() {
            return state;
        }
        let before = std::mem::replace(&mut state.reached, self.event.reached());
        let lost = |(ticket, plan): &(Ticket, Running<H>)| {
            (plan.is_some() && ticket.0 <= before).then_some(*ticket)
        };
        let lost: Vec<Ticket> = state.running.iter().filter_map(lost).collect();
        drop(state);
        for ticket in lost {
            self.end(ticket, "metal", Ok(Times::default()));
        }
        self.state()
    }

    fn state(&self) -> MutexGuard<'_, State<H>> {
        // A list of what runs; a panic elsewhere leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failure {
    fn tell(&mut self) -> Error {
        self.told = true;
        Error::Failed { device: self.device.clone(), op: self.op, why: self.why.clone() }
    }
}

/// The op in which a fault happened, as far as can be told: the first that runs the kernel, else
/// the first of all.
fn culprit<H: Hal>(plan: &Plan<H>, fault: &Fault) -> &'static str {
    let ran = |kernel: &String| plan.dispatches.iter().find(|one| one.kernel == *kernel);
    let known = fault.kernel.as_ref().and_then(ran);
    known.or(plan.dispatches.first()).map_or("submit", |dispatch| dispatch.op)
}

#[cfg(all(test, unix, feature = "soft"))]
mod tests {
    use super::*;
    use crate::hal::soft::Soft;
    use bessemer_core::{DeviceId, HostMemory};
    use softmetal::SharedEvent;

    #[test]
    fn who_reads_waits_for_those_that_write() {
        let buffer = || {
            let memory = HostMemory::new(Arc::new(vec![0u8; 16]));
            Buffer::new(DeviceId::new(), Box::new(memory), 16, true)
        };
        let buffers = vec![buffer(), buffer()];
        let [read, written] = [0, 1].map(|place: usize| buffers[place].clone());
        let written_too = vec![false, true];
        let plan = Plan::<Soft> { buffers, written: written_too, ..nothing() };
        let progress = &Progress::new(SharedEvent::default(), Duration::from_secs(600));
        progress.start(Ticket(1), &Arc::new(plan), 3);
        // This would wait without end if it waited for those that read.
        progress.settle(&read, Intent::Read).unwrap();
        std::thread::scope(|scope| {
            let waits = [(&read, Intent::Write), (&written, Intent::Read)]
                .map(|(buffer, to)| scope.spawn(move || progress.settle(buffer, to)));
            progress.end(Ticket(1), "metal", Ok(Times::default()));
            waits.into_iter().for_each(|wait| wait.join().unwrap().unwrap());
        });
    }

    fn nothing() -> Plan<Soft> {
        Plan {
            dispatches: Vec::new(),
            parts: Vec::new(),
            buffers: Vec::new(),
            written: Vec::new(),
            barriers: 0,
            label: String::new(),
        }
    }

    /// A submission whose end is never told.
    fn silent(progress: &Progress<Soft>, ticket: Ticket) {
        progress.start(ticket, &Arc::new(nothing()), 3);
    }

    #[test]
    fn who_waits_goes_by_the_event_if_nobody_calls() {
        let event = SharedEvent::default();
        let progress = &Progress::new(event.clone(), Duration::from_millis(5));
        silent(progress, Ticket(1));
        silent(progress, Ticket(2));
        event.set_signaled_value(1);
        progress.wait(Ticket(1)).unwrap();
        assert_eq!(progress.state().running.len(), 1, "the other one still runs");
        std::thread::scope(|scope| {
            let wait = scope.spawn(|| progress.settle_all());
            // What has not run is waited for, however long that takes.
            std::thread::sleep(Duration::from_millis(50));
            assert!(!wait.is_finished());
            event.set_signaled_value(2);
            wait.join().unwrap();
        });
        // A call that comes late after all changes nothing.
        progress.end(Ticket(2), "metal", Err(Fault::new("late")));
        progress.wait(Ticket(2)).unwrap();
    }
}
