//! One run of sampling: its random number generator, and the tokens seen so far.

use super::{BadSetting, Mirostat, Sampling, candidates::Candidates, penalties::Recent};
use rand_pcg::{Pcg64Mcg, rand_core::Rng};

/// Chooses tokens, one after another.
///
/// ```
/// use bessemer_llm::sampling::{Sampler, Sampling};
///
/// let mut sampler = Sampler::new(&Sampling::greedy(), 4)?;
/// assert_eq!(sampler.sample(&mut [0.1, 2.0, -1.0, 0.5]), Some(1));
/// # Ok::<(), bessemer_llm::sampling::BadSetting>(())
/// ```
#[derive(Debug)]
pub struct Sampler {
    sampling: Sampling,
    random: Pcg64Mcg,
    recent: Recent,
    /// The limit of surprise that mirostat steers.
    limit: f32,
    candidates: Candidates,
}

impl Sampler {
    /// A run with these settings, for a vocabulary of `tokens`.
    pub fn new(sampling: &Sampling, tokens: usize) -> Result<Sampler, BadSetting> {
        sampling.check(tokens)?;
        Ok(Sampler {
            random: Pcg64Mcg::new(u128::from(sampling.seed) << 1 | 1),
            recent: Recent::new(sampling.penalty_window),
            limit: sampling.mirostat.map_or(0.0, |mirostat| 2.0 * mirostat.tau),
            candidates: Candidates::default(),
            sampling: sampling.clone(),
        })
    }

    /// Takes note of a token of the prompt: penalties count it.
    ///
    /// ```
    /// use bessemer_llm::sampling::{Sampler, Sampling};
    ///
    /// let sampling = Sampling { presence_penalty: 1.0, ..Sampling::greedy() };
    /// let mut sampler = Sampler::new(&sampling, 2)?;
    /// sampler.accept(0);
    /// assert_eq!(sampler.sample(&mut [1.5, 1.0]), Some(1));
    /// # Ok::<(), bessemer_llm::sampling::BadSetting>(())
    /// ```
    pub fn accept(&mut self, token: u32) {
        self.recent.push(token);
    }

    /// Chooses the next token and takes note of it. The logits are changed on the way. `None` if
    /// no token is possible: all logits are NaN or minus infinity.
    pub fn sample(&mut self, logits: &mut [f32]) -> Option<u32> {
        for &(token, bias) in &self.sampling.logit_bias {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit += bias;
            }
        }
        self.recent.penalise(&self.sampling, logits);
        let token = match self.sampling.mirostat {
            _ if self.sampling.temperature == 0.0 => likeliest(logits),
            Some(mirostat) => self.steer(mirostat, logits),
            None => {
                self.candidates.fill(logits, self.sampling.top_k);
                self.cut_and_draw()
            }
        }?;
        self.recent.push(token);
        Some(token)
    }

    /// How many of the likeliest tokens decide, if no others do: then
    /// [`Sampler::sample_likeliest`] chooses as [`Sampler::sample`] does.
    pub fn needs_likeliest(&self) -> Option<usize> {
        let Sampling { repeat_penalty, presence_penalty, frequency_penalty, .. } = self.sampling;
        let penalties = [repeat_penalty - 1.0, presence_penalty, frequency_penalty];
        let penalised = self.sampling.penalty_window > 0 && penalties != [0.0; 3];
        match self.sampling.top_k {
            _ if penalised || !self.sampling.logit_bias.is_empty() => None,
            _ if self.sampling.temperature == 0.0 => Some(1),
            0 => None,
            _ if self.sampling.mirostat.is_some() => None,
            top_k => Some(top_k),
        }
    }

    /// The same as [`Sampler::sample`], from the likeliest tokens and their logits, largest first;
    /// equal ones by token.
    pub fn sample_likeliest(&mut self, tokens: &[u32], logits: &[f32]) -> Option<u32> {
        let token = match self.sampling.temperature {
            0.0 => tokens.first().copied().filter(|_| logits[0] > f32::NEG_INFINITY),
            _ => {
                self.candidates.fill_with(tokens, logits, self.sampling.top_k);
                self.cut_and_draw()
            }
        }?;
        self.recent.push(token);
        Some(token)
    }

    fn cut_and_draw(&mut self) -> Option<u32> {
        let Sampling { temperature, top_p, min_p, typical_p, .. } = self.sampling;
        let candidates = &mut self.candidates;
        candidates.normalise(1.0);
        if typical_p < 1.0 {
            candidates.typical(typical_p);
        }
        if top_p < 1.0 {
            candidates.top_p(top_p);
        }
        if min_p > 0.0 {
            candidates.min_p(min_p);
        }
        candidates.normalise(temperature);
        let number = self.number();
        Some(self.candidates.draw(number)?.token)
    }

    fn steer(&mut self, mirostat: Mirostat, logits: &[f32]) -> Option<u32> {
        self.candidates.fill(logits, 0);
        self.candidates.normalise(self.sampling.temperature);
        self.candidates.limit_surprise(self.limit);
        self.candidates.normalise(self.sampling.temperature);
        let number = self.number();
        let chosen = self.candidates.draw(number)?;
        self.limit -= mirostat.eta * (-chosen.probability.log2() - mirostat.tau);
        Some(chosen.token)
    }

    /// A random number from 0 up to, not with, 1.
    fn number(&mut self) -> f32 {
        (self.random.next_u64() >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// The token with the largest logit; of equal ones the first.
fn likeliest(logits: &[f32]) -> Option<u32> {
    let mut best: Option<(usize, f32)> = None;
    for (token, &logit) in logits.iter().enumerate() {
        if logit > best.map_or(f32::NEG_INFINITY, |(_, best)| best) {
            best = Some((token, logit));
        }
    }
    best.map(|(token, _)| token as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(sampling: &Sampling, logits: &[f32], count: usize) -> Vec<u32> {
        let mut sampler = Sampler::new(sampling, logits.len()).unwrap();
        (0..count).map(|_| sampler.sample(&mut logits.to_vec()).unwrap()).collect()
    }

    const PLAIN: Sampling = Sampling {
        temperature: 1.0,
        top_k: 0,
        top_p: 1.0,
        min_p: 0.0,
        typical_p: 1.0,
        repeat_penalty: 1.0,
        presence_penalty: 0.0,
        frequency_penalty: 0.0,
        penalty_window: 0,
        mirostat: None,
        logit_bias: Vec::new(),
        seed: 7,
    };

    #[test]
    fn tokens_come_as_often_as_the_model_says() {
        let logits = [0.5f32.ln(), 0.3f32.ln(), 0.2f32.ln()];
        let mut counts = [0; 3];
        draws(&PLAIN, &logits, 20_000).iter().for_each(|&token| counts[token as usize] += 1);
        for (count, expected) in counts.into_iter().zip([10_000i32, 6_000, 4_000]) {
            // Five standard deviations.
            assert!((count - expected).abs() < 350, "{counts:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_tokens_and_another_does_not() {
        let logits = [0.0; 50];
        assert_eq!(draws(&PLAIN, &logits, 40), draws(&PLAIN, &logits, 40));
        let other = Sampling { seed: 8, ..PLAIN };
        assert_ne!(draws(&PLAIN, &logits, 40), draws(&other, &logits, 40));
    }

    #[test]
    fn bias_and_penalties_steer() {
        let forbidden = Sampling { logit_bias: vec![(0, f32::NEG_INFINITY)], ..PLAIN };
        assert!(!draws(&forbidden, &[9.0, 0.0, 0.0], 50).contains(&0));
        let penalised =
            Sampling { temperature: 0.0, presence_penalty: 2.0, penalty_window: 2, ..PLAIN };
        assert_eq!(draws(&penalised, &[3.0, 2.5, 2.0], 4), [0, 1, 2, 0]);
    }

    /// The share of each token among many draws.
    fn shares(sampling: &Sampling, logits: &[f32]) -> Vec<f32> {
        let mut shares = vec![0.0; logits.len()];
        draws(sampling, logits, 4000).iter().for_each(|&t| shares[t as usize] += 1.0 / 4000.0);
        shares
    }

    #[test]
    fn every_setting_does_what_it_says() {
        let probabilities = [0.4f32, 0.3, 0.15, 0.1, 0.05];
        let logits = probabilities.map(f32::ln);
        let left = |sampling: &Sampling| -> Vec<bool> {
            shares(sampling, &logits).iter().map(|&share| share > 0.0).collect()
        };
        assert_eq!(left(&PLAIN), [true; 5]);
        let top_k = Sampling { top_k: 2, ..PLAIN };
        assert_eq!(left(&top_k), [true, true, false, false, false]);
        let top_p = Sampling { top_p: 0.8, ..PLAIN };
        assert_eq!(left(&top_p), [true, true, true, false, false]);
        let min_p = Sampling { min_p: 0.3, ..PLAIN };
        assert_eq!(left(&min_p), [true, true, true, false, false]);
        // The mean surprise is 1.39 nats: 0.3 comes nearest, with 1.20.
        let typical = Sampling { typical_p: 0.2, ..PLAIN };
        assert_eq!(left(&typical), [false, true, false, false, false]);
        // At temperature 2, likelihoods go by their roots.
        let hot = shares(&Sampling { temperature: 2.0, ..PLAIN }, &logits);
        let roots: f32 = probabilities.iter().map(|p| p.sqrt()).sum();
        for (share, p) in hot.iter().zip(probabilities) {
            assert!((share - p.sqrt() / roots).abs() < 0.04, "{hot:?}");
        }
    }

    #[test]
    fn each_penalty_has_its_own_way() {
        let greedy = Sampling { temperature: 0.0, penalty_window: 8, ..PLAIN };
        assert_eq!(draws(&greedy, &[3.0, 2.0, 1.0], 4), [0; 4]);
        // Once and for all, until it has left the window.
        let repeat = Sampling { repeat_penalty: 2.0, ..greedy.clone() };
        assert_eq!(draws(&repeat, &[3.0, 2.0, 1.0], 4), [0, 1, 0, 0]);
        let presence = Sampling { presence_penalty: 1.5, ..greedy.clone() };
        assert_eq!(draws(&presence, &[3.0, 2.0, 1.0], 4), [0, 1, 0, 0]);
        // More each time.
        let frequency = Sampling { frequency_penalty: 0.6, ..greedy.clone() };
        assert_eq!(draws(&frequency, &[3.0, 2.0, 1.0], 6), [0, 0, 1, 0, 1, 0]);
        // What the prompt has counts too.
        let mut sampler = Sampler::new(&presence, 3).unwrap();
        sampler.accept(0);
        assert_eq!(sampler.sample(&mut [3.0, 2.0, 1.0]), Some(1));
        // A push is as good as a ban.
        let bias = Sampling { logit_bias: vec![(2, 2.5)], ..greedy };
        assert_eq!(draws(&bias, &[3.0, 2.0, 1.0], 2), [2, 2]);
    }

    #[test]
    fn mirostat_brings_surprise_to_its_aim() {
        let logits: Vec<f32> = (0..1000).map(|i| -(i as f32 + 1.0).ln()).collect();
        let sum: f32 = logits.iter().map(|logit| logit.exp()).sum();
        let sampling = Sampling { mirostat: Some(Mirostat { tau: 4.0, eta: 0.1 }), ..PLAIN };
        let tokens = draws(&sampling, &logits, 2000);
        let bits = |token: &u32| -(logits[*token as usize].exp() / sum).log2();
        let mean = tokens[500..].iter().map(bits).sum::<f32>() / 1500.0;
        // Measured against the whole vocabulary; the cut makes single tokens a little likelier.
        assert!((3.5..6.0).contains(&mean), "{mean}");
    }

    #[test]
    fn the_likeliest_are_enough_where_they_decide() {
        let logits: Vec<f32> = (0..100).map(|i| ((i * 37 % 100) as f32).sqrt()).collect();
        let cold = Sampling { temperature: 0.0, ..PLAIN };
        for sampling in [Sampling { top_k: 5, top_p: 0.9, ..PLAIN }, cold] {
            let mut sampler = Sampler::new(&sampling, 100).unwrap();
            let count = sampler.needs_likeliest().unwrap();
            let mut tokens: Vec<u32> = (0..100).collect();
            tokens.sort_by(|&a, &b| logits[b as usize].total_cmp(&logits[a as usize]));
            let tokens = &tokens[..count];
            let largest: Vec<f32> = tokens.iter().map(|&token| logits[token as usize]).collect();
            let all = draws(&sampling, &logits, 40);
            let few = (0..40).map(|_| sampler.sample_likeliest(tokens, &largest).unwrap());
            assert_eq!(few.collect::<Vec<u32>>(), all);
            assert_eq!(sampler.sample_likeliest(&[1], &[f32::NEG_INFINITY]), None);
            assert_eq!(sampler.sample_likeliest(&[], &[]), None);
        }
        let others = [
            PLAIN,
            Sampling { top_k: 5, logit_bias: vec![(1, 1.0)], ..PLAIN },
            Sampling { top_k: 5, mirostat: Some(Mirostat { tau: 4.0, eta: 0.1 }), ..PLAIN },
            Sampling { top_k: 5, presence_penalty: 1.0, penalty_window: 4, ..PLAIN },
        ];
        for sampling in others {
            assert_eq!(Sampler::new(&sampling, 100).unwrap().needs_likeliest(), None);
        }
    }

    #[test]
    fn greedy_takes_the_first_of_equals_and_survives_nan() {
        assert_eq!(likeliest(&[1.0, f32::NAN, 2.0, 2.0]), Some(2));
        assert_eq!(likeliest(&[f32::NAN]), None);
        assert_eq!(likeliest(&[]), None);
    }
}
