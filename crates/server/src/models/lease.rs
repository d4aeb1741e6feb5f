//! The use of a loaded model: while there is one, it is not dropped.

use super::Loaded;
use std::{ops::Deref, sync::Arc};

/// The use of a model.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Loaded>);

impl Lease {
    /// `None` if the model is about to be dropped.
    pub(super) fn of(model: Arc<Loaded>) -> Option<Lease> {
        model.enter().then_some(Lease(model))
    }
}

impl Clone for Lease {
    fn clone(&self) -> Lease {
        // It cannot be retired, as it has a user.
        self.0.enter();
        Lease(Arc::clone(&self.0))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Deref for Lease {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.0
    }
}
