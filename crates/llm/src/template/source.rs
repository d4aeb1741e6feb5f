//! Where templates are found: in a GGUF file, next to safetensors, or here for models that have a
//! well-known one and do not say so.

use super::{ChatTemplate, world};
use crate::{
    Error, Result,
    files::{ModelFile, read},
};
use serde_json::Value;
use std::path::Path;

/// Of a template, or a `tokenizer_config.json`.
const MOST_BYTES: u64 = 8 << 20;

impl ChatTemplate {
    /// The chat template of a model; `None` if it has none.
    pub fn of(model: &ModelFile) -> Result<Option<ChatTemplate>> {
        let source = match model {
            ModelFile::Gguf(file) => {
                let metadata = file.metadata();
                let source = metadata.get::<&str>("tokenizer.chat_template")?;
                let is_world = metadata.get("tokenizer.ggml.model")? == Some("rwkv");
                source.or(is_world.then_some(world::NAME)).map(str::to_owned)
            }
            ModelFile::Safetensors(files) => in_folder(files.folder())?,
        };
        source.as_deref().map(ChatTemplate::new).transpose()
    }
}

fn in_folder(folder: &Path) -> Result<Option<String>> {
    let read = |name: &str| {
        let path = folder.join(name);
        let text = path.exists().then(|| read::text(&path, MOST_BYTES)).transpose()?;
        Ok::<_, Error>(text.map(|text| (path, text)))
    };
    if let Some((_, source)) = read("chat_template.jinja")? {
        return Ok(Some(source));
    }
    let Some((path, json)) = read("tokenizer_config.json")? else {
        return Ok(None);
    };
    let config: Value = serde_json::from_str(&json).map_err(|e| {
        let place = format!("line {}, column {}", e.line(), e.column());
        Error::damaged(&path, place, e.to_string())
    })?;
    // One template, or a list of named ones.
    let template = &config["chat_template"];
    let named = template.as_array().and_then(|list| {
        let default = list.iter().find(|entry| entry["name"] == "default");
        default?["template"].as_str()
    });
    Ok(template.as_str().or(named).map(str::to_owned))
}
