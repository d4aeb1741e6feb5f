//! Work that takes long and can be interrupted: it runs on a thread of its own, while the one that
//! waits for it looks for signals, such as Ctrl-C, now and then.

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use std::{
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

/// How soon a signal is noticed.
const LOOK: Duration = Duration::from_millis(50);

/// The next message of a thread; the error of a signal handler, such as `KeyboardInterrupt`, if there
/// is one before. `None` if the thread is gone.
pub(crate) fn receive<T: Send>(py: Python<'_>, from: &Mutex<Receiver<T>>) -> PyResult<Option<T>> {
    let wait = || from.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
    loop {
        match py.detach(wait) {
            Ok(message) => return Ok(Some(message)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}

/// Does work on a thread of its own. `stop` is called if a signal comes before it is done; the work
/// should end soon then, and its result is dropped.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    stop: impl FnOnce(),
) -> PyResult<T> {
    let (give, take) = channel();
    thread::spawn(move || {
        // Nobody listens any more after a signal.
        let _ = give.send(work());
    });
    match receive(py, &Mutex::new(take)) {
        Ok(Some(result)) => Ok(result),
        Ok(None) => Err(PyRuntimeError::new_err("the work failed; this is a mistake in bessemer")),
        Err(signal) => {
            stop();
            Err(signal)
        }
    }
}
