//! Running a command buffer: its commands one after the other, what they did wrong, how it ended.

use super::command_buffer::{Command, CommandBuffer, Inner, Status};
use super::dispatch;
use crate::check::{Kind, Report, Side};
use crate::error::{Error, Result, invalid};
use std::sync::Arc;

impl Inner {
    /// Buffers whose bytes have changed between commit and now, with nobody else to do it.
    fn changed(&self) {
        let prints = std::mem::take(&mut self.lock().prints);
        for (buffer, before) in prints {
            if buffer.sole_holder() && buffer.has_changed(&before) {
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

    pub(super) fn run(self: &Arc<Inner>) {
        let clock = self.device.inner.start;
        let commands = std::mem::take(&mut self.lock().commands);
        let mut order = dispatch::Order::new(&self.device);
        let mut result = Ok(());
        let mut started = false;
        for command in &commands {
            if !started && !matches!(command, Command::Wait(..) | Command::Encoder { .. }) {
                started = true;
                self.changed();
                self.lock().times.0 = clock.elapsed().as_secs_f64();
            }
            // Whoever waits for a command buffer that has failed must not wait for ever.
            if result.is_ok() {
                result = self.step(command, &mut order);
            } else if let Command::UpdateFence(fence) = command {
                fence.update();
            }
        }
        self.lock().times.1 = clock.elapsed().as_secs_f64();
        let mut seen = std::collections::HashSet::new();
        for held in commands.iter().flat_map(Command::held) {
            if let Ok(b) = held.get()
                && seen.insert(b.inner.id)
            {
                b.release(self);
            }
        }
        // Whoever waits for it finds what it kept alive given back.
        drop(commands);
        self.finish(result);
    }

    pub(super) fn finish(self: &Arc<Inner>, result: Result<()>) {
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
                    if let Some(observer) = &self.device.inner.options.observer {
                        observer.tell(&counters);
                    }
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
            Command::UpdateFence(fence) => fence.update(),
            Command::Wait(event, value) => {
                if !event.wait_until_signaled_value(*value, limit) {
                    return invalid(
                        "encode_wait_for_event",
                        format!("the event did not reach {value} in {} s", limit.as_secs_f64()),
                    );
                }
            }
            Command::WaitFence(fence, awaited) => {
                if !fence.event.wait_until_signaled_value(*awaited, limit) {
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
