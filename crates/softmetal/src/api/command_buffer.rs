//! Command buffers: what was encoded, and how it ended. Running them is in running.rs.

use super::buffer::{Buffer, BufferInner, Print};
use super::dispatch::Dispatch;
use super::event::{Fence, SharedEvent};
use super::{BlitEncoder, ComputeEncoder, Device, DispatchType};
use crate::check::{Counters, Report};
use crate::error::{Error, Result, invalid};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak, mpsc};

/// A buffer as a command holds it.
#[derive(Clone)]
pub(crate) enum Held {
    Strong(Buffer),
    /// Of a command buffer with unretained references.
    Weak(Weak<BufferInner>, String),
}

impl Held {
    pub(crate) fn get(&self) -> std::result::Result<Buffer, String> {
        match self {
            Held::Strong(b) => Ok(b.clone()),
            Held::Weak(w, name) => {
                w.upgrade().map(|inner| Buffer { inner }).ok_or_else(|| name.clone())
            }
        }
    }
}

/// One thing to do, in the order it was encoded.
pub(crate) enum Command {
    Encoder {
        concurrent: bool,
    },
    Barrier {
        buffers: Option<Vec<u64>>,
    },
    Dispatch(Box<Dispatch>),
    Copy {
        from: Held,
        from_offset: usize,
        to: Held,
        to_offset: usize,
        length: usize,
    },
    Fill {
        buffer: Held,
        range: std::ops::Range<usize>,
        value: u8,
    },
    Signal(SharedEvent, u64),
    Wait(SharedEvent, u64),
    UpdateFence(Fence),
    /// With the number of updates it waits for, known when it is committed.
    WaitFence(Fence, u64),
}

impl Command {
    /// The buffers it uses.
    pub(super) fn held(&self) -> Vec<&Held> {
        match self {
            Command::Dispatch(d) => d.held().collect(),
            Command::Copy { from, to, .. } => vec![from, to],
            Command::Fill { buffer, .. } => vec![buffer],
            _ => Vec::new(),
        }
    }
}

/// How far a command buffer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It can be encoded into.
    NotEnqueued,
    /// It waits for those before it, or runs.
    Committed,
    /// It has run.
    Completed,
    /// It has failed.
    Error,
}

pub(super) type Handler = Box<dyn FnOnce(&CommandBuffer) + Send>;

pub(super) struct State {
    pub(super) status: Status,
    pub(super) commands: Vec<Command>,
    /// The first kernel dispatched, for reports about no kernel in particular.
    kernel: String,
    pub(super) handlers: Vec<Handler>,
    pub(super) error: Option<Error>,
    pub(super) reports: Vec<Report>,
    pub(super) counters: Vec<Counters>,
    pub(super) times: (f64, f64),
    open: bool,
    /// An encoder that went without being ended.
    dropped: Option<&'static str>,
    /// What buffers held at commit.
    pub(super) prints: Vec<(Buffer, Print)>,
}

pub(crate) struct Inner {
    pub(crate) device: Device,
    queue: mpsc::Sender<Arc<Inner>>,
    retained: bool,
    state: Mutex<State>,
    pub(super) done: Condvar,
}

/// A list of commands that is run as a whole.
#[derive(Clone)]
pub struct CommandBuffer {
    pub(crate) inner: Arc<Inner>,
}

impl CommandBuffer {
    /// A compute encoder whose dispatches run one after the other.
    pub fn compute_encoder(&self) -> Result<ComputeEncoder> {
        self.compute_encoder_with_type(DispatchType::Serial)
    }

    /// A compute encoder of either kind.
    pub fn compute_encoder_with_type(&self, kind: DispatchType) -> Result<ComputeEncoder> {
        self.inner.begin("compute_encoder", kind == DispatchType::Concurrent)?;
        Ok(ComputeEncoder::new(self.inner.clone()))
    }

    /// An encoder of copies.
    pub fn blit_encoder(&self) -> Result<BlitEncoder> {
        self.inner.begin("blit_encoder", false)?;
        Ok(BlitEncoder::new(self.inner.clone()))
    }

    /// Signals an event when everything before has run.
    pub fn encode_signal_event(&self, event: &SharedEvent, value: u64) -> Result<()> {
        self.inner.outside("encode_signal_event")?;
        self.inner.push(Command::Signal(event.clone(), value))
    }

    /// Waits for an event before going on.
    pub fn encode_wait_for_event(&self, event: &SharedEvent, value: u64) -> Result<()> {
        self.inner.outside("encode_wait_for_event")?;
        self.inner.push(Command::Wait(event.clone(), value))
    }

    /// Calls `handler` when it has run, on the queue's thread.
    pub fn add_completed_handler(
        &self,
        handler: impl FnOnce(&CommandBuffer) + Send + 'static,
    ) -> Result<()> {
        let mut s = self.inner.lock();
        if s.status != Status::NotEnqueued {
            return invalid(
                "add_completed_handler",
                "handlers are added before the command buffer is committed",
            );
        }
        s.handlers.push(Box::new(handler));
        Ok(())
    }

    /// Hands it to the queue.
    pub fn commit(&self) -> Result<()> {
        let buffers = self.inner.buffers();
        let mut s = self.inner.lock();
        if s.status != Status::NotEnqueued {
            return invalid("commit", "a command buffer is committed once");
        }
        if s.open {
            return invalid("commit", "an encoder has not been ended: call its end_encoding first");
        }
        if let Some(encoder) = s.dropped {
            return invalid(
                "commit",
                format!("a {encoder} was dropped before it was ended: call its end_encoding"),
            );
        }
        s.status = Status::Committed;
        for command in &mut s.commands {
            match command {
                Command::UpdateFence(fence) => fence.commit_update(),
                Command::WaitFence(fence, awaited) => *awaited = fence.awaited(),
                _ => {}
            }
        }
        if self.inner.device.inner.options.checked {
            // Weak references must not be kept alive by the check itself.
            if self.inner.retained {
                s.prints = buffers.iter().map(|b| (b.clone(), b.print())).collect();
            }
        }
        drop(s);
        for b in &buffers {
            b.hold(&self.inner);
        }
        if self.inner.queue.send(self.inner.clone()).is_err() {
            self.inner.finish(Err(Error::Invalid {
                op: "commit".into(),
                rule: "the queue's thread is gone".into(),
            }));
        }
        Ok(())
    }

    /// Waits until it has run, and gives back how it went.
    pub fn wait_until_completed(&self) -> Result<()> {
        let mut s = self.inner.lock();
        if s.status == Status::NotEnqueued {
            return invalid("wait_until_completed", "the command buffer has not been committed");
        }
        while s.status == Status::Committed {
            s = self.inner.done.wait(s).unwrap_or_else(|e| e.into_inner());
        }
        s.error.clone().map_or(Ok(()), Err)
    }

    /// How far it has come.
    pub fn status(&self) -> Status {
        self.inner.lock().status
    }

    /// Why it failed.
    pub fn error(&self) -> Option<Error> {
        self.inner.lock().error.clone()
    }

    /// When it started to run, in seconds on the device's clock.
    pub fn gpu_start_time(&self) -> f64 {
        self.inner.lock().times.0
    }

    /// When it ended.
    pub fn gpu_end_time(&self) -> f64 {
        self.inner.lock().times.1
    }

    /// What each checked dispatch did, in order.
    pub fn counters(&self) -> Vec<Counters> {
        self.inner.lock().counters.clone()
    }
}

impl Inner {
    pub(super) fn new(
        device: &Device,
        queue: mpsc::Sender<Arc<Inner>>,
        retained: bool,
    ) -> Arc<Inner> {
        let state = State {
            status: Status::NotEnqueued,
            commands: Vec::new(),
            kernel: String::new(),
            handlers: Vec::new(),
            error: None,
            reports: Vec::new(),
            counters: Vec::new(),
            times: (0.0, 0.0),
            open: false,
            dropped: None,
            prints: Vec::new(),
        };
        Arc::new(Inner {
            device: device.clone(),
            queue,
            retained,
            state: Mutex::new(state),
            done: Condvar::new(),
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn begin(&self, op: &str, concurrent: bool) -> Result<()> {
        self.outside(op)?;
        let mut s = self.lock();
        if s.status != Status::NotEnqueued {
            return invalid(op, "the command buffer has been committed");
        }
        s.open = true;
        s.commands.push(Command::Encoder { concurrent });
        Ok(())
    }

    fn outside(&self, op: &str) -> Result<()> {
        if self.lock().open { invalid(op, "another encoder has not been ended") } else { Ok(()) }
    }

    pub(crate) fn end(&self) {
        self.lock().open = false;
    }

    /// An encoder that nobody has ended is gone: the command buffer cannot be committed.
    pub(crate) fn dropped(&self, encoder: &'static str) {
        let mut s = self.lock();
        s.open = false;
        s.dropped = Some(encoder);
    }

    pub(crate) fn push(&self, command: Command) -> Result<()> {
        let mut s = self.lock();
        if s.status != Status::NotEnqueued {
            return invalid("encode", "the command buffer has been committed");
        }
        if let (Command::Dispatch(d), true) = (&command, s.kernel.is_empty()) {
            s.kernel = d.pipeline.name.clone();
        }
        s.commands.push(command);
        Ok(())
    }

    pub(crate) fn held(&self, buffer: &Buffer) -> Held {
        match self.retained {
            true => Held::Strong(buffer.clone()),
            false => Held::Weak(Arc::downgrade(&buffer.inner), buffer.describe()),
        }
    }

    pub(crate) fn add_report(&self, report: Report) {
        self.lock().reports.push(report);
    }

    /// Whether nothing in it waits for what is not there yet.
    pub(super) fn is_ready(&self) -> bool {
        let s = self.lock();
        let waits = |c: &Command| match c {
            Command::Wait(event, value) => Some((event.clone(), *value)),
            Command::WaitFence(fence, awaited) => Some((fence.event.clone(), *awaited)),
            _ => None,
        };
        let gives = |c: &Command, event: &SharedEvent| match c {
            Command::Signal(other, _) => other.is(event),
            Command::UpdateFence(fence) => fence.event.is(event),
            _ => false,
        };
        s.commands.iter().enumerate().all(|(n, c)| {
            waits(c).is_none_or(|(event, value)| {
                event.signaled_value() >= value
                    || s.commands[..n].iter().any(|before| gives(before, &event))
            })
        })
    }

    pub(crate) fn first_kernel(&self) -> String {
        self.lock().kernel.clone()
    }

    /// Every buffer it uses that still exists, once.
    fn buffers(&self) -> Vec<Buffer> {
        let s = self.lock();
        let mut out: Vec<Buffer> = Vec::new();
        let mut add = |h: &Held| {
            if let Ok(b) = h.get()
                && !out.iter().any(|o| o.inner.id == b.inner.id)
            {
                out.push(b);
            }
        };
        s.commands.iter().flat_map(Command::held).for_each(&mut add);
        out
    }
}
