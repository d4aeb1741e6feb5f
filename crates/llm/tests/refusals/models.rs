//! Refusals of models: what their configuration says, and their tensors.

use crate::{
    common::{Parts, gguf, hub},
    files::value,
};
use bessemer_core::DType;
use bessemer_llm::files::gguf::{Array, Value};
use serde_json::{Value as Json, json};

type Change = fn(&mut Parts);

pub(crate) fn said() -> Vec<String> {
    let mut said: Vec<String> =
        keys().into_iter().map(|(name, key, value)| gguf(name, &[(key, value)], |_| ())).collect();
    said.extend(changes().into_iter().map(|(name, change)| gguf(name, &[], change)));
    said.extend(configs().into_iter().map(|(name, keys)| hub(name, keys, |_| ())));
    said.push(hub("llama2", json!({}), |p| p.remove("lm_head.weight")));
    said.push(hub("mixtral", json!({}), |p| {
        let part = p.get("model.layers.1.block_sparse_moe.experts.3.w2.weight");
        let width = part.1.block_bytes();
        part.1 = if part.1 == DType::F16 { DType::BF16 } else { DType::F16 };
        part.3.truncate(part.3.len() / width * 2);
    }));
    said
}

fn keys() -> Vec<(&'static str, &'static str, Option<Value>)> {
    vec![
        ("llama2", "general.architecture", value("mamba")),
        ("llama2", "llama.block_count", None),
        ("llama2", "llama.block_count", value(0u32)),
        ("llama2", "llama.attention.head_count", value(6u32)),
        ("llama2", "llama.attention.head_count_kv", value(3u32)),
        ("llama2", "llama.rope.dimension_count", value(7u32)),
        ("llama2", "llama.rope.freq_base", value(0.5f32)),
        ("llama2", "llama.rope.scaling.type", value("dynamic")),
        ("llama2", "llama.attention.layer_norm_rms_epsilon", value(f32::NAN)),
        ("lfm2", "lfm2.attention.head_count_kv", value(Array::of_i32([1, 2, 0]))),
        ("../rwkv/rwkv6qwen2", "rwkv6qwen2.attention.head_count_kv", value(3u32)),
        ("../rwkv/rwkv7", "general.architecture", value("rwkv6")),
        ("../rwkv/rwkv4", "general.architecture", value("rwkv5")),
        ("gemma3", "gemma3.rope.scaling.factor", value(0f32)),
        ("gemma2", "gemma2.attention.sliding_window_pattern", value(0u32)),
        ("gemma2", "gemma2.attention.sliding_window_pattern", value(Array::of_i32([1]))),
        ("qwen2", "qwen2.expert_count", value(4u32)),
        ("mixtral", "llama.expert_used_count", value(5u32)),
        ("llama2", "llama.attention.causal", value(false)),
        ("llama2", "llama.attention.scale", value(0.5f32)),
        ("llama2", "llama.attention.clamp_kqv", value(8f32)),
        ("llama2", "llama.attention.max_alibi_bias", value(8f32)),
        ("llama2", "llama.embedding_scale", value(2f32)),
        ("llama2", "llama.residual_scale", value(0.5f32)),
        ("llama2", "llama.logit_scale", value(0.5f32)),
        ("llama2", "llama.use_parallel_residual", value(true)),
        ("mixtral", "llama.expert_gating_func", value(2u32)),
        ("mixtral", "llama.expert_weights_scale", value(2.5f32)),
        ("mixtral", "llama.expert_group_count", value(4u32)),
        ("mixtral", "llama.leading_dense_block_count", value(1u32)),
        ("mixtral", "llama.interleave_moe_layer_step", value(2u32)),
        ("llama2", "llama.rope.dimension_sections", value(Array::of_i32([1, 2]))),
    ]
}

fn changes() -> Vec<(&'static str, Change)> {
    vec![
        ("llama2", |p| p.remove("blk.1.ffn_down.weight")),
        ("llama2", |p| p.reshape("blk.0.attn_k.weight", &[32, 16])),
        ("llama2", |p| p.retype("output_norm.weight", DType::I32)),
        ("llama2", |p| {
            let part = p.get("blk.0.attn_k.weight");
            part.1 = DType::I32;
            part.3.resize(part.2.iter().product::<usize>() * 4, 0);
        }),
        ("llama2", |p| {
            p.get("blk.0.attn_norm.weight").3[8..12].copy_from_slice(&[0, 0, 0xc0, 0x7f])
        }),
        ("llama2", |p| p.copy("output_norm.weight", "output_norm.bias")),
        ("llama2", |p| {
            p.copy("output_norm.weight", "rope_freqs.weight");
            p.retype("rope_freqs.weight", DType::I32);
        }),
    ]
}

fn configs() -> Vec<(&'static str, Json)> {
    let gptq = json!({"quantization_config": {"quant_method": "gptq"}});
    let kinds = json!(["linear_attention", "full_attention"]);
    vec![
        ("llama2", json!({"model_type": "mamba"})),
        ("llama2", json!({"hidden_size": "32"})),
        ("llama2", json!({"hidden_act": "relu2"})),
        ("llama2", json!({"num_attention_heads": 0})),
        ("llama2", json!({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}})),
        ("llama2", json!({"rope_scaling": {"rope_type": "linear"}})),
        (
            "phi3",
            json!({"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}}),
        ),
        ("gemma2", json!({"layer_types": ["full_attention"]})),
        ("gemma3", json!({"layer_types": null, "sliding_window_pattern": 0})),
        ("qwen3_moe", json!({"decoder_sparse_step": 0})),
        ("llama2", gptq),
        ("llama2", json!({"quantization_config": {}})),
        (
            "llama2",
            json!({"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "truncate": false}}),
        ),
        ("qwen3", json!({"layer_types": kinds})),
    ]
}
