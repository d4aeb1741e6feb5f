//! Text in the making. A thread has the session and makes the next piece when it is asked to; the one
//! that asks looks for Ctrl-C meanwhile.

use super::{prompt::OwnPrompt, session::Cell};
use crate::{errors::exception, signals};
use bessemer::{
    Llm,
    llm::{Cancel, GenerateOptions, Generation, Session, Timings},
};
use pyo3::{IntoPyObjectExt, exceptions::PyRuntimeError, prelude::*, types::PyDict};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// What the thread says.
enum Reply {
    /// The prompt was taken.
    Ready,
    Piece(String, Vec<u32>),
    End(Summary),
    Failed(bessemer::Error),
}

/// How a text ended.
struct Summary {
    stop: Option<&'static str>,
    tokens: Vec<u32>,
    timings: Timings,
}

/// What came so far.
#[derive(Default)]
struct Seen {
    text: String,
    tokens: Vec<u32>,
    summary: Option<Summary>,
    /// Whether there is nothing more to ask for.
    over: bool,
}

/// Text in the making: an iterator over its pieces, also for `async for`.
///
/// When it is dropped or closed early, the session is left at the last token that was asked for.
#[pyclass(name = "Generation", module = "bessemer.llm", frozen)]
pub(crate) struct PyGeneration {
    /// Asks for the next piece; gone once nobody wants more.
    ask: Mutex<Option<Sender<()>>>,
    replies: Mutex<Receiver<Reply>>,
    cell: Arc<Cell>,
    cancel: Cancel,
    seen: Mutex<Seen>,
}

impl PyGeneration {
    /// Starts a thread that generates in the session of `cell`.
    pub(super) fn start(
        py: Python<'_>,
        llm: &Llm,
        cell: &Arc<Cell>,
        prompt: OwnPrompt,
        options: GenerateOptions,
    ) -> PyResult<PyGeneration> {
        let (ask, asked) = channel();
        let (reply, replies) = channel();
        let mut session = py.detach(|| cell.lend())?;
        let (cancel, home, llm) = (options.cancel.clone(), Arc::clone(cell), llm.clone());
        thread::spawn(move || {
            let last = run(&llm, &mut session, &prompt, &options, &asked, &reply);
            home.put_back(session);
            // Nobody may be listening any more.
            let _ = reply.send(last);
        });
        let generation = PyGeneration {
            ask: Mutex::new(Some(ask)),
            replies: Mutex::new(replies),
            cell: Arc::clone(cell),
            cancel,
            seen: Mutex::default(),
        };
        // What is wrong with the prompt or the settings is said here.
        generation.take(py)?;
        Ok(generation)
    }

    /// The next piece that the thread sends; `None` at the end, and before the first.
    fn take(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let reply = signals::receive(py, &self.replies).inspect_err(|_| self.cancel())?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match reply {
            Some(Reply::Ready) => Ok(None),
            Some(Reply::Piece(piece, tokens)) => {
                seen.text += &piece;
                seen.tokens.extend(tokens);
                Ok(Some(piece))
            }
            Some(Reply::End(summary)) => {
                seen.over = true;
                seen.tokens.clone_from(&summary.tokens);
                seen.summary = Some(summary);
                Ok(None)
            }
            Some(Reply::Failed(error)) => {
                seen.over = true;
                Err(exception(&error))
            }
            None => {
                seen.over = true;
                Err(PyRuntimeError::new_err("generate: it failed; this is a mistake in bessemer"))
            }
        }
    }

    fn end(&self) {
        self.ask.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.cell.expect_back();
    }
}

impl Drop for PyGeneration {
    fn drop(&mut self) {
        self.end();
    }
}

/// Makes pieces as they are asked for; what there is to say at the end.
fn run(
    llm: &Llm,
    session: &mut Session,
    prompt: &OwnPrompt,
    options: &GenerateOptions,
    asked: &Receiver<()>,
    reply: &Sender<Reply>,
) -> Reply {
    let mut generation = match prompt.generate(llm, session, options) {
        Ok(generation) => generation,
        Err(error) => return Reply::Failed(error.into()),
    };
    let mut told = 0;
    // Whether anybody listens shows when they ask.
    let _ = reply.send(Reply::Ready);
    while asked.recv().is_ok() {
        match generation.next() {
            Some(Ok(piece)) => {
                let tokens = generation.tokens()[told..].to_vec();
                told += tokens.len();
                if reply.send(Reply::Piece(piece, tokens)).is_err() {
                    break;
                }
            }
            Some(Err(error)) => return Reply::Failed(error.into()),
            None => break,
        }
    }
    Reply::End(summary(&generation, options))
}

fn summary(generation: &Generation<'_>, options: &GenerateOptions) -> Summary {
    // Between two pieces nobody has told the generation yet.
    let cancelled = options.cancel.is_cancelled().then_some("cancelled");
    Summary {
        stop: generation.stop_reason().map(|reason| reason.name()).or(cancelled),
        tokens: generation.tokens().to_vec(),
        timings: generation.timings(),
    }
}

#[pymethods]
impl PyGeneration {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        if self.seen.lock().unwrap_or_else(PoisonError::into_inner).over {
            return Ok(None);
        }
        if let Some(ask) = &*self.ask.lock().unwrap_or_else(PoisonError::into_inner) {
            // A thread that is gone has said why.
            let _ = ask.send(());
        }
        self.take(py)
    }

    fn __aiter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __anext__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("bessemer.llm")?.call_method1("_next", (slf,))
    }

    /// Generates all the rest, and gives the whole text.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        while self.__next__(py)?.is_some() {}
        Ok(self.text())
    }

    /// Ends it: the session can be used again.
    fn close(&self) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        self.end();
    }

    /// Ends it as soon as can be, also from another thread while a piece is being made.
    fn cancel(&self) {
        self.cancel.cancel();
        self.end();
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.close();
    }

    /// The text so far.
    #[getter]
    fn text(&self) -> String {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).text.clone()
    }

    /// The tokens so far.
    #[getter]
    fn tokens(&self) -> Vec<u32> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).tokens.clone()
    }

    /// Why it ended: `end`, `stop`, `length`, `context` or `cancelled`; `None` while it goes on.
    #[getter]
    fn stop_reason(&self) -> Option<&'static str> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.summary.as_ref().and_then(|summary| summary.stop)
    }

    /// How long it took, in seconds and tokens; empty while it goes on.
    #[getter]
    fn timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let timings = PyDict::new(py);
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(taken) = seen.summary.as_ref().map(|summary| summary.timings) else {
            return Ok(timings);
        };
        drop(seen);
        let entries = [
            ("prompt_tokens", taken.prompt_tokens.into_py_any(py)?),
            ("reused_tokens", taken.reused_tokens.into_py_any(py)?),
            ("prefill_seconds", taken.prefill.as_secs_f64().into_py_any(py)?),
            ("tokens", taken.tokens.into_py_any(py)?),
            ("decode_seconds", taken.decode.as_secs_f64().into_py_any(py)?),
            ("prefill_tokens_per_second", taken.prefill_tokens_per_s().into_py_any(py)?),
            ("decode_tokens_per_second", taken.decode_tokens_per_s().into_py_any(py)?),
            ("drafted", taken.drafted.into_py_any(py)?),
            ("accepted", taken.accepted.into_py_any(py)?),
        ];
        for (name, value) in entries {
            timings.set_item(name, value)?;
        }
        Ok(timings)
    }

    fn __repr__(&self) -> String {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let state = match (&seen.summary, seen.over) {
            (Some(summary), _) => summary.stop.unwrap_or("closed"),
            (None, true) => "closed",
            (None, false) => "in the making",
        };
        format!("<Generation: {} tokens, {state}>", seen.tokens.len())
    }
}
