//! The hyperparameters and options of a model: everything that distinguishes one decoder-only model from
//! another.

use super::{
    mixer::{ChannelMixKind, MixerKind, MixerSpec},
    workspace::{EACH, Scratch},
};
use crate::{Result, files::ModelFile, state::Slot};
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
    /// How states are normed.
    pub norm: NormKind,
    /// Added to the mean square or the variance by norms.
    pub norm_epsilon: f32,
    /// Added to the variance by the norms of a recurrence's heads.
    pub head_norm_epsilon: f32,
    /// Whether embeddings are normed before the first layer.
    pub embedding_norm: bool,
    /// After each so many layers the state is halved, so that it fits into `f16`.
    pub halve_every: Option<usize>,
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
    /// What it makes of each token afterwards.
    pub feed_forward: FeedForwardKind,
}

/// The feed-forward part of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeedForwardKind {
    /// Two matrices, one of which gates the other, and a third.
    Dense,
    /// A mixture of experts.
    Experts,
    /// That of RWKV, which also sees the token before.
    ChannelMix(ChannelMixKind),
}

/// How the states of a model are normed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// Divided by the root of their mean square, times a weight.
    Rms,
    /// To mean 0 and variance 1, times a weight, plus a bias.
    Layer,
}

impl LayerKind {
    /// The parts that have memory.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &dyn MixerSpec> {
        let feed_forward = match &self.feed_forward {
            FeedForwardKind::Dense | FeedForwardKind::Experts => None,
            FeedForwardKind::ChannelMix(kind) => Some(kind as &dyn MixerSpec),
        };
        [self.mixer.spec()].into_iter().chain(feed_forward)
    }

    /// What a layer remembers of a text, whose entries per token are stored as `cache`.
    pub(crate) fn memory(&self, config: &Config, cache: DType) -> Vec<Slot> {
        self.specs().flat_map(|spec| spec.memory(config, cache)).collect()
    }
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
        let is_dense = |kind: &LayerKind| kind.feed_forward == FeedForwardKind::Dense;
        let dense = self.kinds.iter().any(is_dense);
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
        for slot in self.kinds.iter().flat_map(|kind| kind.memory(self, cache)) {
            bytes = bytes.saturating_add(slot.bytes(context)?);
        }
        Ok(bytes)
    }

    /// What mixers work in: each name once, as wide as any layer needs it.
    pub(super) fn scratch(&self) -> Vec<Scratch> {
        let mut all: Vec<Scratch> = Vec::new();
        let specs = self.kinds.iter().flat_map(LayerKind::specs);
        for wanted in specs.flat_map(|spec| spec.scratch(self)) {
            match all.iter_mut().find(|scratch| scratch.name == wanted.name) {
                Some(scratch) => scratch.grow(&wanted),
                None => all.push(wanted),
            }
        }
        all
    }

    /// Whether a session's state grows with its text: that of recurrences alone does not.
    pub fn state_grows(&self) -> bool {
        let mut slots = self.kinds.iter().flat_map(|kind| kind.memory(self, DType::F32));
        slots.any(|slot| !slot.is_fixed())
    }

    /// Whether a session with room for `context` tokens uses rotary embeddings that shorter ones
    /// do not: keys of one are of no use to the other.
    pub(crate) fn is_long(&self, context: usize) -> bool {
        let long = self.ropes.iter().filter_map(|rope| rope.long.as_ref());
        long.into_iter().any(|long| context > long.beyond)
    }

    /// The bytes that a session works in, besides its state, to take so many tokens at a time.
    pub fn work_bytes(&self, rows: usize) -> usize {
        let mixers: usize =
            self.scratch().iter().map(|scratch| scratch.parts * scratch.width).sum();
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
