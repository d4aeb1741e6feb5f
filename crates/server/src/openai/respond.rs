//! The chunks of chat completions and completions.

use super::{finish_reason, logprobs_json, timings_json, usage_json};
use crate::{
    Refusal,
    ask::{Answers, Event, Usage, Word},
    openai::{completions, error, tools::call_json},
    stream::{self, EVENTS, Frames},
};
use serde_json::{Map, Value, json};

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Chat,
    Text,
}

/// Writes chunks.
#[derive(Debug)]
pub(super) struct Chunk {
    style: Style,
    id: String,
    created: u64,
    model: String,
    /// Whether the last chunk tells what was used.
    usage: bool,
    used: Vec<Usage>,
    choices: Vec<Choice>,
}

#[derive(Clone, Debug, Default)]
struct Choice {
    calls: usize,
    /// Where the text is, in completions' probabilities.
    offset: usize,
    /// Probabilities that no text has gone out with.
    words: Vec<Word>,
}

impl Chunk {
    pub(super) fn new(
        style: Style,
        id: String,
        created: u64,
        answers: &Answers,
        usage: bool,
    ) -> Chunk {
        let choices = vec![Choice::default(); answers.len()];
        Chunk { style, id, created, model: answers.model.clone(), usage, used: Vec::new(), choices }
    }

    fn head(&self) -> Map<String, Value> {
        let object = match self.style {
            Style::Chat => "chat.completion.chunk",
            Style::Text => "text_completion",
        };
        let mut head = Map::new();
        head.insert("id".into(), self.id.as_str().into());
        head.insert("object".into(), object.into());
        head.insert("created".into(), self.created.into());
        head.insert("model".into(), self.model.as_str().into());
        head
    }

    /// A chunk with one choice.
    fn chunk(
        &mut self,
        index: usize,
        delta: Value,
        reason: Option<&str>,
        more: Option<Value>,
    ) -> String {
        let words = std::mem::take(&mut self.choices[index].words);
        let mut choice = json!({ "index": index, "finish_reason": reason, "logprobs": null });
        match self.style {
            Style::Chat => {
                choice["delta"] = delta;
                if !words.is_empty() {
                    choice["logprobs"] = logprobs_json(&words);
                }
            }
            Style::Text => {
                choice["text"] = delta;
                if !words.is_empty() {
                    let offset = &mut self.choices[index].offset;
                    choice["logprobs"] = completions::logprobs_json(&words, offset);
                }
            }
        }
        let mut chunk = self.head();
        chunk.insert("choices".into(), json!([choice]));
        if self.usage {
            chunk.insert("usage".into(), Value::Null);
        }
        if let Some(timings) = more {
            chunk.insert("timings".into(), timings);
        }
        stream::data(&Value::Object(chunk))
    }
}

impl Frames for Chunk {
    const TYPE: &'static str = EVENTS;
    const IDLE: &'static str = ": still here\n\n";

    fn begin(&mut self) -> String {
        match self.style {
            Style::Text => String::new(),
            Style::Chat => (0..self.choices.len())
                .map(|at| self.chunk(at, json!({ "role": "assistant", "content": "" }), None, None))
                .collect(),
        }
    }

    fn event(&mut self, index: usize, event: Event) -> String {
        match (event, self.style) {
            (Event::Words(words), _) => {
                self.choices[index].words.extend(words);
                String::new()
            }
            (Event::Text(text), Style::Chat) => {
                self.chunk(index, json!({ "content": text }), None, None)
            }
            (Event::Thinking(text), Style::Chat) => {
                self.chunk(index, json!({ "reasoning_content": text }), None, None)
            }
            (Event::Text(text) | Event::Thinking(text), Style::Text) => {
                self.chunk(index, text.into(), None, None)
            }
            (Event::Call(call), _) => {
                let mut json = call_json(&call);
                json["index"] = self.choices[index].calls.into();
                self.choices[index].calls += 1;
                self.chunk(index, json!({ "tool_calls": [json] }), None, None)
            }
            (Event::End(ended), style) => {
                self.used.push(ended.usage);
                let delta = if style == Style::Chat { json!({}) } else { "".into() };
                let reason = finish_reason(&ended.reason);
                self.chunk(index, delta, Some(reason), Some(timings_json(&ended)))
            }
        }
    }

    fn failed(&mut self, refusal: &Refusal) -> String {
        stream::data(&error(refusal))
    }

    fn finish(&mut self) -> String {
        let mut text = String::new();
        if self.usage {
            let mut chunk = self.head();
            chunk.insert("choices".into(), json!([]));
            chunk.insert("usage".into(), usage_json(&self.used));
            text += &stream::data(&Value::Object(chunk));
        }
        text + "data: [DONE]\n\n"
    }
}
