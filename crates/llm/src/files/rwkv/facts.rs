//! The sizes of a model, read off its tensors and, where they leave something open, its `config.json`.

use super::{build::Builder, names::Named, version::Version};
use crate::{Error, Result, files::Config};
use std::path::Path;

/// What the shapes of all tensors follow from.
pub(super) struct Facts {
    pub(super) version: Version,
    pub(super) layers: usize,
    pub(super) vocabulary: usize,
    pub(super) hidden: usize,
    pub(super) feed_forward: usize,
    /// 0 in version 4, which has no heads.
    pub(super) head_size: usize,
    /// How many channels keys and values have.
    pub(super) kv_width: usize,
    pub(super) has_gate: bool,
    pub(super) has_group_norm: bool,
    /// Whether embeddings make the logits too, if there is nothing else for it.
    pub(super) is_tied: bool,
    /// The ranks of what depends on the input. Those that a version lacks are 0.
    pub(super) mix_rank: usize,
    pub(super) decay_rank: usize,
    pub(super) iclr_rank: usize,
    pub(super) value_rank: usize,
    pub(super) gate_rank: usize,
    pub(super) norm_epsilon: f64,
    /// `None` where it is what the authors of RWKV have.
    pub(super) group_norm_epsilon: Option<f64>,
}

/// What the authors add before they divide by a deviation, in layer norms and in the norm of heads.
const NORM_EPSILON: f64 = 1e-5;
const GROUP_NORM_EPSILON: f64 = 64e-5;

/// The ranks of low-rank matrices are those of layer 0, and for values of the first that has them.
const LOW_RANK: [&str; 7] = ["time_maa_w1", "time_mix_w1", "time_decay_w1", "w1", "a1", "g1", "v1"];

impl Facts {
    pub(super) fn new(
        version: Version,
        named: &Named<'_>,
        config: Option<&Config>,
        path: &Path,
    ) -> Result<Facts> {
        if config.is_none() && version.is_in_qwen() {
            let place = path.parent().unwrap_or(Path::new("")).join("config.json");
            let remedy = "download it too, as it describes the model";
            return Err(Error::broken(&place, "the file", "is missing beside the weights", remedy));
        }
        // Reads shapes only.
        let mut shapes = Builder::new(named, path, false);
        let [vocabulary, hidden] = pair(&mut shapes, "emb.weight")?;
        let key = match version.is_in_qwen() {
            true => "blocks.0.mlp.up_proj.weight",
            false => "blocks.0.ffn.key.weight",
        };
        let [feed_forward, _] = pair(&mut shapes, key)?;
        let in_att = |name: &str| format!("blocks.0.att.{name}");
        let rank = |name: &str| match named.get(name) {
            Some(tensor) => tensor.shape.elements() / hidden,
            None => 0,
        };
        let mix_rank = rank(&in_att("time_maa_w1")).max(rank(&in_att("time_mix_w1"))) / 5;
        let decay_rank = rank(&in_att("time_decay_w1")).max(rank(&in_att("w1")));
        let iclr_rank = rank(&in_att("a1"));
        let value_rank = match rank("blocks.1.att.v1") {
            0 => iclr_rank,
            rank => rank,
        };
        let gate_rank = rank(&in_att("g1"));
        let has_gate = match version {
            Version::V7 | Version::Hybrid7 => version == Version::V7 || gate_rank > 0,
            _ => named.has(&in_att("gate.weight")),
        };
        let mut facts = Facts {
            version,
            layers: named.layers,
            vocabulary,
            hidden,
            feed_forward,
            head_size: 0,
            kv_width: hidden,
            has_gate,
            has_group_norm: version != Version::Hybrid7 || named.has(&in_att("ln_x.weight")),
            is_tied: false,
            mix_rank,
            decay_rank,
            iclr_rank,
            value_rank,
            gate_rank,
            norm_epsilon: NORM_EPSILON,
            group_norm_epsilon: None,
        };
        facts.head_size = facts.head_size(&mut shapes, config)?;
        if let Some(config) = config {
            facts.read(config)?;
        }
        Ok(facts)
    }

    /// How many channels a head has.
    fn head_size(&self, shapes: &mut Builder<'_>, config: Option<&Config>) -> Result<usize> {
        let stated = config.map(|config| self.stated_head_size(config)).transpose()?.flatten();
        let stated = stated.filter(|&size| self.is_head_size(size));
        let named: &[&str] = match self.version {
            Version::V4 => return Ok(0),
            Version::V5 | Version::V6 => &["time_faaaa", "time_first"],
            Version::V7 | Version::Hybrid7 => &["r_k"],
            Version::Qwen6 => match (config, stated) {
                (Some(config), None) => return Err(config.missing("num_attention_heads")),
                _ => return Ok(stated.unwrap_or(1)),
            },
        };
        let full = |name: &str| format!("blocks.0.att.{name}");
        let name = named.iter().find(|name| shapes.has(&full(name))).unwrap_or(&named[0]);
        let tensor = shapes.require(&full(name))?;
        let size = match *tensor.shape {
            // One number for each head, in the first files of version 5.
            [heads] if self.version == Version::V5 && heads < self.hidden => {
                self.hidden.checked_div(heads)
            }
            [heads, 1] | [heads, 1, 1] if self.version == Version::V5 && heads < self.hidden => {
                self.hidden.checked_div(heads)
            }
            [_, size] | [1, _, size] | [_, size, 1] => Some(size),
            _ => stated,
        };
        match size {
            Some(size) if self.is_head_size(size) => Ok(size),
            _ => {
                let why = format!(
                    "has the shape {}, which gives no heads for {} channels",
                    tensor.shape, self.hidden
                );
                Err(shapes.damaged(tensor, why))
            }
        }
    }

    fn stated_head_size(&self, config: &Config) -> Result<Option<usize>> {
        if let Some(size) = config.get("head_size")?.or(config.get("head_dim")?) {
            return Ok(Some(size));
        }
        let heads: Option<usize> = config.get("num_attention_heads")?;
        Ok(heads.and_then(|heads| self.hidden.checked_div(heads)))
    }

    fn is_head_size(&self, size: usize) -> bool {
        size > 0 && self.hidden.is_multiple_of(size)
    }

    /// What a `config.json` states that tensors do not show.
    fn read(&mut self, config: &Config) -> Result<()> {
        self.is_tied = config.get("tie_word_embeddings")?.unwrap_or(false);
        if self.version.is_in_qwen() {
            self.norm_epsilon = config.require("rms_norm_eps")?;
            return self.read_qwen(config);
        }
        let epsilon = config.get("layer_norm_epsilon")?.or(config.get("norm_eps")?);
        self.norm_epsilon = epsilon.unwrap_or(NORM_EPSILON);
        let group = match self.version {
            Version::V5 | Version::V6 => {
                let divisor: Option<f64> = config.get("head_size_divisor")?;
                divisor.map(|divisor| NORM_EPSILON * divisor * divisor)
            }
            Version::V7 => {
                let size: Option<f64> = config.get("head_dim")?;
                size.zip(config.get::<f64>("norm_eps")?).map(|(size, epsilon)| size * epsilon)
            }
            _ => None,
        };
        self.group_norm_epsilon =
            group.filter(|epsilon| (epsilon / GROUP_NORM_EPSILON - 1.0).abs() > 1e-6);
        Ok(())
    }

    fn read_qwen(&mut self, config: &Config) -> Result<()> {
        let refuse = |key: &str, what: String| {
            let remedy = "use a model of which every layer is RWKV";
            Err(Error::unsupported(config.path(), format!("key `{key}`"), what, remedy))
        };
        if self.version == Version::Qwen6 {
            let heads: usize = config.require("num_key_value_heads")?;
            self.kv_width = heads.saturating_mul(self.head_size);
            return Ok(());
        }
        match config.get::<u32>("wkv_version")? {
            None | Some(7) => {}
            Some(other) => return refuse("wkv_version", format!("version {other}")),
        }
        match config.get::<serde_json::Value>("wkv_layers")? {
            Some(serde_json::Value::Array(layers)) if layers.len() < self.layers => {
                refuse("wkv_layers", format!("RWKV in {} of {} layers", layers.len(), self.layers))
            }
            _ => Ok(()),
        }
    }
}

/// Whether matrices of low rank have a row for each output: `[rank, hidden]`, where the authors of RWKV
/// have `[hidden, rank]`. All of a file are alike, so one that is not square tells.
pub(super) fn outputs_first(named: &Named<'_>, hidden: usize, hint: bool) -> bool {
    let tells = LOW_RANK.iter().flat_map(|name| [0, 1].map(|layer| (layer, name))).find_map(
        |(layer, name)| {
            let shape = named.get(&format!("blocks.{layer}.att.{name}"))?.shape;
            match *shape {
                [rows, columns] if rows != columns => Some(columns == hidden),
                _ => None,
            }
        },
    );
    named.is_lora || tells.unwrap_or(hint)
}

/// The sizes of a matrix.
fn pair(shapes: &mut Builder<'_>, name: &str) -> Result<[usize; 2]> {
    let tensor = shapes.require(name)?;
    match *tensor.shape {
        [rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
        _ => {
            let why = format!("has the shape {}, which is no matrix", tensor.shape);
            Err(shapes.damaged(tensor, why))
        }
    }
}
