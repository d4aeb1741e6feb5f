//! What the `config.json` of a model from the hub states: keys of today's and of older files.

use super::{
    beyond,
    config::{Config, LongRope},
    family::{Experts, Family, Local, model_types},
    settings::{self, Setting, Settings},
};
use crate::{
    Error, Result,
    files::{self, Safetensors},
};
use bessemer_ops::{Activation, RopePairs, RopeScaling};
use serde::de::DeserializeOwned;

impl Config {
    /// Reads the configuration that lies beside safetensors files.
    pub fn of_safetensors(files: &Safetensors) -> Result<Config> {
        let config = files.require_config()?;
        let (family, model_type) = (family(files)?, config.require("model_type")?);
        beyond::check_hub(config, family.short_conv)?;
        settings::config(&Keys { files, config, family, model_type })
    }
}

/// The family of a model, if it is one there is.
pub(super) fn family(files: &Safetensors) -> Result<&'static Family> {
    let config = files.require_config()?;
    let model_type: String = config.require("model_type")?;
    Family::of_model_type(&model_type).ok_or_else(|| {
        let what = format!("architecture `{model_type}`");
        let remedy = format!("the supported ones are {}", model_types());
        Error::unsupported(config.path(), "key `model_type`", what, remedy)
    })
}

struct Keys<'a> {
    files: &'a Safetensors,
    config: &'a files::Config,
    family: &'static Family,
    model_type: String,
}

/// Where a setting may stand: the first that is there counts.
fn places(setting: Setting) -> &'static [&'static str] {
    match setting {
        Setting::Layers => &["num_hidden_layers"],
        Setting::Context => &["max_position_embeddings"],
        Setting::Hidden => &["hidden_size"],
        Setting::Heads => &["num_attention_heads"],
        Setting::KvHeads => &["num_key_value_heads"],
        Setting::HeadSize => &["head_dim"],
        Setting::FeedForward => &["intermediate_size", "block_ff_dim"],
        Setting::NormEpsilon => &["rms_norm_eps", "norm_eps"],
        Setting::RopeBase => &[
            "rope_parameters.full_attention.rope_theta",
            "rope_parameters.rope_theta",
            "rope_theta",
        ],
        Setting::RopeDims => &["rope_parameters.partial_rotary_factor", "partial_rotary_factor"],
        Setting::RopeScaling => {
            &["rope_parameters.full_attention", "rope_parameters", "rope_scaling"]
        }
        Setting::LocalRopeBase => {
            &["rope_parameters.sliding_attention.rope_theta", "rope_local_base_freq"]
        }
        Setting::Window => &["sliding_window"],
        Setting::AttentionCap => &["attn_logit_softcapping"],
        Setting::LogitCap => &["final_logit_softcapping"],
        Setting::QueryScale => &["query_pre_attn_scalar"],
        Setting::Experts => &["num_local_experts", "num_experts"],
        Setting::ExpertsUsed => &["num_experts_per_tok"],
        Setting::ExpertFeedForward => &["moe_intermediate_size"],
        Setting::SharedFeedForward => &["shared_expert_intermediate_size"],
        Setting::ConvLength => &["conv_L_cache"],
    }
}

impl Keys<'_> {
    /// The value of a key, of the language model's own section first where there is one.
    fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        match self.config.get(&format!("text_config.{key}"))? {
            None => self.config.get(key),
            found => Ok(found),
        }
    }

    /// The first place of a setting that the file has, with its value.
    fn find<T: DeserializeOwned>(&self, setting: Setting) -> Result<Option<T>> {
        for key in places(setting) {
            if let Some(found) = self.get(key)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn default(&self, setting: Setting) -> Option<f64> {
        self.family.defaults.iter().find(|(own, _)| *own == setting).map(|&(_, value)| value)
    }

    /// A key of how turns are stretched, which may stand in several places.
    fn rope<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        for section in places(Setting::RopeScaling) {
            if let Some(found) = self.get(&format!("{section}.{key}"))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn rope_number(&self, key: &str) -> Result<f64> {
        self.rope(key)?.ok_or_else(|| self.refuse(Setting::RopeScaling, format!("has no `{key}`")))
    }

    /// Tokens of context the model was first trained on.
    fn original_context(&self) -> Result<usize> {
        let key = "original_max_position_embeddings";
        match self.rope(key)? {
            Some(found) => Ok(found),
            None => match self.get(key)? {
                Some(found) => Ok(found),
                None => self.require(Setting::Context, 0..=usize::MAX),
            },
        }
    }

    /// What yarn multiplies queries and keys by, if the file says: in one number, or as a ratio.
    fn yarn_magnitude(&self) -> Result<Option<f64>> {
        let ratio = self.rope::<f64>("mscale")?.zip(self.rope::<f64>("mscale_all_dim")?);
        match (self.rope("attention_factor")?, ratio) {
            (None, Some((own, all))) if own != 0.0 && all != 0.0 => {
                let longer = self.rope_number("factor")?.max(1.0).ln();
                Ok(Some((0.1 * own * longer + 1.0) / (0.1 * all * longer + 1.0)))
            }
            (stated, _) => Ok(stated),
        }
    }

    /// The size of feed-forward parts, which some files state before it is adjusted.
    fn feed_forward(&self, stated: usize) -> Result<usize> {
        if self.get("block_auto_adjust_ff_dim")? != Some(true) {
            return Ok(stated);
        }
        let by: f64 = self.get("block_ffn_dim_multiplier")?.unwrap_or(1.0);
        let multiple = self.get("block_multiple_of")?.unwrap_or(256usize).max(1);
        let adjusted = (by * (stated as f64 * 2.0 / 3.0).floor()) as usize;
        Ok(adjusted.div_ceil(multiple).saturating_mul(multiple))
    }

    fn long_rope(&self) -> Result<(RopeScaling, Option<LongRope>)> {
        let beyond = self.original_context()?;
        let context = self.require(Setting::Context, 0..=usize::MAX)?;
        let magnitude = match self.rope::<f64>("attention_factor")? {
            Some(magnitude) => magnitude,
            None if context <= beyond => 1.0,
            None => {
                let longer = context as f64 / beyond as f64;
                (1.0 + longer.ln() / (beyond as f64).ln()).sqrt()
            }
        } as f32;
        let scaling = |key: &str| -> Result<RopeScaling> {
            let divisors = self
                .rope::<Vec<f32>>(key)?
                .ok_or_else(|| self.refuse(Setting::RopeScaling, format!("has no `{key}`")))?;
            Ok(RopeScaling::Divisors { divisors, magnitude })
        };
        let long = LongRope { beyond, scaling: scaling("long_factor")? };
        Ok((scaling("short_factor")?, Some(long)))
    }
}

impl Settings for Keys<'_> {
    fn architecture(&self) -> &str {
        &self.model_type
    }

    fn family(&self) -> &'static Family {
        self.family
    }

    fn size(&self, setting: Setting) -> Result<Option<usize>> {
        let found = self.find(setting)?.or(self.default(setting).map(|x| x as usize));
        match found {
            Some(stated) if setting == Setting::FeedForward => self.feed_forward(stated).map(Some),
            found => Ok(found),
        }
    }

    fn number(&self, setting: Setting) -> Result<Option<f64>> {
        Ok(self.find(setting)?.or(self.default(setting)))
    }

    fn refuse(&self, setting: Setting, why: String) -> Error {
        let places = places(setting);
        let there = |key: &&&str| self.get::<serde_json::Value>(key).is_ok_and(|x| x.is_some());
        let key = places.iter().find(there).unwrap_or(&places[0]);
        Error::damaged(self.config.path(), format!("key `{key}`"), why)
    }

    fn missing(&self, setting: Setting) -> Error {
        self.config.missing(places(setting)[0])
    }

    fn vocabulary(&self) -> Result<usize> {
        let embedding = super::names::Names::of_hub(self.family, self.files.tensors()).embedding();
        let embedding = self.files.tensors().require(&embedding)?;
        Ok(embedding.shape.first().copied().unwrap_or(0))
    }

    fn activation(&self) -> Result<Activation> {
        for key in ["hidden_activation", "hidden_act"] {
            let Some(name) = self.get::<String>(key)? else { continue };
            return match name.as_str() {
                "silu" | "swish" => Ok(Activation::Silu),
                "gelu" => Ok(Activation::Gelu),
                "gelu_pytorch_tanh" | "gelu_new" => Ok(Activation::GeluTanh),
                other => Err(Error::unsupported(
                    self.config.path(),
                    format!("key `{key}`"),
                    format!("activation `{other}`"),
                    "the supported ones are silu, gelu and gelu_pytorch_tanh",
                )),
            };
        }
        Ok(self.family.activation)
    }

    fn pairs(&self) -> RopePairs {
        RopePairs::Halves
    }

    fn rope_dims(&self, head_size: usize) -> Result<usize> {
        match self.positive(Setting::RopeDims)? {
            Some(part) => Ok((head_size as f64 * part) as usize),
            None => Ok(head_size),
        }
    }

    fn scaling(&self) -> Result<(RopeScaling, Option<LongRope>)> {
        let kind = match self.rope::<String>("rope_type")? {
            Some(kind) => Some(kind),
            None => self.rope::<String>("type")?,
        };
        let scaling = match kind.as_deref() {
            None | Some("default") => RopeScaling::None,
            Some("linear") => RopeScaling::Linear { factor: self.rope_number("factor")? },
            Some("llama3") => RopeScaling::Llama3 {
                factor: self.rope_number("factor")?,
                low_frequency_factor: self.rope_number("low_freq_factor")?,
                high_frequency_factor: self.rope_number("high_freq_factor")?,
                original_context: self.original_context()? as f64,
            },
            Some("yarn") => RopeScaling::Yarn {
                factor: self.rope_number("factor")?,
                original_context: self.original_context()? as f64,
                beta_fast: self.rope("beta_fast")?.unwrap_or(32.0),
                beta_slow: self.rope("beta_slow")?.unwrap_or(1.0),
                attention_factor: self.yarn_magnitude()?,
            },
            Some("longrope" | "su") => return self.long_rope(),
            Some(other) => {
                return Err(Error::unsupported(
                    self.config.path(),
                    format!("key `{}`", places(Setting::RopeScaling)[2]),
                    format!("scaling `{other}`"),
                    "the supported ones are linear, llama3, yarn and longrope",
                ));
            }
        };
        Ok((scaling, None))
    }

    fn local(&self, layers: usize) -> Result<Vec<bool>> {
        // Some families state a window and then that it is not used.
        if self.family.local == Local::None && self.get("use_sliding_window")? != Some(true) {
            return Ok(vec![false; layers]);
        }
        if let Some(types) = self.get::<Vec<String>>("layer_types")? {
            if types.len() != layers {
                let why = format!("lists {} layers, not {layers}", types.len());
                return Err(Error::damaged(self.config.path(), "key `layer_types`", why));
            }
            let local = |kind: &String| match kind.as_str() {
                "sliding_attention" => Ok(true),
                "full_attention" => Ok(false),
                other => Err(Error::unsupported(
                    self.config.path(),
                    "key `layer_types`",
                    format!("layer type `{other}`"),
                    "the supported ones are full_attention and sliding_attention",
                )),
            };
            return types.iter().map(local).collect();
        }
        if let (Local::ButLastOf(_), Some(group)) =
            (self.family.local, self.get::<usize>("sliding_window_pattern")?)
        {
            return match group {
                0 => {
                    Err(Error::damaged(self.config.path(), "key `sliding_window_pattern`", "is 0"))
                }
                group => Ok(Local::ButLastOf(group).layers(layers)),
            };
        }
        if self.family.local == Local::None {
            let first = self.get::<usize>("max_window_layers")?.unwrap_or(28);
            return Ok((0..layers).map(|i| i >= first).collect());
        }
        Ok(self.family.local.layers(layers))
    }

    fn sparse(&self, layers: usize) -> Result<Vec<bool>> {
        let step = self.get::<usize>("decoder_sparse_step")?.unwrap_or(1);
        let dense = self.get::<Vec<usize>>("mlp_only_layers")?.unwrap_or_default();
        if step == 0 {
            return Err(Error::damaged(self.config.path(), "key `decoder_sparse_step`", "is 0"));
        }
        Ok((0..layers).map(|i| (i + 1).is_multiple_of(step) && !dense.contains(&i)).collect())
    }

    fn convolutions(&self, layers: usize) -> Result<Vec<bool>> {
        let Some(types) = self.get::<Vec<String>>("layer_types")? else {
            let attend: Vec<usize> = self.get("full_attn_idxs")?.unwrap_or_default();
            return Ok((0..layers).map(|layer| !attend.contains(&layer)).collect());
        };
        if types.len() != layers {
            let why = format!("lists {} layers, not {layers}", types.len());
            return Err(Error::damaged(self.config.path(), "key `layer_types`", why));
        }
        Ok(types.iter().map(|kind| kind == "conv").collect())
    }

    fn normed_shares(&self) -> Result<bool> {
        // Where the key is left out, families that have it mean no, and others always norm.
        let has_key = self.family.experts == Experts::Always;
        Ok(self.get("norm_topk_prob")?.unwrap_or(!has_key))
    }
}
