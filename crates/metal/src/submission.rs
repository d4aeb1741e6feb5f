//! A submission of several command buffers: it ends when the last of them does.

use crate::{
    hal::{Done, Fault, Hal, Times},
    plan::Dispatch,
    progress::Progress,
};
use bessemer_core::{Ticket, Trace, TraceEvent};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// What the command buffers of a submission share.
pub(crate) struct Whole<H: Hal> {
    ticket: Ticket,
    device: &'static str,
    progress: Arc<Progress<H>>,
    left: AtomicUsize,
    fault: Mutex<Option<Fault>>,
}

impl<H: Hal> Whole<H> {
    pub(crate) fn new(
        ticket: Ticket,
        device: &'static str,
        progress: &Arc<Progress<H>>,
        parts: usize,
    ) -> Whole<H> {
        let (left, fault) = (AtomicUsize::new(parts), Mutex::new(None));
        Whole { ticket, device, progress: Arc::clone(progress), left, fault }
    }

    /// What to call when one of them has ended. With a trace it is one dispatch.
    pub(crate) fn part(
        self: &Arc<Self>,
        dispatches: &[Dispatch<H>],
        trace: Option<&Arc<Trace>>,
    ) -> Done {
        let whole = Arc::clone(self);
        let traced = trace.zip(dispatches.first()).map(|(trace, dispatch)| {
            let Dispatch { op, kernel, cost, .. } = dispatch;
            (Arc::clone(trace), *op, kernel.clone(), *cost)
        });
        Box::new(move |result: Result<Times, Fault>| {
            if let (Ok(times), Some((trace, op, kernels, cost))) = (&result, traced) {
                trace.add(TraceEvent { op, kernels, cost, seconds: times.start..times.end });
            }
            whole.end(result);
        })
    }

    /// One of them has ended, or never will begin.
    pub(crate) fn end(&self, result: Result<Times, Fault>) {
        let first = |fault: &mut Option<Fault>, new| fault.get_or_insert(new).clone();
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let result = match result {
            Ok(times) => fault.clone().map_or(Ok(times), Err),
            Err(new) => Err(first(&mut fault, new)),
        };
        drop(fault);
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.progress.end(self.ticket, self.device, result);
        }
    }
}
