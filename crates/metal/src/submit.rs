//! Submits batches as command buffers, committed in the order of tickets; the next can be encoded while
//! the GPU still runs the last.

use crate::{
    Metal,
    device::{NAME, failure},
    hal::{Commands as _, Encoder as _, Fault, Hal, Queue as _},
    plan::{Dispatch, Plan},
    submission::Whole,
};
use bessemer_core::{Batch, Result, Ticket, contract};
use std::{
    ops::Range,
    sync::{Arc, Weak},
};

/// The queue, and what has gone through it.
pub(crate) struct Line<H: Hal> {
    pub(crate) queue: H::Queue,
    pub(crate) submissions: u64,
    pub(crate) counters: Counters,
    ahead: Option<Ahead<H>>,
}

/// A submission that was encoded before it was asked for.
struct Ahead<H: Hal> {
    /// It keeps nothing alive: what is not submitted again may be gone.
    plan: Weak<Plan<H>>,
    ticket: Ticket,
    commands: H::Commands,
}

/// What a Metal device has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Command buffers committed.
    pub command_buffers: u64,
    /// Those of them that were encoded before they were asked for, while the GPU ran others.
    pub ahead: u64,
    /// Dispatches in them.
    pub dispatches: u64,
    /// Barriers between those.
    pub barriers: u64,
    /// Batches whose dispatches had to be found first; others were submitted before.
    pub plans: u64,
    /// Pipelines that were asked for, made or being made.
    pub pipelines: u64,
}

/// Submissions that may run or wait on the GPU: enough that it never waits for the CPU.
const IN_FLIGHT: usize = 3;

impl<H: Hal> Line<H> {
    pub(crate) fn new(queue: H::Queue) -> Line<H> {
        Line { queue, submissions: 0, counters: Counters::default(), ahead: None }
    }

    fn next(&self) -> Ticket {
        Ticket(self.submissions + 1)
    }
}

impl<H: Hal> Metal<H> {
    /// Some dispatches of a plan as a command buffer; if they are the last of `ticket`, it says so.
    /// What cannot be encoded is told with the op it happened in, and leaves nothing behind that
    /// others would wait for.
    fn encode(
        &self,
        line: &Line<H>,
        plan: &Plan<H>,
        dispatches: &[Dispatch<H>],
        last: Option<Ticket>,
    ) -> Result<H::Commands, (&'static str, Fault)> {
        let failed = |fault| ("submit", fault);
        let mut commands = line.queue.commands(&plan.label).map_err(failed)?;
        let mut encoder = commands.encoder(&plan.label).map_err(failed)?;
        for dispatch in dispatches {
            if let Err(fault) = dispatch.encode(&mut encoder) {
                encoder.abandon();
                let kernel = Some(dispatch.kernel.clone());
                return Err((dispatch.op, Fault { kernel, ..fault }));
            }
        }
        encoder.end();
        if let Some(ticket) = last {
            commands.signal(self.progress.event(), ticket.0).map_err(failed)?;
        }
        Ok(commands)
    }

    pub(crate) fn submit_within(&self, batch: &Batch) -> Result<Ticket> {
        contract::submittable(self.info.id, batch)?;
        let plan = batch.plan(|| self.plan(batch))?;
        let line = &mut *self.line();
        let ticket = line.next();
        // Whatever else was encoded ahead is of no use: its place in the order is taken.
        let ahead = line.ahead.take().filter(|ahead| ahead.is(&plan, ticket));
        if plan.dispatches.is_empty() {
            line.submissions += 1;
            return Ok(ticket);
        }
        let dispatches = 0..plan.dispatches.len();
        // With a trace one command buffer per dispatch, since those are what has times.
        let each: Vec<Range<usize>> = match self.trace {
            Some(_) => dispatches.map(|at| at..at + 1).collect(),
            None => Vec::new(),
        };
        let parts = if self.trace.is_some() { &each } else { &plan.parts };
        let encode = |line: &Line<H>, number: usize| {
            let last = (number + 1 == parts.len()).then_some(ticket);
            self.encode(line, &plan, &plan.dispatches[parts[number].clone()], last)
        };
        let mut encoded = Some(match ahead {
            Some(ahead) => {
                line.counters.ahead += 1;
                ahead.commands
            }
            None => encode(line, 0).map_err(|(op, fault)| failure(op, fault))?,
        });
        self.progress.start(ticket, &plan, IN_FLIGHT);
        self.warmth.touch();
        line.submissions += 1;
        line.counters.barriers += plan.barriers;
        let whole = Arc::new(Whole::new(ticket, NAME, &self.progress, parts.len()));
        for (number, part) in parts.iter().enumerate() {
            let commands = encoded.take().map_or_else(|| encode(line, number), Ok);
            match commands {
                Ok(commands) => {
                    let dispatches = &plan.dispatches[part.clone()];
                    commands.commit(whole.part(dispatches, self.trace.as_ref()));
                    line.counters.command_buffers += 1;
                    line.counters.dispatches += part.len() as u64;
                }
                Err((_, fault)) => {
                    // What is left would run on what was never written.
                    (number..parts.len()).for_each(|_| whole.end(Err(fault.clone())));
                    break;
                }
            }
        }
        Ok(ticket)
    }

    /// Encodes what is likely to be submitted next.
    pub(crate) fn encode_ahead_within(&self, batch: &Batch) {
        // What is wrong with it is told when it is submitted.
        let own = contract::submittable(self.info.id, batch);
        let Ok(plan) = own.and_then(|()| batch.plan(|| self.plan(batch))) else { return };
        let line = &mut *self.line();
        let ticket = line.next();
        if line.ahead.as_ref().is_some_and(|ahead| ahead.is(&plan, ticket)) {
            return;
        }
        line.ahead = None;
        if self.trace.is_some() || plan.parts.len() != 1 {
            return;
        }
        if let Ok(commands) = self.encode(line, &plan, &plan.dispatches, Some(ticket)) {
            line.ahead = Some(Ahead { plan: Arc::downgrade(&plan), ticket, commands });
        }
    }
}

impl<H: Hal> Ahead<H> {
    fn is(&self, plan: &Arc<Plan<H>>, ticket: Ticket) -> bool {
        self.ticket == ticket && self.plan.upgrade().is_some_and(|own| Arc::ptr_eq(&own, plan))
    }
}
