//! The candidate tokens, most likely first, and the filters: top-k, top-p, min-p, typical-p.

/// A token and its logit; after [`Candidates::normalise`] also its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) token: u32,
    pub(super) logit: f32,
    pub(super) probability: f32,
}

/// Tokens in question, sorted by logit, largest first; equal ones by token.
#[derive(Debug, Default)]
pub(super) struct Candidates(Vec<Candidate>);

impl Candidates {
    /// The `top_k` likeliest of `logits` (0: all). What is NaN or minus infinity never counts.
    /// The memory of `self` is used again.
    pub(super) fn fill(&mut self, logits: &[f32], top_k: usize) {
        self.take(logits.iter().enumerate().map(|(token, &logit)| (token as u32, logit)), top_k);
    }

    /// The same of some tokens and their logits.
    pub(super) fn fill_with(&mut self, tokens: &[u32], logits: &[f32], top_k: usize) {
        self.take(tokens.iter().copied().zip(logits.iter().copied()), top_k);
    }

    fn take(&mut self, all: impl Iterator<Item = (u32, f32)>, top_k: usize) {
        let list = &mut self.0;
        list.clear();
        let possible = all.filter(|&(_, logit)| logit > f32::NEG_INFINITY);
        list.extend(possible.map(|(token, logit)| Candidate { token, logit, probability: 0.0 }));
        if (1..list.len()).contains(&top_k) {
            list.select_nth_unstable_by(top_k - 1, likelier);
            list.truncate(top_k);
        }
        list.sort_unstable_by(likelier);
    }

    /// Sets the probabilities from the logits over `temperature`.
    pub(super) fn normalise(&mut self, temperature: f32) {
        let Some(&Candidate { logit: largest, .. }) = self.0.first() else { return };
        let mut sum = 0.0;
        for candidate in &mut self.0 {
            // Equal logits are equally likely, also when both are infinite.
            let below = if candidate.logit == largest { 0.0 } else { candidate.logit - largest };
            candidate.probability = (below / temperature).exp();
            sum += candidate.probability;
        }
        self.0.iter_mut().for_each(|candidate| candidate.probability /= sum);
    }

    /// Keeps the likeliest up to a sum of probabilities; at least one.
    pub(super) fn top_p(&mut self, share: f32) {
        self.keep_share(share);
    }

    /// Keeps those at least `share` as likely as the likeliest.
    pub(super) fn min_p(&mut self, share: f32) {
        let Some(first) = self.0.first() else { return };
        let least = first.probability * share;
        let kept = self.0.partition_point(|candidate| candidate.probability >= least);
        self.0.truncate(kept.max(1));
    }

    /// Keeps those whose surprise is nearest to the mean surprise, up to a sum of probabilities.
    pub(super) fn typical(&mut self, share: f32) {
        let surprise = |candidate: &Candidate| -candidate.probability.max(f32::MIN_POSITIVE).ln();
        let mean: f32 = self.0.iter().map(|c| c.probability * surprise(c)).sum();
        self.0.sort_by(|a, b| (surprise(a) - mean).abs().total_cmp(&(surprise(b) - mean).abs()));
        self.keep_share(share);
        self.0.sort_unstable_by(likelier);
    }

    /// Keeps those of at most `bits` of surprise; at least one.
    pub(super) fn limit_surprise(&mut self, bits: f32) {
        let kept = self.0.partition_point(|candidate| -candidate.probability.log2() <= bits);
        self.0.truncate(kept.max(1));
    }

    /// The one that a number from 0 to 1 falls on.
    pub(super) fn draw(&self, number: f32) -> Option<Candidate> {
        let mut left = number * self.0.iter().map(|candidate| candidate.probability).sum::<f32>();
        for candidate in &self.0 {
            left -= candidate.probability;
            if left < 0.0 {
                return Some(*candidate);
            }
        }
        // Rounding left a sliver at the end.
        self.0.last().copied()
    }

    fn keep_share(&mut self, share: f32) {
        let mut sum = 0.0;
        let enough = self.0.iter().position(|candidate| {
            sum += candidate.probability;
            sum >= share
        });
        if let Some(last) = enough {
            self.0.truncate(last + 1);
        }
    }
}

fn likelier(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    b.logit.total_cmp(&a.logit).then(a.token.cmp(&b.token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(probabilities: &[f32]) -> Candidates {
        let logits: Vec<f32> = probabilities.iter().map(|p| p.ln()).collect();
        let mut candidates = Candidates::default();
        candidates.fill(&logits, 0);
        candidates.normalise(1.0);
        candidates
    }

    fn tokens(candidates: &Candidates) -> Vec<u32> {
        candidates.0.iter().map(|candidate| candidate.token).collect()
    }

    #[test]
    fn cuts_keep_what_they_say() {
        let probabilities = [0.1, 0.5, 0.05, 0.3, 0.05];
        let mut candidates = of(&probabilities);
        assert_eq!(tokens(&candidates), [1, 3, 0, 2, 4]);
        candidates.top_p(0.75);
        assert_eq!(tokens(&candidates), [1, 3]);
        let mut candidates = of(&probabilities);
        candidates.min_p(0.19);
        assert_eq!(tokens(&candidates), [1, 3, 0]);
        let mut candidates = of(&probabilities);
        candidates.limit_surprise(1.9);
        assert_eq!(tokens(&candidates), [1, 3]);
        candidates.fill(&[1.0, 3.0, 2.0, 3.0], 2);
        assert_eq!(tokens(&candidates), [1, 3]);
    }

    #[test]
    fn typical_drops_what_is_too_likely() {
        // The entropy is 1.5 bits; 0.25 has 2 and 0.5 has 1.
        let mut candidates = of(&[0.9, 0.025, 0.025, 0.025, 0.025]);
        candidates.typical(0.5);
        assert_eq!(tokens(&candidates), [0]);
        let mut candidates = of(&[0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
        candidates.typical(0.5);
        assert!(!tokens(&candidates).contains(&0));
    }

    #[test]
    fn nothing_possible_is_nothing_drawn() {
        let mut candidates = Candidates::default();
        candidates.fill(&[f32::NAN, f32::NEG_INFINITY], 0);
        candidates.normalise(1.0);
        candidates.min_p(0.5);
        assert_eq!(candidates.draw(0.5), None);
    }

    #[test]
    fn infinite_logits_share_the_probability() {
        let mut candidates = Candidates::default();
        candidates.fill(&[f32::INFINITY, 1.0, f32::INFINITY], 0);
        candidates.normalise(0.7);
        assert_eq!(candidates.draw(0.4).unwrap().token, 0);
        assert_eq!(candidates.draw(0.6).unwrap().token, 2);
    }
}
