//! The frequencies of rotary embeddings, and how models scale them to longer contexts.

use bessemer_core::{Error, Result};
use std::f64::consts::TAU;

/// How a model's frequencies are stretched to longer texts than it was first trained on.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum RopeScaling {
    /// Not at all.
    #[default]
    None,
    /// Positions are divided by `factor`.
    Linear {
        /// How much longer texts may be.
        factor: f64,
    },
    /// The base grows so that the slowest pair turns `factor` times slower and the fastest as
    /// before.
    Ntk {
        /// How much longer texts may be.
        factor: f64,
    },
    /// Pairs that turn often within the original context stay, those that turn seldom are
    /// slowed down, and those between by a part.
    Yarn {
        /// How much longer texts may be.
        factor: f64,
        /// The tokens of context of the original model.
        original_context: f64,
        /// From this many turns within it on, a pair stays. Usually 32.
        beta_fast: f64,
        /// Up to this many, a pair is slowed down in full. Usually 1.
        beta_slow: f64,
        /// What queries and keys are multiplied by; if `None`, `0.1 ln(factor) + 1`.
        attention_factor: Option<f64>,
    },
    /// As Llama 3.1 does: by wavelength, with a smooth passage.
    Llama3 {
        /// How much longer texts may be.
        factor: f64,
        /// Wavelengths above `original_context / low_frequency_factor` are stretched in full.
        low_frequency_factor: f64,
        /// Wavelengths below `original_context / high_frequency_factor` stay.
        high_frequency_factor: f64,
        /// The tokens of context of the original model.
        original_context: f64,
    },
    /// A divisor for each pair, as stored with the model.
    Divisors {
        /// One per pair.
        divisors: Vec<f32>,
        /// What queries and keys are multiplied by.
        magnitude: f32,
    },
}

/// The frequencies that [`Rope`](super::Rope) takes, computed once per model.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeFrequencies {
    /// Radians per position of each pair.
    pub per_pair: Vec<f32>,
    /// What turned pairs are multiplied by.
    pub magnitude: f32,
}

impl RopeScaling {
    /// The frequencies of `dims` elements (half as many pairs) with the given base.
    ///
    /// ```
    /// use bessemer_ops::RopeScaling;
    ///
    /// let plain = RopeScaling::None.frequencies(10_000.0, 64)?;
    /// assert_eq!((plain.per_pair.len(), plain.per_pair[0]), (32, 1.0));
    /// let linear = RopeScaling::Linear { factor: 4.0 }.frequencies(10_000.0, 64)?;
    /// assert_eq!(linear.per_pair[0], 0.25);
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn frequencies(&self, base: f64, dims: usize) -> Result<RopeFrequencies> {
        self.check(base, dims)?;
        let pairs = dims / 2;
        let size = dims as f64;
        let plain = |base: f64, i: usize| base.powf(-2.0 * i as f64 / size);
        let frequency = |i: usize| -> f64 {
            let own = plain(base, i);
            match self {
                RopeScaling::None => own,
                RopeScaling::Linear { factor } => own / factor,
                RopeScaling::Ntk { factor } => {
                    plain(base * factor.powf(size / (size - 2.0).max(1.0)), i)
                }
                RopeScaling::Yarn { factor, original_context, beta_fast, beta_slow, .. } => {
                    // The pair that turns so many times within the original context.
                    let pair = |turns: f64| {
                        size * (original_context / (turns * TAU)).ln() / (2.0 * base.ln())
                    };
                    let low = pair(*beta_fast).floor().max(0.0);
                    let high = pair(*beta_slow).ceil().min(size - 1.0);
                    let ramp = (i as f64 - low) / (high - low).max(0.001);
                    let slowed = ramp.clamp(0.0, 1.0);
                    own / factor * slowed + own * (1.0 - slowed)
                }
                RopeScaling::Llama3 {
                    factor,
                    low_frequency_factor,
                    high_frequency_factor,
                    original_context,
                } => {
                    let turns = original_context * own / TAU;
                    let span = high_frequency_factor - low_frequency_factor;
                    let kept = ((turns - low_frequency_factor) / span).clamp(0.0, 1.0);
                    own / factor * (1.0 - kept) + own * kept
                }
                RopeScaling::Divisors { divisors, .. } => own / f64::from(divisors[i]),
            }
        };
        let magnitude = match self {
            RopeScaling::Yarn { attention_factor: Some(given), .. } => *given,
            RopeScaling::Yarn { factor, .. } => 0.1 * factor.max(1.0).ln() + 1.0,
            RopeScaling::Divisors { magnitude, .. } => f64::from(*magnitude),
            _ => 1.0,
        };
        Ok(RopeFrequencies {
            per_pair: (0..pairs).map(|i| frequency(i) as f32).collect(),
            magnitude: magnitude as f32,
        })
    }

    fn check(&self, base: f64, dims: usize) -> Result<()> {
        let refuse = |rule: String| {
            let operands = format!("base {base}, {dims} dimensions, {self:?}");
            Err(Error::Rule { op: "rope", rule, operands })
        };
        if !dims.is_multiple_of(2) {
            return refuse(format!("{dims} dimensions are odd, but rotate in pairs"));
        }
        if !(base.is_finite() && base > 1.0) {
            return refuse(format!("the base is {base}, but must be a finite number above 1"));
        }
        let positive = |x: &f64| x.is_finite() && *x > 0.0;
        let fits = match self {
            RopeScaling::None => true,
            RopeScaling::Linear { factor } | RopeScaling::Ntk { factor } => positive(factor),
            RopeScaling::Yarn { factor, original_context, beta_fast, beta_slow, .. } => {
                [factor, original_context, beta_fast, beta_slow].into_iter().all(positive)
            }
            RopeScaling::Llama3 {
                factor,
                low_frequency_factor,
                high_frequency_factor,
                original_context,
            } => {
                let all = [factor, low_frequency_factor, high_frequency_factor, original_context];
                all.into_iter().all(positive) && high_frequency_factor > low_frequency_factor
            }
            RopeScaling::Divisors { divisors, magnitude } => {
                if divisors.len() != dims / 2 {
                    return refuse(format!(
                        "there are {} divisors for {} pairs",
                        divisors.len(),
                        dims / 2
                    ));
                }
                magnitude.is_finite() && divisors.iter().all(|&x| positive(&f64::from(x)))
            }
        };
        if !fits {
            return refuse(
                "a factor is not positive, or the high frequency factor not above the low one"
                    .into(),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frequencies(scaling: RopeScaling) -> RopeFrequencies {
        scaling.frequencies(10_000.0, 64).unwrap()
    }

    #[test]
    fn scalings_slow_the_slow_pairs_and_keep_the_fast_ones() {
        let plain = frequencies(RopeScaling::None);
        let scalings = [
            RopeScaling::Ntk { factor: 8.0 },
            RopeScaling::Yarn {
                factor: 8.0,
                original_context: 2048.0,
                beta_fast: 32.0,
                beta_slow: 1.0,
                attention_factor: None,
            },
            RopeScaling::Llama3 {
                factor: 8.0,
                low_frequency_factor: 1.0,
                high_frequency_factor: 4.0,
                original_context: 2048.0,
            },
        ];
        for scaling in scalings {
            let found = frequencies(scaling.clone());
            assert_eq!(found.per_pair[0], plain.per_pair[0], "{scaling:?}");
            let slowest = plain.per_pair[31] / found.per_pair[31];
            assert!((slowest - 8.0).abs() < 1e-4, "{scaling:?}: {slowest}");
            let ratios = found.per_pair.iter().zip(&plain.per_pair).map(|(a, b)| a / b);
            assert!(ratios.clone().zip(ratios.skip(1)).all(|(a, b)| b <= a + 1e-6), "{scaling:?}");
        }
    }

    #[test]
    fn magnitudes() {
        let yarn = |attention_factor| {
            let (beta_fast, beta_slow, original_context) = (32.0, 1.0, 4096.0);
            let factor = 4.0;
            let yarn = RopeScaling::Yarn {
                factor,
                original_context,
                beta_fast,
                beta_slow,
                attention_factor,
            };
            frequencies(yarn).magnitude
        };
        assert!((yarn(None) - 1.138_629_4).abs() < 1e-6);
        assert_eq!(yarn(Some(0.5)), 0.5);
        let divisors = vec![2.0; 32];
        let found = frequencies(RopeScaling::Divisors { divisors, magnitude: 1.19 });
        assert_eq!((found.per_pair[0], found.magnitude), (0.5, 1.19));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused = |scaling: RopeScaling, base, dims| {
            let error = scaling.frequencies(base, dims).unwrap_err().to_string();
            assert!(error.starts_with("rope: "), "{error}");
        };
        refused(RopeScaling::None, 10_000.0, 63);
        refused(RopeScaling::None, f64::NAN, 64);
        refused(RopeScaling::Linear { factor: 0.0 }, 10_000.0, 64);
        refused(RopeScaling::Divisors { divisors: vec![1.0], magnitude: 1.0 }, 10_000.0, 64);
        assert_eq!(RopeScaling::None.frequencies(10_000.0, 0).unwrap().per_pair, []);
    }
}
