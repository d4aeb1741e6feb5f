//! The metadata of a model, by the keys that llama.cpp reads.

use super::{facts::Facts, version::Version};
use crate::{
    Result,
    files::gguf::{Entry, Metadata, Value},
};
use bessemer_core::DType;
use std::path::Path;

/// There is no limit; llama.cpp's converter writes this.
const CONTEXT: u32 = 1 << 20;

/// The number of `general.file_type` for a model that is mostly of a dtype.
fn file_type(dtype: DType) -> u32 {
    match dtype {
        DType::F16 => 1,
        DType::BF16 => 32,
        _ => 0,
    }
}

/// Metadata under construction.
pub(super) struct Keys {
    metadata: Metadata,
    architecture: &'static str,
}

impl Keys {
    /// All keys but those of the tokenizer.
    pub(super) fn of(facts: &Facts, path: &Path, name: &str, dtype: DType) -> Result<Keys> {
        let architecture = facts.version.architecture();
        let mut keys = Keys { metadata: Metadata::new(path), architecture };
        keys.set("general.architecture", architecture)?;
        keys.set("general.type", "model")?;
        keys.set("general.name", name)?;
        keys.set("general.file_type", file_type(dtype))?;
        keys.own("context_length", CONTEXT)?;
        keys.size("vocab_size", facts.vocabulary)?;
        keys.size("embedding_length", facts.hidden)?;
        keys.size("block_count", facts.layers)?;
        keys.size("feed_forward_length", facts.feed_forward)?;
        let in_qwen = facts.version.is_in_qwen();
        keys.own("attention.head_count", 0u32)?;
        let epsilon = if in_qwen { "layer_norm_rms_epsilon" } else { "layer_norm_epsilon" };
        keys.own(&format!("attention.{epsilon}"), facts.norm_epsilon as f32)?;
        keys.own("token_shift_count", if in_qwen { 1u32 } else { 2 })?;
        if facts.version != Version::V4 {
            keys.size("wkv.head_size", facts.head_size)?;
        }
        if let Some(epsilon) = facts.group_norm_epsilon {
            keys.own("attention.group_norm_epsilon", epsilon as f32)?;
        }
        match facts.version {
            Version::V4 | Version::V5 => {}
            Version::V6 | Version::Qwen6 => {
                keys.size("time_mix_extra_dim", facts.mix_rank)?;
                keys.size("time_decay_extra_dim", facts.decay_rank)?;
            }
            Version::V7 | Version::Hybrid7 => {
                keys.size("attention.decay_lora_rank", facts.decay_rank)?;
                keys.size("attention.iclr_lora_rank", facts.iclr_rank)?;
                keys.size("attention.value_residual_mix_lora_rank", facts.value_rank)?;
                keys.size("attention.gate_lora_rank", facts.gate_rank)?;
            }
        }
        if facts.version == Version::Qwen6 {
            keys.size("attention.head_count_kv", facts.kv_width / facts.head_size)?;
        }
        Ok(keys)
    }

    pub(super) fn set(&mut self, key: &str, value: impl Into<Value>) -> Result<()> {
        self.metadata.insert(Entry { key: key.to_owned(), value: value.into(), at: 0 })
    }

    /// A key of the architecture.
    fn own(&mut self, name: &str, value: impl Into<Value>) -> Result<()> {
        self.set(&format!("{}.{name}", self.architecture), value)
    }

    fn size(&mut self, name: &str, size: usize) -> Result<()> {
        self.own(name, u32::try_from(size).unwrap_or(u32::MAX))
    }

    pub(super) fn finish(self) -> Metadata {
        self.metadata
    }
}
