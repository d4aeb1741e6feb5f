//! A model that is loaded, with the engine that runs it.

use super::{Catalogue, Listing};
use crate::ask::{Grammars, ToolStyle};
use bessemer_engine::{Engine, EngineOptions};
use bessemer_llm::Llm;
use std::{
    fmt,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Instant, SystemTime},
};

/// A model that is loaded.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) llm: Llm,
    pub(crate) engine: Engine,
    pub(crate) grammars: Grammars,
    pub(crate) bytes: u64,
    /// The most tokens of a text.
    pub(crate) context: usize,
    pub(crate) since: SystemTime,
    tools: OnceLock<ToolStyle>,
    /// Leases; [`RETIRED`] if no more are given.
    users: AtomicUsize,
    last_used: Mutex<Instant>,
}

const RETIRED: usize = usize::MAX;

type Failed = Box<dyn std::error::Error + Send + Sync>;

impl Loaded {
    pub(super) fn open(
        catalogue: &dyn Catalogue,
        listing: Listing,
        options: EngineOptions,
    ) -> Result<Loaded, Failed> {
        let llm = catalogue.open(&listing.name)?;
        let engine = Engine::new(llm.clone(), options)?;
        Ok(Loaded {
            name: listing.name,
            grammars: Grammars::new(llm.clone()),
            context: engine.context(),
            engine,
            llm,
            bytes: listing.bytes,
            since: SystemTime::now(),
            tools: OnceLock::new(),
            users: AtomicUsize::new(0),
            last_used: Mutex::new(Instant::now()),
        })
    }

    /// How it takes tools.
    pub(crate) fn tool_style(&self) -> ToolStyle {
        *self.tools.get_or_init(|| ToolStyle::of(&self.llm))
    }

    /// Whether it has a chat template.
    pub(crate) fn chats(&self) -> bool {
        matches!(self.llm.template(), Ok(Some(_)))
    }

    /// Whether it knows no chats. One whose template is broken does not count.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.llm.template(), Ok(None))
    }

    pub(crate) fn last_used(&self) -> Instant {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a user, unless it was retired.
    pub(super) fn enter(&self) -> bool {
        let one_more = |users: usize| (users != RETIRED).then(|| users + 1);
        self.users.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more).is_ok()
    }

    pub(super) fn leave(&self) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.users.fetch_sub(1, Ordering::SeqCst);
    }

    /// Takes no more users, if there are none now.
    pub(super) fn retire(&self) -> bool {
        self.users.compare_exchange(0, RETIRED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("name", &self.name).finish_non_exhaustive()
    }
}
