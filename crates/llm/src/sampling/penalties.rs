//! Repetition, presence and frequency penalties.

use super::Sampling;
use std::collections::{HashMap, VecDeque};

/// The last tokens and how often each is among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    window: usize,
    tokens: VecDeque<u32>,
    counts: HashMap<u32, u32>,
}

impl Recent {
    pub(super) fn new(window: usize) -> Recent {
        Recent { window, ..Recent::default() }
    }

    pub(super) fn push(&mut self, token: u32) {
        if self.window == 0 {
            return;
        }
        if self.tokens.len() == self.window
            && let Some(oldest) = self.tokens.pop_front()
            && let Some(count) = self.counts.get_mut(&oldest)
        {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&oldest);
            }
        }
        self.tokens.push_back(token);
        *self.counts.entry(token).or_default() += 1;
    }

    /// Lowers the logits of all that was seen.
    pub(super) fn penalise(&self, sampling: &Sampling, logits: &mut [f32]) {
        for (&token, &count) in &self.counts {
            let Some(logit) = logits.get_mut(token as usize) else { continue };
            // Towards less likely on both sides of zero.
            if *logit > 0.0 {
                *logit /= sampling.repeat_penalty;
            } else {
                *logit *= sampling.repeat_penalty;
            }
            *logit -= sampling.presence_penalty + sampling.frequency_penalty * count as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_window_counts() {
        let mut recent = Recent::new(2);
        for token in [0, 1, 1, 2] {
            recent.push(token);
        }
        let sampling = Sampling {
            repeat_penalty: 2.0,
            presence_penalty: 0.5,
            frequency_penalty: 0.25,
            ..Sampling::default()
        };
        let mut logits = [4.0, 4.0, -4.0];
        recent.penalise(&sampling, &mut logits);
        assert_eq!(logits, [4.0, 1.25, -8.75]);
    }
}
