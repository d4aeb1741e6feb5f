//! Tiny models with weights that look random, for examples and tests. Not part of the public API.

use crate::{
    files::{GgufWriter, gguf::Array},
    tokenizer::byte_alphabet::char_of,
};
use bessemer_core::{DType, Element, Shape};
use bessemer_formats as formats;

/// What a tiny model is like.
#[derive(Clone, Copy, Debug)]
pub struct Tiny {
    /// The family, as files name it.
    pub architecture: &'static str,
    /// How matrices are stored.
    pub dtype: DType,
    /// Elements of a head.
    pub head_size: usize,
    /// Tokens of the vocabulary: bytes, then special ones.
    pub vocabulary: usize,
    /// Tokens it was trained to look back on.
    pub context: usize,
    /// Where the weights start.
    pub seed: u32,
}

impl Default for Tiny {
    fn default() -> Tiny {
        let (architecture, dtype) = ("llama", DType::F32);
        Tiny { architecture, dtype, head_size: 32, vocabulary: 259, context: 256, seed: 1 }
    }
}

const HIDDEN: usize = 64;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const FEED_FORWARD: usize = 96;
const LAYERS: usize = 2;

/// The special tokens after the bytes.
const SPECIAL: [&str; 3] = ["<|end|>", "<|im_start|>", "<|im_end|>"];

const TEMPLATE: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}\
    <|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// The file of the default one.
pub fn gguf() -> Vec<u8> {
    Tiny::default().gguf(|_, _| {})
}

impl Tiny {
    /// The file, after `spoil` has had its way with the numbers of each tensor.
    pub fn gguf(&self, spoil: impl FnMut(&str, &mut [f32])) -> Vec<u8> {
        let mut writer = GgufWriter::new();
        self.describe(&mut writer);
        let shapes = self.shapes();
        for (name, shape) in &shapes {
            let shape = Shape::new(shape).expect("a small shape");
            writer.tensor(name, self.dtype_of(shape.rank()), shape).expect("a sound tensor");
        }
        let tensors = self.tensors(&shapes, spoil);
        let tensors: Vec<&[u8]> = tensors.iter().map(Vec::as_slice).collect();
        writer.to_bytes(&tensors).expect("as planned")
    }

    fn dtype_of(&self, rank: usize) -> DType {
        if rank == 1 { DType::F32 } else { self.dtype }
    }

    fn describe(&self, writer: &mut GgufWriter) {
        writer.set("general.architecture", self.architecture);
        for (name, size) in [
            ("block_count", LAYERS),
            ("embedding_length", HIDDEN),
            ("feed_forward_length", FEED_FORWARD),
            ("attention.head_count", HEADS),
            ("attention.head_count_kv", KV_HEADS),
            ("attention.key_length", self.head_size),
            ("attention.value_length", self.head_size),
            ("rope.dimension_count", self.head_size),
            ("context_length", self.context),
        ] {
            writer.set(&format!("{}.{name}", self.architecture), size as u32);
        }
        writer.set(&format!("{}.attention.layer_norm_rms_epsilon", self.architecture), 1e-5f32);
        let bytes = (0..=255).map(|byte| char_of(byte).to_string());
        let special = SPECIAL.map(str::to_owned);
        let tokens: Vec<String> = bytes.chain(special).take(self.vocabulary).collect();
        // Text, and what steers the model.
        let kind = |token| if token < 256 { 1 } else { 3 };
        writer.set("tokenizer.ggml.model", "gpt2");
        writer.set("tokenizer.ggml.token_type", Array::of_i32((0..tokens.len()).map(kind)));
        writer.set("tokenizer.ggml.tokens", Array::of_strings(tokens));
        writer.set("tokenizer.ggml.merges", Array::of_strings([""; 0]));
        writer.set("tokenizer.ggml.eos_token_id", 256u32);
        writer.set("tokenizer.chat_template", TEMPLATE);
    }

    fn shapes(&self) -> Vec<(String, Vec<usize>)> {
        let (q, kv) = (HEADS * self.head_size, KV_HEADS * self.head_size);
        let mut shapes = vec![
            ("token_embd.weight".to_owned(), vec![self.vocabulary, HIDDEN]),
            ("output_norm.weight".to_owned(), vec![HIDDEN]),
        ];
        for layer in 0..LAYERS {
            let mut push = |part: &str, shape: &[usize]| {
                shapes.push((format!("blk.{layer}.{part}"), shape.to_vec()));
            };
            push("attn_norm.weight", &[HIDDEN]);
            push("ffn_norm.weight", &[HIDDEN]);
            push("attn_q.weight", &[q, HIDDEN]);
            push("attn_k.weight", &[kv, HIDDEN]);
            push("attn_v.weight", &[kv, HIDDEN]);
            push("attn_output.weight", &[HIDDEN, q]);
            push("ffn_gate.weight", &[FEED_FORWARD, HIDDEN]);
            push("ffn_up.weight", &[FEED_FORWARD, HIDDEN]);
            push("ffn_down.weight", &[HIDDEN, FEED_FORWARD]);
            match self.architecture {
                "qwen2" => ["q", "k", "v"].iter().zip([q, kv, kv]).for_each(|(name, size)| {
                    push(&format!("attn_{name}.bias"), &[size]);
                }),
                "qwen3" => {
                    push("attn_q_norm.weight", &[self.head_size]);
                    push("attn_k_norm.weight", &[self.head_size]);
                }
                _ => {}
            }
        }
        shapes
    }

    fn tensors(
        &self,
        shapes: &[(String, Vec<usize>)],
        mut spoil: impl FnMut(&str, &mut [f32]),
    ) -> Vec<Vec<u8>> {
        let mut state = self.seed;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        let tensor = |(name, shape): &(String, Vec<usize>)| {
            let norm = name.contains("norm");
            let value = |x: f32| if norm { 1.0 + 0.2 * x } else { 0.4 * x };
            let count = shape.iter().product();
            let mut values: Vec<f32> = (0..count).map(|_| value(number())).collect();
            spoil(name, &mut values);
            encode(self.dtype_of(shape.len()), &values)
        };
        shapes.iter().map(tensor).collect()
    }
}

fn encode(dtype: DType, values: &[f32]) -> Vec<u8> {
    match dtype {
        DType::F16 => values.iter().flat_map(|&x| half::f16::from_f32(x).to_le_bytes()).collect(),
        dtype if dtype.is_block() => {
            let mut out = vec![0; dtype.bytes_for(values.len()).expect("whole blocks")];
            formats::encode(dtype, values, &mut out);
            out
        }
        _ => f32::as_bytes(values).to_vec(),
    }
}
