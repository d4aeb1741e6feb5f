//! What Hugging Face's files say beside a vocabulary: which tokens begin and end a text, and how a chat
//! looks.

use crate::{Error, Result, files::read};
use serde_json::Value;
use std::path::Path;

/// Of a template, or a `tokenizer_config.json`.
const MOST_BYTES: u64 = 8 << 20;

#[derive(Default)]
pub(super) struct Special {
    config: Value,
    pub(super) template: Option<String>,
}

impl Special {
    /// What the files of a folder say.
    pub(super) fn beside(folder: &Path) -> Result<Special> {
        let read = |name: &str| -> Result<Option<String>> {
            let path = folder.join(name);
            path.exists().then(|| read::text(&path, MOST_BYTES)).transpose()
        };
        let name = "tokenizer_config.json";
        let config = match read(name)? {
            Some(json) => serde_json::from_str(&json).map_err(|e| {
                Error::damaged(&folder.join(name), "the file", format!("is invalid: {e}"))
            })?,
            None => Value::Null,
        };
        let template = match read("chat_template.jinja")? {
            Some(template) => Some(template),
            None => config["chat_template"].as_str().map(str::to_owned),
        };
        Ok(Special { config, template })
    }

    /// The text of the token that has a role, such as `bos_token`.
    pub(super) fn token(&self, role: &str) -> Option<&str> {
        let token = &self.config[role];
        token.as_str().or_else(|| token["content"].as_str())
    }
}
