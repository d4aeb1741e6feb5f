//! The models that a server has: those given, then those in the folder of models.

use crate::{
    args::Global,
    builtin,
    fault::{Fault, remedied},
    generate::LoadArgs,
    model::{find, open},
    terminal::tell,
    text::WARN,
};
use anyhow::anyhow;
use bessemer::{Device, LlmOptions};
use bessemer_llm::Llm;
use bessemer_server::{Catalogue, Listing};
use bessemer_store::{Resolved, Store};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

/// Finds and loads models.
pub(super) struct Shelf {
    device: Device,
    options: LlmOptions,
    given: Vec<Given>,
    /// `None` if only those that were given are served.
    store: Option<Store>,
    started: SystemTime,
    /// The folder is looked at again after a while.
    seen: Mutex<Option<(Instant, Vec<Book>)>>,
}

/// A model that was given.
struct Given {
    /// What clients call it.
    name: String,
    /// What it was called on the command line; `None` for the one that is built in.
    asked: Option<String>,
    path: Option<PathBuf>,
}

/// A model with what opens it.
#[derive(Clone)]
struct Book {
    listing: Listing,
    asked: Option<String>,
}

/// How long a list of the folder is good for.
const FRESH: Duration = Duration::from_secs(5);

/// The size of the model that is built in, about.
const BUILT_IN_BYTES: u64 = 16 << 20;

impl Shelf {
    pub(super) fn new(
        load: &LoadArgs,
        also: &[String],
        only: bool,
        global: &Global,
    ) -> Result<Shelf, Fault> {
        let options = load.device_options(global);
        let device = Device::open_with(global.device, &options)?;
        let options = LlmOptions::new()
            .device(global.device)
            .device_options(options)
            .on(&device)
            .on_fallback(|why| tell!("{WARN}{why}{WARN:#}"));
        let first = load.model.name().unwrap_or(builtin::NAME);
        let mut given: Vec<Given> = Vec::new();
        for asked in [first].into_iter().chain(also.iter().map(String::as_str)) {
            let (name, asked, path) = match find(asked.as_ref())? {
                Resolved::BuiltIn(name) => (name, None, None),
                // Clients learn its name, and not where it is.
                Resolved::File { name, path } if name == asked && Path::new(asked).exists() => {
                    (stem(&path), Some(asked.to_owned()), Some(path))
                }
                Resolved::File { name, path } => (name, Some(asked.to_owned()), Some(path)),
            };
            if given.iter().any(|other| other.name == name) {
                return Err(Fault::usage(format!("--also: two models would be called {name:?}")));
            }
            given.push(Given { name, asked, path });
        }
        let store = if only { None } else { Some(Store::of_user()?) };
        let (started, seen) = (SystemTime::now(), Mutex::default());
        Ok(Shelf { device, options, given, store, started, seen })
    }

    /// The name of the first.
    pub(super) fn first(&self) -> String {
        self.given[0].name.clone()
    }

    /// The most bytes that the device has for models.
    pub(super) fn memory_limit(&self) -> u64 {
        self.device.info().memory_limit as u64
    }

    fn books(&self) -> Vec<Book> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &*seen {
            Some((at, books)) if at.elapsed() < FRESH => books.clone(),
            _ => {
                let books = self.look();
                *seen = Some((Instant::now(), books.clone()));
                books
            }
        }
    }

    fn look(&self) -> Vec<Book> {
        let mut books: Vec<Book> = Vec::new();
        let mut taken = HashSet::new();
        for Given { name, asked, path } in &self.given {
            let bytes = path.as_deref().map_or(BUILT_IN_BYTES, size);
            taken.extend(path.as_deref().and_then(|path| path.canonicalize().ok()));
            let listing = Listing { name: name.clone(), bytes, since: self.started };
            books.push(Book { listing, asked: asked.clone() });
        }
        let kept =
            self.store.as_ref().map_or_else(Vec::new, |store| store.list().unwrap_or_default());
        for entry in kept {
            let known = entry.path.canonicalize().is_ok_and(|path| taken.contains(&path));
            if known || books.iter().any(|book| book.listing.name == entry.name) {
                continue;
            }
            let since =
                entry.path.metadata().and_then(|meta| meta.modified()).unwrap_or(self.started);
            let listing = Listing { name: entry.name.clone(), bytes: entry.bytes, since };
            books.push(Book { listing, asked: Some(entry.name) });
        }
        books
    }
}

impl Catalogue for Shelf {
    fn list(&self) -> Vec<Listing> {
        self.books().into_iter().map(|book| book.listing).collect()
    }

    fn open(&self, name: &str) -> Result<Llm, Box<dyn std::error::Error + Send + Sync>> {
        let book = self.books().into_iter().find(|book| book.listing.name == name);
        let book = book.ok_or_else(|| anyhow!("{name}: the model is gone"))?;
        let opened = open(book.asked.as_deref()).map_err(|fault| match fault {
            Fault::Usage(error) | Fault::Failed(error) => error,
            Fault::Told | Fault::Interrupted => anyhow!("{name}: it cannot be opened"),
        })?;
        let llm = self.options.open_file(&Arc::new(opened.file)).map_err(|error| match error {
            bessemer::Error::Model(error) => anyhow::Error::from(remedied(error)),
            other => other.into(),
        })?;
        Ok(llm)
    }
}

/// The name of a file without its end.
fn stem(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The bytes of a file, or of those in a folder.
fn size(path: &Path) -> u64 {
    let Ok(meta) = path.metadata() else { return 0 };
    if !meta.is_dir() {
        return meta.len();
    }
    let files = path.read_dir().into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum()
}
