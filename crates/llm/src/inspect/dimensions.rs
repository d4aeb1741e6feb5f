//! The sizes of a model that decide how much memory its cache takes.

use crate::{
    Error, Result,
    files::{
        Config,
        gguf::{Metadata, Value},
    },
};
use bessemer_core::{DType, estimate::KvCache};

/// What the files say of a model's sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct Dimensions {
    pub(super) architecture: Option<String>,
    pub(super) name: Option<String>,
    pub(super) longest_context: Option<usize>,
    /// Heads of keys and values of each layer.
    kv_heads: Vec<usize>,
    head_size: Option<usize>,
}

/// No model has more layers; a file that says so lies.
const MOST_LAYERS: usize = 100_000;

impl Dimensions {
    pub(super) fn of_gguf(meta: &Metadata) -> Result<Dimensions> {
        let name = meta.get::<&str>("general.name")?.map(str::to_owned);
        let Some(architecture) = meta.get::<&str>("general.architecture")? else {
            return Ok(Dimensions { name, ..Dimensions::default() });
        };
        let key = |name: &str| format!("{architecture}.{name}");
        let layers = meta.get::<usize>(&key("block_count"))?.unwrap_or(0);
        if layers > MOST_LAYERS {
            let why = format!("is {layers}, more than {MOST_LAYERS}");
            return Err(meta.refuse(&key("block_count"), why));
        }
        let width = meta.get::<usize>(&key("embedding_length"))?;
        // A number for all layers, or a list of one for each.
        let per_layer = |name: &str| -> Result<Option<Vec<usize>>> {
            let is_list = |value: &Value| matches!(value, Value::Array(_));
            let entry = meta.iter().find(|entry| entry.key == key(name));
            Ok(match entry.map(|entry| is_list(&entry.value)) {
                Some(true) => meta.get::<Vec<usize>>(&key(name))?,
                Some(false) => meta.get::<usize>(&key(name))?.map(|heads| vec![heads; layers]),
                None => None,
            })
        };
        let heads = per_layer("attention.head_count")?;
        let most_heads = heads.iter().flatten().copied().max();
        let head_size = match meta.get::<usize>(&key("attention.key_length"))? {
            Some(size) => Some(size),
            None => width.zip(most_heads).and_then(|(w, h)| w.checked_div(h)),
        };
        let kv_heads = per_layer("attention.head_count_kv")?.or(heads);
        Ok(Dimensions {
            name,
            longest_context: meta.get(&key("context_length"))?,
            kv_heads: kv_heads.unwrap_or_default(),
            head_size,
            architecture: Some(architecture.to_owned()),
        })
    }

    pub(super) fn of_config(config: &Config) -> Result<Dimensions> {
        // Models of several kinds of input keep the language model's part in a section.
        let get = |key: &str| match config.get::<usize>(key)? {
            None => config.get::<usize>(&format!("text_config.{key}")),
            found => Ok::<_, Error>(found),
        };
        let layers = get("num_hidden_layers")?.unwrap_or(0).min(MOST_LAYERS);
        let heads = get("num_attention_heads")?;
        let kv_heads = get("num_key_value_heads")?.or(heads);
        let head_size = match get("head_dim")? {
            Some(size) => Some(size),
            None => {
                get("hidden_size")?.zip(heads).and_then(|(width, heads)| width.checked_div(heads))
            }
        };
        Ok(Dimensions {
            architecture: config.get("model_type")?,
            name: config.get("_name_or_path")?,
            longest_context: get("max_position_embeddings")?,
            kv_heads: kv_heads.map_or_else(Vec::new, |heads| vec![heads; layers]),
            head_size,
        })
    }

    /// The bytes of the cache; `None` if the files do not say enough.
    pub(super) fn kv_cache(&self, context: usize, dtype: DType) -> Result<Option<usize>> {
        let Some(head_size) = self.head_size else {
            return Ok(None);
        };
        if self.kv_heads.is_empty() {
            return Ok(None);
        }
        let mut bytes = 0usize;
        for same in self.kv_heads.chunk_by(|a, b| a == b) {
            let cache = KvCache { layers: same.len(), heads: same[0], head_size, context, dtype };
            bytes = bytes.saturating_add(cache.bytes()?);
        }
        Ok(Some(bytes))
    }
}
