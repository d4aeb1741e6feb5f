//! Perplexity: how well a model predicts a text.

use crate::{Error, Result, Session};

/// The surprise of many tokens, added up.
///
/// ```
/// use bessemer_llm::perplexity::Perplexity;
///
/// let mut score = Perplexity::default();
/// // Each token had one chance in four.
/// (0..10).for_each(|_| score.add(0.25f64.ln()));
/// assert!((score.value() - 4.0).abs() < 1e-12 && score.error() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perplexity {
    count: usize,
    sum: f64,
    squares: f64,
}

impl Perplexity {
    /// Takes a token whose probability had this natural logarithm.
    pub fn add(&mut self, log_probability: f64) {
        self.count += 1;
        self.sum -= log_probability;
        self.squares += log_probability * log_probability;
    }

    /// How many tokens were taken.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The mean surprise of a token, in natural units.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// The perplexity: as many equally likely tokens would surprise as much.
    pub fn value(&self) -> f64 {
        self.mean().exp()
    }

    /// The standard error of [`Perplexity::value`].
    pub fn error(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let variance = self.squares / self.count as f64 - self.mean() * self.mean();
        (variance.max(0.0) / (self.count - 1) as f64).sqrt() * self.value()
    }
}

/// Scores a text in windows of `context` tokens: of each, the second half, given all of the window
/// before it. What is left over at the end is not scored.
///
/// `first`, if given, takes the place of the first token of each window: the token that begins a
/// text, for models that were trained to expect it. `progress` is told of each window that is done.
pub fn measure(
    session: &mut Session,
    tokens: &[u32],
    context: usize,
    first: Option<u32>,
    progress: &mut dyn FnMut(usize, &Perplexity),
) -> Result<Perplexity> {
    if context < 4 {
        let why = format!("perplexity: windows of {context} tokens are too short; use at least 4");
        return Err(Error::Session(why));
    }
    let mut score = Perplexity::default();
    for (number, window) in tokens.chunks_exact(context).enumerate() {
        let mut window = window.to_vec();
        if let Some(first) = first {
            window[0] = first;
        }
        score_window(session, &window, &mut score)?;
        progress(number + 1, &score);
    }
    Ok(score)
}

/// Scores the second half of a window.
fn score_window(session: &mut Session, window: &[u32], score: &mut Perplexity) -> Result<()> {
    session.rewind(0);
    // The last token has nothing after it to be foretold.
    session.extend_showing(&window[..window.len() - 1], window.len() / 2, |number, logits| {
        score.add(log_probability(logits, window[number + 1]));
    })
}

/// The natural logarithm of a token's probability.
fn log_probability(logits: &[f32], token: u32) -> f64 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // Single exponents are exact enough; thousands of them are added in double precision.
    let sum: f64 = logits.iter().map(|&logit| f64::from((logit - largest).exp())).sum();
    f64::from(logits[token as usize] - largest) - sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_all_tokens_sum_to_one() {
        let logits = [1.0, -2.0, 300.0, 299.5];
        let sum: f64 = (0..4).map(|token| log_probability(&logits, token).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }

    #[test]
    fn the_error_is_that_of_a_mean() {
        let mut score = Perplexity::default();
        assert_eq!((score.error(), score.count()), (0.0, 0));
        [-1.0, -3.0, -1.0, -3.0, -2.0].iter().for_each(|&x| score.add(x));
        // A variance of 0.8 over five: the root of 0.8 / 4, times e².
        assert!((score.error() - 0.2f64.sqrt() * 2f64.exp()).abs() < 1e-9);
    }
}
