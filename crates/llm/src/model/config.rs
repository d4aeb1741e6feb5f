//! The hyperparameters and options of a model: everything that distinguishes one decoder-only model from
//! another.

use super::{
    mixer::MixerKind,
    workspace::{EACH, Scratch},
};
use crate::{Result, files::ModelFile};
use bessemer_core::DType;
use bessemer_ops::{Activation, RopePairs, RopeScaling};

/// The shape of a decoder-only model. The forward pass reads nothing else: no architecture
/// is named there.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The architecture, as the file names it.
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
    /// Elements inside the feed-forward part of layers without experts.
    pub feed_forward: usize,
    /// Added to the mean square by norms.
    pub norm_epsilon: f32,
    /// What embeddings are multiplied by.
    pub embedding_scale: f32,
    /// The ways positions turn queries and keys: layers say which is theirs.
    pub ropes: Vec<RopeConfig>,
    /// What scores are multiplied by.
    pub attention_scale: f32,
    /// What scores are capped at.
    pub attention_cap: Option<f32>,
    /// What logits are capped at.
    pub logit_cap: Option<f32>,
    /// Whether queries, keys and values have a bias.
    pub attention_bias: bool,
    /// Whether each head of queries and keys is normed.
    pub head_norms: bool,
    /// Whether what layers add is normed before it is added.
    pub post_norms: bool,
    /// The gate of the feed-forward part.
    pub activation: Activation,
    /// The experts of layers that have them.
    pub experts: Option<ExpertConfig>,
    /// How each layer differs from others.
    pub kinds: Vec<LayerKind>,
}

/// How a layer differs from others of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerKind {
    /// How its tokens learn from those before them.
    pub mixer: MixerKind,
    /// Whether its feed-forward part is a mixture of experts.
    pub experts: bool,
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
    /// How they are in large contexts, where that differs.
    pub long: Option<LongRope>,
}

/// How positions turn queries and keys in sessions with room for many tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct LongRope {
    /// For contexts of more tokens than this.
    pub beyond: usize,
    /// How turns are stretched there.
    pub scaling: RopeScaling,
}

/// A mixture of experts: small feed-forward parts, of which each token goes through a few.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpertConfig {
    /// How many there are.
    pub count: usize,
    /// How many each token goes through.
    pub used: usize,
    /// Elements inside one.
    pub feed_forward: usize,
    /// Elements inside the part that all tokens go through, if there is one.
    pub shared: Option<usize>,
    /// Whether the shares of those chosen are scaled to add up to 1.
    pub normed_shares: bool,
}

impl Config {
    /// Reads the configuration of a model.
    pub fn of(file: &ModelFile) -> Result<Config> {
        match file {
            ModelFile::Gguf(file) => Config::of_gguf(file),
            ModelFile::Safetensors(files) => Config::of_safetensors(files),
        }
    }

    /// Elements inside the largest feed-forward part that all tokens go through.
    pub(super) fn widest_feed_forward(&self) -> usize {
        let dense = self.kinds.iter().any(|kind| !kind.experts);
        let shared = self.experts.and_then(|experts| experts.shared);
        shared.unwrap_or(0).max(if dense { self.feed_forward } else { 0 })
    }

    /// The bytes of a session's [`State`](crate::State) with room for `context` tokens, whose
    /// entries in KV caches are stored as `cache`. Snapshots come on top.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_core::DType;
    ///
    /// // Two layers of keys and values, two heads of 32 elements, two bytes each.
    /// let bytes = llm.model().config().state_bytes(100, DType::F16)?;
    /// assert_eq!(bytes, 100 * 2 * 2 * 2 * 32 * 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state_bytes(&self, context: usize, cache: DType) -> Result<usize> {
        let mut bytes = 0usize;
        for slot in self.kinds.iter().flat_map(|kind| kind.mixer.spec().memory(self, cache)) {
            bytes = bytes.saturating_add(slot.bytes(context)?);
        }
        Ok(bytes)
    }

    /// What mixers work in: each name once, as wide as any layer needs it.
    pub(super) fn scratch(&self) -> Vec<Scratch> {
        let mut all: Vec<Scratch> = Vec::new();
        for wanted in self.kinds.iter().flat_map(|kind| kind.mixer.spec().scratch(self)) {
            match all.iter_mut().find(|scratch| scratch.name == wanted.name) {
                Some(scratch) => scratch.width = scratch.width.max(wanted.width),
                None => all.push(wanted),
            }
        }
        all
    }

    /// Whether a session with room for `context` tokens uses rotary embeddings that shorter ones
    /// do not: keys of one are of no use to the other.
    pub(crate) fn is_long(&self, context: usize) -> bool {
        let long = self.ropes.iter().filter_map(|rope| rope.long.as_ref());
        long.into_iter().any(|long| context > long.beyond)
    }

    /// The bytes that a session works in, besides its state, to take so many tokens at a time.
    pub fn work_bytes(&self, rows: usize) -> usize {
        let mixers: usize = self.scratch().iter().map(|scratch| scratch.width).sum();
        let experts = self.experts.map_or(0, |experts| {
            let chosen = 2 + 2 * experts.feed_forward + self.hidden;
            experts.count + experts.used.saturating_mul(chosen) + 1 + self.hidden
        });
        let of_token = 2 + 3 * self.hidden + mixers + 3 * self.widest_feed_forward();
        let logits = self.vocabulary.saturating_mul(rows.min(EACH));
        let all = of_token.saturating_add(experts).saturating_mul(rows).saturating_add(logits);
        all.saturating_mul(size_of::<f32>())
    }
}
