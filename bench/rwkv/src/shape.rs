//! The shapes of the models: sizes, tensors, and what a token reads of them.

/// Numbers of a head.
pub(crate) const HEAD: usize = 64;

/// The sizes of an RWKV-7.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// What reports call it.
    pub(crate) name: &'static str,
    pub(crate) layers: usize,
    pub(crate) hidden: usize,
    pub(crate) feed_forward: usize,
    pub(crate) vocabulary: usize,
    /// Of the low-rank pairs.
    pub(crate) ranks: Ranks,
}

/// How many rows the first matrix of each low-rank pair has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranks {
    pub(crate) decay: usize,
    pub(crate) iclr: usize,
    pub(crate) value: usize,
    pub(crate) gate: usize,
}

/// The smaller of the published models that people chat with.
pub(crate) const SMALL: Shape = Shape {
    name: "0.4B",
    layers: 24,
    hidden: 1024,
    feed_forward: 4096,
    vocabulary: 65_536,
    ranks: Ranks { decay: 64, iclr: 64, value: 32, gate: 128 },
};

/// The larger one.
pub(crate) const LARGE: Shape = Shape {
    name: "1.5B",
    layers: 24,
    hidden: 2048,
    feed_forward: 8192,
    vocabulary: 65_536,
    ranks: Ranks { decay: 96, iclr: 96, value: 64, gate: 256 },
};

/// The larger one with half the vocabulary: the output layer in F16 is then the most that Mesa's
/// lavapipe binds at once, and web-rwkv has no other way to use it.
pub(crate) const LARGE_HALF: Shape = Shape { name: "1.5B 32K", vocabulary: 32_768, ..LARGE };

/// A part of the small one: what is counted in software, where layers are alike.
pub(crate) const COUNTED: Shape = Shape { name: "4 layers", layers: 4, vocabulary: 4096, ..SMALL };

impl Shape {
    /// Bytes of the state: each head's matrix, and the token before for both halves of a layer.
    pub(crate) fn state_bytes(&self) -> usize {
        self.layers * self.hidden * (HEAD + 2) * size_of::<f32>()
    }

    /// The names and dimensions of all tensors, outermost dimension first.
    pub(crate) fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let Shape { hidden, feed_forward, vocabulary, .. } = *self;
        let mut all = vec![
            ("token_embd.weight".to_owned(), vec![vocabulary, hidden]),
            ("token_embd_norm.weight".to_owned(), vec![hidden]),
            ("token_embd_norm.bias".to_owned(), vec![hidden]),
            ("output_norm.weight".to_owned(), vec![hidden]),
            ("output_norm.bias".to_owned(), vec![hidden]),
            ("output.weight".to_owned(), vec![vocabulary, hidden]),
        ];
        for layer in 0..self.layers {
            let mut add = |name: &str, dims: &[usize]| {
                all.push((format!("blk.{layer}.{name}"), dims.to_vec()));
            };
            for norm in ["attn_norm", "attn_norm_2", "time_mix_ln"] {
                add(&format!("{norm}.weight"), &[hidden]);
                add(&format!("{norm}.bias"), &[hidden]);
            }
            add("time_mix_lerp_fused.weight", &[6, 1, 1, hidden]);
            for vector in ["w0", "a0", "v0", "k_k", "k_a", "r_k"] {
                add(&format!("time_mix_{vector}.weight"), &[hidden]);
            }
            for (pair, rank) in self.pairs(layer) {
                add(&format!("time_mix_{pair}1.weight"), &[rank, hidden]);
                add(&format!("time_mix_{pair}2.weight"), &[hidden, rank]);
            }
            for matrix in ["key", "value", "receptance", "output"] {
                add(&format!("time_mix_{matrix}.weight"), &[hidden, hidden]);
            }
            add("channel_mix_lerp_k.weight", &[hidden]);
            add("channel_mix_key.weight", &[feed_forward, hidden]);
            add("channel_mix_value.weight", &[hidden, feed_forward]);
        }
        all
    }

    /// The low-rank pairs of a layer. The first layer has no use for that of values, but llama.cpp
    /// wants one there, of the size of another.
    fn pairs(&self, layer: usize) -> [(&'static str, usize); 4] {
        let Ranks { decay, iclr, value, gate } = self.ranks;
        [("w", decay), ("a", iclr), ("v", if layer == 0 { iclr } else { value }), ("g", gate)]
    }
}

/// Whether a token needs a tensor: not the embedding, of which it reads a row, nor what only stands
/// there for llama.cpp's sake.
pub(crate) fn is_needed(name: &str) -> bool {
    let unused = ["0", "1", "2"].map(|part| format!("blk.0.time_mix_v{part}.weight"));
    name != "token_embd.weight" && !unused.iter().any(|unused| name == unused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_parameters_that_their_names_say() {
        let count = |shape: Shape| -> usize {
            shape.tensors().iter().map(|(_, dims)| dims.iter().product::<usize>()).sum()
        };
        assert_eq!(count(SMALL) / 1_000_000, 450);
        assert_eq!(count(LARGE) / 1_000_000, 1527);
    }

    #[test]
    fn a_token_needs_nearly_all_tensors() {
        assert!(!is_needed("token_embd.weight") && !is_needed("blk.0.time_mix_v1.weight"));
        assert!(is_needed("blk.1.time_mix_v1.weight") && is_needed("output.weight"));
        assert!(is_needed("token_embd_norm.weight") && is_needed("blk.0.time_mix_value.weight"));
    }
}
