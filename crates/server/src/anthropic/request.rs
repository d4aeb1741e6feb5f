//! What a client of this API asks.

use crate::{
    App, Refusal,
    ask::{
        self, Ask, Conversation, Format, Input, Tool, ToolChoice, check_tools, count, number, share,
    },
};
use bessemer_llm::{GenerateOptions, template::Message};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// Messages to answer.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct MessagesRequest {
    /// The model; the server's first if there is none.
    pub(crate) model: Option<String>,
    /// The most tokens of the answer.
    #[schema(minimum = 1)]
    pub(crate) max_tokens: Option<i64>,
    /// The messages, oldest first. A last one of the assistant is what the answer begins with.
    pub(crate) messages: Option<Vec<InputMessage>>,
    /// What the model is told to be: a text, or a list of parts with texts.
    #[schema(value_type = Option<String>)]
    pub(crate) system: Option<Value>,
    #[schema(minimum = 0, maximum = 100)]
    pub(crate) temperature: Option<f64>,
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) top_p: Option<f64>,
    #[schema(minimum = 0)]
    pub(crate) top_k: Option<i64>,
    /// The same seed gives the same answer.
    pub(crate) seed: Option<i64>,
    pub(crate) stop_sequences: Option<Vec<String>>,
    pub(crate) stream: Option<bool>,
    pub(crate) tools: Option<Vec<ToolDef>>,
    /// `auto`, `any`, `tool` with a name, or `none`.
    #[schema(value_type = Option<Object>)]
    pub(crate) tool_choice: Option<Value>,
    /// `type`: `enabled` or `disabled`, for templates that know `enable_thinking`.
    #[schema(value_type = Option<Object>)]
    pub(crate) thinking: Option<Value>,
    /// `user_id`: who asks.
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Value>,
}

/// A message.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct InputMessage {
    /// `user` or `assistant`.
    pub(crate) role: String,
    /// A text, or a list of blocks: texts, tool uses and their results.
    #[schema(value_type = String)]
    pub(crate) content: Value,
}

/// A tool.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct ToolDef {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// The JSON schema of what it takes.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub(crate) input_schema: Option<Value>,
}

impl MessagesRequest {
    pub(super) fn ask(self, app: &App, needs_most: bool) -> Result<Ask, Refusal> {
        let limits = &app.options.limits;
        let most = count("max_tokens", self.max_tokens, 1..=limits.answer_tokens)?;
        if most.is_none() && needs_most {
            return Err(Refusal::field("max_tokens", "missing"));
        }
        let stop = self.stop_sequences.unwrap_or_default();
        ask::stops("stop_sequences", &stop)?;
        let mut options = GenerateOptions { max_tokens: most, stop, ..GenerateOptions::default() };
        let sampling = &mut options.sampling;
        let set = |to: &mut f32, value: Option<f32>| *to = value.unwrap_or(*to);
        set(&mut sampling.temperature, number("temperature", self.temperature, 0.0..=100.0)?);
        set(&mut sampling.top_p, share("top_p", self.top_p)?);
        if let Some(k) = count("top_k", self.top_k, 0..=u32::MAX as usize)? {
            sampling.top_k = k;
        }
        sampling.seed = ask::seed(self.seed);
        let (choice, one_call) = choice_of(self.tool_choice.as_ref())?;
        let tools = tools_of(self.tools.unwrap_or_default(), &choice)?;
        let messages = self.messages.ok_or_else(|| Refusal::field("messages", "missing"))?;
        let (messages, begun) = messages_of(self.system.as_ref(), &messages)?;
        let mut variables = Map::new();
        match self.thinking.as_ref().and_then(|thinking| thinking.get("type")?.as_str()) {
            None => {}
            Some("enabled" | "adaptive") => {
                drop(variables.insert("enable_thinking".into(), true.into()))
            }
            Some("disabled") => drop(variables.insert("enable_thinking".into(), false.into())),
            Some(_) => return Err(Refusal::field("thinking.type", "not enabled or disabled")),
        }
        let chat = Conversation { messages, begun, tools, choice, one_call, variables };
        let user = self.metadata.as_ref().and_then(|metadata| metadata.get("user_id")?.as_str());
        Ok(Ask {
            model: self.model,
            inputs: vec![Input::Chat(Box::new(chat))],
            n: 1,
            options,
            logprobs: None,
            format: Format::Free,
            format_field: "tools",
            prompt_field: "messages",
            user: user.map(str::to_owned),
            priority: 0,
        })
    }
}

/// Messages as templates expect them, and what the answer begins with.
fn messages_of(
    system: Option<&Value>,
    all: &[InputMessage],
) -> Result<(Vec<Message>, Option<String>), Refusal> {
    let mut messages = Vec::new();
    match system {
        None | Some(Value::Null) => {}
        Some(system) => messages.push(Message::system(&text_of("system", system)?)),
    }
    if all.is_empty() {
        return Err(Refusal::field("messages", "there are none; send at least one"));
    }
    for (at, message) in all.iter().enumerate() {
        let place = format!("messages[{at}]");
        match message.role.as_str() {
            "user" => user(&place, &message.content, &mut messages)?,
            "assistant" => messages.push(assistant(&place, &message.content)?),
            other => {
                let other: String = other.chars().take(40).collect();
                let why = format!("{other:?} is not user or assistant");
                return Err(Refusal::field(format!("{place}.role"), why));
            }
        }
    }
    let begun = match messages.last() {
        Some(last) if last.role == "assistant" && !last.more.contains_key("tool_calls") => {
            messages.pop().and_then(|last| last.content?.as_str().map(str::to_owned))
        }
        _ => None,
    };
    Ok((messages, begun))
}

fn blocks<'a>(
    place: &str,
    content: &'a Value,
) -> Result<Vec<(String, &'a str, &'a Value)>, Refusal> {
    let Some(blocks) = content.as_array() else {
        return Err(Refusal::field(format!("{place}.content"), "not a text or a list of blocks"));
    };
    let block = |(at, block): (usize, &'a Value)| {
        let place = format!("{place}.content[{at}]");
        let kind = block.get("type").and_then(Value::as_str);
        let kind = kind.ok_or_else(|| Refusal::field(format!("{place}.type"), "missing"))?;
        Ok((place, kind, block))
    };
    blocks.iter().enumerate().map(block).collect()
}

fn text_in(place: &str, block: &Value) -> Result<String, Refusal> {
    let text = block.get("text").and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| Refusal::field(format!("{place}.text"), "missing"))
}

fn unsupported(place: &str, kind: &str) -> Refusal {
    let kind: String = kind.chars().take(40).collect();
    Refusal::field(
        format!("{place}.type"),
        format!("blocks of type {kind:?} are not supported here"),
    )
}

/// A text, or a list of blocks of text.
fn text_of(place: &str, content: &Value) -> Result<String, Refusal> {
    match content {
        Value::String(text) => Ok(text.clone()),
        Value::Null => Ok(String::new()),
        Value::Array(list) => {
            let block = |(at, block): (usize, &Value)| {
                let place = format!("{place}[{at}]");
                match block.get("type").and_then(Value::as_str) {
                    Some("text") => text_in(&place, block),
                    kind => Err(unsupported(&place, kind.unwrap_or_default())),
                }
            };
            list.iter().enumerate().map(block).collect()
        }
        _ => Err(Refusal::field(place, "not a text or a list of blocks")),
    }
}

/// What a user says, with results of tools as messages of their own.
fn user(place: &str, content: &Value, messages: &mut Vec<Message>) -> Result<(), Refusal> {
    if let Value::String(text) = content {
        messages.push(Message::user(text));
        return Ok(());
    }
    let mut said = String::new();
    for (place, kind, block) in blocks(place, content)? {
        match kind {
            "text" => said += &text_in(&place, block)?,
            "tool_result" => {
                let result = block.get("content").unwrap_or(&Value::Null);
                let mut message =
                    Message::new("tool", &text_of(&format!("{place}.content"), result)?);
                if let Some(id) = block.get("tool_use_id").and_then(Value::as_str) {
                    message.more.insert("tool_call_id".into(), id.into());
                }
                messages.push(message);
            }
            kind => return Err(unsupported(&place, kind)),
        }
    }
    if !said.is_empty() {
        messages.push(Message::user(&said));
    }
    Ok(())
}

fn assistant(place: &str, content: &Value) -> Result<Message, Refusal> {
    if let Value::String(text) = content {
        return Ok(Message::assistant(text));
    }
    let (mut said, mut calls) = (String::new(), Vec::new());
    for (place, kind, block) in blocks(place, content)? {
        match kind {
            "text" => said += &text_in(&place, block)?,
            // Thoughts are not told again.
            "thinking" | "redacted_thinking" => {}
            "tool_use" => {
                let name = block.get("name").and_then(Value::as_str);
                let name =
                    name.ok_or_else(|| Refusal::field(format!("{place}.name"), "missing"))?;
                calls.push(json!({
                    "id": block.get("id").and_then(Value::as_str).unwrap_or("call"),
                    "type": "function",
                    "function": {
                        "name": name,
                        "arguments": block.get("input").cloned().unwrap_or_else(|| json!({})),
                    },
                }));
            }
            kind => return Err(unsupported(&place, kind)),
        }
    }
    let mut message = Message::assistant(&said);
    if !calls.is_empty() {
        message.more.insert("tool_calls".into(), calls.into());
    }
    Ok(message)
}

fn tools_of(tools: Vec<ToolDef>, choice: &ToolChoice) -> Result<Vec<Tool>, Refusal> {
    let tool = |tool: ToolDef| Tool {
        name: tool.name,
        description: tool.description,
        parameters: tool.input_schema.unwrap_or_else(|| json!({ "type": "object" })),
    };
    let tools: Vec<Tool> = tools.into_iter().map(tool).collect();
    check_tools("tools", &tools, choice, "tool_choice").map_err(|refusal| {
        // Its name for the schema.
        let rename = |text: &str| text.replacen("].parameters", "].input_schema", 1);
        let field = refusal.field.as_deref().map(rename);
        Refusal { message: rename(&refusal.message), field, ..refusal }
    })?;
    Ok(tools)
}

/// The choice, and whether only one tool may be called.
fn choice_of(choice: Option<&Value>) -> Result<(ToolChoice, bool), Refusal> {
    let Some(choice) = choice.filter(|choice| !choice.is_null()) else {
        return Ok((ToolChoice::Auto, false));
    };
    let one = choice.get("disable_parallel_tool_use").and_then(Value::as_bool).unwrap_or(false);
    let kind = match choice.get("type").and_then(Value::as_str) {
        Some("auto") => ToolChoice::Auto,
        Some("any") => ToolChoice::Required,
        Some("none") => ToolChoice::None,
        Some("tool") => match choice.get("name").and_then(Value::as_str) {
            Some(name) => ToolChoice::Named(name.to_owned()),
            None => return Err(Refusal::field("tool_choice.name", "missing")),
        },
        _ => return Err(Refusal::field("tool_choice.type", "not auto, any, tool or none")),
    };
    Ok((kind, one))
}
