//! The configuration of a GGUF file: its keys, and what each architecture means by them.

use super::config::{Config, RopeConfig};
use crate::{
    Error, Result,
    files::{Gguf, gguf::Metadata},
};
use bessemer_ops::{Activation, RopePairs, RopeScaling};

/// The architectures there are, as `general.architecture` names them.
pub const ARCHITECTURES: [&str; 3] = ["llama", "qwen2", "qwen3"];

impl Config {
    /// Reads the configuration of a file.
    pub fn of_gguf(file: &Gguf) -> Result<Config> {
        let metadata = file.metadata();
        let architecture: &str = metadata.require("general.architecture")?;
        if !ARCHITECTURES.contains(&architecture) {
            return Err(Error::unsupported(
                metadata.path(),
                "key `general.architecture`",
                format!("the architecture `{architecture}`"),
                format!("there are {}", ARCHITECTURES.join(", ")),
            ));
        }
        let keys = Keys { metadata, architecture };
        let config = keys.config(file)?;
        keys.check(&config)?;
        Ok(config)
    }
}

/// The keys of one architecture.
struct Keys<'a> {
    metadata: &'a Metadata,
    architecture: &'a str,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture)
    }

    fn size(&self, name: &str) -> Result<usize> {
        self.metadata.require::<usize>(&self.key(name))
    }

    fn size_or(&self, name: &str, other: usize) -> Result<usize> {
        Ok(self.metadata.get::<usize>(&self.key(name))?.unwrap_or(other))
    }

    fn number(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.metadata.get::<f32>(&self.key(name))?.map(f64::from))
    }

    fn config(&self, file: &Gguf) -> Result<Config> {
        let hidden = self.size("embedding_length")?;
        let heads = self.size("attention.head_count")?;
        let head_size = self.size_or("attention.key_length", hidden / heads.max(1))?;
        let layers = self.size("block_count")?;
        let number = |name: &str| Ok::<_, Error>(self.number(name)?.map(|x| x as f32));
        Ok(Config {
            architecture: self.architecture.to_owned(),
            vocabulary: file.tensors().require("token_embd.weight")?.shape[0],
            context: self.size("context_length")?,
            layers,
            hidden,
            heads,
            kv_heads: self.size_or("attention.head_count_kv", heads)?,
            head_size,
            feed_forward: self.size("feed_forward_length")?,
            norm_epsilon: number("attention.layer_norm_rms_epsilon")?.unwrap_or(1e-5),
            rope: self.rope(file, head_size)?,
            attention_scale: 1.0 / (head_size as f32).sqrt(),
            attention_cap: number("attn_logit_softcapping")?,
            window: self
                .metadata
                .get::<usize>(&self.key("attention.sliding_window"))?
                .filter(|&w| w > 0),
            activation: Activation::Silu,
        })
    }

    fn rope(&self, file: &Gguf, head_size: usize) -> Result<RopeConfig> {
        // Files of this family have their heads rearranged for neighbours.
        let neighbours = self.architecture == "llama";
        Ok(RopeConfig {
            pairs: if neighbours { RopePairs::Neighbours } else { RopePairs::Halves },
            dims: self.size_or("rope.dimension_count", head_size)?,
            base: self.number("rope.freq_base")?.unwrap_or(10_000.0),
            scaling: self.scaling(file)?,
        })
    }

    fn scaling(&self, file: &Gguf) -> Result<RopeScaling> {
        if let Some(tensor) = file.tensors().get("rope_freqs.weight") {
            let bytes = file.tensors().bytes(tensor);
            let divisors = bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
            return Ok(RopeScaling::Divisors { divisors, magnitude: 1.0 });
        }
        let factor = self.number("rope.scaling.factor")?.unwrap_or(1.0);
        let kind: Option<&str> = self.metadata.get(&self.key("rope.scaling.type"))?;
        match kind {
            Some("linear") => Ok(RopeScaling::Linear { factor }),
            Some("yarn") => Ok(RopeScaling::Yarn {
                factor,
                original_context: self.size("rope.scaling.original_context_length")? as f64,
                beta_fast: self.number("rope.scaling.yarn_beta_fast")?.unwrap_or(32.0),
                beta_slow: self.number("rope.scaling.yarn_beta_slow")?.unwrap_or(1.0),
                attention_factor: self.number("rope.scaling.attn_factor")?,
            }),
            None | Some("none") => Ok(RopeScaling::None),
            Some(other) => Err(Error::unsupported(
                self.metadata.path(),
                format!("key `{}`", self.key("rope.scaling.type")),
                format!("the scaling `{other}`"),
                "there are linear and yarn",
            )),
        }
    }

    /// Whether the sizes fit each other: files lie.
    fn check(&self, config: &Config) -> Result<()> {
        let Config { layers, hidden, heads, kv_heads, head_size, context, .. } = *config;
        let refuse = |name: &str, why: &str| Err(self.metadata.refuse(&self.key(name), why));
        let sizes = [
            ("block_count", layers),
            ("embedding_length", hidden),
            ("attention.head_count", heads),
            ("attention.key_length", head_size),
            ("context_length", context),
            ("feed_forward_length", config.feed_forward),
        ];
        if let Some((name, _)) = sizes.into_iter().find(|&(_, size)| size == 0) {
            return refuse(name, "is 0");
        }
        // Far beyond what any model has: products of these never overflow.
        if let Some((name, _)) = sizes.into_iter().find(|&(_, size)| size > 1 << 24) {
            return refuse(name, "is larger than any model's");
        }
        if kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
            return refuse("attention.head_count_kv", "does not divide the number of heads");
        }
        if config.rope.dims > head_size || !config.rope.dims.is_multiple_of(2) {
            return refuse("rope.dimension_count", "is odd or more than a head has");
        }
        if self.size_or("expert_count", 0)? > 0 {
            return Err(Error::unsupported(
                self.metadata.path(),
                format!("key `{}`", self.key("expert_count")),
                "a mixture of experts",
                "choose a dense model",
            ));
        }
        Ok(())
    }
}
