//! Cancelling a running generation from another thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A handle that stops a run from another thread or a signal handler. Clones are the same handle.
/// It is looked at while a chat template runs, between tokens, and between the chunks of a prompt.
///
/// ```
/// use bessemer_llm::Cancel;
///
/// let cancel = Cancel::new();
/// let handle = cancel.clone();
/// std::thread::spawn(move || handle.cancel()).join().unwrap();
/// assert!(cancel.is_cancelled());
/// cancel.reset();
/// assert!(!cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A handle nobody has used yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Stops what runs with this handle.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was used.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What the handle sets.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// As if it had never been used: ready for the next run.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
