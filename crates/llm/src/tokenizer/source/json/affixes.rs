//! The `post_processor` of a file: what is put around a text.

use super::{Place, type_of};
use crate::{Result, tokenizer::limits::MOST_AFFIXES};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct TemplateJson {
    single: Vec<Part>,
    #[serde(default)]
    special_tokens: BTreeMap<String, SpecialJson>,
}

#[derive(Deserialize)]
enum Part {
    SpecialToken { id: String },
    Sequence {},
}

#[derive(Deserialize)]
struct SpecialJson {
    ids: Vec<u32>,
}

/// The two tokens of BERT's and RoBERTa's processors, each with its content.
#[derive(Deserialize)]
struct PairJson {
    cls: (String, u32),
    sep: (String, u32),
}

/// The tokens before and after a text; all below `tokens`.
pub(super) fn read(at: &Place<'_>, value: &Value, tokens: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    add(at, value, &mut before, &mut after)?;
    match before.iter().chain(&after).find(|id| **id as usize >= tokens) {
        Some(id) => Err(at.damaged(format!("adds token {id}, out of range for {tokens} tokens"))),
        None => Ok((before, after)),
    }
}

fn add(at: &Place<'_>, value: &Value, before: &mut Vec<u32>, after: &mut Vec<u32>) -> Result<()> {
    if value.is_null() {
        return Ok(());
    }
    let kind = type_of(value);
    let at = &at.of(kind);
    match kind {
        "ByteLevel" => {}
        "Sequence" => {
            for step in at.steps(value, "processors")? {
                add(at, step, before, after)?;
            }
        }
        "BertProcessing" | "RobertaProcessing" => {
            let PairJson { cls, sep } = at.parse(value)?;
            before.insert(0, cls.1);
            after.push(sep.1);
        }
        "TemplateProcessing" => {
            let json: TemplateJson = at.parse(value)?;
            let (mut first, mut passed) = (Vec::new(), false);
            for part in &json.single {
                let Part::SpecialToken { id } = part else {
                    passed = true;
                    continue;
                };
                let special = json.special_tokens.get(id);
                let ids = &special
                    .ok_or_else(|| {
                        at.damaged(format!("adds token {id:?}, which it does not describe"))
                    })?
                    .ids;
                if first.len() + before.len() + after.len() + ids.len() > MOST_AFFIXES {
                    return Err(at.excessive(format!("adds more than {MOST_AFFIXES} tokens")));
                }
                if passed { &mut *after } else { &mut first }.extend(ids);
            }
            first.append(before);
            *before = first;
        }
        other => return Err(at.unsupported(format!("post-processor {other:?}"))),
    }
    Ok(())
}
