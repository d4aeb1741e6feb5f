//! Sessions: texts in progress. Whoever generates text in one has it until it is done.

use super::options;
use crate::{
    array::Out,
    device::DeviceArg,
    errors::{OrRaise, exception, value_error},
    signals::interruptible,
};
use bessemer::{
    Array, Llm,
    llm::{Cancel, Session},
};
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyBytes};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A session, or who has it.
enum State {
    Here(Box<Session>),
    /// A generation has it that is still to be asked for text.
    Lent,
    /// A generation has it that nobody wants any more: it comes back soon.
    Coming,
}

/// A session that can be lent to a thread.
pub(super) struct Cell {
    state: Mutex<State>,
    back: Condvar,
}

impl Cell {
    pub(super) fn new(session: Session) -> Arc<Cell> {
        Arc::new(Cell { state: Mutex::new(State::Here(Box::new(session))), back: Condvar::new() })
    }

    /// Takes the session out. Not while attached to the interpreter: it may have to wait.
    pub(super) fn lend(&self) -> PyResult<Box<Session>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match std::mem::replace(&mut *state, State::Lent) {
                State::Here(session) => return Ok(session),
                State::Lent => {
                    return Err(PyRuntimeError::new_err(
                        "session: text is being generated in it; finish that, or close it",
                    ));
                }
                State::Coming => {
                    *state = State::Coming;
                    state = self.back.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    pub(super) fn put_back(&self, session: Box<Session>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Here(session);
        self.back.notify_all();
    }

    /// Says that whoever has the session will give it back without being asked for more.
    pub(super) fn expect_back(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Lent = *state {
            *state = State::Coming;
        }
    }
}

/// A text in progress, with what the model remembers of it. It can be extended, rewound to any point,
/// forked, saved and restored.
#[pyclass(name = "Session", module = "bessemer.llm", frozen)]
pub(crate) struct PySession {
    pub(super) cell: Arc<Cell>,
    pub(super) llm: Llm,
}

impl PySession {
    pub(super) fn new(llm: &Llm, session: Session) -> PySession {
        PySession { cell: Cell::new(session), llm: llm.clone() }
    }

    /// Does something with the session that takes no time.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut Session) -> T + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut session = self.cell.lend()?;
            let result = act(&mut session);
            self.cell.put_back(session);
            Ok(result)
        })
    }

    /// Does something that takes a while, and that Ctrl-C may interrupt.
    pub(super) fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut Session, &Cancel) -> bessemer::llm::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let cell = Arc::clone(&self.cell);
        let mut session = py.detach(|| cell.lend())?;
        let cancel = Cancel::new();
        let (stop, expecting) = (cancel.clone(), Arc::clone(&cell));
        let work = move || {
            let result = act(&mut session, &cancel);
            cell.put_back(session);
            result
        };
        interruptible(py, work, || {
            stop.cancel();
            expecting.expect_back();
        })?
        .map_err(|error| exception(&error.into()))
    }
}

#[pymethods]
impl PySession {
    /// The tokens of the text.
    #[getter]
    fn tokens(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        self.with(py, |session| session.tokens().to_vec())
    }

    /// The text.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let tokens = self.tokens(py)?;
        py.detach(|| self.llm.tokenizer().decode(&tokens)).or_raise()
    }

    /// How many tokens there is room for in all.
    #[getter]
    fn capacity(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |session| session.capacity())
    }

    /// How many more tokens there is room for.
    #[getter]
    fn room(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |session| session.room())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |session| session.tokens().len())
    }

    /// Takes tokens through the model, and gives the logits after the last of them.
    fn extend(&self, py: Python<'_>, tokens: Vec<u32>) -> PyResult<Out> {
        let logits = self.work(py, move |session, cancel| {
            Ok(session.extend_unless(cancel, &tokens)?.map(|logits| logits.to_vec()))
        })?;
        vector(py, logits.unwrap_or_default())
    }

    /// Forgets all but the first `length` tokens.
    fn rewind(&self, py: Python<'_>, length: usize) -> PyResult<()> {
        self.with(py, |session| session.rewind(length))
    }

    /// A second session with the same text, from which both go their own ways.
    fn fork(&self, py: Python<'_>) -> PyResult<PySession> {
        let session = self.with(py, |session| session.fork())?.or_raise()?;
        Ok(PySession::new(&self.llm, session))
    }

    /// Keeps a snapshot to which `rewind` returns at no cost.
    fn snapshot(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Session::snapshot)?.or_raise()
    }

    /// The text and all that the model remembers of it, as bytes for `restore`.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = self.with(py, |session| {
            let mut bytes = Vec::new();
            session.save(&mut bytes).map(|()| bytes)
        })?;
        Ok(PyBytes::new(py, &saved.or_raise()?))
    }

    /// Replaces the text with one that was saved, of the same model.
    fn restore(&self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        self.with(py, |session| {
            let mut rest = data;
            session.restore(&mut rest)
        })?
        .or_raise()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.with(py, |session| {
            format!("<Session: {} of {} tokens>", session.tokens().len(), session.capacity())
        });
        match text {
            Err(error) if error.is_instance_of::<PyRuntimeError>(py) => {
                Ok("<Session: generating>".to_owned())
            }
            text => text,
        }
    }
}

/// Floats as an array on the current device.
pub(super) fn vector(py: Python<'_>, values: Vec<f32>) -> PyResult<Out> {
    if values.is_empty() {
        return Err(value_error("it was cancelled, so there are no numbers"));
    }
    let device = DeviceArg::or_current(py, None)?;
    let len = values.len();
    Ok(Out(py.detach(|| Array::from_vec(&device, values, &[len])).or_raise()?))
}

/// Opens a session.
pub(super) fn open(
    py: Python<'_>,
    llm: &Llm,
    context: Option<usize>,
    cache: &str,
    chunk: Option<usize>,
) -> PyResult<PySession> {
    let options = options::session_options(context, cache, chunk)?;
    let session = py.detach(|| llm.session(options)).or_raise()?;
    Ok(PySession::new(llm, session))
}
