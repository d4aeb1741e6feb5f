//! How sessions are opened.

use crate::{Error, Result, SnapshotOptions, model::Config};
use bessemer_core::DType;

/// How to open a [`Session`](crate::Session).
///
/// ```
/// use bessemer_core::DType;
/// use bessemer_llm::SessionOptions;
///
/// let options = SessionOptions { cache: DType::Q8_0, ..Default::default() };
/// assert_eq!((options.context, options.cache), (None, DType::Q8_0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// Tokens it has room for; `None` is as many as the model was trained for, up to
    /// [`SessionOptions::DEFAULT_CONTEXT`] if memory grows with them: that of recurrences does not.
    pub context: Option<usize>,
    /// How keys and values are stored: `F16`, `F32` or `Q8_0`.
    pub cache: DType,
    /// How many tokens of a prompt go through the model at once.
    pub chunk: usize,
    /// Which snapshots of recurrences are kept to rewind to.
    pub snapshots: SnapshotOptions,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            context: None,
            cache: DType::F16,
            chunk: 512,
            snapshots: SnapshotOptions::default(),
        }
    }
}

impl SessionOptions {
    /// A longer context is only opened when asked for: it costs memory.
    pub const DEFAULT_CONTEXT: usize = 4096;

    /// The tokens there will be room for, if the options can be.
    pub(super) fn context_for(&self, config: &Config) -> Result<usize> {
        let most = if config.state_grows() { Self::DEFAULT_CONTEXT } else { usize::MAX };
        let context = self.context.unwrap_or(config.context.min(most));
        // The sign bit is left free: ops may take positions as signed numbers.
        if context == 0 || i32::try_from(context).is_err() {
            let most = i32::MAX;
            let why = format!("session: a context of {context} tokens is not from 1 to {most}");
            return Err(Error::Session(why));
        }
        if !matches!(self.cache, DType::F16 | DType::F32 | DType::Q8_0) {
            let why = format!(
                "session: a cache of {} is not supported; use f16, f32 or q8_0",
                self.cache
            );
            return Err(Error::Session(why));
        }
        if self.chunk == 0 {
            return Err(Error::Session(
                "session: chunks of 0 tokens are too short; use at least 1".into(),
            ));
        }
        Ok(context)
    }
}
