//! Tiny RWKV models of every version, as each kind of file names and lays out their tensors.
#![allow(dead_code, unreachable_pub)]

use super::pth;
use bessemer_core::DType;
use half::{bf16, f16};
use serde_json::json;

/// The sizes of all of them.
pub const VOCABULARY: usize = 20;
pub const HIDDEN: usize = 8;
pub const HEADS: usize = 2;
pub const HEAD: usize = 4;
pub const WIDE: usize = 12;
pub const RANK: usize = 3;
pub const LAYERS: usize = 2;

/// A tensor of a source: numbers that all dtypes hold exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// A model by the names of RWKV's authors.
#[derive(Clone)]
pub struct Source(pub Vec<Part>);

impl Source {
    /// Versions `4`, `5.0`, `5.1`, `5.2`, `6`, `7`.
    pub fn new(version: &str) -> Source {
        let mut source = Source(Vec::new());
        let (c, f) = (HIDDEN, WIDE);
        source.add("emb.weight", &[VOCABULARY, c]);
        source.norm("blocks.0.ln0");
        for layer in 0..LAYERS {
            let block = format!("blocks.{layer}.");
            let att = format!("{block}att.");
            let ffn = format!("{block}ffn.");
            source.norm(&format!("{block}ln1"));
            source.norm(&format!("{block}ln2"));
            let mut add = |name: &str, shape: &[usize]| source.add(&format!("{att}{name}"), shape);
            let lerp = [1, 1, c];
            match version {
                "4" => {
                    for name in ["time_mix_k", "time_mix_v", "time_mix_r"] {
                        add(name, &lerp);
                    }
                    for name in ["time_decay", "time_first"] {
                        add(name, &[c]);
                    }
                }
                "5.0" | "5.1" | "5.2" => {
                    for name in ["time_mix_k", "time_mix_v", "time_mix_r"] {
                        add(name, &lerp);
                    }
                    let (heads, both) = ([HEADS], [HEADS, HEAD]);
                    let shape = if version == "5.2" { &both[..] } else { &heads };
                    add("time_decay", shape);
                    add(if version == "5.0" { "time_first" } else { "time_faaaa" }, shape);
                    if version != "5.0" {
                        add("time_mix_g", &lerp);
                        add("gate.weight", &[c, c]);
                    }
                }
                "6" => {
                    for name in ["x", "w", "k", "v", "r", "g"] {
                        add(&format!("time_maa_{name}"), &lerp);
                    }
                    add("time_maa_w1", &[c, 5 * RANK]);
                    add("time_maa_w2", &[5, RANK, c]);
                    add("time_decay", &lerp);
                    add("time_decay_w1", &[c, RANK]);
                    add("time_decay_w2", &[RANK, c]);
                    add("time_faaaa", &[HEADS, HEAD]);
                    add("gate.weight", &[c, c]);
                }
                _ => {
                    for name in ["r", "w", "k", "v", "a", "g"] {
                        add(&format!("x_{name}"), &lerp);
                    }
                    for name in ["w", "a", "v", "g"] {
                        // Layer 0 has no values to mix with.
                        if name != "v" || layer > 0 {
                            if name != "g" {
                                add(&format!("{name}0"), &lerp);
                            }
                            add(&format!("{name}1"), &[c, RANK]);
                            add(&format!("{name}2"), &[RANK, c]);
                        }
                    }
                    for name in ["k_k", "k_a"] {
                        add(name, &lerp);
                    }
                    add("r_k", &[HEADS, HEAD]);
                }
            }
            for name in ["receptance", "key", "value", "output"] {
                add(&format!("{name}.weight"), &[c, c]);
            }
            if version != "4" {
                source.norm(&format!("{att}ln_x"));
            }
            let lerps: &[&str] = match version {
                "7" => &["x_k"],
                "6" => &["time_maa_k", "time_maa_r"],
                _ => &["time_mix_k", "time_mix_r"],
            };
            lerps.iter().for_each(|name| source.add(&format!("{ffn}{name}"), &lerp));
            source.add(&format!("{ffn}key.weight"), &[f, c]);
            source.add(&format!("{ffn}value.weight"), &[c, f]);
            if version != "7" {
                source.add(&format!("{ffn}receptance.weight"), &[c, c]);
            }
        }
        source.norm("ln_out");
        source.add("head.weight", &[VOCABULARY, c]);
        source
    }

    /// The mixer of 6 or 7 in a Qwen2, by the names of Hugging Face's libraries.
    pub fn in_qwen(version: &str) -> Source {
        let (c, f) = (HIDDEN, WIDE);
        let mut source = Source::new(version).changed(|part| {
            let kept = part.name.contains(".att.") && !part.name.contains("ln_x");
            let is_norm = part.name.ends_with("weight") && part.name.contains("ln");
            let is_first = part.name.contains("time_faaaa") || part.name.contains("ln0");
            let is_end = matches!(part.name.as_str(), "emb.weight" | "head.weight");
            if is_first || !(kept || is_norm && !part.name.contains("ln_x") || is_end) {
                part.name.clear();
            }
            let names = match version {
                "6" => [
                    ("att.receptance", "self_attn.q_proj"),
                    ("att.key", "self_attn.k_proj"),
                    ("att.value", "self_attn.v_proj"),
                    ("att.output", "self_attn.o_proj"),
                    ("att.", "self_attn."),
                ],
                _ => [
                    ("att.", "self_attn.time_mixer."),
                    ("\0", ""),
                    ("\0", ""),
                    ("\0", ""),
                    ("\0", ""),
                ],
            };
            for (from, to) in names {
                part.name = part.name.replace(from, to);
            }
            part.name =
                part.name.replace("blocks.", "model.layers.").replace("ln_out", "model.norm");
            part.name = part.name.replace("ln1", "input_layernorm");
            part.name = part.name.replace("ln2", "post_attention_layernorm");
            part.name =
                part.name.replace("emb.", "model.embed_tokens.").replace("head.", "lm_head.");
            if version == "6" && (part.name.contains("k_proj") || part.name.contains("v_proj")) {
                part.shape[0] = HEAD;
                part.values.truncate(HEAD * c);
            }
        });
        source.0.retain(|part| !part.name.is_empty());
        for layer in 0..LAYERS {
            let layer = format!("model.layers.{layer}.");
            source.add(&format!("{layer}mlp.gate_proj.weight"), &[f, c]);
            source.add(&format!("{layer}mlp.up_proj.weight"), &[f, c]);
            source.add(&format!("{layer}mlp.down_proj.weight"), &[c, f]);
            if version == "6" {
                source.add(&format!("{layer}self_attn.q_proj.bias"), &[c]);
                source.add(&format!("{layer}self_attn.k_proj.bias"), &[HEAD]);
                source.add(&format!("{layer}self_attn.v_proj.bias"), &[HEAD]);
            }
        }
        source
    }

    pub fn add(&mut self, name: &str, shape: &[usize]) {
        let count: usize = shape.iter().product();
        let seed = self.0.len();
        let values = (0..count).map(|i| ((i * 7 + seed * 13) % 61) as f32 / 64.0 - 0.5);
        self.0.push(Part { name: name.into(), shape: shape.into(), values: values.collect() });
    }

    fn norm(&mut self, name: &str) {
        self.add(&format!("{name}.weight"), &[HIDDEN]);
        self.add(&format!("{name}.bias"), &[HIDDEN]);
    }

    pub fn get(&self, name: &str) -> &Part {
        self.0.iter().find(|part| part.name == name).unwrap_or_else(|| panic!("no `{name}`"))
    }

    pub fn changed(&self, change: impl Fn(&mut Part)) -> Source {
        let mut source = self.clone();
        source.0.iter_mut().for_each(change);
        source
    }

    /// As web-rwkv's script lays a model out.
    pub fn st(&self) -> Source {
        self.changed(|part| {
            let is_per_head = part.name.contains("time_decay") || part.name.contains("time_faaaa");
            let has_gate = self.0.iter().any(|part| part.name.contains("gate"));
            if is_per_head && has_gate && part.shape == [HEADS] {
                part.values =
                    part.values.iter().flat_map(|&x| std::iter::repeat_n(x, HEAD)).collect();
                part.shape = vec![HEADS, HEAD];
            }
            part.name =
                part.name.replace("time_faaaa", "time_first").replace("time_maa", "time_mix");
            let ends = ["w1", "w2", "a1", "a2", "g1", "g2", "v1", "v2"];
            if ends.iter().any(|end| part.name.ends_with(end)) {
                *part = transposed(part);
            }
        })
    }

    /// As `transformers` has versions 4 to 6.
    pub fn hub(&self) -> Source {
        self.changed(|part| {
            let mut name = part.name.clone();
            for (from, to) in [
                ("blocks.0.ln0", "blocks.0.pre_ln"),
                ("blocks.", "rwkv.blocks."),
                (".att.", ".attention."),
                (".ffn.", ".feed_forward."),
                ("emb.", "rwkv.embeddings."),
                ("ln_out.", "rwkv.ln_out."),
                ("time_mix_k", "time_mix_key"),
                ("time_mix_v", "time_mix_value"),
                ("time_mix_r", "time_mix_receptance"),
                ("time_mix_g", "time_mix_gate"),
            ] {
                name = name.replace(from, to);
            }
            part.name = name;
        })
    }

    /// As `fla` has version 7.
    pub fn fla(&self) -> Source {
        self.changed(|part| {
            let mut name = part.name.clone();
            for part in ["w", "a", "v", "g"] {
                for (number, to) in [("0", "2.bias"), ("1", "0.weight"), ("2", "2.weight")] {
                    let from = format!(".att.{part}{number}");
                    if name.ends_with(&from) {
                        name = name.replace(&from, &format!(".att.{part}_lora.lora.{to}"));
                    }
                }
            }
            if name.contains("lora") && name.ends_with("weight") {
                *part = transposed(part);
            }
            if name.contains("lora") && name.ends_with("bias") {
                part.shape = vec![HIDDEN];
            }
            for (from, to) in [
                ("blocks.0.ln0", "blocks.0.pre_norm"),
                ("blocks.", "model.layers."),
                ("ln1.", "attn_norm."),
                ("ln2.", "ffn_norm."),
                (".att.receptance", ".att.r_proj"),
                (".att.key", ".att.k_proj"),
                (".att.value", ".att.v_proj"),
                (".att.output", ".att.o_proj"),
                (".att.ln_x", ".att.g_norm"),
                (".att.", ".attn."),
                ("emb.", "model.embeddings."),
                ("ln_out.", "model.norm."),
                ("head.", "lm_head."),
            ] {
                name = name.replace(from, to);
            }
            part.name = name;
        })
    }

    /// A safetensors file.
    pub fn safetensors(&self, dtype: DType) -> Vec<u8> {
        let (mut header, mut data) = (json!({}), Vec::<u8>::new());
        for part in &self.0 {
            let start = data.len();
            data.extend(encoded(&part.values, dtype));
            let dtype = dtype.to_string().to_uppercase();
            header[&part.name] =
                json!({"dtype": dtype, "shape": part.shape, "data_offsets": [start, data.len()]});
        }
        let header = header.to_string();
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
    }

    /// A `.pth` file.
    pub fn pth(&self, dtype: DType) -> Vec<u8> {
        let kind = match dtype {
            DType::F16 => "Half",
            DType::BF16 => "BFloat16",
            _ => "Float",
        };
        let (mut items, mut storages) = (Vec::new(), Vec::new());
        for (key, part) in self.0.iter().enumerate() {
            let shape: Vec<i32> = part.shape.iter().map(|&size| size as i32).collect();
            let strides: Vec<i32> =
                (1..=shape.len()).map(|axis| shape[axis..].iter().product()).collect();
            let (key, elements) = (key as i32, part.values.len() as i32);
            let view =
                pth::View { kind, key, elements, offset: 0, shape: &shape, strides: &strides };
            items.push((part.name.as_str(), view.opcodes()));
            storages.push(encoded(&part.values, dtype));
        }
        let storages: Vec<&[u8]> = storages.iter().map(Vec::as_slice).collect();
        pth::pth(&pth::dict(&items), &storages)
    }
}

/// With the last two dimensions exchanged.
pub fn transposed(part: &Part) -> Part {
    let mut shape = part.shape.clone();
    let last = shape.len() - 1;
    let (rows, columns) = (shape[last - 1], shape[last]);
    shape.swap(last - 1, last);
    let matrices = part.values.chunks(rows * columns);
    let values = matrices
        .flat_map(|matrix| (0..rows * columns).map(move |i| matrix[i % rows * columns + i / rows]));
    Part { name: part.name.clone(), shape, values: values.collect() }
}

/// Numbers as bytes.
pub fn encoded(values: &[f32], dtype: DType) -> Vec<u8> {
    let each = values.iter();
    match dtype {
        DType::F16 => each.flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect(),
        DType::BF16 => each.flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect(),
        _ => each.flat_map(|x| x.to_le_bytes()).collect(),
    }
}

/// A vocabulary of `count` letters.
pub fn world(count: usize) -> String {
    let letter = |i: usize| char::from(b'a' + (i % 26) as u8);
    (1..=count).map(|i| format!("{i} '{}' 1\n", letter(i))).collect()
}
