//! The names of tensors: what Hugging Face's libraries call them becomes what the authors of RWKV do.
//!
//! A norm of layer 0 is `blocks.0.ln1.weight`, its mixer `blocks.0.att.…`, its feed-forward part
//! `blocks.0.ffn.…`, or `blocks.0.mlp.…` where that of a transformer was kept.

use crate::files::{Tensor, Tensors};
use foldhash::HashMap;
use std::borrow::Cow;

/// Tensors by their usual names.
pub(super) struct Named<'a> {
    pub(super) tensors: &'a Tensors,
    by_name: HashMap<Cow<'a, str>, &'a Tensor>,
    /// How many layers have tensors.
    pub(super) layers: usize,
    /// Whether low-rank matrices are named as linear layers, and so have a row for each output.
    pub(super) is_lora: bool,
}

impl<'a> Named<'a> {
    pub(super) fn new(tensors: &'a Tensors) -> Named<'a> {
        let mut named = Named { tensors, by_name: HashMap::default(), layers: 0, is_lora: false };
        for tensor in tensors.iter() {
            let name = usual(&tensor.name);
            named.is_lora |= tensor.name.contains("_lora.lora.");
            if let Some(layer) = layer_of(&name) {
                named.layers = named.layers.max(layer.saturating_add(1));
            }
            named.by_name.insert(name, tensor);
        }
        named
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Tensor> {
        self.by_name.get(name).copied()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The usual names, and what the files call these tensors.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a Tensor)> {
        self.by_name.iter().map(|(name, tensor)| (&**name, *tensor))
    }
}

/// The number in `blocks.N.`.
fn layer_of(name: &str) -> Option<usize> {
    name.strip_prefix("blocks.")?.split('.').next()?.parse().ok()
}

/// What the authors of RWKV call a tensor.
fn usual(name: &str) -> Cow<'_, str> {
    let Some((library, rest)) = name.split_once('.') else {
        return name.into();
    };
    match library {
        "lm_head" => return format!("head.{rest}").into(),
        "rwkv" | "model" => {}
        _ => return name.into(),
    }
    let Some((first, rest)) = rest.split_once('.') else {
        return name.into();
    };
    match first {
        "embeddings" | "embed_tokens" => format!("emb.{rest}").into(),
        "ln_out" | "norm" => format!("ln_out.{rest}").into(),
        "pre_ln" => format!("blocks.0.ln0.{rest}").into(),
        "blocks" | "layers" => match rest.split_once('.').and_then(|(layer, rest)| {
            let (part, rest) = rest.split_once('.')?;
            Some(format!("blocks.{layer}.{}", in_layer(part, rest)))
        }) {
            Some(name) => name.into(),
            None => name.into(),
        },
        _ => name.into(),
    }
}

/// A name within a layer: the part it is in, and the rest.
fn in_layer(part: &str, rest: &str) -> String {
    match part {
        "pre_ln" | "pre_norm" => format!("ln0.{rest}"),
        "attn_norm" | "input_layernorm" => format!("ln1.{rest}"),
        "ffn_norm" | "post_attention_layernorm" => format!("ln2.{rest}"),
        "attention" | "attn" | "self_attn" => {
            format!("att.{}", in_mixer(rest.strip_prefix("time_mixer.").unwrap_or(rest)))
        }
        "feed_forward" | "ffn" => format!("ffn.{}", in_mixer(rest)),
        _ => format!("{part}.{rest}"),
    }
}

/// A name within a mixer or a feed-forward part.
fn in_mixer(name: &str) -> String {
    if let Some((part, lora)) = name.split_once("_lora.lora.") {
        let number = match lora {
            "0.weight" => "1",
            "2.weight" => "2",
            "2.bias" => "0",
            _ => return name.to_owned(),
        };
        return format!("{part}{number}");
    }
    let (first, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
    let first = match first {
        "r_proj" | "q_proj" => "receptance",
        "k_proj" => "key",
        "v_proj" => "value",
        "o_proj" => "output",
        "g_norm" => "ln_x",
        "time_mix_key" => "time_mix_k",
        "time_mix_value" => "time_mix_v",
        "time_mix_receptance" => "time_mix_r",
        "time_mix_gate" => "time_mix_g",
        other => other,
    };
    format!("{first}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_libraries_mean_the_same() {
        for (theirs, ours) in [
            ("emb.weight", "emb.weight"),
            ("rwkv.embeddings.weight", "emb.weight"),
            ("model.embed_tokens.weight", "emb.weight"),
            ("model.norm.bias", "ln_out.bias"),
            ("lm_head.weight", "head.weight"),
            ("head.weight", "head.weight"),
            ("model.pre_ln.bias", "blocks.0.ln0.bias"),
            ("model.layers.0.pre_norm.bias", "blocks.0.ln0.bias"),
            ("rwkv.blocks.0.pre_ln.weight", "blocks.0.ln0.weight"),
            ("rwkv.blocks.3.attention.time_mix_key", "blocks.3.att.time_mix_k"),
            ("rwkv.blocks.3.attention.key.weight", "blocks.3.att.key.weight"),
            ("rwkv.blocks.3.feed_forward.time_mix_receptance", "blocks.3.ffn.time_mix_r"),
            ("model.layers.7.attn.w_lora.lora.0.weight", "blocks.7.att.w1"),
            ("model.layers.7.attn.w_lora.lora.2.weight", "blocks.7.att.w2"),
            ("model.layers.7.attn.w_lora.lora.2.bias", "blocks.7.att.w0"),
            ("model.layers.7.attn.g_norm.bias", "blocks.7.att.ln_x.bias"),
            ("model.layers.7.ffn.x_k", "blocks.7.ffn.x_k"),
            ("model.layers.7.ffn_norm.weight", "blocks.7.ln2.weight"),
            ("model.layers.1.self_attn.time_mixer.x_r", "blocks.1.att.x_r"),
            ("model.layers.1.self_attn.q_proj.bias", "blocks.1.att.receptance.bias"),
            ("model.layers.1.mlp.up_proj.weight", "blocks.1.mlp.up_proj.weight"),
            ("blocks.1.att.x_r", "blocks.1.att.x_r"),
            ("model.layers.1", "model.layers.1"),
            ("x", "x"),
        ] {
            assert_eq!(usual(theirs), ours);
        }
    }
}
