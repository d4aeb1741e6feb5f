//! The models that a server has: found by name, loaded when first asked for, and dropped, the least
//! recently used first, when another needs the memory.

mod lease;
mod loaded;

pub(crate) use lease::Lease;
pub(crate) use loaded::Loaded;

use crate::{Kind, Refusal};
use bessemer_engine::EngineOptions;
use bessemer_llm::Llm;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};
use tokio::{sync::Mutex as AsyncMutex, time::Instant};

/// Where models come from.
pub trait Catalogue: Send + Sync {
    /// All that there are; the first is what clients get that name none.
    fn list(&self) -> Vec<Listing>;

    /// The one that a client means by a name, if there is one.
    fn find(&self, name: &str) -> Option<Listing> {
        self.list().into_iter().find(|listing| listing.name == name)
    }

    /// Loads the one of this name, which [`Catalogue::find`] has given. It takes a while.
    fn open(&self, name: &str) -> Result<Llm, Box<dyn std::error::Error + Send + Sync>>;
}

/// A model in a [`Catalogue`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its name.
    pub name: String,
    /// About how much memory it takes.
    pub bytes: u64,
    /// Since when it is there.
    pub since: SystemTime,
}

/// How models are kept.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// How each is run.
    pub engine: EngineOptions,
    /// The most bytes that all together may take; one alone may always be loaded.
    pub memory: u64,
    /// How long a request waits for memory that other models use.
    pub patience: Duration,
}

impl Default for ModelOptions {
    fn default() -> ModelOptions {
        ModelOptions {
            engine: EngineOptions::default(),
            memory: u64::MAX,
            patience: Duration::from_secs(30),
        }
    }
}

/// The models of a server.
pub(crate) struct Models {
    catalogue: Arc<dyn Catalogue>,
    options: ModelOptions,
    slots: Mutex<HashMap<String, Arc<Slot>>>,
    /// Only one is loaded at a time, so that memory is counted once.
    loading: AsyncMutex<()>,
}

#[derive(Default)]
struct Slot {
    model: Mutex<Option<Arc<Loaded>>>,
}

impl Slot {
    fn get(&self) -> Option<Arc<Loaded>> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, model: Option<Arc<Loaded>>) -> Option<Arc<Loaded>> {
        std::mem::replace(&mut *self.model.lock().unwrap_or_else(PoisonError::into_inner), model)
    }
}

impl Models {
    pub(crate) fn new(catalogue: Arc<dyn Catalogue>, options: ModelOptions) -> Models {
        let (slots, loading) = (Mutex::default(), AsyncMutex::default());
        Models { catalogue, options, slots, loading }
    }

    /// All that could be loaded.
    pub(crate) fn list(&self) -> Vec<Listing> {
        self.catalogue.list()
    }

    /// What is known of a name, whether it is loaded or not.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<Listing, Refusal> {
        let found = match name.filter(|name| !name.is_empty()) {
            Some(name) => self.catalogue.find(name),
            None => self.catalogue.list().into_iter().next(),
        };
        found.ok_or_else(|| {
            let name: String = name.unwrap_or_default().chars().take(200).collect();
            let message =
                format!("model: there is no model {name:?}; /v1/models lists those there are");
            Refusal { field: Some("model".into()), ..Refusal::new(Kind::NoModel, message) }
        })
    }

    /// Those that are loaded, in no order.
    pub(crate) fn loaded(&self) -> Vec<Arc<Loaded>> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.values().filter_map(|slot| slot.get()).collect()
    }

    /// A model to use, loaded if it is not yet.
    pub(crate) async fn get(&self, name: Option<&str>) -> Result<Lease, Refusal> {
        let listing = self.find(name)?;
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(listing.name.clone()).or_default())
        };
        if let Some(lease) = slot.get().and_then(Lease::of) {
            return Ok(lease);
        }
        let _loading = self.loading.lock().await;
        // Somebody else may have loaded it meanwhile.
        if let Some(lease) = slot.get().and_then(Lease::of) {
            return Ok(lease);
        }
        self.make_room(&listing).await?;
        let (catalogue, engine) = (Arc::clone(&self.catalogue), self.options.engine.clone());
        tracing::info!(model = listing.name, bytes = listing.bytes, "loading a model");
        let started = Instant::now();
        let loaded =
            tokio::task::spawn_blocking(move || Loaded::open(&*catalogue, listing, engine));
        let loaded = loaded.await.map_err(Refusal::internal)?.map_err(|error| {
            tracing::error!(error = %error, "a model could not be loaded");
            Refusal::new(Kind::Internal, "model: it could not be loaded; the server's log says why")
        })?;
        let seconds = started.elapsed().as_secs_f64();
        tracing::info!(model = loaded.name, seconds, context = loaded.context, "model loaded");
        let loaded = Arc::new(loaded);
        let lease = Lease::of(Arc::clone(&loaded))
            .ok_or_else(|| Refusal::internal("a new model is retired"))?;
        slot.set(Some(loaded));
        Ok(lease)
    }

    /// Drops a model unless it is in use. Whether it did.
    pub(crate) async fn unload(&self, name: &str) -> bool {
        let slot = self.slots.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        match slot.and_then(|slot| slot.get().map(|model| (slot, model))) {
            Some((slot, model)) if model.retire() => {
                slot.set(None);
                dispose(model).await;
                true
            }
            _ => false,
        }
    }

    /// Drops models that nobody uses until there is memory for another; waits for those in use.
    async fn make_room(&self, listing: &Listing) -> Result<(), Refusal> {
        let deadline = Instant::now() + self.options.patience;
        loop {
            let mut loaded = self.loaded();
            let used: u64 = loaded.iter().map(|model| model.bytes).sum();
            if loaded.is_empty() || used.saturating_add(listing.bytes) <= self.options.memory {
                return Ok(());
            }
            loaded.sort_by_key(|model| model.last_used());
            let mut dropped = false;
            for model in loaded {
                let name = model.name.clone();
                drop(model);
                if self.unload(&name).await {
                    tracing::info!(model = name, "model dropped to make room");
                    dropped = true;
                    break;
                }
            }
            if !dropped {
                if Instant::now() >= deadline {
                    let message = format!(
                        "model: there is no memory for {:?} beside the models in use",
                        listing.name
                    );
                    return Err(
                        Refusal::new(Kind::NoMemory, message).after(Duration::from_secs(10))
                    );
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Takes no more requests for any model; those in progress go on.
    pub(crate) fn drain(&self) {
        for model in self.loaded() {
            model.engine.drain();
        }
    }
}

/// Freeing gigabytes takes a while, and an engine ends with its thread.
async fn dispose(model: Arc<Loaded>) {
    let _ = tokio::task::spawn_blocking(move || drop(model)).await;
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models").field("options", &self.options).finish_non_exhaustive()
    }
}
