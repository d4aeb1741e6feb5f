//! The tensors of each version, by the names that GGUF files have for them.
//!
//! A "lerp" is always `x + (previous - x) · lerp`; versions 4 and 5 state `x · mix + previous · (1 - mix)`.

use super::{build::Builder, facts::Facts, version::Version};
use crate::Result;

/// The order of the parts that are mixed before each of these projections.
const LERPS_4: [&str; 3] = ["k", "v", "r"];
const LERPS_5: [&str; 4] = ["k", "v", "r", "g"];
const LERPS_6: [&str; 5] = ["w", "k", "v", "r", "g"];
const LERPS_7: [&str; 6] = ["r", "w", "k", "v", "a", "g"];

/// Where those of version 6 are in the matrices of a Qwen2 with its mixer, which has r, k, v, w, g.
const ORDER_IN_QWEN: [usize; 5] = [3, 1, 2, 0, 4];

pub(super) fn build(builder: &mut Builder<'_>, facts: &Facts) -> Result<()> {
    let (vocabulary, hidden) = (facts.vocabulary, facts.hidden);
    builder.matrix("token_embd.weight", "emb.weight", &[vocabulary, hidden])?;
    let in_qwen = facts.version.is_in_qwen();
    if !in_qwen {
        builder.norm("token_embd_norm", "blocks.0.ln0", hidden)?;
    }
    for layer in 0..facts.layers {
        let mut layer = Layer {
            builder,
            facts,
            from: format!("blocks.{layer}."),
            to: format!("blk.{layer}."),
            number: layer,
        };
        match facts.version {
            Version::V4 => layer.v4()?,
            Version::V5 => layer.v5()?,
            Version::V6 | Version::Qwen6 => layer.v6()?,
            Version::V7 | Version::Hybrid7 => layer.v7()?,
        }
        match in_qwen {
            true => layer.qwen()?,
            false => layer.channel_mix()?,
        }
    }
    match in_qwen {
        true => builder.vector("output_norm.weight", "ln_out.weight", hidden)?,
        false => builder.norm("output_norm", "ln_out", hidden)?,
    }
    match facts.is_tied && !builder.has("head.weight") {
        true => builder.alias("output.weight", "token_embd.weight"),
        false => builder.matrix("output.weight", "head.weight", &[vocabulary, hidden])?,
    }
    Ok(())
}

struct Layer<'b, 'a> {
    builder: &'b mut Builder<'a>,
    facts: &'b Facts,
    from: String,
    to: String,
    number: usize,
}

impl Layer<'_, '_> {
    fn from(&self, name: &str) -> String {
        format!("{}{name}", self.from)
    }

    fn to(&self, name: &str) -> String {
        format!("{}{name}.weight", self.to)
    }

    fn has(&self, name: &str) -> bool {
        self.builder.has(&self.from(name))
    }

    fn matrix(&mut self, to: &str, from: &str, shape: [usize; 2]) -> Result<()> {
        self.builder.matrix(&self.to(to), &self.from(from), &shape)
    }

    fn vector(&mut self, to: &str, from: &str) -> Result<()> {
        self.builder.vector(&self.to(to), &self.from(from), self.facts.hidden)
    }

    fn norm(&mut self, to: &str, from: &str) -> Result<()> {
        let to = format!("{}{to}", self.to);
        self.builder.norm(&to, &self.from(from), self.facts.hidden)
    }

    fn low_rank(&mut self, to: &str, from: &str, shape: &[usize], wide: bool) -> Result<()> {
        self.builder.low_rank(&self.to(to), &self.from(from), shape, wide)
    }

    /// The projections of every mixer.
    fn projections(&mut self, names: &[&str]) -> Result<()> {
        let hidden = self.facts.hidden;
        for name in names {
            let inner = match *name {
                "key" | "value" => self.facts.kv_width,
                _ => hidden,
            };
            let to = format!("time_mix_{name}");
            self.matrix(&to, &format!("att.{name}.weight"), [inner, hidden])?;
            let bias = self.from(&format!("att.{name}.bias"));
            if self.facts.version.is_in_qwen() && self.builder.has(&bias) {
                self.builder.vector(&format!("{}{to}.bias", self.to), &bias, inner)?;
            }
        }
        Ok(())
    }

    /// What `x` and the token before it are mixed by, one row for each of `names`.
    fn lerps(&mut self, prefix: &str, names: &[&str], change: fn(f32) -> f32) -> Result<()> {
        let hidden = self.facts.hidden;
        let mut values = Vec::with_capacity(names.len() * hidden);
        for name in names {
            let tensor = self.builder.find(&self.from(&format!("{prefix}{name}")), &[hidden])?;
            values.extend(self.builder.values(tensor).into_iter().map(change));
        }
        let to = self.to("time_mix_lerp_fused");
        self.builder.numbers(&to, &[names.len(), 1, 1, hidden], &values)
    }

    fn changed(&mut self, to: &str, from: &str, change: fn(f32) -> f32) -> Result<()> {
        let hidden = self.facts.hidden;
        let tensor = self.builder.find(&self.from(from), &[hidden])?;
        let values: Vec<f32> = self.builder.values(tensor).into_iter().map(change).collect();
        self.builder.numbers(&self.to(to), &[hidden], &values)
    }

    fn v4(&mut self) -> Result<()> {
        self.norm("attn_norm", "ln1")?;
        self.lerps("att.time_mix_", &LERPS_4, of_previous)?;
        self.vector("time_mix_decay", "att.time_decay")?;
        self.vector("time_mix_first", "att.time_first")?;
        self.projections(&["key", "value", "receptance", "output"])
    }

    fn v5(&mut self) -> Result<()> {
        let Facts { hidden, head_size, has_gate, .. } = *self.facts;
        self.norm("attn_norm", "ln1")?;
        let lerps = if has_gate { &LERPS_5[..] } else { &LERPS_4 };
        self.lerps("att.time_mix_", lerps, of_previous)?;
        let decay = self.by_head("att.time_decay", as_is)?;
        self.builder.numbers(&self.to("time_mix_decay"), &[hidden], &decay)?;
        // The first version learned its logarithm, one for each head.
        let first = match self.has("att.time_faaaa") {
            true => self.by_head("att.time_faaaa", as_is)?,
            false => self.by_head("att.time_first", f32::exp)?,
        };
        let shape = [hidden / head_size, head_size];
        self.builder.numbers(&self.to("time_mix_first"), &shape, &first)?;
        self.projections(&["key", "value", "receptance"])?;
        if has_gate {
            self.projections(&["gate"])?;
        }
        self.projections(&["output"])?;
        self.norm("time_mix_ln", "att.ln_x")
    }

    /// Numbers for each channel, or for each head, which then are changed and repeated.
    fn by_head(&mut self, from: &str, change: fn(f32) -> f32) -> Result<Vec<f32>> {
        let Facts { hidden, head_size, .. } = *self.facts;
        let heads = hidden / head_size;
        let name = self.from(from);
        let is_for_heads = self.builder.require(&name)?.shape.elements() == heads;
        if is_for_heads && head_size != 1 {
            let tensor = self.builder.find(&name, &[heads])?;
            let values = self.builder.values(tensor).into_iter();
            return Ok(values.flat_map(|x| std::iter::repeat_n(change(x), head_size)).collect());
        }
        let tensor = self.builder.find(&name, &[heads, head_size])?;
        Ok(self.builder.values(tensor))
    }

    fn v6(&mut self) -> Result<()> {
        let Facts { version, hidden, head_size, mix_rank, decay_rank, .. } = *self.facts;
        let in_qwen = version == Version::Qwen6;
        match in_qwen {
            true => self.vector("attn_norm", "ln1.weight")?,
            false => self.norm("attn_norm", "ln1")?,
        }
        // web-rwkv's files call them as version 5 called others.
        let maa = if self.has("att.time_mix_x") { "att.time_mix_" } else { "att.time_maa_" };
        self.vector("time_mix_lerp_x", &format!("{maa}x"))?;
        self.lerps(maa, &LERPS_6, as_is)?;
        let matrices = [
            ("time_mix_w1", format!("{maa}w1"), vec![5 * mix_rank, hidden]),
            ("time_mix_w2", format!("{maa}w2"), vec![5, hidden, mix_rank]),
        ];
        for (to, from, shape) in matrices {
            match in_qwen {
                true => {
                    let (to, from) = (self.to(to), self.from(&from));
                    self.builder.low_rank_in_order(&to, &from, &shape, &ORDER_IN_QWEN)?;
                }
                false => self.low_rank(to, &from, &shape, true)?,
            }
        }
        self.vector("time_mix_decay", "att.time_decay")?;
        self.low_rank("time_mix_decay_w1", "att.time_decay_w1", &[decay_rank, hidden], true)?;
        self.low_rank("time_mix_decay_w2", "att.time_decay_w2", &[hidden, decay_rank], true)?;
        if !in_qwen {
            let first =
                if self.has("att.time_faaaa") { "att.time_faaaa" } else { "att.time_first" };
            let shape = [hidden / head_size, head_size];
            let tensor = self.builder.find(&self.from(first), &shape)?;
            let values = self.builder.values(tensor);
            self.builder.numbers(&self.to("time_mix_first"), &shape, &values)?;
        }
        self.projections(&["key", "value", "receptance", "gate", "output"])?;
        if !in_qwen {
            self.norm("time_mix_ln", "att.ln_x")?;
        }
        Ok(())
    }

    fn v7(&mut self) -> Result<()> {
        let Facts { version, hidden, head_size, has_gate, has_group_norm, .. } = *self.facts;
        match version {
            Version::Hybrid7 => self.vector("attn_norm", "ln1.weight")?,
            _ => self.norm("attn_norm", "ln1")?,
        }
        let lerps = if has_gate { &LERPS_7[..] } else { &LERPS_7[..5] };
        if !has_gate {
            self.builder.ignore(&self.from("att.x_g"));
        }
        match self.has("att.x_x") {
            true => {
                let shape = [lerps.len(), 1, 1, hidden];
                let tensor = self.builder.find(&self.from("att.x_x"), &shape)?;
                let values = self.builder.values(tensor);
                self.builder.numbers(&self.to("time_mix_lerp_fused"), &shape, &values)?;
            }
            false => self.lerps("att.x_", lerps, as_is)?,
        }
        self.low_rank_sum("w", self.facts.decay_rank, true)?;
        self.low_rank_sum("a", self.facts.iclr_rank, false)?;
        if self.number == 0 {
            // Nothing to mix values with yet, but llama.cpp wants tensors.
            for number in ["0", "1", "2"] {
                self.builder.ignore(&self.from(&format!("att.v{number}")));
                let (to, made) = (format!("time_mix_v{number}"), format!("time_mix_a{number}"));
                self.builder.alias(&self.to(&to), &self.to(&made));
            }
        } else {
            self.low_rank_sum("v", self.facts.value_rank, false)?;
        }
        if has_gate {
            self.low_rank("time_mix_g1", "att.g1", &[self.facts.gate_rank, hidden], false)?;
            self.low_rank("time_mix_g2", "att.g2", &[hidden, self.facts.gate_rank], false)?;
        }
        self.vector("time_mix_k_k", "att.k_k")?;
        self.vector("time_mix_k_a", "att.k_a")?;
        let name = self.from("att.r_k");
        match self.builder.require(&name)?.shape.rank() {
            2 => {
                let tensor = self.builder.find(&name, &[hidden / head_size, head_size])?;
                let values = self.builder.values(tensor);
                self.builder.numbers(&self.to("time_mix_r_k"), &[hidden], &values)?;
            }
            _ => self.vector("time_mix_r_k", "att.r_k")?,
        }
        self.projections(&["key", "value", "receptance", "output"])?;
        if has_group_norm {
            self.norm("time_mix_ln", "att.ln_x")?;
        }
        Ok(())
    }

    /// A vector and the two matrices whose product is added to it.
    fn low_rank_sum(&mut self, name: &str, rank: usize, wide: bool) -> Result<()> {
        let hidden = self.facts.hidden;
        let (to, from) = (format!("time_mix_{name}"), format!("att.{name}"));
        self.vector(&format!("{to}0"), &format!("{from}0"))?;
        self.low_rank(&format!("{to}1"), &format!("{from}1"), &[rank, hidden], wide)?;
        self.low_rank(&format!("{to}2"), &format!("{from}2"), &[hidden, rank], wide)
    }

    /// The feed-forward part of RWKV.
    fn channel_mix(&mut self) -> Result<()> {
        let Facts { version, hidden, feed_forward, .. } = *self.facts;
        self.norm("attn_norm_2", "ln2")?;
        match version {
            Version::V4 | Version::V5 => {
                self.changed("channel_mix_lerp_k", "ffn.time_mix_k", of_previous)?;
                self.changed("channel_mix_lerp_r", "ffn.time_mix_r", of_previous)?;
            }
            Version::V6 => {
                let old = self.has("ffn.time_mix_k");
                let maa = if old { "ffn.time_mix_" } else { "ffn.time_maa_" };
                self.vector("channel_mix_lerp_k", &format!("{maa}k"))?;
                self.vector("channel_mix_lerp_r", &format!("{maa}r"))?;
            }
            _ => self.vector("channel_mix_lerp_k", "ffn.x_k")?,
        }
        self.matrix("channel_mix_key", "ffn.key.weight", [feed_forward, hidden])?;
        if version != Version::V7 {
            self.matrix("channel_mix_receptance", "ffn.receptance.weight", [hidden, hidden])?;
        }
        self.matrix("channel_mix_value", "ffn.value.weight", [hidden, feed_forward])
    }

    /// The feed-forward part of Qwen2.
    fn qwen(&mut self) -> Result<()> {
        let Facts { hidden, feed_forward, .. } = *self.facts;
        self.vector("ffn_norm", "ln2.weight")?;
        self.matrix("ffn_gate", "mlp.gate_proj.weight", [feed_forward, hidden])?;
        self.matrix("ffn_up", "mlp.up_proj.weight", [feed_forward, hidden])?;
        self.matrix("ffn_down", "mlp.down_proj.weight", [hidden, feed_forward])
    }
}

fn as_is(x: f32) -> f32 {
    x
}

/// The share of the previous token, given that of the current one.
fn of_previous(mix: f32) -> f32 {
    1.0 - mix
}
