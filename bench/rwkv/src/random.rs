//! Model files with random weights, of sizes that keep activations tame over any length of text.

use crate::{
    shape::{HEAD, Shape},
    vocabulary,
};
use anyhow::{Context, Result};
use bessemer::{
    DType,
    llm::files::gguf::{GgufStream, GgufWriter},
};
use half::f16;
use std::{ops::Range, path::Path};

/// Writes a file in F16, in llama.cpp's layout: matrices as halves, but for those of the decay,
/// and everything else as f32.
pub(crate) fn write(shape: &Shape, path: &Path) -> Result<()> {
    let mut plan = GgufWriter::new();
    metadata(shape, &mut plan);
    let tensors = shape.tensors();
    for (name, dims) in &tensors {
        plan.tensor(name, dtype(name, dims), bessemer::Shape::new(dims)?)?;
    }
    let mut file = plan.begin(path).with_context(|| format!("making {}", path.display()))?;
    let mut random = Random(1);
    for (name, dims) in &tensors {
        tensor(&mut file, name, dims, &mut random)?;
    }
    Ok(file.finish()?)
}

fn metadata(shape: &Shape, plan: &mut GgufWriter) {
    let Shape { name, layers, hidden, feed_forward, vocabulary, ranks } = *shape;
    plan.set("general.architecture", "rwkv7").set("general.name", format!("random RWKV-7 {name}"));
    plan.set("general.file_type", 1u32);
    plan.set("rwkv7.attention.layer_norm_epsilon", 1e-5f32);
    for (key, value) in [
        ("block_count", layers),
        ("context_length", 1 << 20),
        ("embedding_length", hidden),
        ("feed_forward_length", feed_forward),
        ("wkv.head_size", HEAD),
        // llama.cpp wants it, and does not use it.
        ("attention.head_count", 0),
        ("attention.decay_lora_rank", ranks.decay),
        ("attention.iclr_lora_rank", ranks.iclr),
        ("attention.value_residual_mix_lora_rank", ranks.value),
        ("attention.gate_lora_rank", ranks.gate),
        ("token_shift_count", 2),
    ] {
        plan.set(&format!("rwkv7.{key}"), value as u32);
    }
    vocabulary::set(plan, vocabulary);
}

fn dtype(name: &str, dims: &[usize]) -> DType {
    let decays = name.ends_with("time_mix_w1.weight") || name.ends_with("time_mix_w2.weight");
    match dims.len() == 2 && !decays {
        true => DType::F16,
        false => DType::F32,
    }
}

fn tensor(file: &mut GgufStream, name: &str, dims: &[usize], random: &mut Random) -> Result<()> {
    let (values, width) = (values(name, dims), dims[dims.len() - 1]);
    let mut bytes = Vec::new();
    for _ in 0..dims.iter().product::<usize>() / width {
        let row = (0..width).map(|_| random.within(&values));
        match dtype(name, dims) {
            DType::F16 => row.for_each(|x| bytes.extend(f16::from_f32(x).to_le_bytes())),
            _ => row.for_each(|x| bytes.extend(x.to_le_bytes())),
        }
    }
    Ok(file.tensor(&bytes)?)
}

/// What the values of a tensor are between.
fn values(name: &str, dims: &[usize]) -> Range<f32> {
    let part = name.rsplit("blk.").next().unwrap_or(name);
    let part = part.split_once('.').map_or(part, |(_, rest)| rest);
    // Numbers from -1.7 to 1.7 have a variance of 1; a row of them keeps that of its input.
    let gain = |gain: f32| {
        let most = 1.7 * gain / (dims[dims.len() - 1] as f32).sqrt();
        -most..most
    };
    match part.trim_end_matches(".weight") {
        _ if name == "token_embd.weight" => -1.7..1.7,
        _ if name == "output.weight" => gain(2.0),
        _ if name.ends_with("bias") => -0.1..0.1,
        "time_mix_lerp_fused" | "channel_mix_lerp_k" => 0.0..1.0,
        // Memories of two tokens to of a thousand.
        "time_mix_w0" => -6.0..0.0,
        "time_mix_a0" | "time_mix_v0" => -1.0..1.0,
        "time_mix_k_k" => 0.6..1.0,
        "time_mix_r_k" => -0.3..0.3,
        "time_mix_w2" | "time_mix_a2" | "time_mix_v2" => gain(0.5),
        // Its input are sigmoids.
        "time_mix_g2" => gain(1.8),
        // What is added to the sum over layers.
        "time_mix_output" | "channel_mix_value" => gain(0.5),
        _ if dims.len() == 2 => gain(1.0),
        // Norms and `k_a`.
        _ => 0.8..1.2,
    }
}

/// The same numbers every time.
struct Random(u64);

impl Random {
    fn within(&mut self, values: &Range<f32>) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let unit = (self.0 >> 40) as f32 / (1u64 << 24) as f32;
        values.start + unit * (values.end - values.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_have_their_own_values() {
        assert_eq!(values("token_embd.weight", &[9, 4]), -1.7..1.7);
        assert_eq!(values("blk.3.time_mix_w0.weight", &[4]), -6.0..0.0);
        assert_eq!(values("blk.13.time_mix_ln.bias", &[4]), -0.1..0.1);
        assert_eq!(values("blk.3.attn_norm_2.weight", &[4]), 0.8..1.2);
        assert_eq!(values("token_embd_norm.weight", &[4]), 0.8..1.2);
        assert_eq!(values("blk.0.time_mix_key.weight", &[4, 4]), -0.85..0.85);
        assert_eq!(values("blk.0.channel_mix_value.weight", &[4, 4]), -0.425..0.425);
    }
}
