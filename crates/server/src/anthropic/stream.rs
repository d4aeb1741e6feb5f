//! The events of an answer.

use super::{error, messages::usage, stop_of};
use crate::{
    Refusal,
    around::new_id,
    ask::{Ended, Event, Usage},
    stream::{self, EVENTS, named},
};
use serde_json::{Value, json};

/// Writes the events.
#[derive(Debug)]
pub(super) struct Frames {
    id: String,
    model: String,
    /// The block that is being written, and how many there were before.
    open: Option<&'static str>,
    blocks: usize,
}

impl Frames {
    pub(super) fn new(id: String, model: String) -> Frames {
        Frames { id, model, open: None, blocks: 0 }
    }

    /// Begins a block, unless one of its kind is open.
    fn open(&mut self, kind: &'static str, block: Value) -> String {
        if self.open == Some(kind) {
            return String::new();
        }
        let before = self.close();
        self.open = Some(kind);
        let start =
            json!({ "type": "content_block_start", "index": self.blocks, "content_block": block });
        before + &named("content_block_start", &start)
    }

    fn delta(&self, delta: Value) -> String {
        let value = json!({ "type": "content_block_delta", "index": self.blocks, "delta": delta });
        named("content_block_delta", &value)
    }

    fn close(&mut self) -> String {
        if self.open.take().is_none() {
            return String::new();
        }
        let stop = json!({ "type": "content_block_stop", "index": self.blocks });
        self.blocks += 1;
        named("content_block_stop", &stop)
    }

    fn end(&mut self, ended: &Ended) -> String {
        let mut text = String::new();
        if self.blocks == 0 && self.open.is_none() {
            text += &self.open("text", json!({ "type": "text", "text": "" }));
        }
        text += &self.close();
        let (reason, sequence) = stop_of(&ended.reason);
        let delta = json!({
            "type": "message_delta",
            "delta": { "stop_reason": reason, "stop_sequence": sequence },
            "usage": usage(&ended.usage),
        });
        text + &named("message_delta", &delta)
            + &named("message_stop", &json!({ "type": "message_stop" }))
    }
}

impl stream::Frames for Frames {
    const TYPE: &'static str = EVENTS;
    const IDLE: &'static str = "event: ping\ndata: {\"type\": \"ping\"}\n\n";

    fn begin(&mut self) -> String {
        let message = json!({
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": usage(&Usage::default()),
        });
        named("message_start", &json!({ "type": "message_start", "message": message }))
    }

    fn event(&mut self, _: usize, event: Event) -> String {
        match event {
            Event::Words(_) => String::new(),
            Event::Text(piece) => {
                let open = self.open("text", json!({ "type": "text", "text": "" }));
                open + &self.delta(json!({ "type": "text_delta", "text": piece }))
            }
            Event::Thinking(piece) => {
                let block = json!({ "type": "thinking", "thinking": "", "signature": "" });
                let open = self.open("thinking", block);
                open + &self.delta(json!({ "type": "thinking_delta", "thinking": piece }))
            }
            Event::Call(call) => {
                let before = self.close();
                let id = new_id("toolu");
                let block = json!({ "type": "tool_use", "id": id, "name": call.name, "input": {} });
                let open = self.open("tool_use", block);
                let delta = json!({ "type": "input_json_delta", "partial_json": call.arguments });
                before + &open + &self.delta(delta) + &self.close()
            }
            Event::End(ended) => self.end(&ended),
        }
    }

    fn failed(&mut self, refusal: &Refusal) -> String {
        named("error", &error(refusal))
    }
}
