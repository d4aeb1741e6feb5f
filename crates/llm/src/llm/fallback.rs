//! The fallback that generation continues on if the GPU fails.

use crate::{Error, Model, Result};
use bessemer_core::Device;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

type Opened = Result<Arc<Model>, Box<dyn std::error::Error + Send + Sync>>;

/// The same model elsewhere, loaded when it is first needed: a GPU can be lost, or run out of
/// memory, in the middle of a text. [`Llm::with_fallback`](crate::Llm::with_fallback) takes one.
pub struct Fallback {
    open: Box<dyn Fn() -> Opened + Send + Sync>,
    tell: Box<dyn Fn(&Error) + Send + Sync>,
    model: OnceLock<Arc<Model>>,
}

impl Fallback {
    /// `open` loads the model elsewhere; `tell` hears of the error that made it necessary.
    pub fn new(
        open: impl Fn() -> Opened + Send + Sync + 'static,
        tell: impl Fn(&Error) + Send + Sync + 'static,
    ) -> Fallback {
        Fallback { open: Box::new(open), tell: Box::new(tell), model: OnceLock::new() }
    }

    /// The model to go on with after `error` on `device`. The error itself if the device is none
    /// that fails so, if it was not at fault, or if the model cannot be loaded elsewhere.
    pub fn after(&self, error: Error, device: &dyn Device) -> Result<Arc<Model>> {
        if !device.info().capabilities.can_be_lost || !is_of_device(&error) {
            return Err(error);
        }
        (self.tell)(&error);
        if let Some(model) = self.model.get() {
            return Ok(Arc::clone(model));
        }
        match (self.open)() {
            Ok(model) => Ok(Arc::clone(self.model.get_or_init(|| model))),
            Err(_) => Err(error),
        }
    }
}

fn is_of_device(error: &Error) -> bool {
    use bessemer_core::Error::{Failed, OutOfMemory};
    matches!(error, Error::Core(Failed { .. } | OutOfMemory { .. }))
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fallback").field("model", &self.model.get()).finish_non_exhaustive()
    }
}
