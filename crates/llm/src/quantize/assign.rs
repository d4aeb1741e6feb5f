//! Which dtype each tensor gets: the same assignment as llama.cpp, so that our `Q4_K_M` is what users
//! expect.

use super::recipe::{Recipe, Size};
use crate::{
    Result,
    files::{Gguf, Tensor},
};
use bessemer_core::DType;

/// Assigns the tensors of one model.
pub(super) struct Assigner {
    recipe: Recipe,
    layers: usize,
    experts: usize,
    /// How many heads of queries share one of keys and values.
    sharing: usize,
    /// Whether the embedding is also what makes logits: it then gets the bits of that.
    is_tied: bool,
    is_falcon: bool,
}

/// What a tensor becomes.
pub(super) struct Choice {
    pub(super) dtype: DType,
    /// Whether its rows are not whole blocks of what was meant for it.
    pub(super) is_fallback: bool,
}

impl Assigner {
    pub(super) fn new(file: &Gguf, recipe: Recipe) -> Result<Assigner> {
        let metadata = file.metadata();
        let architecture = metadata.get::<&str>("general.architecture")?.unwrap_or_default();
        let size = |name: &str| metadata.get::<usize>(&format!("{architecture}.{name}"));
        // Some files have a list of them, one for each layer.
        let heads = |name: &str| size(name).ok().flatten().unwrap_or(1).max(1);
        Ok(Assigner {
            recipe,
            layers: size("block_count")?.unwrap_or(0),
            experts: size("expert_count")?.unwrap_or(0),
            sharing: heads("attention.head_count") / heads("attention.head_count_kv"),
            is_tied: file.tensors().get("output.weight").is_none(),
            is_falcon: architecture == "falcon",
        })
    }

    /// The dtype for a tensor.
    pub(super) fn choose(&self, tensor: &Tensor) -> Choice {
        if !is_matrix(tensor) {
            return Choice { dtype: tensor.dtype, is_fallback: false };
        }
        let meant =
            if self.recipe.dtype.is_block() { self.meant(tensor) } else { self.recipe.dtype };
        let width = tensor.shape.width();
        let dtype = next_best(meant, width);
        Choice { dtype, is_fallback: dtype != meant }
    }

    /// The dtype for a matrix whose rows have any width.
    fn meant(&self, tensor: &Tensor) -> DType {
        let (name, most) = (tensor.name.as_str(), self.recipe.dtype);
        let part = name.rsplit_once("blk.").map_or(name, |(_, rest)| rest);
        let part = part.split_once('.').map_or(part, |(_, part)| part);
        let makes_logits = name == "output.weight" || self.is_tied && name == "token_embd.weight";
        if makes_logits {
            let whole = tensor.shape.width().is_multiple_of(most.block_len());
            return match most {
                _ if self.is_falcon || !whole => DType::Q8_0,
                DType::Q8_0 => DType::Q8_0,
                _ => DType::Q6_K,
            };
        }
        let layer = layer_of(name);
        let (size, eighth) = (self.recipe.size, self.layers / 8);
        if part.starts_with("attn_v.weight") {
            return match (most, size) {
                // Eight experts share it: it is small beside them.
                _ if self.experts == 8 => DType::Q8_0,
                (DType::Q3_K, Size::Medium) if layer < 2 => DType::Q5_K,
                (DType::Q3_K, Size::Medium) => DType::Q4_K,
                (DType::Q3_K, Size::Large) => DType::Q5_K,
                (DType::IQ4_NL, _) if self.sharing >= 4 => DType::Q5_K,
                (DType::Q4_K | DType::Q5_K, Size::Medium) if self.gets_more(layer) => DType::Q6_K,
                (DType::Q4_K, Size::Small) if layer < 4 => DType::Q5_K,
                _ => most,
            };
        }
        if part.starts_with("attn_k.weight") && self.experts == 8 {
            return DType::Q8_0;
        }
        if part.starts_with("attn_output.weight") {
            return match (most, size) {
                (DType::Q3_K, Size::Large) if self.is_falcon => DType::Q4_K,
                (DType::Q3_K, Size::Large) if self.experts == 8 => most,
                (DType::Q3_K, Size::Large) => DType::Q5_K,
                (DType::Q3_K | DType::Q4_K | DType::IQ4_NL, _) if self.experts == 8 => DType::Q5_K,
                (DType::Q3_K, Size::Medium) if !self.is_falcon => DType::Q4_K,
                _ => most,
            };
        }
        if part.starts_with("attn_qkv.weight") {
            return match (most, size) {
                (DType::Q3_K, Size::Medium | Size::Large) => DType::Q4_K,
                (DType::Q4_K, Size::Medium) => DType::Q5_K,
                (DType::Q5_K, Size::Medium) => DType::Q6_K,
                _ => most,
            };
        }
        if part.starts_with("ffn_down") {
            return match (most, size) {
                (DType::Q3_K, Size::Medium) if layer < self.layers / 16 => DType::Q5_K,
                (DType::Q3_K, Size::Medium) if !self.is_falcon || self.gets_more(layer) => {
                    DType::Q4_K
                }
                (DType::Q3_K, Size::Large) if self.is_falcon => DType::Q4_K,
                (DType::Q3_K, Size::Large) => DType::Q5_K,
                (DType::Q4_K, Size::Medium) if self.is_falcon => match layer {
                    layer if layer < self.layers / 16 => DType::Q6_K,
                    layer if self.gets_more(layer) => DType::Q5_K,
                    _ => most,
                },
                (DType::Q4_K | DType::Q5_K, Size::Medium) if self.gets_more(layer) => DType::Q6_K,
                (DType::Q4_K, Size::Small) if !self.is_falcon && layer < eighth => DType::Q5_K,
                (DType::IQ4_NL, _) if layer < eighth => DType::Q5_K,
                _ => most,
            };
        }
        most
    }

    /// Whether a layer is one of those where more bits pay: the first and last eighth, and every
    /// third between them.
    fn gets_more(&self, layer: usize) -> bool {
        let eighth = self.layers / 8;
        layer < eighth || layer >= 7 * self.layers / 8 || (layer - eighth) % 3 == 2
    }
}

/// Parts of the names of matrices that are kept: routers decide, position tables are added, convolutions
/// and states are tiny.
const KEPT: [&str; 5] =
    ["_norm.weight", "ffn_gate_inp", "position_embd", "token_types", "ssm_conv1d"];

/// Those of RWKV's mixers, of which some take part in decays: small, and what errs in them adds up.
const KEPT_OF_RWKV: [&str; 15] = [
    "first",
    "w0",
    "w1",
    "w2",
    "v0",
    "v1",
    "v2",
    "a0",
    "a1",
    "a2",
    "g1",
    "g2",
    "decay_w1",
    "decay_w2",
    "lerp_fused",
];

/// Whether a tensor is one that is multiplied with: others are small and are kept.
fn is_matrix(tensor: &Tensor) -> bool {
    let name = tensor.name.as_str();
    let of_rwkv = name.rsplit_once("time_mix_").and_then(|(_, rest)| rest.strip_suffix(".weight"));
    dimensions(tensor) >= 2
        && name.ends_with("weight")
        && (tensor.dtype.fits_f32() || tensor.dtype.is_block())
        && !KEPT.iter().any(|part| name.contains(part))
        && !of_rwkv.is_some_and(|part| KEPT_OF_RWKV.contains(&part))
}

/// How many dimensions a tensor has, as llama.cpp counts them: without ones before the others.
pub(super) fn dimensions(tensor: &Tensor) -> usize {
    tensor.shape.iter().skip_while(|&&size| size == 1).count()
}

/// The number in `blk.N.`; 0 for what belongs to no layer.
fn layer_of(name: &str) -> usize {
    let number = name.strip_prefix("blk.").and_then(|rest| rest.split('.').next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// What comes nearest to a dtype of which rows are not whole blocks.
fn next_best(meant: DType, width: usize) -> DType {
    let fits = |dtype: &DType| width.is_multiple_of(dtype.block_len());
    let smaller_blocks = match meant {
        DType::Q4_K => DType::Q5_0,
        DType::Q5_K => DType::Q5_1,
        DType::Q6_K => DType::Q8_0,
        DType::Q3_K => DType::Q4_0,
        // Blocks of 32 already.
        DType::Q4_0 | DType::Q4_1 | DType::Q5_0 | DType::Q5_1 | DType::Q8_0 | DType::IQ4_NL => {
            meant
        }
        // Each by its name, so that a block format more is a compile error here.
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Complex64 => meant,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::Bool => meant,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => meant,
    };
    [meant, smaller_blocks].into_iter().find(fits).unwrap_or(DType::F16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::GgufWriter;
    use bessemer_core::Shape;

    /// What the tensors of a model with such rows become.
    fn choose(recipe: &str, width: usize, names: &[&str]) -> Vec<DType> {
        let mut writer = GgufWriter::new();
        writer.set("general.architecture", "llama").set("llama.block_count", 32u32);
        let shape = Shape::new(&[2, width]).unwrap();
        for name in names {
            writer.tensor(name, DType::F16, shape).unwrap();
        }
        let bytes = vec![0; 4 * width];
        let all: Vec<&[u8]> = names.iter().map(|_| bytes.as_slice()).collect();
        let file = Gguf::from_bytes(writer.to_bytes(&all).unwrap()).unwrap();
        let assigner = Assigner::new(&file, recipe.parse().unwrap()).unwrap();
        file.tensors().iter().map(|tensor| assigner.choose(tensor).dtype).collect()
    }

    #[test]
    fn mixes_give_more_bits_where_they_pay() {
        let names = [
            "token_embd.weight",
            "output.weight",
            "blk.0.attn_q.weight",
            "blk.0.attn_v.weight",
            "blk.5.attn_v.weight",
            "blk.6.ffn_down.weight",
            "blk.31.ffn_down.weight",
            "blk.0.ffn_norm.weight",
        ];
        use DType::*;
        assert_eq!(choose("Q4_K_M", 512, &names), [Q4_K, Q6_K, Q4_K, Q6_K, Q4_K, Q6_K, Q6_K, F16]);
        assert_eq!(choose("Q5_K_M", 512, &names), [Q5_K, Q6_K, Q5_K, Q6_K, Q5_K, Q6_K, Q6_K, F16]);
        assert_eq!(choose("Q4_K_S", 512, &names), [Q4_K, Q6_K, Q4_K, Q5_K, Q4_K, Q4_K, Q4_K, F16]);
        assert_eq!(choose("Q3_K_S", 512, &names), [Q3_K, Q6_K, Q3_K, Q3_K, Q3_K, Q3_K, Q3_K, F16]);
        assert_eq!(choose("Q3_K_M", 512, &names), [Q3_K, Q6_K, Q3_K, Q5_K, Q4_K, Q4_K, Q4_K, F16]);
        assert_eq!(choose("Q3_K_L", 512, &names), [Q3_K, Q6_K, Q3_K, Q5_K, Q5_K, Q5_K, Q5_K, F16]);
        let wanted = [IQ4_NL, Q6_K, IQ4_NL, IQ4_NL, IQ4_NL, IQ4_NL, IQ4_NL, F16];
        assert_eq!(choose("IQ4_NL", 512, &names), wanted);
        assert_eq!(choose("Q8_0", 512, &names), [Q8_0, Q8_0, Q8_0, Q8_0, Q8_0, Q8_0, Q8_0, F16]);
        assert_eq!(choose("F32", 512, &names), [F32, F32, F32, F32, F32, F32, F32, F16]);
    }

    #[test]
    fn outputs_of_attention_and_first_layers_get_more_bits_too() {
        let names = ["output.weight", "blk.0.attn_output.weight", "blk.0.ffn_down.weight"];
        use DType::*;
        assert_eq!(choose("Q3_K_S", 512, &names), [Q6_K, Q3_K, Q3_K]);
        assert_eq!(choose("Q3_K_M", 512, &names), [Q6_K, Q4_K, Q5_K]);
        assert_eq!(choose("Q3_K_L", 512, &names), [Q6_K, Q5_K, Q5_K]);
        assert_eq!(choose("IQ4_NL", 512, &names), [Q6_K, IQ4_NL, Q5_K]);
    }

    #[test]
    fn small_matrices_of_rwkv_are_kept() {
        use DType::*;
        let kept = KEPT_OF_RWKV.map(|part| format!("blk.3.time_mix_{part}.weight"));
        let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
        for recipe in ["Q4_K_M", "Q8_0", "F32"] {
            assert!(choose(recipe, 512, &kept).iter().all(|dtype| *dtype == F16), "{recipe}");
        }
        let names = [
            "token_embd.weight",
            "output.weight",
            "token_embd_norm.weight",
            "blk.0.time_mix_key.weight",
            "blk.0.time_mix_value.weight",
            "blk.0.time_mix_output.weight",
            "blk.0.time_mix_gate.weight",
            "blk.0.channel_mix_key.weight",
            "blk.0.channel_mix_value.weight",
        ];
        let wanted = [Q4_K, Q6_K, F16, Q4_K, Q4_K, Q4_K, Q4_K, Q4_K, Q4_K];
        assert_eq!(choose("Q4_K_M", 512, &names), wanted);
        let wanted = [Q3_K, Q6_K, F16, Q3_K, Q3_K, Q3_K, Q3_K, Q3_K, Q3_K];
        assert_eq!(choose("Q3_K_L", 512, &names), wanted);
    }

    #[test]
    fn rows_that_are_not_whole_blocks_get_the_next_best() {
        let names = ["token_embd.weight", "blk.0.attn_q.weight", "blk.0.attn_v.weight"];
        use DType::*;
        // A tied embedding makes the logits.
        assert_eq!(choose("Q4_K_M", 576, &names), [Q8_0, Q5_0, Q8_0]);
        assert_eq!(choose("Q5_K_M", 576, &names), [Q8_0, Q5_1, Q8_0]);
        assert_eq!(choose("Q3_K_M", 576, &names), [Q8_0, Q4_0, Q5_1]);
        assert_eq!(choose("Q4_0", 576, &names), [Q8_0, Q4_0, Q4_0]);
        assert_eq!(choose("Q4_K_M", 40, &names), [F16, F16, F16]);
    }
}
