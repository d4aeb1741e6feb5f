//! The input of a response: a text, or a list of messages, calls and results.

use crate::{
    Refusal,
    openai::{message_of, text_of},
};
use bessemer_llm::template::Message;
use serde_json::{Value, json};

pub(super) fn messages(input: &Value) -> Result<Vec<Message>, Refusal> {
    let items = match input {
        Value::String(text) => return Ok(vec![Message::user(text)]),
        Value::Array(items) => items,
        _ => return Err(Refusal::field("input", "not a text or a list")),
    };
    let mut messages: Vec<Message> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let place = format!("input[{at}]");
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        let needed = |name: &str| {
            text(name).ok_or_else(|| Refusal::field(format!("{place}.{name}"), "missing"))
        };
        match text("type").unwrap_or("message") {
            "message" => {
                let content = item.get("content");
                messages.push(message_of(&place, needed("role")?, content, None, None, None)?);
            }
            "function_call" => call(&place, item, needed("name")?, &mut messages)?,
            "function_call_output" => {
                let output = item.get("output").unwrap_or(&Value::Null);
                let mut message =
                    Message::new("tool", &text_of(&format!("{place}.output"), output)?);
                message.more.insert("tool_call_id".into(), needed("call_id")?.into());
                messages.push(message);
            }
            // Thoughts are not told again.
            "reasoning" => {}
            other => {
                let other: String = other.chars().take(40).collect();
                let why = format!("items of type {other:?} are not supported");
                return Err(Refusal::field(format!("{place}.type"), why));
            }
        }
    }
    Ok(messages)
}

/// A call belongs to what the model said before it.
fn call(place: &str, item: &Value, name: &str, messages: &mut Vec<Message>) -> Result<(), Refusal> {
    let arguments = item.get("arguments").and_then(Value::as_str).unwrap_or("{}");
    let arguments: Value = serde_json::from_str(arguments).map_err(|error| {
        Refusal::field(format!("{place}.arguments"), format!("not JSON: {error}"))
    })?;
    let call = json!({
        "id": item.get("call_id").and_then(Value::as_str).unwrap_or("call"),
        "type": "function",
        "function": { "name": name, "arguments": arguments },
    });
    if messages.last().is_none_or(|last| last.role != "assistant") {
        messages.push(Message::assistant(""));
    }
    if let Some(last) = messages.last_mut() {
        let calls = last.more.entry("tool_calls").or_insert_with(|| json!([]));
        calls.as_array_mut().into_iter().for_each(|calls| calls.push(call.clone()));
    }
    Ok(())
}
