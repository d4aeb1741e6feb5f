//! Models that are refused: the error names the file, the place in it, what is wrong there, and what to
//! do. `refusals.rs` has the text of every error.

mod common;

use bessemer_core::{DType, Device};
use bessemer_cpu::Reference;
use bessemer_llm::{
    Model,
    files::{ModelFile, gguf::Value},
};
use common::{Parts, error_of, fixture, gguf, hub, write_gguf};
use serde_json::{Value as Json, json};
use std::{fs, sync::Arc};

fn assert_says(error: &str, wanted: &[&str]) {
    for part in wanted {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
    assert!(error.contains("; "), "a remedy is in: {error}");
}

#[test]
fn an_unchanged_file_is_taken() {
    let device: Arc<dyn Device> = Arc::new(Reference::new());
    for file in ["model.gguf", "model.safetensors"] {
        let file = ModelFile::open(fixture("qwen2", file)).unwrap();
        Model::of(&file, &device).unwrap();
    }
}

#[test]
fn keys_that_change_nothing_are_taken() {
    let keys = [
        ("llama.attention.causal", Value::Bool(true)),
        ("llama.residual_scale", 1f32.into()),
        ("llama.expert_gating_func", 1u32.into()),
    ];
    let keys = keys.map(|(key, value)| (key, Some(value)));
    let (_folder, path) = write_gguf("mixtral", &keys, |_| ());
    let device: Arc<dyn Device> = Arc::new(Reference::new());
    Model::of(&ModelFile::open(path).unwrap(), &device).unwrap();
}

#[test]
fn tensors_of_gguf_files() {
    type Change = fn(&mut Parts);
    let cases: [(&str, Change, &[&str]); 12] = [
        ("llama2", |p| p.remove("blk.1.ffn_down.weight"), &["`blk.1.ffn_down.weight`", "missing"]),
        ("llama2", |p| p.remove("token_embd.weight"), &["`token_embd.weight`", "missing"]),
        ("qwen2", |p| p.remove("blk.0.attn_k.bias"), &["`blk.0.attn_k.bias`", "missing"]),
        ("qwen3", |p| p.remove("blk.1.attn_q_norm.weight"), &["`blk.1.attn_q_norm.weight`"]),
        ("gemma2", |p| p.remove("blk.2.post_ffw_norm.weight"), &["`blk.2.post_ffw_norm.weight`"]),
        (
            "llama2",
            |p| p.reshape("blk.0.attn_k.weight", &[32, 16]),
            &["`blk.0.attn_k.weight`", "[32, 16], not [16, 32]"],
        ),
        (
            "mixtral",
            |p| p.reshape("blk.0.ffn_gate_exps.weight", &[2, 48, 32]),
            &["`blk.0.ffn_gate_exps.weight`", "[2, 48, 32], not [4, 24, 32]"],
        ),
        (
            "llama2",
            |p| p.retype("output_norm.weight", DType::I32),
            &["`output_norm.weight`", "is i32, not floats"],
        ),
        (
            "llama2",
            |p| p.get("blk.0.attn_norm.weight").3[8..12].copy_from_slice(&[0, 0, 0xc0, 0x7f]),
            &["`blk.0.attn_norm.weight`", "NaN at element 2"],
        ),
        // Whatever these are for, passing over them would be wrong.
        (
            "llama2",
            |p| p.copy("blk.1.attn_norm.weight", "blk.1.attn_sub_norm.weight"),
            &["`blk.1.attn_sub_norm.weight`", "is not part of this architecture"],
        ),
        (
            "llama2",
            |p| p.copy("output_norm.weight", "output_norm.bias"),
            &["`output_norm.bias`", "is not part of"],
        ),
        (
            "qwen3_moe",
            |p| p.copy("blk.0.attn_norm.weight", "blk.0.ffn_up_exps.bias"),
            &["`blk.0.ffn_up_exps.bias`", "is not part of"],
        ),
    ];
    for (name, change, wanted) in cases {
        let error = gguf(name, &[], change);
        assert_says(&error, wanted);
        assert_says(&error, &["broken.gguf: tensor"]);
    }
}

#[test]
fn keys_of_gguf_files() {
    let cases: [(&str, &str, Option<Value>, &str); 24] = [
        ("llama2", "general.architecture", Some("mamba".into()), "`mamba` is not supported"),
        ("llama2", "llama.block_count", None, "missing"),
        ("llama2", "llama.block_count", Some(0u32.into()), "is 0"),
        ("llama2", "llama.block_count", Some(u32::MAX.into()), "is 4294967295"),
        ("llama2", "llama.block_count", Some((-1).into()), "is -1"),
        ("llama2", "llama.attention.head_count", Some(0u32.into()), "is 0"),
        (
            "llama2",
            "llama.attention.head_count",
            Some(6u32.into()),
            "does not divide the hidden size",
        ),
        ("llama2", "llama.attention.head_count_kv", Some(0u32.into()), "does not divide the 4"),
        ("llama2", "llama.attention.head_count_kv", Some(3u32.into()), "does not divide the 4"),
        ("llama2", "llama.embedding_length", Some(u64::MAX.into()), "is 18446744073709551615"),
        ("llama2", "llama.context_length", Some(0u32.into()), "is 0"),
        ("llama2", "llama.rope.dimension_count", Some(7u32.into()), "is 7, not an even number"),
        ("llama2", "llama.rope.freq_base", Some(f32::NAN.into()), "is NaN"),
        (
            "llama2",
            "llama.attention.layer_norm_rms_epsilon",
            Some(f32::NAN.into()),
            "is NaN, not a number above 0",
        ),
        ("gemma2", "gemma2.attn_logit_softcapping", Some((-1f32).into()), "is -1"),
        ("gemma2", "gemma2.attention.sliding_window_pattern", Some(0u32.into()), "is 0"),
        ("gemma3", "gemma3.rope.scaling.factor", Some(0f32.into()), "positive"),
        ("mixtral", "llama.expert_used_count", Some(5u32.into()), "is 5, not from 1 to 4"),
        ("qwen3_moe", "qwen3moe.expert_count", None, "missing"),
        ("qwen2", "qwen2.expert_count", Some(4u32.into()), "have no experts"),
        ("llama2", "llama.attention.causal", Some(false.into()), "bidirectional attention is not"),
        ("llama2", "llama.residual_scale", Some(0.5f32.into()), "residual scaling is not"),
        ("mixtral", "llama.expert_gating_func", Some(2u32.into()), "than by softmax is not"),
        ("mixtral", "llama.leading_dense_block_count", Some(1u32.into()), "is not supported"),
    ];
    for (name, key, value, wanted) in cases {
        let error = gguf(name, &[(key, value)], |_| ());
        assert_says(&error, &["broken.gguf: key", wanted]);
        // What is wrong with how turns are stretched is said of its kind.
        assert_says(&error, &[if key.contains("scaling") { "rope.scaling" } else { key }]);
    }
}

#[test]
fn folders_of_safetensors() {
    type Change = fn(&mut Parts);
    let cases: [(&str, Json, Change, &[&str]); 22] = [
        ("llama2", json!({"model_type": "mamba"}), |_| (), &["`model_type`", "`mamba`", "mixtral"]),
        ("llama2", json!({"model_type": null}), |_| (), &["`model_type`", "missing"]),
        ("llama2", json!({"hidden_size": null}), |_| (), &["`hidden_size`", "missing"]),
        ("llama2", json!({"hidden_size": "32"}), |_| (), &["`hidden_size`", "invalid type"]),
        ("llama2", json!({"num_hidden_layers": 1e9 as u64}), |_| (), &["is 1000000000"]),
        ("llama2", json!({"num_hidden_layers": 3}), |_| (), &["`model.layers.2.", "missing"]),
        ("llama2", json!({"num_attention_heads": 0}), |_| (), &["`num_attention_heads`", "is 0"]),
        (
            "llama2",
            json!({"num_key_value_heads": 3}),
            |_| (),
            &["does not divide the 4 query heads"],
        ),
        ("llama2", json!({"rms_norm_eps": -1.0}), |_| (), &["`rms_norm_eps`", "is -1"]),
        ("llama2", json!({"hidden_act": "relu2"}), |_| (), &["`hidden_act`", "`relu2`"]),
        (
            "llama2",
            json!({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}),
            |_| (),
            &["`rope_scaling`", "`dynamic`", "longrope"],
        ),
        (
            "llama2",
            json!({"rope_scaling": {"rope_type": "linear"}}),
            |_| (),
            &["`rope_scaling`", "has no `factor`"],
        ),
        (
            "phi3",
            json!({"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}}),
            |_| (),
            &["`rope_scaling`", "1 divisors for 4 pairs"],
        ),
        (
            "gemma2",
            json!({"layer_types": ["full_attention"]}),
            |_| (),
            &["`layer_types`", "1 layers, not 3"],
        ),
        (
            "llama2",
            json!({}),
            |p| p.remove("lm_head.weight"),
            &["model.safetensors", "`lm_head.weight`", "missing"],
        ),
        (
            "mixtral",
            json!({}),
            |p| p.remove("model.layers.1.block_sparse_moe.experts.3.w2.weight"),
            &["`model.layers.1.block_sparse_moe.experts.3.w2.weight`", "missing"],
        ),
        (
            "llama2",
            json!({}),
            |p| p.retype("model.layers.0.mlp.up_proj.weight", DType::I32),
            &["`model.layers.0.mlp.up_proj.weight`", "is i32, not floats"],
        ),
        (
            "llama2",
            json!({"quantization_config": {"quant_method": "gptq"}}),
            |_| (),
            &["config.json: key `quantization_config`", "by gptq is not", "GGUF"],
        ),
        (
            "gemma3",
            json!({"use_bidirectional_attention": true}),
            |_| (),
            &["`use_bidirectional_attention`", "bidirectional attention is not"],
        ),
        (
            "llama2",
            json!({"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "truncate": false}}),
            |_| (),
            &["`rope_scaling.truncate`", "is not supported"],
        ),
        (
            "qwen3",
            json!({"layer_types": ["linear_attention", "full_attention"]}),
            |_| (),
            &["`layer_types`", "`linear_attention` is not supported"],
        ),
        (
            "llama2",
            json!({}),
            |p| p.copy("model.norm.weight", "model.layers.0.self_attn.q_norm.weight"),
            &[
                "model.safetensors: tensor `model.layers.0.self_attn.q_norm.weight`",
                "is not part of",
            ],
        ),
    ];
    for (name, keys, change, wanted) in cases {
        assert_says(&hub(name, keys, change), wanted);
    }
}

#[test]
fn weights_without_a_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    fs::copy(fixture("llama2", "model.safetensors"), &path).unwrap();
    assert_says(&error_of(path), &["config.json", "missing", "download it too"]);
}
