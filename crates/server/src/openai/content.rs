//! Texts and lists of texts, in the several forms that requests have for them.

use super::tools::calls_of;
use crate::Refusal;
use bessemer_llm::template::Message;
use serde_json::Value;

/// A text, or a list of parts that are texts.
pub(crate) fn text_of(field: &str, value: &Value) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => {
            let mut whole = String::new();
            for (at, part) in parts.iter().enumerate() {
                let place = format!("{field}[{at}]");
                let kind = part.get("type").and_then(Value::as_str);
                match (kind, part.get("text").and_then(Value::as_str), part.as_str()) {
                    (_, _, Some(text)) => whole += text,
                    (None | Some("text" | "input_text" | "output_text"), Some(text), _) => {
                        whole += text
                    }
                    (Some("refusal"), ..) => {
                        whole += part.get("refusal").and_then(Value::as_str).unwrap_or_default();
                    }
                    (Some(kind @ ("text" | "input_text" | "output_text")), None, _) => {
                        return Err(Refusal::field(
                            place,
                            format!("a part of type {kind:?} has a text"),
                        ));
                    }
                    (Some(kind), ..) => {
                        let kind: String = kind.chars().take(40).collect();
                        let why = format!("parts of type {kind:?} are not supported; only text is");
                        return Err(Refusal::field(place, why));
                    }
                    (None, None, None) => {
                        return Err(Refusal::field(place, "not a part with a type and a text"));
                    }
                }
            }
            Ok(whole)
        }
        other => Err(Refusal::field(field, format!("{}, not a text", kind_of(other)))),
    }
}

/// What a value is, for people.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// One text, or a list of texts; none is an empty list.
pub(crate) fn strings(field: &str, value: Option<&Value>) -> Result<Vec<String>, Refusal> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => {
            let text = |(at, item): (usize, &Value)| match item {
                Value::String(text) => Ok(text.clone()),
                other => Err(Refusal::field(
                    format!("{field}[{at}]"),
                    format!("{}, not a text", kind_of(other)),
                )),
            };
            items.iter().enumerate().map(text).collect()
        }
        Some(other) => {
            Err(Refusal::field(field, format!("{}, not a text or a list of texts", kind_of(other))))
        }
    }
}

/// A message of a chat, as templates expect it.
pub(crate) fn message_of(
    field: &str,
    role: &str,
    content: Option<&Value>,
    calls: Option<&Value>,
    call_id: Option<&str>,
    name: Option<&str>,
) -> Result<Message, Refusal> {
    let role = match role {
        "developer" => "system",
        "function" => "tool",
        role @ ("system" | "user" | "assistant" | "tool") => role,
        other => {
            let other: String = other.chars().take(40).collect();
            let why =
                format!("{other:?} is not one of system, developer, user, assistant and tool");
            return Err(Refusal::field(format!("{field}.role"), why));
        }
    };
    let calls = match calls {
        None | Some(Value::Null) => None,
        Some(calls) => Some(calls_of(&format!("{field}.tool_calls"), calls)?),
    };
    let text = match content {
        None | Some(Value::Null) if role == "assistant" => String::new(),
        None => return Err(Refusal::field(format!("{field}.content"), "missing")),
        Some(content) => text_of(&format!("{field}.content"), content)?,
    };
    let mut message = Message::new(role, &text);
    if let Some(calls) = calls {
        message.more.insert("tool_calls".into(), calls);
    }
    if let Some(id) = call_id.filter(|_| role == "tool") {
        message.more.insert("tool_call_id".into(), id.into());
    }
    if let Some(name) = name {
        message.more.insert("name".into(), name.into());
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_come_in_parts() {
        let parts = json!([{ "type": "text", "text": "a" }, { "type": "input_text", "text": "b" }]);
        assert_eq!(text_of("content", &parts).unwrap(), "ab");
        let error = |value: Value| text_of("content", &value).unwrap_err().message;
        let image = error(json!([{ "type": "image_url", "image_url": {} }]));
        assert_eq!(
            image,
            "content[0]: parts of type \"image_url\" are not supported; only text is"
        );
        assert_eq!(error(json!(7)), "content: a number, not a text");
        assert_eq!(error(json!([{}])), "content[0]: not a part with a type and a text");
        assert_eq!(strings("stop", Some(&json!("a"))).unwrap(), ["a"]);
        let refusal = strings("stop", Some(&json!(["a", 1]))).unwrap_err();
        assert_eq!(refusal.message, "stop[1]: a number, not a text");
    }
}
