//! The lines of an answer, and the whole of one.

use super::{error, rfc3339};
use crate::{
    Refusal,
    ask::{Called, Ended, Event, Reason, Whole},
    stream::{self, LINES, line},
};
use serde_json::{Map, Value, json};
use std::time::SystemTime;

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Chat,
    Generate,
}

/// Writes lines.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) style: Style,
    pub(super) model: String,
}

impl Lines {
    fn head(&self) -> Map<String, Value> {
        let mut head = Map::new();
        head.insert("model".into(), self.model.as_str().into());
        head.insert("created_at".into(), rfc3339(SystemTime::now()).into());
        head
    }

    fn part(&self, text: &str, thinking: &str, calls: &[Called], ended: Option<&Ended>) -> Value {
        let mut part = self.head();
        match self.style {
            Style::Chat => {
                let mut message = json!({ "role": "assistant", "content": text });
                if !thinking.is_empty() {
                    message["thinking"] = thinking.into();
                }
                if !calls.is_empty() {
                    message["tool_calls"] = calls.iter().map(call_json).collect();
                }
                part.insert("message".into(), message);
            }
            Style::Generate => {
                part.insert("response".into(), text.into());
                if !thinking.is_empty() {
                    part.insert("thinking".into(), thinking.into());
                }
            }
        }
        part.insert("done".into(), ended.is_some().into());
        if let Some(ended) = ended {
            part.extend(statistics(ended));
        }
        Value::Object(part)
    }

    /// A whole answer.
    pub(super) fn whole(&self, whole: &Whole) -> Value {
        self.part(&whole.text, &whole.thinking, &whole.calls, Some(&whole.ended))
    }

    /// An answer to a request that only loads or drops a model.
    pub(super) fn nothing(&self, reason: &str) -> Value {
        let mut part = self.part("", "", &[], None);
        part["done"] = true.into();
        part["done_reason"] = reason.into();
        part
    }
}

impl stream::Frames for Lines {
    const TYPE: &'static str = LINES;
    // Clients take every line for a part of the answer.
    const IDLE: &'static str = "";

    fn event(&mut self, _: usize, event: Event) -> String {
        match event {
            Event::Words(_) => String::new(),
            Event::Text(text) => line(&self.part(&text, "", &[], None)),
            Event::Thinking(text) => line(&self.part("", &text, &[], None)),
            Event::Call(call) => line(&self.part("", "", &[call], None)),
            Event::End(ended) => line(&self.part("", "", &[], Some(&ended))),
        }
    }

    fn failed(&mut self, refusal: &Refusal) -> String {
        line(&error(refusal))
    }
}

fn call_json(call: &Called) -> Value {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    json!({ "function": { "name": call.name, "arguments": arguments } })
}

/// Counts, and times in nanoseconds.
fn statistics(ended: &Ended) -> Map<String, Value> {
    let (usage, times) = (&ended.usage, &ended.times);
    let ns = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let reason = match ended.reason {
        Reason::Length => "length",
        _ => "stop",
    };
    let all = [
        ("done_reason", Value::from(reason)),
        ("total_duration", ns(times.total).into()),
        ("load_duration", ns(times.load).into()),
        ("prompt_eval_count", usage.prompt.into()),
        ("prompt_eval_duration", ns(times.prefill).into()),
        ("eval_count", usage.answer.into()),
        ("eval_duration", ns(times.decode).into()),
    ];
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
