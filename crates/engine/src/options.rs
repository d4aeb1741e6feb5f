//! How an engine is started.

use crate::{Error, Result};
use bessemer_core::DType;

/// How to start an [`Engine`](crate::Engine).
///
/// ```
/// use bessemer_engine::EngineOptions;
///
/// let options = EngineOptions { most_running: 8, ..Default::default() };
/// assert_eq!(options.page, 64);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Tokens of a page of the KV cache.
    pub page: usize,
    /// Pages of the KV cache. `None` is as many as the device has room for, up to what
    /// [`EngineOptions::most_running`] texts of [`EngineOptions::context`] tokens take.
    pub pages: Option<usize>,
    /// How keys and values are stored: `F16`, `F32` or `Q8_0`.
    pub cache: DType,
    /// The longest text, in tokens; `None` is as long as the model was trained for, up to 4096.
    pub context: Option<usize>,
    /// The most texts that are computed at once; others wait.
    pub most_running: usize,
    /// The most requests that wait. More are refused.
    pub most_waiting: usize,
    /// How many tokens of prompts a step takes besides one or a few of each text that is being
    /// generated. Fewer make these come at a steadier rate; more make prompts faster.
    pub prompt_rows: usize,
    /// Whether requests share what their texts begin with.
    pub share_prefixes: bool,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            page: 64,
            pages: None,
            cache: DType::F16,
            context: None,
            most_running: 32,
            most_waiting: 256,
            prompt_rows: 256,
            share_prefixes: true,
        }
    }
}

impl EngineOptions {
    /// A longer context is only opened when asked for: it costs memory.
    pub const DEFAULT_CONTEXT: usize = 4096;

    pub(crate) fn check(&self) -> Result<()> {
        let positive = [
            ("page", self.page),
            ("pages", self.pages.unwrap_or(1)),
            ("context", self.context.unwrap_or(1)),
            ("most_running", self.most_running),
            ("prompt_rows", self.prompt_rows),
        ];
        for (field, number) in positive {
            if number == 0 {
                return Err(Error::field(field, "is 0, but must be at least 1"));
            }
        }
        if !matches!(self.cache, DType::F16 | DType::F32 | DType::Q8_0) {
            let why = format!("{} is not supported; use f16, f32 or q8_0", self.cache);
            return Err(Error::field("cache", why));
        }
        Ok(())
    }
}
