//! Language models: the class `Llm`. Sessions, generations, prompts, settings and the folder of models
//! have their own files. `python/bessemer/llm.py` puts them together.

mod generation;
mod options;
mod prompt;
mod session;
mod store;

use crate::{
    array::Out,
    device::{self, DeviceArg, PyDevice},
    errors::OrRaise,
    signals::interruptible,
};
use bessemer::{
    Llm, LlmOptions,
    llm::{SETTINGS, tokenizer::Encode},
};
use generation::PyGeneration;
use prompt::OwnPrompt;
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyString},
};
use session::PySession;

/// A language model on a device.
#[pyclass(name = "Llm", module = "bessemer.llm", frozen)]
pub(crate) struct PyLlm {
    llm: Llm,
    name: String,
}

/// Room for a prompt and what is to follow it; all that the model was trained for if that has no end.
fn room(llm: &Llm, prompt: &OwnPrompt, most: Option<usize>) -> PyResult<Option<usize>> {
    let Some(most) = most else { return Ok(None) };
    let tokens = llm.tokens(&prompt.as_prompt()).or_raise()?.len();
    let trained = llm.model().config().context;
    Ok(Some(tokens.saturating_add(most).min(trained.max(tokens)).max(1)))
}

impl PyLlm {
    /// The session that was given, or a new one with room for a prompt.
    fn session_for<'py>(
        &self,
        py: Python<'py>,
        given: Option<&Bound<'py, PySession>>,
        prompt: &OwnPrompt,
        most: Option<usize>,
    ) -> PyResult<Bound<'py, PySession>> {
        match given {
            Some(session) => Ok(session.clone()),
            None => {
                let context = room(&self.llm, prompt, most)?;
                Bound::new(py, session::open(py, &self.llm, context, "f16", None)?)
            }
        }
    }

    fn start(
        &self,
        py: Python<'_>,
        prompt: OwnPrompt,
        session: Option<&Bound<'_, PySession>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyGeneration> {
        let options = options::generate_options(settings)?;
        let session = self.session_for(py, session, &prompt, options.max_tokens)?;
        PyGeneration::start(py, &self.llm, &session.get().cell, prompt, options)
    }
}

#[pymethods]
impl PyLlm {
    /// The name it was loaded by.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The device it is on.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDevice>> {
        device::object(py, self.llm.model().device())
    }

    /// The numbers of the model: its architecture, vocabulary, context, layers and width.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let config = self.llm.model().config();
        let entries = PyDict::new(py);
        entries.set_item("architecture", &config.architecture)?;
        let numbers = [
            ("vocabulary", config.vocabulary),
            ("context", config.context),
            ("layers", config.layers),
            ("hidden", config.hidden),
            ("heads", config.heads),
        ];
        for (name, value) in numbers {
            entries.set_item(name, value)?;
        }
        Ok(entries)
    }

    /// Opens a session: memory for a text in progress, of so many tokens. `cache` is how keys and
    /// values are stored: `f16`, `f32` or `q8_0`.
    #[pyo3(signature = (*, context = None, cache = "f16", chunk = None))]
    fn session(
        &self,
        py: Python<'_>,
        context: Option<usize>,
        cache: &str,
        chunk: Option<usize>,
    ) -> PyResult<PySession> {
        session::open(py, &self.llm, context, cache, chunk)
    }

    /// Writes on from a text or a list of tokens: an iterator over the pieces of what follows.
    ///
    /// In a session, what it has of the prompt already is not computed again. The settings are those of
    /// `bessemer.llm.settings()`, such as `max_tokens`, `temperature`, `seed` and `stop`; besides these,
    /// `ignore_end` goes on after the end of a text, `show_special` writes out tokens that steer the
    /// model, and `keep` is how many tokens stay when the context is full and the older rest is
    /// forgotten.
    #[pyo3(signature = (prompt, /, *, session = None, **settings))]
    fn generate(
        &self,
        py: Python<'_>,
        prompt: &Bound<'_, PyAny>,
        session: Option<&Bound<'_, PySession>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyGeneration> {
        self.start(py, OwnPrompt::of(prompt)?, session, settings)
    }

    /// Answers a chat by the model's template: an iterator over the pieces of the answer. Messages are
    /// dicts with `role` and `content`; one text will do.
    #[pyo3(signature = (messages, /, *, session = None, tools = None, variables = None, **settings))]
    fn chat(
        &self,
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        session: Option<&Bound<'_, PySession>>,
        tools: Option<&Bound<'_, PyAny>>,
        variables: Option<&Bound<'_, PyDict>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyGeneration> {
        let chat = OwnPrompt::chat(messages, tools, variables)?;
        self.start(py, OwnPrompt::Chat(chat.into()), session, settings)
    }

    /// The text that the model's template makes of a chat.
    #[pyo3(signature = (messages, /, *, tools = None, variables = None))]
    fn render(
        &self,
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        tools: Option<&Bound<'_, PyAny>>,
        variables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let chat = OwnPrompt::chat(messages, tools, variables)?;
        py.detach(|| self.llm.render(&chat)).or_raise()
    }

    /// What the model may say next: an array of one number per token, larger is likelier.
    #[pyo3(signature = (prompt, /, *, session = None))]
    fn logits(
        &self,
        py: Python<'_>,
        prompt: &Bound<'_, PyAny>,
        session: Option<&Bound<'_, PySession>>,
    ) -> PyResult<Out> {
        let prompt = OwnPrompt::of(prompt)?;
        let session = self.session_for(py, session, &prompt, Some(0))?;
        let llm = self.llm.clone();
        let logits =
            session.get().work(py, move |session, _| llm.logits(session, prompt.as_prompt()))?;
        session::vector(py, logits)
    }

    /// What a text means to the model, as an array; texts are alike as far as the angle between these
    /// is small.
    #[pyo3(signature = (text, /, *, session = None))]
    fn embed(
        &self,
        py: Python<'_>,
        text: String,
        session: Option<&Bound<'_, PySession>>,
    ) -> PyResult<Out> {
        let tokens = py.detach(|| self.llm.tokenizer().encode(&text, Encode::TEXT)).or_raise()?;
        let prompt = OwnPrompt::Tokens(tokens);
        let session = self.session_for(py, session, &prompt, Some(0))?;
        let llm = self.llm.clone();
        let mean = session.get().work(py, move |session, _| llm.embed(session, &text))?;
        session::vector(py, mean)
    }

    /// The tokens of a text. `special` finds tokens that steer the model in it: never for text from
    /// people. `affixes` puts around it what the model puts around texts.
    #[pyo3(signature = (text, /, *, special = false, affixes = false))]
    fn tokenize(
        &self,
        py: Python<'_>,
        text: &str,
        special: bool,
        affixes: bool,
    ) -> PyResult<Vec<u32>> {
        py.detach(|| self.llm.tokenizer().encode(text, Encode { affixes, special })).or_raise()
    }

    /// The text of tokens; those that steer the model are left out.
    #[pyo3(signature = (tokens, /))]
    fn detokenize(&self, py: Python<'_>, tokens: Vec<u32>) -> PyResult<String> {
        py.detach(|| self.llm.tokenizer().decode(&tokens)).or_raise()
    }

    fn __repr__(&self) -> String {
        format!("Llm({:?})", self.name)
    }
}

/// Loads a model: a name in the folder of models, or the path of a file or a folder.
#[pyfunction]
#[pyo3(signature = (name, /, *, device = None))]
fn _load(py: Python<'_>, name: String, device: Option<DeviceArg>) -> PyResult<PyLlm> {
    let mut options = LlmOptions::new().on_fallback(|why| {
        Python::attach(|py| {
            // A warning that is turned into an error has nowhere to go from here.
            let _ = py.import("warnings").and_then(|warnings| {
                warnings.call_method1("warn", (PyString::new(py, &format!("bessemer: {why}")),))
            });
        });
    });
    if let Some(device) = device {
        options = options.on(&device.0);
    }
    let own = name.clone();
    let llm = interruptible(py, move || options.open(&own), || {})?.or_raise()?;
    Ok(PyLlm { llm, name })
}

/// The settings of text generation: the name, the help, the default and the rule of each.
#[pyfunction]
fn _settings(py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
    let each = |s: &bessemer::llm::Setting| (s.name, s.help, s.default, s.rule).into_py_any(py);
    SETTINGS.iter().map(each).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyLlm>()?;
    module.add_class::<PySession>()?;
    module.add_class::<PyGeneration>()?;
    crate::functions::add!(module: _load _settings)?;
    store::register(module)
}
