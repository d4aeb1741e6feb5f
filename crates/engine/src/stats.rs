//! What an engine tells about itself.

use std::time::Duration;

/// What an engine is doing, and what it has done since it was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Texts that have a place.
    pub running: usize,
    /// Requests that wait for one.
    pub waiting: usize,
    /// The KV cache.
    pub pages: Pages,
    /// Rows of the last step: tokens that went through the model together.
    pub batch: usize,
    /// Totals since the start.
    pub totals: Totals,
}

/// Pages of the KV cache. All are used, cached or free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// Pages of texts that have a place.
    pub used: usize,
    /// Pages of beginnings that no text uses now, kept for those that begin alike.
    pub cached: usize,
    /// Empty ones.
    pub free: usize,
}

impl Pages {
    /// All of them.
    pub fn all(&self) -> usize {
        self.used + self.cached + self.free
    }
}

/// Totals since an engine was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Requests that were taken.
    pub taken: u64,
    /// Requests that were refused, because too many waited.
    pub refused: u64,
    /// Requests that ended, cancelled ones included.
    pub ended: u64,
    /// Requests that were cancelled.
    pub cancelled: u64,
    /// Requests that ended with an error.
    pub failed: u64,
    /// How often a text was paused because pages ran out.
    pub paused: u64,
    /// How often the engine went on with a fallback after its device had failed.
    pub moved: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Of those, the ones that were reused.
    pub reused_tokens: u64,
    /// Tokens generated.
    pub generated_tokens: u64,
    /// Tokens that prompt lookup drafted.
    pub drafted_tokens: u64,
    /// Of those, the ones that were accepted.
    pub accepted_tokens: u64,
    /// Steps.
    pub steps: u64,
    /// Rows of all steps.
    pub rows: u64,
    /// Time that steps spent on the device.
    pub on_device: Duration,
    /// Time that steps spent otherwise: choosing tokens, making text of them, and deciding what comes next.
    pub off_device: Duration,
}
