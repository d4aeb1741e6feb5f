//! Queues and command buffers: what was encoded, when it runs, how it ended.

use super::buffer::{Buffer, BufferInner};
use super::dispatch::{self, Dispatch};
use super::event::{Fence, SharedEvent};
use super::{BlitEncoder, ComputeEncoder, Device, DispatchType};
use crate::check::{Counters, Kind, Report, Side};
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
    Encoder { concurrent: bool },
    Barrier { buffers: Option<Vec<u64>> },
    Dispatch(Box<Dispatch>),
    Copy { from: Held, from_offset: usize, to: Held, to_offset: usize, length: usize },
    Fill { buffer: Held, range: std::ops::Range<usize>, value: u8 },
    Signal(SharedEvent, u64),
    Wait(SharedEvent, u64),
    UpdateFence(Fence),
    WaitFence(Fence),
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

type Handler = Box<dyn FnOnce(&CommandBuffer) + Send>;

struct State {
    status: Status,
    commands: Vec<Command>,
    handlers: Vec<Handler>,
    error: Option<Error>,
    reports: Vec<Report>,
    counters: Vec<Counters>,
    times: (f64, f64),
    open: bool,
    fingerprints: Vec<(Buffer, u64)>,
}

pub(crate) struct Inner {
    pub(crate) device: Device,
    queue: mpsc::Sender<Arc<Inner>>,
    retained: bool,
    state: Mutex<State>,
    done: Condvar,
}

/// A list of commands that is run as a whole.
#[derive(Clone)]
pub struct CommandBuffer {
    pub(crate) inner: Arc<Inner>,
}

/// Runs command buffers in the order they are committed.
#[derive(Clone)]
pub struct CommandQueue {
    device: Device,
    sender: mpsc::Sender<Arc<Inner>>,
}

impl CommandQueue {
    pub(crate) fn new(device: &Device) -> CommandQueue {
        let (sender, receiver) = mpsc::channel::<Arc<Inner>>();
        // The thread ends when the queue and its command buffers are gone.
        let spawned = std::thread::Builder::new().name("softmetal-queue".into()).spawn(move || {
            while let Ok(commands) = receiver.recv() {
                commands.run();
            }
        });
        drop(spawned); // a queue without a thread fails at commit
        CommandQueue { device: device.clone(), sender }
    }

    /// A command buffer that keeps its buffers alive.
    pub fn command_buffer(&self) -> CommandBuffer {
        self.make(true)
    }

    /// A command buffer that does not: whoever made the buffers must keep them.
    pub fn command_buffer_with_unretained_references(&self) -> CommandBuffer {
        self.make(false)
    }

    fn make(&self, retained: bool) -> CommandBuffer {
        let state = State {
            status: Status::NotEnqueued,
            commands: Vec::new(),
            handlers: Vec::new(),
            error: None,
            reports: Vec::new(),
            counters: Vec::new(),
            times: (0.0, 0.0),
            open: false,
            fingerprints: Vec::new(),
        };
        let inner = Inner {
            device: self.device.clone(),
            queue: self.sender.clone(),
            retained,
            state: Mutex::new(state),
            done: Condvar::new(),
        };
        CommandBuffer { inner: Arc::new(inner) }
    }
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
            return invalid("commit", "an encoder has not been ended");
        }
        s.status = Status::Committed;
        if self.inner.device.inner.options.checked {
            s.fingerprints = buffers.iter().map(|b| (b.clone(), b.fingerprint())).collect();
            // Weak references must not be kept alive by the check itself.
            if !self.inner.retained {
                s.fingerprints.clear();
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
    fn lock(&self) -> MutexGuard<'_, State> {
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

    pub(crate) fn push(&self, command: Command) -> Result<()> {
        let mut s = self.lock();
        if s.status != Status::NotEnqueued {
            return invalid("encode", "the command buffer has been committed");
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

    pub(crate) fn first_kernel(&self) -> String {
        let s = self.lock();
        s.commands
            .iter()
            .find_map(|c| match c {
                Command::Dispatch(d) => Some(d.pipeline.name.clone()),
                _ => None,
            })
            .unwrap_or_default()
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
        for c in &s.commands {
            match c {
                Command::Dispatch(d) => d.held().for_each(&mut add),
                Command::Copy { from, to, .. } => [from, to].into_iter().for_each(&mut add),
                Command::Fill { buffer, .. } => add(buffer),
                _ => {}
            }
        }
        out
    }

    /// Buffers whose bytes have changed between commit and now, with nobody else to do it.
    fn changed(&self) {
        let prints = std::mem::take(&mut self.lock().fingerprints);
        for (buffer, before) in prints {
            if buffer.sole_holder() && buffer.fingerprint() != before {
                let already = self.lock().reports.iter().any(|r| r.binding == buffer.describe());
                if !already {
                    self.add_report(Report {
                        kind: Kind::RewrittenInFlight,
                        kernel: self.first_kernel(),
                        binding: buffer.describe(),
                        offset: 0,
                        size: buffer.length(),
                        side: Side::default(),
                        other: None,
                        detail:
                            "its bytes changed between commit and the start of the command buffer"
                                .into(),
                    });
                }
            }
        }
    }

    fn run(self: &Arc<Inner>) {
        let clock = self.device.inner.start;
        let commands = std::mem::take(&mut self.lock().commands);
        let mut order = dispatch::Order::new(&self.device);
        let mut result = Ok(());
        let mut started = false;
        for command in &commands {
            if !started && !matches!(command, Command::Wait(..) | Command::Encoder { .. }) {
                started = true;
                self.lock().times.0 = clock.elapsed().as_secs_f64();
                self.changed();
            }
            result = self.step(command, &mut order);
            if result.is_err() {
                break;
            }
        }
        self.lock().times.1 = clock.elapsed().as_secs_f64();
        // Put back, so that reports made meanwhile can name the kernel, then let go.
        let mut seen = std::collections::HashSet::new();
        for held in commands.iter().flat_map(|c| match c {
            Command::Dispatch(d) => d.held().cloned().collect::<Vec<_>>(),
            Command::Copy { from, to, .. } => vec![from.clone(), to.clone()],
            Command::Fill { buffer, .. } => vec![buffer.clone()],
            _ => Vec::new(),
        }) {
            if let Ok(b) = held.get()
                && seen.insert(b.inner.id)
            {
                b.release(self);
            }
        }
        self.finish(result);
    }

    fn finish(self: &Arc<Inner>, result: Result<()>) {
        let handlers = {
            let mut s = self.lock();
            let reports = std::mem::take(&mut s.reports);
            s.error = match result {
                Err(Error::Checked(mut more)) => {
                    more.extend(reports);
                    Some(Error::Checked(more))
                }
                Err(e) => Some(e),
                Ok(()) if !reports.is_empty() => Some(Error::Checked(reports)),
                Ok(()) => None,
            };
            s.status = if s.error.is_some() { Status::Error } else { Status::Completed };
            std::mem::take(&mut s.handlers)
        };
        self.done.notify_all();
        for handler in handlers {
            handler(&CommandBuffer { inner: self.clone() });
        }
    }

    fn step(self: &Arc<Inner>, command: &Command, order: &mut dispatch::Order) -> Result<()> {
        let limit = self.device.inner.options.time_limit;
        let freed = |name: String| -> Error {
            if self.device.inner.options.checked {
                return Error::Checked(vec![Report {
                    kind: Kind::FreedInFlight,
                    kernel: String::new(),
                    binding: name,
                    offset: 0,
                    size: 0,
                    side: Side::default(),
                    other: None,
                    detail: "it was freed before the command buffer that uses it had run".into(),
                }]);
            }
            Error::Invalid {
                op: "command buffer".into(),
                rule: format!("{name} was freed before it was used"),
            }
        };
        match command {
            Command::Encoder { concurrent } => order.encoder(*concurrent),
            Command::Barrier { buffers } => order.barrier(buffers.as_deref()),
            Command::Dispatch(d) => {
                if let Some(counters) = dispatch::run(d, order, &freed)? {
                    self.lock().counters.push(counters);
                }
            }
            Command::Copy { from, from_offset, to, to_offset, length } => {
                let (from, to) = (from.get().map_err(freed)?, to.get().map_err(freed)?);
                // SAFETY: both ranges were checked when the copy was encoded.
                unsafe {
                    std::ptr::copy(
                        (from.address() + from_offset) as *const u8,
                        (to.address() + to_offset) as *mut u8,
                        *length,
                    );
                }
                to.initialized(*to_offset..to_offset + length);
            }
            Command::Fill { buffer, range, value } => {
                let buffer = buffer.get().map_err(freed)?;
                // SAFETY: the range was checked when the fill was encoded.
                unsafe {
                    std::ptr::write_bytes(
                        (buffer.address() + range.start) as *mut u8,
                        *value,
                        range.len(),
                    )
                };
                buffer.initialized(range.clone());
            }
            Command::Signal(event, value) => event.set_signaled_value(*value),
            Command::UpdateFence(fence) => fence.event.set_signaled_value(1),
            Command::Wait(event, value) => {
                if !event.wait_until_signaled_value(*value, limit) {
                    return invalid(
                        "encode_wait_for_event",
                        format!("the event did not reach {value} in {} s", limit.as_secs_f64()),
                    );
                }
            }
            Command::WaitFence(fence) => {
                if !fence.event.wait_until_signaled_value(1, limit) {
                    return invalid(
                        "wait_for_fence",
                        format!("the fence was not updated in {} s", limit.as_secs_f64()),
                    );
                }
            }
        }
        Ok(())
    }
}
