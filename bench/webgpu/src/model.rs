//! Our side of language models: one text in progress on the WebGPU device.

use anyhow::Result;
use bessemer_core::{Device, Stats};
use bessemer_llm::{Llm, Session, SessionOptions};
use std::{path::Path, sync::Arc, time::Instant};

/// A model with one text in progress.
pub(crate) struct Text {
    device: Arc<dyn Device>,
    session: Session,
    likeliest: u32,
}

/// What one token takes of the device, once all is warm.
pub(crate) struct PerToken {
    pub(crate) submissions: f64,
    pub(crate) dispatches: f64,
    pub(crate) allocations: f64,
}

impl Text {
    pub(crate) fn open(file: &Path, context: usize, device: Arc<dyn Device>) -> Result<Text> {
        let options = SessionOptions { context: Some(context), ..Default::default() };
        let session = Llm::open(file, &device)?.session(options)?;
        Ok(Text { device, session, likeliest: 0 })
    }

    /// Seconds for a prompt, the logits after it in hand.
    pub(crate) fn prefill(&mut self, tokens: &[u32]) -> Result<f64> {
        self.session.rewind(0);
        let start = Instant::now();
        self.likeliest = likeliest(self.session.extend(tokens)?);
        Ok(start.elapsed().as_secs_f64())
    }

    /// Seconds for so many tokens after it, each the likeliest.
    pub(crate) fn decode(&mut self, count: usize) -> Result<f64> {
        let start = Instant::now();
        for _ in 0..count {
            self.likeliest = likeliest(self.session.extend(&[self.likeliest])?);
        }
        Ok(start.elapsed().as_secs_f64())
    }

    /// What `count` tokens more take.
    pub(crate) fn per_token(&mut self, count: usize) -> Result<PerToken> {
        self.decode(1)?;
        let before = self.device.stats();
        self.decode(count)?;
        let after = self.device.stats();
        let each = |of: fn(&Stats) -> u64| (of(&after) - of(&before)) as f64 / count as f64;
        Ok(PerToken {
            submissions: each(|stats| stats.submissions),
            dispatches: each(|stats| stats.dispatches),
            allocations: each(|stats| stats.pool.allocations + stats.pool.reuses),
        })
    }
}

/// The first of the largest.
pub(crate) fn likeliest(logits: &[f32]) -> u32 {
    let first = |best: usize, i: usize| if logits[i] > logits[best] { i } else { best };
    (0..logits.len()).fold(0, first) as u32
}
