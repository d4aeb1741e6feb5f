//! From what a file states to a [`Config`]: the part that is the same for every kind of file, and
//! the checks, since files are not trusted.

use super::{
    config::{Config, ExpertConfig, FeedForwardKind, LayerKind, LongRope, NormKind, RopeConfig},
    family::{Experts, Family, Local},
    mixer::{AttentionKind, MixerKind, ShortConvKind},
};
use crate::{Error, Result};
use bessemer_ops::{Activation, RopePairs, RopeScaling};
use std::ops::RangeInclusive;

/// A number that files state, each kind under a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Layers,
    Context,
    Hidden,
    Heads,
    KvHeads,
    HeadSize,
    FeedForward,
    NormEpsilon,
    RopeBase,
    RopeDims,
    RopeScaling,
    LocalRopeBase,
    Window,
    AttentionCap,
    LogitCap,
    QueryScale,
    Experts,
    ExpertsUsed,
    ExpertFeedForward,
    SharedFeedForward,
    ConvLength,
}

/// A file that states settings.
pub(super) trait Settings {
    fn architecture(&self) -> &str;
    fn family(&self) -> &'static Family;
    /// The value of a setting, if the file has it.
    fn size(&self, setting: Setting) -> Result<Option<usize>>;
    fn number(&self, setting: Setting) -> Result<Option<f64>>;
    /// An error about a setting, which names file and key.
    fn refuse(&self, setting: Setting, why: String) -> Error;
    /// An error about a setting that is not there.
    fn missing(&self, setting: Setting) -> Error;
    fn vocabulary(&self) -> Result<usize>;
    fn activation(&self) -> Result<Activation>;
    /// Which elements of a head are turned together.
    fn pairs(&self) -> RopePairs;
    /// How many elements of a head are turned.
    fn rope_dims(&self, head_size: usize) -> Result<usize>;
    /// How turns are stretched, and how in large contexts where that differs.
    fn scaling(&self) -> Result<(RopeScaling, Option<LongRope>)>;
    /// Whether each layer looks back on a window only, given that there is one.
    fn local(&self, layers: usize) -> Result<Vec<bool>>;
    /// Whether each layer has experts, given that some have.
    fn sparse(&self, layers: usize) -> Result<Vec<bool>>;
    fn normed_shares(&self) -> Result<bool>;
    /// Whether each layer is a short convolution, given that some are.
    fn convolutions(&self, layers: usize) -> Result<Vec<bool>>;

    fn require(&self, setting: Setting, within: RangeInclusive<usize>) -> Result<usize> {
        let found = self.size(setting)?.ok_or_else(|| self.missing(setting))?;
        self.within(setting, found, within)
    }

    fn within(
        &self,
        setting: Setting,
        found: usize,
        range: RangeInclusive<usize>,
    ) -> Result<usize> {
        if range.contains(&found) {
            return Ok(found);
        }
        let (least, most) = range.into_inner();
        Err(self.refuse(setting, format!("is {found}, not from {least} to {most}")))
    }

    /// A number above 0, if the file has it.
    fn positive(&self, setting: Setting) -> Result<Option<f64>> {
        match self.number(setting)? {
            Some(found) if !(found.is_finite() && found > 0.0) => {
                Err(self.refuse(setting, format!("is {found}, not a number above 0")))
            }
            found => Ok(found),
        }
    }

    /// A number above 0, where 0 stands for none.
    fn cap(&self, setting: Setting) -> Result<Option<f32>> {
        match self.number(setting)? {
            Some(0.0) => Ok(None),
            _ => Ok(self.positive(setting)?.map(|cap| cap as f32)),
        }
    }
}

/// Far beyond what any model has: products of two of these never overflow.
pub(super) const MOST: usize = 1 << 24;
/// The longest short convolution that there are kernels for.
const MOST_CONV: usize = 16;
pub(super) const MOST_LAYERS: usize = 10_000;
const MOST_EXPERTS: usize = 10_000;
pub(super) const MOST_CONTEXT: usize = u32::MAX as usize;

/// Reads and checks all settings.
pub(super) fn config(settings: &dyn Settings) -> Result<Config> {
    let family = settings.family();
    let layers = settings.require(Setting::Layers, 1..=MOST_LAYERS)?;
    let hidden = settings.require(Setting::Hidden, 1..=MOST)?;
    let heads = settings.require(Setting::Heads, 1..=MOST)?;
    let kv_heads = settings.size(Setting::KvHeads)?.unwrap_or(heads);
    if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
        let why = format!("is {kv_heads}, which does not divide the {heads} query heads");
        return Err(settings.refuse(Setting::KvHeads, why));
    }
    let head_size = head_size(settings, hidden, heads)?;
    let experts = experts(settings)?;
    let ropes = ropes(settings, head_size)?;
    let kinds = kinds(settings, layers, ropes.len(), experts.is_some())?;
    let is_sparse = |kind: &LayerKind| kind.feed_forward == FeedForwardKind::Experts;
    let all_sparse = kinds.iter().all(is_sparse);
    let feed_forward = match settings.size(Setting::FeedForward)? {
        None if all_sparse => 0,
        _ => settings.require(Setting::FeedForward, usize::from(!all_sparse)..=MOST)?,
    };
    let scale = match settings.positive(Setting::QueryScale)? {
        Some(scalar) => scalar,
        None if family.wide_scale == Some(layers) => (hidden / heads) as f64,
        None => head_size as f64,
    };
    Ok(Config {
        architecture: settings.architecture().to_owned(),
        vocabulary: settings.vocabulary()?,
        context: settings.require(Setting::Context, 1..=MOST_CONTEXT)?,
        layers,
        hidden,
        heads,
        kv_heads,
        head_size,
        feed_forward,
        norm: NormKind::Rms,
        norm_epsilon: settings.positive(Setting::NormEpsilon)?.unwrap_or(1e-6) as f32,
        head_norm_epsilon: 0.0,
        embedding_norm: false,
        halve_every: None,
        embedding_scale: if family.scaled_embedding { (hidden as f32).sqrt() } else { 1.0 },
        ropes,
        attention_scale: (1.0 / scale.sqrt()) as f32,
        attention_cap: settings.cap(Setting::AttentionCap)?,
        logit_cap: settings.cap(Setting::LogitCap)?,
        attention_bias: family.attention_bias,
        head_norms: family.head_norms,
        post_norms: family.post_norms,
        activation: settings.activation()?,
        experts,
        kinds,
    })
}

fn head_size(settings: &dyn Settings, hidden: usize, heads: usize) -> Result<usize> {
    match settings.size(Setting::HeadSize)? {
        Some(size) => settings.within(Setting::HeadSize, size, 1..=MOST),
        None if hidden.is_multiple_of(heads) => Ok(hidden / heads),
        None => {
            let why = format!("is {heads}, which does not divide the hidden size of {hidden}");
            Err(settings.refuse(Setting::Heads, why))
        }
    }
}

/// The ropes; if there are two, the second is for layers that look back on a window.
fn ropes(settings: &dyn Settings, head_size: usize) -> Result<Vec<RopeConfig>> {
    let (scaling, long) = settings.scaling()?;
    let (pairs, dims) = (settings.pairs(), settings.rope_dims(head_size)?);
    let base = settings.number(Setting::RopeBase)?.unwrap_or(10_000.0);
    let mut ropes = vec![RopeConfig { pairs, dims, base, scaling, long }];
    if let Some(usual) = settings.family().local_rope_base {
        let base = settings.positive(Setting::LocalRopeBase)?.unwrap_or(usual);
        let scaling = RopeScaling::None;
        ropes.push(RopeConfig { pairs, dims, base, scaling, long: None });
    }
    for rope in &ropes {
        check_rope(settings, rope, head_size)?;
    }
    Ok(ropes)
}

fn check_rope(settings: &dyn Settings, rope: &RopeConfig, head_size: usize) -> Result<()> {
    if rope.dims > head_size || !rope.dims.is_multiple_of(2) {
        let why =
            format!("is {}, not an even number up to the head size of {head_size}", rope.dims);
        return Err(settings.refuse(Setting::RopeDims, why));
    }
    if !(rope.base.is_finite() && rope.base > 1.0) {
        let why = format!("is {}, not a number above 1", rope.base);
        return Err(settings.refuse(Setting::RopeBase, why));
    }
    let scalings = [Some(&rope.scaling), rope.long.as_ref().map(|long| &long.scaling)];
    for scaling in scalings.into_iter().flatten() {
        let refuse = |e: bessemer_core::Error| {
            settings.refuse(Setting::RopeScaling, format!("cannot be used: {e}"))
        };
        scaling.frequencies(rope.base, rope.dims).map_err(refuse)?;
    }
    Ok(())
}

fn experts(settings: &dyn Settings) -> Result<Option<ExpertConfig>> {
    let family = settings.family();
    let stated = settings.size(Setting::Experts)?.unwrap_or(0);
    match family.experts {
        Experts::Perhaps if stated == 0 => return Ok(None),
        Experts::Never if stated == 0 => return Ok(None),
        Experts::Never => {
            let why = format!("is {stated}, but models of this architecture have no experts");
            return Err(settings.refuse(Setting::Experts, why));
        }
        Experts::Perhaps | Experts::Always => {}
    }
    let count = settings.require(Setting::Experts, 1..=MOST_EXPERTS)?;
    let own = match settings.size(Setting::ExpertFeedForward)? {
        Some(_) => Setting::ExpertFeedForward,
        None => Setting::FeedForward,
    };
    let shared = settings.size(Setting::SharedFeedForward)?.filter(|&size| size > 0);
    let shared = shared.map(|size| settings.within(Setting::SharedFeedForward, size, 1..=MOST));
    Ok(Some(ExpertConfig {
        count,
        used: settings.require(Setting::ExpertsUsed, 1..=count)?,
        feed_forward: settings.require(own, 1..=MOST)?,
        shared: shared.transpose()?,
        normed_shares: settings.normed_shares()?,
    }))
}

fn kinds(
    settings: &dyn Settings,
    layers: usize,
    ropes: usize,
    experts: bool,
) -> Result<Vec<LayerKind>> {
    let window = settings.size(Setting::Window)?.filter(|&window| window > 0);
    let local = if window.is_some() { settings.local(layers)? } else { vec![false; layers] };
    let sparse = if experts { settings.sparse(layers)? } else { vec![false; layers] };
    let (convolutions, conv_length) = match settings.family().short_conv {
        true => {
            let length = settings.require(Setting::ConvLength, 2..=MOST_CONV)?;
            (settings.convolutions(layers)?, length)
        }
        false => (vec![false; layers], 0),
    };
    let kind = |((&local, experts), convolution): ((&bool, bool), bool)| LayerKind {
        mixer: match convolution {
            true => MixerKind::ShortConv(ShortConvKind { length: conv_length }),
            false => MixerKind::Attention(AttentionKind {
                window: window.filter(|_| local),
                rope: if local { ropes - 1 } else { 0 },
            }),
        },
        feed_forward: match experts {
            true => FeedForwardKind::Experts,
            false => FeedForwardKind::Dense,
        },
    };
    Ok(local.iter().zip(sparse).zip(convolutions).map(kind).collect())
}

impl Local {
    /// Whether each of so many layers looks back on a window only.
    pub(super) fn layers(self, layers: usize) -> Vec<bool> {
        let local = |i: usize| match self {
            Local::None => false,
            Local::All => true,
            Local::ButLastOf(group) => !(i + 1).is_multiple_of(group),
        };
        (0..layers).map(local).collect()
    }
}
