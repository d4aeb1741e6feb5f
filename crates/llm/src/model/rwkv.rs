//! What the keys of a GGUF file state of an RWKV model. Files of other kinds are presented as GGUF
//! before they come here.

use super::{
    config::{Config, FeedForwardKind, LayerKind, NormKind},
    mixer::{ChannelMixKind, MixerKind, Rwkv4Kind, Rwkv5Kind, Rwkv6Kind, Rwkv7Kind},
    settings::{MOST, MOST_CONTEXT, MOST_LAYERS},
};
use crate::{
    Error, Result,
    files::{Gguf, gguf::FromValue},
};
use bessemer_ops::Activation;
use std::{fmt::Display, ops::RangeInclusive};

/// The architectures, as `general.architecture` names them.
pub(super) const ARCHITECTURES: [&str; 6] =
    ["rwkv4", "rwkv5", "rwkv6", "rwkv7", "rwkv6qwen2", "arwkv7"];

/// A version of RWKV's recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V4,
    V5,
    V6,
    V7,
}

/// A tensor that only one version has, for each of them.
const SIGNS: [(&str, Version); 3] = [
    ("blk.0.time_mix_k_k.weight", Version::V7),
    ("blk.0.time_mix_decay_w1.weight", Version::V6),
    ("blk.0.time_mix_ln.weight", Version::V5),
];

/// Reads and checks the configuration of a file; `None` if it is of another architecture.
pub(super) fn config(file: &Gguf, architecture: &str) -> Result<Option<Config>> {
    let (version, stand_in) = match architecture {
        "rwkv4" => (Version::V4, false),
        "rwkv5" => (Version::V5, false),
        "rwkv6" => (Version::V6, false),
        "rwkv6qwen2" => (Version::V6, true),
        "rwkv7" => (Version::V7, false),
        "arwkv7" => (Version::V7, true),
        _ => return Ok(None),
    };
    Keys { file, architecture, version, stand_in }.config().map(Some)
}

/// What the tensors of layers are called that norm the input of the feed-forward part; `None` for
/// other architectures.
pub(super) fn feed_forward_norm(architecture: &str) -> Option<&'static str> {
    match architecture {
        "rwkv4" | "rwkv5" | "rwkv6" | "rwkv7" => Some("attn_norm_2"),
        _ => None,
    }
}

struct Keys<'a> {
    file: &'a Gguf,
    architecture: &'a str,
    version: Version,
    /// Whether the recurrence stands in for the attention of another model, whose other parts remain.
    stand_in: bool,
}

impl<'a> Keys<'a> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture)
    }

    fn get<T: FromValue<'a>>(&self, name: &str) -> Result<Option<T>> {
        self.file.metadata().get(&self.key(name))
    }

    fn refuse(&self, name: &str, why: impl Display) -> Error {
        self.file.metadata().refuse(&self.key(name), why.to_string())
    }

    fn size(&self, name: &str, within: RangeInclusive<usize>) -> Result<usize> {
        let found: usize = self.file.metadata().require(&self.key(name))?;
        match within.contains(&found) {
            true => Ok(found),
            false => {
                let (least, most) = within.into_inner();
                Err(self.refuse(name, format!("is {found}, not from {least} to {most}")))
            }
        }
    }

    fn epsilon(&self, name: &str, usual: f32) -> Result<f32> {
        match self.get::<f32>(name)? {
            None => Ok(usual),
            Some(found) if found.is_finite() && found > 0.0 => Ok(found),
            Some(found) => Err(self.refuse(name, format!("is {found}, not a number above 0"))),
        }
    }

    fn has(&self, tensor: &str) -> bool {
        self.file.tensors().get(tensor).is_some()
    }

    fn config(&self) -> Result<Config> {
        self.check_version()?;
        let layers = self.size("block_count", 1..=MOST_LAYERS)?;
        let hidden = self.size("embedding_length", 1..=MOST)?;
        let head_size = match self.version {
            // Each channel by itself.
            Version::V4 => 1,
            _ => self.size("wkv.head_size", 1..=MOST)?,
        };
        if !hidden.is_multiple_of(head_size) {
            let why = format!("is {head_size}, which does not divide the hidden size of {hidden}");
            return Err(self.refuse("wkv.head_size", why));
        }
        let heads = hidden / head_size;
        let kind = LayerKind {
            mixer: self.mixer()?,
            feed_forward: match self.stand_in {
                true => FeedForwardKind::Dense,
                false => FeedForwardKind::ChannelMix(ChannelMixKind {
                    receptance: self.version != Version::V7,
                }),
            },
        };
        let (norm, norm_epsilon) = match self.stand_in {
            true => (NormKind::Rms, self.epsilon("attention.layer_norm_rms_epsilon", 1e-6)?),
            false => (NormKind::Layer, self.epsilon("attention.layer_norm_epsilon", 1e-5)?),
        };
        let embedding = self.file.tensors().require("token_embd.weight")?;
        Ok(Config {
            architecture: self.architecture.to_owned(),
            vocabulary: embedding.shape.first().copied().unwrap_or(0),
            context: self.size("context_length", 1..=MOST_CONTEXT)?,
            layers,
            hidden,
            heads,
            kv_heads: self.kv_heads(heads)?,
            head_size,
            feed_forward: self.size("feed_forward_length", 1..=MOST)?,
            norm,
            norm_epsilon,
            head_norm_epsilon: self.epsilon("attention.group_norm_epsilon", 64e-5)?,
            embedding_norm: !self.stand_in,
            halve_every: self.get("rescale_every_n_layers")?.filter(|&every| every > 0),
            embedding_scale: 1.0,
            ropes: Vec::new(),
            attention_scale: 1.0,
            attention_cap: None,
            logit_cap: None,
            attention_bias: false,
            head_norms: false,
            post_norms: false,
            activation: Activation::Silu,
            experts: None,
            kinds: vec![kind; layers],
        })
    }

    fn mixer(&self) -> Result<MixerKind> {
        let rank = |name: &str| self.size(name, 1..=MOST);
        let has_norm = self.has("blk.0.time_mix_ln.weight");
        Ok(match self.version {
            Version::V4 => MixerKind::Rwkv4(Rwkv4Kind),
            Version::V5 => {
                MixerKind::Rwkv5(Rwkv5Kind { gate: self.has("blk.0.time_mix_gate.weight") })
            }
            Version::V6 => MixerKind::Rwkv6(Rwkv6Kind {
                mix_rank: rank("time_mix_extra_dim")?,
                decay_rank: rank("time_decay_extra_dim")?,
                stand_in: self.stand_in,
            }),
            Version::V7 => MixerKind::Rwkv7(Rwkv7Kind {
                decay_rank: rank("attention.decay_lora_rank")?,
                rate_rank: rank("attention.iclr_lora_rank")?,
                value_rank: rank("attention.value_residual_mix_lora_rank")?,
                gate_rank: match self.stand_in && !self.has("blk.0.time_mix_g1.weight") {
                    true => None,
                    false => Some(rank("attention.gate_lora_rank")?),
                },
                norm: has_norm || !self.stand_in,
            }),
        })
    }

    /// Heads of keys and values, which only stand-ins share.
    fn kv_heads(&self, heads: usize) -> Result<usize> {
        const KEY: &str = "attention.head_count_kv";
        let stated = self.get::<usize>(KEY)?.filter(|&own| own > 0 && self.stand_in);
        let own = stated.unwrap_or(heads);
        match heads.is_multiple_of(own) && (own == heads || self.version == Version::V6) {
            true => Ok(own),
            false => Err(self.refuse(KEY, format!("is {own}, which does not fit {heads} heads"))),
        }
    }

    /// An error if the tensors are those of another version.
    fn check_version(&self) -> Result<()> {
        let found = SIGNS.iter().find(|(tensor, _)| self.has(tensor));
        let is = match found {
            Some(&(_, version)) => version,
            // Stand-ins may have none of these.
            None if self.stand_in => self.version,
            None => Version::V4,
        };
        if is == self.version {
            return Ok(());
        }
        let (architecture, sign) = (self.architecture, found.map(|(tensor, _)| *tensor));
        let why = match sign {
            Some(sign) => format!(
                "is `{architecture}`, but tensor `{sign}` is one of RWKV {}",
                is as usize + 4
            ),
            None => {
                let (sign, _) = SIGNS[SIGNS.len() - (self.version as usize)];
                format!("is `{architecture}`, but there is no tensor `{sign}`")
            }
        };
        Err(self.file.metadata().refuse("general.architecture", why))
    }
}
