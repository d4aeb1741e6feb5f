//! What a GGUF file states of a model: its keys, and the tensors that hold rope factors.

use super::{
    beyond,
    config::{Config, LongRope},
    family::{ARCHITECTURES, Family, Local},
    rwkv,
    settings::{self, Setting, Settings},
};
use crate::{
    Error, Result,
    files::{Gguf, gguf::Value},
};
use bessemer_core::DType;
use bessemer_ops::{Activation, RopePairs, RopeScaling};

impl Config {
    /// Reads the configuration of a file.
    pub fn of_gguf(file: &Gguf) -> Result<Config> {
        let architecture: &str = file.metadata().require("general.architecture")?;
        beyond::check_gguf(file, architecture)?;
        if let Some(config) = rwkv::config(file, architecture)? {
            return Ok(config);
        }
        let family = Family::of_gguf(architecture).ok_or_else(|| {
            Error::unsupported(
                file.metadata().path(),
                "key `general.architecture`",
                format!("architecture `{architecture}`"),
                format!("the supported ones are {}", ARCHITECTURES.join(", ")),
            )
        })?;
        settings::config(&Keys { file, family })
    }
}

/// The keys of one architecture.
struct Keys<'a> {
    file: &'a Gguf,
    family: &'static Family,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.family.name)
    }

    fn of(&self, setting: Setting) -> String {
        self.key(match setting {
            Setting::Layers => "block_count",
            Setting::Context => "context_length",
            Setting::Hidden => "embedding_length",
            Setting::Heads => "attention.head_count",
            Setting::KvHeads => "attention.head_count_kv",
            Setting::HeadSize => "attention.key_length",
            Setting::FeedForward => "feed_forward_length",
            Setting::NormEpsilon => "attention.layer_norm_rms_epsilon",
            Setting::RopeBase => "rope.freq_base",
            Setting::RopeDims => "rope.dimension_count",
            Setting::RopeScaling => "rope.scaling.type",
            Setting::LocalRopeBase => "rope.freq_base_swa",
            Setting::Window => "attention.sliding_window",
            Setting::AttentionCap => "attn_logit_softcapping",
            Setting::LogitCap => "final_logit_softcapping",
            Setting::QueryScale => "attention.query_pre_attn_scalar",
            Setting::Experts => "expert_count",
            Setting::ExpertsUsed => "expert_used_count",
            Setting::ExpertFeedForward => "expert_feed_forward_length",
            Setting::SharedFeedForward => "expert_shared_feed_forward_length",
            Setting::ConvLength => "shortconv.l_cache",
        })
    }

    fn named(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.file.metadata().get::<f32>(&self.key(name))?.map(f64::from))
    }

    /// Heads of keys and values of each layer, if the file lists them.
    fn kv_heads(&self) -> Result<Option<Vec<usize>>> {
        let (metadata, key) = (self.file.metadata(), self.of(Setting::KvHeads));
        match metadata.iter().find(|entry| entry.key == key).map(|entry| &entry.value) {
            Some(Value::Array(_)) => metadata.get(&key),
            _ => Ok(None),
        }
    }

    /// The numbers of a tensor with one divisor per pair.
    fn divisors(&self, name: &str) -> Result<Option<Vec<f32>>> {
        let tensors = self.file.tensors();
        let Some(tensor) = tensors.get(name) else {
            return Ok(None);
        };
        if tensor.dtype != DType::F32 {
            let why = format!("is {}, not f32", tensor.dtype);
            let path = self.file.metadata().path();
            return Err(Error::damaged(path, format!("tensor `{name}`"), why));
        }
        let bytes = tensors.bytes(tensor);
        Ok(Some(bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()))
    }
}

impl Settings for Keys<'_> {
    fn architecture(&self) -> &str {
        self.family.name
    }

    fn family(&self) -> &'static Family {
        self.family
    }

    fn size(&self, setting: Setting) -> Result<Option<usize>> {
        if setting == Setting::KvHeads
            && let Some(each) = self.kv_heads()?
        {
            let mut some = each.into_iter().filter(|&heads| heads > 0);
            let first = some.next();
            return match some.find(|&heads| Some(heads) != first) {
                Some(other) => {
                    let why = format!("differs between layers: {} and {other}", first.unwrap_or(0));
                    Err(self.refuse(setting, why))
                }
                None => Ok(first),
            };
        }
        self.file.metadata().get::<usize>(&self.of(setting))
    }

    fn number(&self, setting: Setting) -> Result<Option<f64>> {
        Ok(self.file.metadata().get::<f32>(&self.of(setting))?.map(f64::from))
    }

    fn refuse(&self, setting: Setting, why: String) -> Error {
        self.file.metadata().refuse(&self.of(setting), why)
    }

    fn missing(&self, setting: Setting) -> Error {
        self.file.metadata().missing(&self.of(setting))
    }

    fn vocabulary(&self) -> Result<usize> {
        let embedding = self.file.tensors().require("token_embd.weight")?;
        Ok(embedding.shape.first().copied().unwrap_or(0))
    }

    fn activation(&self) -> Result<Activation> {
        Ok(self.family.activation)
    }

    fn pairs(&self) -> RopePairs {
        if self.family.neighbours { RopePairs::Neighbours } else { RopePairs::Halves }
    }

    fn rope_dims(&self, head_size: usize) -> Result<usize> {
        Ok(self.size(Setting::RopeDims)?.unwrap_or(head_size))
    }

    fn scaling(&self) -> Result<(RopeScaling, Option<LongRope>)> {
        if let Some(divisors) = self.divisors("rope_freqs.weight")? {
            return Ok((RopeScaling::Divisors { divisors, magnitude: 1.0 }, None));
        }
        let original = "rope.scaling.original_context_length";
        let original = self.file.metadata().get::<usize>(&self.key(original))?;
        let attention_factor = self.named("rope.scaling.attn_factor")?;
        let short = self.divisors("rope_factors_short.weight")?;
        let long = self.divisors("rope_factors_long.weight")?;
        if let Some((short, long)) = short.zip(long) {
            let magnitude = attention_factor.unwrap_or(1.0) as f32;
            let scaling = |divisors| RopeScaling::Divisors { divisors, magnitude };
            let beyond = match original {
                Some(original) => original,
                None => self.require(Setting::Context, 0..=usize::MAX)?,
            };
            return Ok((scaling(short), Some(LongRope { beyond, scaling: scaling(long) })));
        }
        let kind: Option<&str> = self.file.metadata().get(&self.of(Setting::RopeScaling))?;
        let factor = self.named("rope.scaling.factor")?.unwrap_or(1.0);
        let scaling = match kind {
            None => match self.named("rope.scale_linear")? {
                Some(factor) => RopeScaling::Linear { factor },
                None => RopeScaling::None,
            },
            Some("none") => RopeScaling::None,
            Some("linear") => RopeScaling::Linear { factor },
            Some("yarn") => RopeScaling::Yarn {
                factor,
                original_context: match original {
                    Some(original) => original,
                    None => self.require(Setting::Context, 0..=usize::MAX)?,
                } as f64,
                beta_fast: self.named("rope.scaling.yarn_beta_fast")?.unwrap_or(32.0),
                beta_slow: self.named("rope.scaling.yarn_beta_slow")?.unwrap_or(1.0),
                // On top of the usual one.
                attention_factor: attention_factor
                    .map(|own| own * (0.1 * factor.max(1.0).ln() + 1.0)),
            },
            Some(other) => {
                return Err(Error::unsupported(
                    self.file.metadata().path(),
                    format!("key `{}`", self.of(Setting::RopeScaling)),
                    format!("scaling `{other}`"),
                    "the supported ones are linear and yarn, and factors stored as tensors",
                ));
            }
        };
        Ok((scaling, None))
    }

    fn local(&self, layers: usize) -> Result<Vec<bool>> {
        let (metadata, key) = (self.file.metadata(), self.key("attention.sliding_window_pattern"));
        let stated = metadata.iter().find(|entry| entry.key == key);
        match stated.map(|entry| &entry.value) {
            None => Ok(self.family.local.layers(layers)),
            Some(Value::Array(list)) => {
                let each = list.scalars().into_iter().flatten();
                let each: Vec<bool> =
                    each.map(|value| matches!(value, Value::Bool(true))).collect();
                if each.len() != layers {
                    let why = format!("lists {} layers, not {layers}", list.len());
                    return Err(metadata.refuse(&key, why));
                }
                Ok(each)
            }
            Some(_) => match metadata.require::<usize>(&key)? {
                0 => Err(metadata.refuse(&key, "is 0")),
                group => Ok(Local::ButLastOf(group).layers(layers)),
            },
        }
    }

    fn sparse(&self, layers: usize) -> Result<Vec<bool>> {
        Ok(vec![true; layers])
    }

    fn convolutions(&self, layers: usize) -> Result<Vec<bool>> {
        // Layers without heads.
        match self.kv_heads()? {
            None => Ok(vec![false; layers]),
            Some(each) if each.len() == layers => {
                Ok(each.iter().map(|&heads| heads == 0).collect())
            }
            Some(each) => {
                let why = format!("lists {} layers, not {layers}", each.len());
                Err(self.refuse(Setting::KvHeads, why))
            }
        }
    }

    fn normed_shares(&self) -> Result<bool> {
        let stated = self.file.metadata().get::<bool>(&self.key("expert_weights_norm"))?;
        Ok(stated.unwrap_or(self.family.normed_shares))
    }
}
