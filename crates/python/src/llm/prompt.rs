//! Prompts from Python: texts, lists of tokens, and chats.

use super::options::json;
use crate::errors::type_error;
use bessemer::{
    Llm,
    llm::{
        GenerateOptions, Generation, Prompt, Session,
        template::{Chat, Message},
    },
};
use pyo3::{
    prelude::*,
    types::{PyDict, PyString},
};

/// A prompt that lives by itself.
pub(super) enum OwnPrompt {
    Text(String),
    Tokens(Vec<u32>),
    Chat(Box<Chat>),
}

impl OwnPrompt {
    /// From a text or a list of tokens.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<OwnPrompt> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(OwnPrompt::Text(text.to_str()?.to_owned()));
        }
        object.extract().map(OwnPrompt::Tokens).map_err(|_| {
            type_error("prompt: it must be a text or a list of tokens; for messages use `chat`")
        })
    }

    /// From the messages of a chat: dicts with `role` and `content`, or one text of a user.
    pub(super) fn chat(
        messages: &Bound<'_, PyAny>,
        tools: Option<&Bound<'_, PyAny>>,
        variables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Chat> {
        let messages = match messages.cast::<PyString>() {
            Ok(text) => vec![Message::user(text.to_str()?)],
            Err(_) => messages.try_iter()?.map(|item| message(&item?)).collect::<PyResult<_>>()?,
        };
        let mut chat = Chat::new(messages);
        chat.tools = tools.map(json).transpose()?;
        if let Some(serde_json::Value::Object(more)) = variables.map(|v| json(v)).transpose()? {
            chat.more = more;
        }
        Ok(chat)
    }

    /// As the engine takes it.
    pub(super) fn as_prompt(&self) -> Prompt<'_> {
        match self {
            OwnPrompt::Text(text) => Prompt::Text(text),
            OwnPrompt::Tokens(tokens) => Prompt::Tokens(tokens),
            OwnPrompt::Chat(chat) => Prompt::Chat(chat),
        }
    }

    pub(super) fn generate<'a>(
        &'a self,
        llm: &'a Llm,
        session: &'a mut Session,
        options: &GenerateOptions,
    ) -> bessemer::llm::Result<Generation<'a>> {
        llm.generate(session, self.as_prompt(), options)
    }
}

fn message(item: &Bound<'_, PyAny>) -> PyResult<Message> {
    let wrong = |why: String| {
        type_error(format!(
            "chat: {why}; messages are dicts such as {{'role': 'user', 'content': 'Hi'}}"
        ))
    };
    serde_json::from_value(json(item)?).map_err(|error| wrong(error.to_string()))
}
