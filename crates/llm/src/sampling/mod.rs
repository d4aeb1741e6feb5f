//! How the next token is chosen from a model's logits.
//!
//! [`Sampling`] has the settings; a [`Sampler`] is one run, with its random number generator and the
//! tokens it has seen. Models and text are not here.

mod candidates;
mod penalties;
mod sampler;

pub use sampler::Sampler;

use crate::SETTINGS;
use std::hash::{BuildHasher, RandomState};

/// A seed that nobody chose, short enough to be typed again.
///
/// ```
/// let seed = bessemer_llm::sampling::random_seed();
/// assert!(seed < 1 << 24);
/// ```
pub fn random_seed() -> u64 {
    RandomState::new().hash_one(()) >> 40
}

/// How tokens are chosen. The default is a moderate temperature with a small nucleus;
/// [`Sampling::greedy`] always takes the likeliest.
///
/// Steps are taken in this order: logit bias, penalties, `top_k`, `typical_p`, `top_p`, `min_p`,
/// `temperature`, then a draw. With `mirostat` set it replaces the steps after the penalties.
///
/// ```
/// use bessemer_llm::sampling::{Sampler, Sampling};
///
/// // Only the two likeliest, and never token 3.
/// let bias = vec![(3, f32::NEG_INFINITY)];
/// let sampling = Sampling { top_k: 2, logit_bias: bias, seed: 1, ..Sampling::default() };
/// let mut sampler = Sampler::new(&sampling, 4)?;
/// for _ in 0..100 {
///     let token = sampler.sample(&mut [5.0, 4.9, 0.0, 9.0]);
///     assert!(matches!(token, Some(0 | 1)));
/// }
/// # Ok::<(), bessemer_llm::sampling::BadSetting>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Divides the logits: 0 is greedy, 1 is what the model says, more is wilder.
    pub temperature: f32,
    /// Only the k likeliest; 0 is all.
    pub top_k: usize,
    /// Only the likeliest whose probabilities sum to this; 1 is all.
    pub top_p: f32,
    /// Only those at least this share as likely as the likeliest; 0 is all.
    pub min_p: f32,
    /// Only those of typical surprise, up to this sum of probabilities; 1 is all.
    pub typical_p: f32,
    /// Divides (or multiplies, if negative) the logits of tokens seen lately; 1 is off.
    pub repeat_penalty: f32,
    /// Subtracted from the logits of tokens seen lately; 0 is off.
    pub presence_penalty: f32,
    /// Subtracted for each time a token was seen lately; 0 is off.
    pub frequency_penalty: f32,
    /// How many of the last tokens count as lately.
    pub penalty_window: usize,
    /// Keeps the surprise of the text at a level, instead of the cuts above. A temperature of 0 is
    /// greedy with it too.
    pub mirostat: Option<Mirostat>,
    /// Added to the logits of these tokens; minus infinity forbids one.
    pub logit_bias: Vec<(u32, f32)>,
    /// Where the random numbers start: the same seed gives the same text.
    pub seed: u64,
}

/// Mirostat, version 2.
///
/// ```
/// use bessemer_llm::sampling::{Mirostat, Sampler, Sampling};
///
/// let mirostat = Some(Mirostat { tau: 3.0, ..Default::default() });
/// let mut sampler = Sampler::new(&Sampling { mirostat, ..Default::default() }, 3)?;
/// assert!(sampler.sample(&mut [1.0, 2.0, 3.0]).is_some());
/// # Ok::<(), bessemer_llm::sampling::BadSetting>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mirostat {
    /// The surprise aimed at, in bits.
    pub tau: f32,
    /// How fast it is corrected.
    pub eta: f32,
}

impl Default for Mirostat {
    fn default() -> Mirostat {
        Mirostat { tau: 5.0, eta: 0.1 }
    }
}

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} {value}: not {rule}")]
#[non_exhaustive]
pub struct BadSetting {
    /// Which one, as [`SETTINGS`] calls it.
    pub name: &'static str,
    /// What it was set to.
    pub value: String,
    /// What it may be.
    pub rule: &'static str,
}

impl Sampling {
    /// Always the likeliest token.
    ///
    /// ```
    /// use bessemer_llm::sampling::Sampling;
    ///
    /// assert_eq!(Sampling::greedy().temperature, 0.0);
    /// ```
    pub fn greedy() -> Sampling {
        Sampling { temperature: 0.0, ..Sampling::default() }
    }

    /// Whether every setting makes sense for a vocabulary of `tokens`.
    ///
    /// ```
    /// use bessemer_llm::sampling::Sampling;
    ///
    /// assert!(Sampling::default().check(1000).is_ok());
    /// let error = Sampling { top_p: 1.5, ..Default::default() }.check(1000).unwrap_err();
    /// assert!(error.to_string().contains("1.5"), "{error}");
    /// ```
    pub fn check(&self, tokens: usize) -> Result<(), BadSetting> {
        SETTINGS.iter().try_for_each(|setting| setting.check(self, tokens))
    }
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling {
            temperature: 0.8,
            top_k: 40,
            top_p: 0.95,
            min_p: 0.05,
            typical_p: 1.0,
            repeat_penalty: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            penalty_window: 64,
            mirostat: None,
            logit_bias: Vec::new(),
            seed: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_named() {
        let wrong = [
            (Sampling { temperature: f32::NAN, ..Sampling::default() }, "temperature NaN"),
            (Sampling { top_p: 1.5, ..Sampling::default() }, "top_p 1.5"),
            (Sampling { min_p: -0.1, ..Sampling::default() }, "min_p -0.1"),
            (Sampling { repeat_penalty: 0.0, ..Sampling::default() }, "repeat_penalty 0"),
            (Sampling { logit_bias: vec![(10, 1.0)], ..Sampling::default() }, "logit_bias 10=1"),
        ];
        for (sampling, text) in wrong {
            let error = sampling.check(10).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
        assert_eq!(Sampling::default().check(10), Ok(()));
        assert_eq!(Sampling::greedy().check(10), Ok(()));
    }
}
