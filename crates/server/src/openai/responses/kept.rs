//! The latest responses, which a client can go on from.

use super::items::Output;
use crate::App;
use bessemer_llm::template::Message;
use serde_json::Value;
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// The responses that are kept, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<VecDeque<Response>>);

/// A response with its conversation.
#[derive(Clone, Debug)]
pub(super) struct Response {
    id: String,
    /// Others do not see it.
    owner: String,
    pub(super) messages: Vec<Message>,
    pub(super) response: Value,
    bytes: usize,
}

/// The most that are kept, and their most bytes.
const MOST: (usize, usize) = (1000, 64 << 20);

impl Kept {
    pub(super) fn get(&self, id: &str, owner: &str) -> Option<Response> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|kept| kept.id == id && kept.owner == owner).cloned()
    }

    pub(super) fn remove(&self, id: &str, owner: &str) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.len();
        all.retain(|kept| kept.id != id || kept.owner != owner);
        all.len() < before
    }

    fn push(&self, response: Response) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(response);
        let mut bytes: usize = all.iter().map(|kept| kept.bytes).sum();
        while all.len() > MOST.0 || bytes > MOST.1 {
            bytes -= all.pop_front().map_or(bytes, |oldest| oldest.bytes);
        }
    }
}

/// What keeps a response when it is there.
#[derive(Debug)]
pub(super) struct Keep {
    pub(super) app: App,
    pub(super) owner: String,
    pub(super) messages: Vec<Message>,
}

impl Keep {
    pub(super) fn keep(self, id: &str, output: &Output, response: &Value) {
        let Keep { app, owner, mut messages } = self;
        messages.push(output.message());
        let lengths = messages.iter().map(|message| {
            let text = message.content.as_ref().and_then(Value::as_str);
            text.map_or(256, |text| 256 + text.len())
        });
        let bytes = lengths.sum::<usize>() + 2048;
        let (id, response) = (id.to_owned(), response.clone());
        app.responses.push(Response { id, owner, messages, response, bytes });
    }
}
