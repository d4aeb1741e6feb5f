//! Features of model files that are not supported. They are errors that name the feature: ignoring one
//! would silently generate wrong text.

use crate::{
    Error, Result,
    files::{self, Gguf, Tensors, gguf::Value},
};
use serde_json::Value as Json;
use std::collections::HashSet;

/// A key that changes what is computed, the values that change nothing, and what it means.
type Key = (&'static str, &'static [f64], &'static str);

const GGUF: [Key; 14] = [
    ("attention.causal", &[1.0], "bidirectional attention"),
    ("attention.scale", &[0.0], "a custom attention scale"),
    ("attention.clamp_kqv", &[0.0], "clamping of queries, keys and values"),
    ("attention.max_alibi_bias", &[0.0], "position encoding by ALiBi"),
    ("embedding_scale", &[0.0, 1.0], "embedding scaling"),
    ("residual_scale", &[0.0, 1.0], "residual scaling"),
    ("logit_scale", &[0.0, 1.0], "logit scaling"),
    ("use_parallel_residual", &[0.0], "a parallel residual"),
    ("expert_gating_func", &[0.0, 1.0], "expert gating other than by softmax"),
    ("expert_weights_scale", &[0.0, 1.0], "expert scaling"),
    ("expert_group_count", &[0.0, 1.0], "choosing experts by group"),
    ("leading_dense_block_count", &[0.0], "a mix of dense and expert layers"),
    ("interleave_moe_layer_step", &[0.0, 1.0], "a mix of dense and expert layers"),
    ("rope.dimension_sections", &[], "a multi-dimensional rotary embedding"),
];

const HUB: [Key; 15] = [
    ("is_causal", &[1.0], "bidirectional attention"),
    ("use_bidirectional_attention", &[0.0], "bidirectional attention"),
    ("attention_multiplier", &[], "a custom attention scale"),
    ("clip_qkv", &[], "clamping of queries, keys and values"),
    ("alibi", &[0.0], "position encoding by ALiBi"),
    ("embedding_multiplier", &[1.0], "embedding scaling"),
    ("scale_emb", &[1.0], "embedding scaling"),
    ("residual_multiplier", &[1.0], "residual scaling"),
    ("logits_scaling", &[1.0], "logit scaling"),
    ("n_group", &[0.0, 1.0], "choosing experts by group"),
    ("routed_scaling_factor", &[1.0], "expert scaling"),
    ("rope_scaling.truncate", &[1.0], "a YaRN range that is not truncated"),
    ("rope_parameters.truncate", &[1.0], "a YaRN range that is not truncated"),
    ("rope_scaling.mrope_section", &[], "a multi-dimensional rotary embedding"),
    ("rope_parameters.mrope_section", &[], "a multi-dimensional rotary embedding"),
];

const REMEDY: &str = "the model's output would be wrong, so use another model";

/// Refuses a GGUF file whose keys ask for more than there is.
pub(super) fn check_gguf(file: &Gguf, architecture: &str) -> Result<()> {
    for (name, neutral, what) in GGUF {
        let key = format!("{architecture}.{name}");
        let Some(entry) = file.metadata().iter().find(|entry| entry.key == key) else {
            continue;
        };
        let number = match entry.value {
            Value::Bool(value) => Some(f64::from(u8::from(value))),
            Value::Array(_) => None,
            _ => file.metadata().get::<f32>(&key)?.map(f64::from),
        };
        if !number.is_some_and(|number| neutral.contains(&number)) {
            let place = format!("key `{key}`");
            return Err(Error::unsupported(file.metadata().path(), place, what, REMEDY));
        }
    }
    Ok(())
}

/// Refuses a `config.json` that asks for more than there is, in a model that may have convolutions.
pub(super) fn check_hub(config: &files::Config, short_conv: bool) -> Result<()> {
    let get = |key: &str| -> Result<Option<Json>> {
        match config.get(&format!("text_config.{key}"))? {
            None => config.get(key),
            found => Ok(found),
        }
    };
    let refuse = |key: &str, what: &str, remedy: &str| {
        Error::unsupported(config.path(), format!("key `{key}`"), what, remedy)
    };
    for (key, neutral, what) in HUB {
        let number = match get(key)? {
            None => continue,
            Some(Json::Bool(value)) => Some(f64::from(u8::from(value))),
            Some(value) => value.as_f64(),
        };
        if !number.is_some_and(|number| neutral.contains(&number)) {
            return Err(refuse(key, what, REMEDY));
        }
    }
    if let Some(how) = get("quantization_config")? {
        let how = how["quant_method"].as_str().unwrap_or("another program");
        let what = format!("quantisation by {how}");
        let remedy = "use the unquantised model, or a GGUF file of it";
        return Err(refuse("quantization_config", &what, remedy));
    }
    let kinds: Vec<String> = config.get("layer_types")?.unwrap_or_default();
    let known = ["full_attention", if short_conv { "conv" } else { "sliding_attention" }];
    match kinds.iter().find(|kind| !known.contains(&&***kind)) {
        Some(other) => {
            let remedy = format!("the supported ones are {}", known.join(" and "));
            Err(refuse("layer_types", &format!("layer type `{other}`"), &remedy))
        }
        None => Ok(()),
    }
}

/// Refuses tensors of the model's layers, or beside its `stems`, that nobody has used: whoever put
/// them there computes with them.
pub(super) fn check_tensors(
    tensors: &Tensors,
    layer: &str,
    layers: usize,
    stems: &[String],
    used: &HashSet<String>,
) -> Result<()> {
    // What some converters leave behind; it follows from the configuration.
    let left_behind = ["rotary_emb.inv_freq", "attn_rot_embd.weight"];
    let counts = |name: &str| {
        let rest = name.strip_prefix(layer).and_then(|rest| rest.split_once('.'));
        let number = rest.and_then(|(number, _)| number.parse::<usize>().ok());
        number.is_some_and(|number| number < layers)
            || stems.iter().any(|stem| name.starts_with(&**stem))
    };
    let unused = tensors.iter().find(|tensor| {
        counts(&tensor.name)
            && !used.contains(&tensor.name)
            && !left_behind.iter().any(|end| tensor.name.ends_with(end))
    });
    match unused {
        Some(tensor) => {
            let path = tensors.files().nth(tensor.file).unwrap_or("".as_ref());
            let why = "is not part of this architecture";
            Err(Error::broken(path, format!("tensor `{}`", tensor.name), why, REMEDY))
        }
        None => Ok(()),
    }
}
