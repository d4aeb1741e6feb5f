//! The events of a response.

use super::{
    Head,
    items::{Item, Output, What},
    kept::Keep,
};
use crate::{
    Refusal,
    ask::{Ended, Event, Reason},
    openai::error,
    stream::{self, EVENTS},
};
use serde_json::{Value, json};

/// Writes the events.
#[derive(Debug)]
pub(super) struct Frames {
    head: Head,
    keep: Option<Keep>,
    output: Output,
    /// Whether the last item is still being written.
    open: bool,
    sequence: usize,
}

impl Frames {
    pub(super) fn new(head: Head, keep: Option<Keep>) -> Frames {
        Frames { head, keep, output: Output::default(), open: false, sequence: 0 }
    }

    fn frame(&mut self, name: &str, mut value: Value) -> String {
        value["type"] = name.into();
        value["sequence_number"] = self.sequence.into();
        self.sequence += 1;
        stream::named(name, &value)
    }

    /// Begins an item.
    fn open(&mut self, item: Item) -> String {
        let mut text = self.close();
        let at = self.output.items.len();
        let json = item.json(false);
        let (id, mut part) = (item.id.clone(), item.part());
        let is_call = matches!(item.what, What::Call { .. });
        self.output.items.push(item);
        self.open = true;
        text +=
            &self.frame("response.output_item.added", json!({ "output_index": at, "item": json }));
        if !is_call {
            part["text"] = "".into();
            let value =
                json!({ "item_id": id, "output_index": at, "content_index": 0, "part": part });
            text += &self.frame("response.content_part.added", value);
        }
        text
    }

    /// More of the text of the last item.
    fn more(&mut self, name: &str, piece: &str) -> String {
        let at = self.output.items.len() - 1;
        let item = &mut self.output.items[at];
        if let What::Text(text) | What::Thinking(text) = &mut item.what {
            *text += piece;
        }
        let id = item.id.clone();
        let mut value =
            json!({ "item_id": id, "output_index": at, "content_index": 0, "delta": piece });
        if name == "response.output_text.delta" {
            value["logprobs"] = json!([]);
        }
        self.frame(name, value)
    }

    /// Ends the last item.
    fn close(&mut self) -> String {
        if !std::mem::take(&mut self.open) {
            return String::new();
        }
        let at = self.output.items.len() - 1;
        let item = self.output.items[at].clone();
        let mut text = String::new();
        let place = json!({ "item_id": item.id, "output_index": at });
        let with = |more: Value| {
            let mut value = place.clone();
            if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
                value.extend(more);
            }
            value
        };
        match &item.what {
            What::Call { call, .. } => {
                let whole = with(json!({ "delta": call.arguments }));
                text += &self.frame("response.function_call_arguments.delta", whole);
                let whole = with(json!({ "arguments": call.arguments, "name": call.name }));
                text += &self.frame("response.function_call_arguments.done", whole);
            }
            What::Text(all) => {
                let whole = with(json!({ "content_index": 0, "text": all, "logprobs": [] }));
                text += &self.frame("response.output_text.done", whole);
            }
            What::Thinking(all) => {
                let whole = with(json!({ "content_index": 0, "text": all }));
                text += &self.frame("response.reasoning_text.done", whole);
            }
        }
        if !matches!(item.what, What::Call { .. }) {
            let whole = with(json!({ "content_index": 0, "part": item.part() }));
            text += &self.frame("response.content_part.done", whole);
        }
        let done = json!({ "output_index": at, "item": item.json(true) });
        text + &self.frame("response.output_item.done", done)
    }

    fn end(&mut self, ended: &Ended) -> String {
        let mut text = String::new();
        if self.output.items.is_empty() {
            text += &self.open(Item::text());
        }
        text += &self.close();
        let response = self.head.response(&self.output, Some(ended));
        if let Some(keep) = self.keep.take() {
            keep.keep(&self.head.id, &self.output, &response);
        }
        let name = match ended.reason {
            Reason::Length => "response.incomplete",
            _ => "response.completed",
        };
        text + &self.frame(name, json!({ "response": response }))
    }
}

impl stream::Frames for Frames {
    const TYPE: &'static str = EVENTS;
    const IDLE: &'static str = ": still here\n\n";

    fn begin(&mut self) -> String {
        let response = self.head.response(&self.output, None);
        let created = self.frame("response.created", json!({ "response": response }));
        created + &self.frame("response.in_progress", json!({ "response": response }))
    }

    fn event(&mut self, _: usize, event: Event) -> String {
        let last = self.output.items.last().filter(|_| self.open).map(|item| &item.what);
        match event {
            Event::Words(_) => String::new(),
            Event::Text(piece) => {
                let open = match last {
                    Some(What::Text(_)) => String::new(),
                    _ => self.open(Item::text()),
                };
                open + &self.more("response.output_text.delta", &piece)
            }
            Event::Thinking(piece) => {
                let open = match last {
                    Some(What::Thinking(_)) => String::new(),
                    _ => self.open(Item::thinking()),
                };
                open + &self.more("response.reasoning_text.delta", &piece)
            }
            Event::Call(call) => self.open(Item::call(call)),
            Event::End(ended) => self.end(&ended),
        }
    }

    fn failed(&mut self, refusal: &Refusal) -> String {
        let inner = &error(refusal)["error"];
        let value = json!({
            "code": inner["code"],
            "message": inner["message"],
            "param": inner["param"],
        });
        self.frame("error", value)
    }
}
