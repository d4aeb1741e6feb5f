//! Rounds of two sides in turn.

use crate::peer::Peer;
use anyhow::Result;

/// The fastest of each side's rounds, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    /// Ours.
    pub ours: f64,
    /// The other side's.
    pub theirs: f64,
}

impl Default for Best {
    fn default() -> Best {
        Best { ours: f64::INFINITY, theirs: f64::INFINITY }
    }
}

impl Best {
    /// How many times faster ours is.
    pub fn ratio(&self) -> f64 {
        self.theirs / self.ours
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Ours.
    Ours,
    /// The other side's.
    Theirs,
}

/// Runs `work`, which gives seconds, so often on both sides in turn, each first as often as the other.
pub fn rounds(
    count: usize,
    ours: &mut Peer,
    theirs: &mut Peer,
    mut work: impl FnMut(&mut Peer, Turn) -> Result<f64>,
) -> Result<Best> {
    let mut best = Best::default();
    for round in 0..count {
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                best.ours = best.ours.min(work(ours, Turn::Ours)?);
            } else {
                best.theirs = best.theirs.min(work(theirs, Turn::Theirs)?);
            }
        }
    }
    Ok(best)
}
