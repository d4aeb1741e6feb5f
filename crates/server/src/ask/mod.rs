//! What is asked of a model, whatever API it came by, and the events of the answer. Each API translates to
//! and from these; how they are run is in `run`.

mod check;
mod events;
mod format;
mod prepare;
mod run;
mod split;
mod tools;

pub(crate) use check::{choices, count, number, seed, share, stops};
pub(crate) use events::{Called, Ended, Event, Likely, Reason, Times, Usage, Word};
pub(crate) use format::{Format, Grammars};
pub(crate) use prepare::{refused as refused_by_model, tokens};
pub(crate) use run::{Answers, Whole, draining, failed, refused, start};
pub(crate) use split::{Part, Splitter};
pub(crate) use tools::{Tool, ToolChoice, ToolStyle, check_tools};

use crate::keys::Key;
use bessemer_llm::{GenerateOptions, template::Message};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// The model's name; the first of the server if there is none.
    pub(crate) model: Option<String>,
    /// What to answer, once each.
    pub(crate) inputs: Vec<Input>,
    /// How often each is answered, with seeds one apart.
    pub(crate) n: usize,
    pub(crate) options: GenerateOptions,
    /// How many of the likeliest tokens to tell with each, if probabilities are wanted at all.
    pub(crate) logprobs: Option<usize>,
    pub(crate) format: Format,
    /// The field that `format` came from, for errors.
    pub(crate) format_field: &'static str,
    /// The field of the prompt, for errors.
    pub(crate) prompt_field: &'static str,
    /// Who asks, as far as the client says.
    pub(crate) user: Option<String>,
    /// More is sooner.
    pub(crate) priority: i32,
}

/// What to answer.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// A chat, by the model's template.
    Chat(Box<Conversation>),
    /// A text to go on with.
    Text(String),
    /// Tokens, as they are.
    Tokens(Vec<u32>),
}

/// A chat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Message>,
    /// What the answer begins with.
    pub(crate) begun: Option<String>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) choice: ToolChoice,
    /// Whether the model may call several tools at once.
    pub(crate) one_call: bool,
    /// Variables of the template's own.
    pub(crate) variables: Map<String, Value>,
}

/// Who asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    pub(crate) key: Option<Arc<Key>>,
    /// The address, where there are no keys.
    pub(crate) address: String,
}

impl Client {
    /// Between whom the engine is to be fair.
    pub(crate) fn name(&self, user: Option<&str>) -> String {
        let who = self.key.as_ref().map_or(self.address.as_str(), |key| &key.name);
        match user {
            // Clients choose it.
            Some(user) => format!("{who}/{}", user.chars().take(64).collect::<String>()),
            None => who.to_owned(),
        }
    }
}
