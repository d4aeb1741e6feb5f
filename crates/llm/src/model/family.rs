//! The architectures: what each implies beyond the values in its files.

use super::{rwkv, settings::Setting};
use bessemer_ops::Activation;

/// A family of models that differ in numbers only.
#[derive(Debug)]
pub(super) struct Family {
    /// Its name in GGUF files.
    pub(super) name: &'static str,
    /// What `model_type` of a `config.json` may call it.
    pub(super) model_types: &'static [&'static str],
    /// In GGUF files, elements of heads are rearranged so that neighbours are turned together.
    pub(super) neighbours: bool,
    /// Queries, keys and values have a bias.
    pub(super) attention_bias: bool,
    /// Each head of queries and keys is normed.
    pub(super) head_norms: bool,
    /// What layers add is normed before it is added.
    pub(super) post_norms: bool,
    /// In files of the hub, norms multiply by 1 more than their weight.
    pub(super) norms_add_one: bool,
    /// Embeddings are multiplied by the root of their length.
    pub(super) scaled_embedding: bool,
    pub(super) activation: Activation,
    /// Which layers look back on a window only, where there is one.
    pub(super) local: Local,
    /// The base of the rope of those layers, if they have their own.
    pub(super) local_rope_base: Option<f64>,
    /// Whether there are experts: some of a family may have them, or all have.
    pub(super) experts: Experts,
    /// The shares of the experts chosen add up to 1.
    pub(super) normed_shares: bool,
    /// With this many layers, scores are divided by the root of a head's part of the state
    /// rather than of its size.
    pub(super) wide_scale: Option<usize>,
    /// Some layers are short convolutions.
    pub(super) short_conv: bool,
    /// What is meant where a `config.json` is silent.
    pub(super) defaults: &'static [(Setting, f64)],
}

/// Which layers look back on a window only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Local {
    None,
    All,
    /// All but the last of each group of so many.
    ButLastOf(usize),
}

/// Whether models of a family have experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Experts {
    Never,
    Perhaps,
    Always,
}

/// The plainest of all.
const LLAMA: Family = Family {
    name: "llama",
    model_types: &["llama", "mistral", "mixtral"],
    neighbours: true,
    attention_bias: false,
    head_norms: false,
    post_norms: false,
    norms_add_one: false,
    scaled_embedding: false,
    activation: Activation::Silu,
    local: Local::All,
    local_rope_base: None,
    experts: Experts::Perhaps,
    normed_shares: true,
    wide_scale: None,
    short_conv: false,
    defaults: &[],
};

const QWEN: Family =
    Family { neighbours: false, local: Local::None, experts: Experts::Never, ..LLAMA };

const GEMMA: Family = Family {
    post_norms: true,
    norms_add_one: true,
    scaled_embedding: true,
    activation: Activation::GeluTanh,
    ..QWEN
};

const LIST: [Family; 9] = [
    LLAMA,
    Family { name: "qwen2", model_types: &["qwen2"], attention_bias: true, ..QWEN },
    Family { name: "qwen3", model_types: &["qwen3"], head_norms: true, ..QWEN },
    Family {
        name: "qwen2moe",
        model_types: &["qwen2_moe"],
        attention_bias: true,
        experts: Experts::Always,
        normed_shares: false,
        ..QWEN
    },
    Family {
        name: "qwen3moe",
        model_types: &["qwen3_moe"],
        head_norms: true,
        experts: Experts::Always,
        ..QWEN
    },
    Family {
        name: "gemma2",
        model_types: &["gemma2"],
        local: Local::ButLastOf(2),
        wide_scale: Some(46),
        ..GEMMA
    },
    Family {
        name: "gemma3",
        model_types: &["gemma3_text", "gemma3"],
        head_norms: true,
        local: Local::ButLastOf(6),
        local_rope_base: Some(10_000.0),
        wide_scale: Some(62),
        defaults: &[
            (Setting::Context, 131_072.0),
            (Setting::Heads, 8.0),
            (Setting::KvHeads, 4.0),
            (Setting::HeadSize, 256.0),
            (Setting::QueryScale, 256.0),
            (Setting::RopeBase, 1_000_000.0),
        ],
        ..GEMMA
    },
    Family { name: "phi3", model_types: &["phi3"], local: Local::All, ..QWEN },
    Family {
        name: "lfm2",
        model_types: &["lfm2"],
        head_norms: true,
        short_conv: true,
        defaults: &[(Setting::RopeBase, 1_000_000.0)],
        ..QWEN
    },
];

static FAMILIES: [Family; 9] = LIST;

impl Family {
    /// The family of this name in GGUF files.
    pub(super) fn of_gguf(name: &str) -> Option<&'static Family> {
        FAMILIES.iter().find(|family| family.name == name)
    }

    /// The family that `config.json` calls so.
    pub(super) fn of_model_type(name: &str) -> Option<&'static Family> {
        FAMILIES.iter().find(|family| family.model_types.contains(&name))
    }
}

/// The architectures there are, as `general.architecture` of a GGUF file names them. Files of
/// the hub have names of their own for some: `mistral` and `mixtral` are `llama`, for instance.
pub const ARCHITECTURES: [&str; LIST.len() + rwkv::ARCHITECTURES.len()] = {
    let mut names = [""; LIST.len() + rwkv::ARCHITECTURES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = match i.checked_sub(LIST.len()) {
            None => LIST[i].name,
            Some(of_rwkv) => rwkv::ARCHITECTURES[of_rwkv],
        };
        i += 1;
    }
    names
};

/// The model types of the hub there are, for errors.
pub(super) fn model_types() -> String {
    let all: Vec<&str> = FAMILIES.iter().flat_map(|family| family.model_types).copied().collect();
    all.join(", ")
}
