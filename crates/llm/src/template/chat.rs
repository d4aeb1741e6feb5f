//! What a template is given: messages, tools, and what the model calls its tokens.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::SystemTime;

/// One message of a chat.
///
/// ```
/// use bessemer_llm::template::Message;
///
/// let message = Message::user("Hi");
/// assert_eq!(serde_json::to_string(&message)?, r#"{"role":"user","content":"Hi"}"#);
/// let call: Message = serde_json::from_str(r#"{"role":"assistant","tool_calls":[]}"#)?;
/// assert!(call.more.contains_key("tool_calls"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks: `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// What they say: a string, or for some templates a list of parts. Absent in a message that
    /// only calls tools; `null` is not absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub content: Option<serde_json::Value>,
    /// Whatever else a template may ask for, such as `tool_calls`.
    #[serde(flatten)]
    pub more: Map<String, serde_json::Value>,
}

fn present<'de, D>(deserializer: D) -> Result<Option<serde_json::Value>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    serde_json::Value::deserialize(deserializer).map(Some)
}

impl Message {
    /// A message with text.
    pub fn new(role: &str, content: &str) -> Message {
        Message { role: role.to_owned(), content: Some(content.into()), more: Map::new() }
    }

    /// What the model is told to be.
    pub fn system(content: &str) -> Message {
        Message::new("system", content)
    }

    /// What a person says.
    pub fn user(content: &str) -> Message {
        Message::new("user", content)
    }

    /// What the model said.
    pub fn assistant(content: &str) -> Message {
        Message::new("assistant", content)
    }
}

/// Everything a template gets to see.
///
/// ```
/// use bessemer_llm::template::{Chat, ChatTemplate, Message};
///
/// let template = ChatTemplate::new("{{ messages | length }} {{ add_generation_prompt }}")?;
/// let mut chat = Chat::new([Message::system("Be brief."), Message::user("Hello!")]);
/// assert_eq!(template.render(&chat)?, "2 True");
/// chat.messages.push(Message::assistant("Hi."));
/// chat.add_generation_prompt = false;
/// assert_eq!(template.render(&chat)?, "3 False");
/// # Ok::<(), bessemer_llm::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Chat {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Whether the text ends where the model's answer begins.
    pub add_generation_prompt: bool,
    /// The text of the token that begins a text.
    pub bos_token: Option<String>,
    /// The text of the token that ends a text.
    pub eos_token: Option<String>,
    /// Tools the model may call, as JSON schemas.
    pub tools: Option<serde_json::Value>,
    /// Variables of the template's own, such as `enable_thinking`.
    pub more: Map<String, serde_json::Value>,
    /// What time it is, in UTC; the machine's clock and place if not said.
    pub now: Option<SystemTime>,
}

impl Chat {
    /// Messages that the model is to answer.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Chat {
        Chat {
            messages: messages.into_iter().collect(),
            add_generation_prompt: true,
            ..Chat::default()
        }
    }

    /// What the template knows by name.
    pub(super) fn variables(&self) -> Value {
        let mut variables = self.more.clone();
        variables.insert("messages".into(), json!(self.messages));
        variables.insert("add_generation_prompt".into(), self.add_generation_prompt.into());
        // What a template is not given it finds undefined, except these, which are none.
        variables.insert("tools".into(), json!(self.tools));
        variables.insert("documents".into(), Value::Null);
        for (name, token) in [("bos_token", &self.bos_token), ("eos_token", &self.eos_token)] {
            if let Some(token) = token {
                variables.insert(name.into(), token.as_str().into());
            }
        }
        Value::Object(variables)
    }
}
