//! One row: both sides in turn, round after round.

use crate::{numpy::NumPy, rows::Row, timing::Timed};
use anyhow::{Result, bail};
use bessemer::Device;
use std::{thread::sleep, time::Duration};

/// How long one side is measured at a time.
const ROUND: Duration = Duration::from_millis(100);
/// Between two sides: threads of the one that spin for more work have gone to sleep by then.
const PAUSE: Duration = Duration::from_millis(60);

/// Our side of a row, ready to run.
pub(crate) struct Ours {
    /// What is timed.
    pub(crate) timed: Timed,
    /// What it is measured against.
    pub(crate) against: Against,
}

/// The other side.
pub(crate) enum Against {
    /// A statement of NumPy with the same result, but for rounding.
    NumPy {
        /// Makes the operands.
        setup: String,
        /// What is timed.
        statement: String,
        /// The magnitude of our result.
        magnitude: f64,
        /// How far the other's may be from it, as a fraction.
        within: f64,
    },
    /// Something in this process that no implementation can do without.
    Limit(Timed),
}

/// Seconds of each round of both sides.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Ours.
    pub(crate) ours: Vec<f64>,
    /// The other's.
    pub(crate) theirs: Vec<f64>,
}

/// Measures a row.
pub(crate) fn hold(row: &Row, device: &Device, numpy: &mut NumPy, rounds: u32) -> Result<Outcome> {
    let Ours { mut timed, mut against } = (row.prepare)(device)?;
    if let Against::NumPy { setup, statement, magnitude, within } = &against {
        let theirs = numpy.prepare(setup, statement)?;
        if (theirs - magnitude).abs() > within * magnitude.abs() {
            bail!("{}: not the same result: {magnitude} here, {theirs} by NumPy", row.work);
        }
    }
    let mut outcome = Outcome::default();
    for round in 0..rounds {
        // The one goes first as often as the other.
        for ours in [round % 2 == 0, round % 2 == 1] {
            sleep(PAUSE);
            if ours {
                outcome.ours.push(timed.round(ROUND)?);
            } else {
                outcome.theirs.push(match &mut against {
                    Against::NumPy { .. } => numpy.round(ROUND)?,
                    Against::Limit(limit) => limit.round(ROUND)?,
                });
            }
        }
    }
    Ok(outcome)
}

impl Outcome {
    /// How many times as fast as the other side we are, by the best rounds of both.
    pub(crate) fn ratio(&self) -> f64 {
        let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        best(&self.theirs) / best(&self.ours)
    }

    /// The same by rounds that followed each other: the median of them.
    pub(crate) fn median(&self) -> f64 {
        let pairs = self.theirs.iter().zip(&self.ours);
        let mut ratios: Vec<f64> = pairs.map(|(theirs, ours)| theirs / ours).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_against_best_and_the_median_of_pairs() {
        let outcome = Outcome { ours: vec![1.0, 2.0, 4.0], theirs: vec![8.0, 6.0, 4.0] };
        assert_eq!(outcome.ratio(), 4.0);
        assert_eq!(outcome.median(), 3.0);
    }
}
