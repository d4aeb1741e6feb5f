//! Tensor names: one list for GGUF files, one for files of the Hugging Face Hub.

use super::{family::Family, rwkv};
use crate::files::Tensors;

/// The names of a model's tensors, without `.weight` and `.bias` at their ends.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// What all but the output start with.
    prefix: &'static str,
    embedding: &'static str,
    norm: &'static str,
    output: &'static str,
    /// What stands before a layer's number.
    layer: &'static str,
    /// Norms of this source lack the 1 that they add.
    pub(super) norms_add_one: bool,
    pub(super) parts: Parts,
}

/// The names within a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) mixer_norm: &'static str,
    pub(super) q: &'static str,
    pub(super) k: &'static str,
    pub(super) v: &'static str,
    /// The three above as one matrix.
    pub(super) qkv: &'static str,
    pub(super) q_norm: &'static str,
    pub(super) k_norm: &'static str,
    pub(super) attention_output: &'static str,
    pub(super) post_mixer_norm: &'static str,
    pub(super) feed_forward_norm: &'static str,
    pub(super) dense: DenseNames,
    pub(super) post_feed_forward_norm: &'static str,
    pub(super) router: &'static str,
    pub(super) experts: DenseNames,
    pub(super) shared: DenseNames,
    pub(super) shared_gate: &'static str,
    pub(super) conv: &'static str,
    pub(super) conv_input: &'static str,
    pub(super) conv_output: &'static str,
}

/// The names of a feed-forward part. `{}` stands for the number of an expert, where each has
/// tensors of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct DenseNames {
    pub(super) gate: &'static str,
    pub(super) up: &'static str,
    pub(super) down: &'static str,
    /// Gate and up as one matrix.
    pub(super) gate_up: Option<&'static str>,
}

const GGUF: Parts = Parts {
    mixer_norm: "attn_norm",
    q: "attn_q",
    k: "attn_k",
    v: "attn_v",
    qkv: "attn_qkv",
    q_norm: "attn_q_norm",
    k_norm: "attn_k_norm",
    attention_output: "attn_output",
    post_mixer_norm: "post_attention_norm",
    feed_forward_norm: "ffn_norm",
    dense: DenseNames { gate: "ffn_gate", up: "ffn_up", down: "ffn_down", gate_up: None },
    post_feed_forward_norm: "post_ffw_norm",
    router: "ffn_gate_inp",
    experts: DenseNames {
        gate: "ffn_gate_exps",
        up: "ffn_up_exps",
        down: "ffn_down_exps",
        gate_up: None,
    },
    shared: DenseNames {
        gate: "ffn_gate_shexp",
        up: "ffn_up_shexp",
        down: "ffn_down_shexp",
        gate_up: None,
    },
    shared_gate: "ffn_gate_inp_shexp",
    conv: "shortconv.conv",
    conv_input: "shortconv.in_proj",
    conv_output: "shortconv.out_proj",
};

const HUB: Parts = Parts {
    mixer_norm: "input_layernorm",
    q: "self_attn.q_proj",
    k: "self_attn.k_proj",
    v: "self_attn.v_proj",
    qkv: "self_attn.qkv_proj",
    q_norm: "self_attn.q_norm",
    k_norm: "self_attn.k_norm",
    attention_output: "self_attn.o_proj",
    post_mixer_norm: "post_attention_layernorm",
    feed_forward_norm: "post_attention_layernorm",
    dense: DenseNames {
        gate: "mlp.gate_proj",
        up: "mlp.up_proj",
        down: "mlp.down_proj",
        gate_up: Some("mlp.gate_up_proj"),
    },
    post_feed_forward_norm: "post_feedforward_layernorm",
    router: "mlp.gate",
    experts: DenseNames {
        gate: "mlp.experts.{}.gate_proj",
        up: "mlp.experts.{}.up_proj",
        down: "mlp.experts.{}.down_proj",
        gate_up: None,
    },
    shared: DenseNames {
        gate: "mlp.shared_expert.gate_proj",
        up: "mlp.shared_expert.up_proj",
        down: "mlp.shared_expert.down_proj",
        gate_up: None,
    },
    shared_gate: "mlp.shared_expert_gate",
    conv: "conv.conv",
    conv_input: "conv.in_proj",
    conv_output: "conv.out_proj",
};

/// Mixtral's own way.
const MIXTRAL: Parts = Parts {
    router: "block_sparse_moe.gate",
    experts: DenseNames {
        gate: "block_sparse_moe.experts.{}.w1",
        up: "block_sparse_moe.experts.{}.w3",
        down: "block_sparse_moe.experts.{}.w2",
        gate_up: None,
    },
    ..HUB
};

/// LFM2's own way.
const LFM2: Parts = Parts {
    mixer_norm: "operator_norm",
    q_norm: "self_attn.q_layernorm",
    k_norm: "self_attn.k_layernorm",
    attention_output: "self_attn.out_proj",
    feed_forward_norm: "ffn_norm",
    dense: DenseNames {
        gate: "feed_forward.w1",
        up: "feed_forward.w3",
        down: "feed_forward.w2",
        gate_up: None,
    },
    ..HUB
};

impl Names {
    pub(super) fn of_gguf(architecture: &str, tensors: &Tensors) -> Names {
        // LFM2's last norm has been called after the embedding.
        let norm = match architecture {
            "lfm2" if tensors.get("output_norm.weight").is_none() => "token_embd_norm",
            _ => "output_norm",
        };
        // phi-3 keeps both matrices under the name of one.
        let both = (architecture == "phi3").then_some("ffn_up");
        let feed_forward_norm =
            rwkv::feed_forward_norm(architecture).unwrap_or(GGUF.feed_forward_norm);
        Names {
            prefix: "",
            embedding: "token_embd",
            norm,
            output: "output",
            layer: "blk.",
            norms_add_one: false,
            parts: Parts {
                feed_forward_norm,
                dense: DenseNames { gate_up: both, ..GGUF.dense },
                ..GGUF
            },
        }
    }

    pub(super) fn of_hub(family: &Family, tensors: &Tensors) -> Names {
        let has = |name: String| tensors.get(&name).is_some();
        // A language model may be a part of a larger one.
        let prefixes = ["model.", "language_model.model.", "model.language_model.", ""];
        let prefix = prefixes.into_iter().find(|p| has(format!("{p}embed_tokens.weight")));
        let outputs = ["lm_head", "language_model.lm_head"];
        let output = outputs.into_iter().find(|name| has(format!("{name}.weight")));
        let parts = if has(format!("{}layers.0.{}.weight", prefix.unwrap_or(""), MIXTRAL.router)) {
            MIXTRAL
        } else if family.short_conv {
            LFM2
        } else if family.post_norms {
            Parts { feed_forward_norm: "pre_feedforward_layernorm", ..HUB }
        } else {
            HUB
        };
        Names {
            prefix: prefix.unwrap_or(prefixes[0]),
            embedding: "embed_tokens",
            norm: if family.short_conv { "embedding_norm" } else { "norm" },
            output: output.unwrap_or(outputs[0]),
            layer: "layers.",
            norms_add_one: family.norms_add_one,
            parts,
        }
    }

    /// The table of embeddings, in full.
    pub(super) fn embedding(&self) -> String {
        format!("{}{}.weight", self.prefix, self.embedding)
    }

    /// The last norm, without its end.
    pub(super) fn norm(&self) -> String {
        format!("{}{}", self.prefix, self.norm)
    }

    /// The norm of embeddings, without its end.
    pub(super) fn embedding_norm(&self) -> String {
        format!("{}{}_norm", self.prefix, self.embedding)
    }

    /// The output, without its end.
    pub(super) fn output(&self) -> &'static str {
        self.output
    }

    /// What tensors of layers start with, before the number of the layer.
    pub(super) fn layers(&self) -> String {
        format!("{}{}", self.prefix, self.layer)
    }

    /// What the other tensors of a model start with; its output is none of them where it is tied.
    pub(super) fn stems(&self, tied: bool) -> Vec<String> {
        let inner = [self.embedding, self.norm].map(|name| format!("{}{name}", self.prefix));
        inner.into_iter().chain((!tied).then(|| self.output.to_owned())).collect()
    }

    /// A part of a layer, without its end.
    pub(super) fn of_layer(&self, number: usize, part: &str) -> String {
        format!("{}{}{number}.{part}", self.prefix, self.layer)
    }
}
