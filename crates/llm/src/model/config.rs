//! What a model is made of, as numbers and choices: all that tells one decoder-only transformer
//! from another.

use bessemer_ops::{Activation, RopePairs, RopeScaling};

/// The shape of a decoder-only transformer. The forward pass reads nothing else: no architecture
/// is named there.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The family, as the file names it.
    pub architecture: String,
    /// Tokens of the vocabulary.
    pub vocabulary: usize,
    /// Tokens it was trained to look back on.
    pub context: usize,
    /// Layers.
    pub layers: usize,
    /// Elements of the state of a token.
    pub hidden: usize,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values.
    pub kv_heads: usize,
    /// Elements of a head.
    pub head_size: usize,
    /// Elements inside the feed-forward part.
    pub feed_forward: usize,
    /// Added to the mean square by norms.
    pub norm_epsilon: f32,
    /// How positions turn queries and keys.
    pub rope: RopeConfig,
    /// What scores are multiplied by.
    pub attention_scale: f32,
    /// What scores are capped at.
    pub attention_cap: Option<f32>,
    /// How many tokens attention looks back on; `None` is all.
    pub window: Option<usize>,
    /// The gate of the feed-forward part.
    pub activation: Activation,
}

/// How positions turn queries and keys.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeConfig {
    /// Which elements of a head are turned together.
    pub pairs: RopePairs,
    /// Elements of a head that are turned.
    pub dims: usize,
    /// The slowest turn is about this many tokens long.
    pub base: f64,
    /// How turns are stretched for contexts longer than trained.
    pub scaling: RopeScaling,
}
