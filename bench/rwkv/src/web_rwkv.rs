//! The same weights as web-rwkv reads them: safetensors in F16, by the names of RWKV's own files.

use crate::shape::HEAD;
use anyhow::{Context, Result};
use bessemer::{DType, llm::files::Gguf};
use half::f16;
use safetensors::{Dtype, View};
use std::{borrow::Cow, path::Path};

/// The parts of `time_mix_lerp_fused`, in its order.
const LERPS: [&str; 6] = ["r", "w", "k", "v", "a", "g"];

/// Writes the weights of an RWKV-7 in F16.
pub(crate) fn convert(file: &Gguf, to: &Path) -> Result<()> {
    let mut all = Vec::new();
    for tensor in file.tensors().iter() {
        let bytes = file.tensors().bytes(tensor);
        let half = Half { bytes, dtype: tensor.dtype, dims: tensor.shape.to_vec() };
        if let Some(prefix) = tensor.name.strip_suffix("time_mix_lerp_fused.weight") {
            let prefix = named(&format!("{prefix}time_mix_x_")).context("lerps of no layer")?;
            for (part, bytes) in LERPS.iter().zip(bytes.chunks(bytes.len() / LERPS.len())) {
                let dims = vec![tensor.shape.width()];
                all.push((format!("{prefix}{part}"), Half { bytes, dims, dtype: tensor.dtype }));
            }
        } else if let Some(name) = named(&tensor.name) {
            let dims = match name.ends_with("r_k") {
                true => vec![half.dims[0] / HEAD, HEAD],
                false => half.dims,
            };
            all.push((name, Half { dims, ..half }));
        }
    }
    Ok(safetensors::serialize_to_file(all, None, to)?)
}

/// A tensor's name in such files; `None` for what the first layer has for llama.cpp's sake alone.
fn named(name: &str) -> Option<String> {
    let Some((layer, part)) = name.strip_prefix("blk.").and_then(|rest| rest.split_once('.'))
    else {
        let names = [
            ("token_embd_norm", "blocks.0.ln0"),
            ("token_embd", "emb"),
            ("output_norm", "ln_out"),
            ("output", "head"),
        ];
        let (old, new) = names.into_iter().find(|(old, _)| name.starts_with(old))?;
        return Some(name.replacen(old, new, 1));
    };
    if layer == "0" && ["v0", "v1", "v2"].iter().any(|v| part == format!("time_mix_{v}.weight")) {
        return None;
    }
    let names = [
        ("attn_norm_2", "ln2"),
        ("attn_norm", "ln1"),
        ("time_mix_ln", "att.ln_x"),
        ("channel_mix_lerp_k.weight", "ffn.x_k"),
        ("channel_mix_", "ffn."),
        ("time_mix_", "att."),
    ];
    let (old, new) = names.into_iter().find(|(old, _)| part.starts_with(old))?;
    let part = part.replacen(old, new, 1);
    // Only norms and large matrices are called weights.
    let is_weight = ["key", "value", "receptance", "output", "ln_x", "ln1", "ln2"];
    let part = match part.strip_suffix(".weight") {
        Some(short) if !is_weight.iter().any(|name| short.ends_with(name)) => short,
        _ => &part,
    };
    Some(format!("blocks.{layer}.{part}"))
}

/// A tensor that is written as halves, whatever it was.
struct Half<'a> {
    bytes: &'a [u8],
    dtype: DType,
    dims: Vec<usize>,
}

impl View for Half<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F16
    }

    fn shape(&self) -> &[usize] {
        &self.dims
    }

    fn data(&self) -> Cow<'_, [u8]> {
        if self.dtype == DType::F16 {
            return Cow::Borrowed(self.bytes);
        }
        let (floats, _) = self.bytes.as_chunks();
        let halves = floats.iter().map(|&bytes| f16::from_f32(f32::from_le_bytes(bytes)));
        Cow::Owned(halves.flat_map(f16::to_le_bytes).collect())
    }

    fn data_len(&self) -> usize {
        2 * self.dims.iter().product::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn names_are_those_of_rwkv_itself() {
        for (old, new) in [
            ("token_embd.weight", "emb.weight"),
            ("token_embd_norm.bias", "blocks.0.ln0.bias"),
            ("output_norm.weight", "ln_out.weight"),
            ("output.weight", "head.weight"),
            ("blk.3.attn_norm.weight", "blocks.3.ln1.weight"),
            ("blk.3.attn_norm_2.bias", "blocks.3.ln2.bias"),
            ("blk.13.time_mix_ln.bias", "blocks.13.att.ln_x.bias"),
            ("blk.3.time_mix_w0.weight", "blocks.3.att.w0"),
            ("blk.3.time_mix_g2.weight", "blocks.3.att.g2"),
            ("blk.3.time_mix_k_k.weight", "blocks.3.att.k_k"),
            ("blk.3.time_mix_receptance.weight", "blocks.3.att.receptance.weight"),
            ("blk.3.channel_mix_lerp_k.weight", "blocks.3.ffn.x_k"),
            ("blk.3.channel_mix_key.weight", "blocks.3.ffn.key.weight"),
            ("blk.1.time_mix_v1.weight", "blocks.1.att.v1"),
        ] {
            assert_eq!(named(old).as_deref(), Some(new));
        }
        assert_eq!(named("blk.0.time_mix_v1.weight"), None);
    }
}
