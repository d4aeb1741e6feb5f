//! Whether two sides compute the same model.

use anyhow::{Result, bail};
use bessemer_models_bench::peer::Peer;
use serde_json::json;

/// Tokens of a text; any will do. The vocabulary is far larger than what they are of.
pub(crate) fn text(length: usize, vocabulary: usize) -> Vec<u32> {
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1 + (seed >> 8) % (vocabulary as u32 - 1)
    };
    (0..length).map(|_| next()).collect()
}

/// How far the logits of both sides after a text are apart: the root of the mean square of what
/// differs, as a share of the standard deviation of the second side's.
pub(crate) fn apart(sides: [&mut Peer; 2], text: &[u32]) -> Result<f64> {
    let mut both = Vec::new();
    for side in sides {
        // What is not finite is no number in JSON.
        both.push(side.numbers("last_logits", json!({ "tokens": text }), "logits")?);
    }
    let (ours, theirs) = (&both[0], &both[1]);
    if ours.len() != theirs.len() {
        bail!("{} logits here and {} there", ours.len(), theirs.len());
    }
    let mean = theirs.iter().sum::<f64>() / theirs.len() as f64;
    let spread: f64 = theirs.iter().map(|x| (x - mean) * (x - mean)).sum();
    let distance: f64 = ours.iter().zip(theirs).map(|(a, b)| (a - b) * (a - b)).sum();
    Ok((distance / spread).sqrt())
}
