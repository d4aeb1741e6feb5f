//! The output of a response: thoughts, a message, calls.

use crate::{
    around::new_id,
    ask::{Called, Whole},
};
use bessemer_llm::template::Message;
use serde_json::{Value, json};

/// The output so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    pub(super) items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Text(String),
    Thinking(String),
    Call { id: String, call: Called },
}

impl Item {
    pub(super) fn text() -> Item {
        Item { id: new_id("msg"), what: What::Text(String::new()) }
    }

    pub(super) fn thinking() -> Item {
        Item { id: new_id("rs"), what: What::Thinking(String::new()) }
    }

    pub(super) fn call(call: Called) -> Item {
        Item { id: new_id("fc"), what: What::Call { id: new_id("call"), call } }
    }

    pub(super) fn json(&self, done: bool) -> Value {
        let status = if done { "completed" } else { "in_progress" };
        match &self.what {
            What::Text(_) => json!({
                "id": self.id,
                "type": "message",
                "status": status,
                "role": "assistant",
                "content": if done { json!([self.part()]) } else { json!([]) },
            }),
            What::Thinking(_) => json!({
                "id": self.id,
                "type": "reasoning",
                "status": status,
                "summary": [],
                "content": if done { json!([self.part()]) } else { json!([]) },
            }),
            What::Call { id, call } => json!({
                "id": self.id,
                "type": "function_call",
                "status": status,
                "call_id": id,
                "name": call.name,
                "arguments": if done { call.arguments.as_str() } else { "" },
            }),
        }
    }

    /// The part that the text of an item is in.
    pub(super) fn part(&self) -> Value {
        match &self.what {
            What::Text(text) => {
                json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
            }
            What::Thinking(text) => json!({ "type": "reasoning_text", "text": text }),
            What::Call { .. } => Value::Null,
        }
    }
}

impl Output {
    /// The output of an answer that is there.
    pub(super) fn whole(&mut self, whole: &Whole) {
        if !whole.thinking.is_empty() {
            let thinking = What::Thinking(whole.thinking.clone());
            self.items.push(Item { what: thinking, ..Item::thinking() });
        }
        if !whole.text.is_empty() || whole.calls.is_empty() {
            self.items.push(Item { what: What::Text(whole.text.clone()), ..Item::text() });
        }
        self.items.extend(whole.calls.iter().cloned().map(Item::call));
    }

    pub(super) fn json(&self) -> Vec<Value> {
        self.items.iter().map(|item| item.json(true)).collect()
    }

    /// What is kept of it in the conversation.
    pub(super) fn message(&self) -> Message {
        let mut message = Message::assistant("");
        let (mut text, mut calls) = (String::new(), Vec::new());
        for item in &self.items {
            match &item.what {
                What::Text(more) => text += more,
                What::Thinking(_) => {}
                What::Call { id, call } => {
                    let arguments: Value =
                        serde_json::from_str(&call.arguments).unwrap_or_default();
                    calls.push(json!({
                        "id": id,
                        "type": "function",
                        "function": { "name": call.name, "arguments": arguments },
                    }));
                }
            }
        }
        message.content = Some(text.into());
        if !calls.is_empty() {
            message.more.insert("tool_calls".into(), calls.into());
        }
        message
    }
}
