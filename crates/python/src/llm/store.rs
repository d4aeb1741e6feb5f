//! The folder of models: what is there, and pulling more.

use crate::{
    errors::{OrRaise, exception},
    signals,
};
use bessemer::store::{CATALOGUE, PullOptions, Source, Store};
use pyo3::prelude::*;
use std::{
    path::PathBuf,
    sync::{Mutex, mpsc::channel},
    thread,
};

/// The models that are downloaded: the name, the path and the size of each.
#[pyfunction]
fn _models(py: Python<'_>) -> PyResult<Vec<(String, PathBuf, u64)>> {
    let list = py.detach(|| Store::of_user().and_then(|store| store.list())).or_raise()?;
    Ok(list.into_iter().map(|entry| (entry.name, entry.path, entry.bytes)).collect())
}

/// The names of the catalogue of models that can be pulled.
#[pyfunction]
fn _catalogue() -> Vec<&'static str> {
    CATALOGUE.iter().map(|listed| listed.name()).collect()
}

enum News {
    Progress(String, u64, Option<u64>),
    Done(Box<bessemer::store::Result<PathBuf>>),
}

/// Downloads a model, unless it is here, and gives its path. `progress` is told what is done, how many
/// bytes are here and how many there will be.
#[pyfunction]
#[pyo3(signature = (name, /, *, force, progress))]
fn _pull(
    py: Python<'_>,
    name: &str,
    force: bool,
    progress: &Bound<'_, PyAny>,
) -> PyResult<PathBuf> {
    let source: Source = name.parse().or_raise()?;
    let store = Store::of_user().or_raise()?;
    let (tell, news) = channel();
    thread::spawn(move || {
        let options = PullOptions { force, ..PullOptions::default() };
        let pulled = store.pull(&source, &options, &mut |at| {
            // After Ctrl-C nobody listens; what comes until the process ends is kept for next time.
            let _ = tell.send(News::Progress(at.what.to_owned(), at.done, at.total));
        });
        let _ = tell.send(News::Done(Box::new(pulled.map(|pulled| pulled.entry.path))));
    });
    let news = Mutex::new(news);
    loop {
        match signals::receive(py, &news)? {
            Some(News::Progress(what, done, total)) => {
                progress.call1((what, done, total))?;
            }
            Some(News::Done(result)) => return result.map_err(|error| exception(&error.into())),
            None => {
                let text = "pull: it failed; this is a mistake in bessemer";
                return Err(pyo3::exceptions::PyRuntimeError::new_err(text));
            }
        }
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::functions::add!(module: _models _catalogue _pull)
}
