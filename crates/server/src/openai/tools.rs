//! Tools and calls of tools, as this API has them.

use crate::{
    Refusal,
    around::new_id,
    ask::{Called, Tool, ToolChoice, check_tools},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A tool that the model may call.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct ToolDef {
    /// `function` is the only type.
    #[serde(rename = "type", default)]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) function: Option<FunctionDef>,
    /// In `/v1/responses` these are not in a `function`.
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub(crate) parameters: Option<Value>,
}

/// A function.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub(crate) struct FunctionDef {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// The JSON schema of its arguments.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub(crate) parameters: Option<Value>,
}

/// The tools of a request, and which of them are to be called.
pub(super) fn tools_of(
    tools: Option<Vec<ToolDef>>,
    choice: Option<&Value>,
) -> Result<(Vec<Tool>, ToolChoice), Refusal> {
    let mut all = Vec::new();
    for (at, tool) in tools.unwrap_or_default().into_iter().enumerate() {
        if let Some(kind) = tool.kind.as_deref().filter(|kind| *kind != "function") {
            let kind: String = kind.chars().take(40).collect();
            let why = format!("tools of type {kind:?} are not supported; only functions are");
            return Err(Refusal::field(format!("tools[{at}].type"), why));
        }
        let function = match (tool.function, tool.name) {
            (Some(function), _) => function,
            (None, Some(name)) => {
                FunctionDef { name, description: tool.description, parameters: tool.parameters }
            }
            (None, None) => return Err(Refusal::field(format!("tools[{at}].function"), "missing")),
        };
        let empty = || json!({ "type": "object", "properties": {} });
        let parameters = function.parameters.filter(|value| !value.is_null()).unwrap_or_else(empty);
        all.push(Tool { name: function.name, description: function.description, parameters });
    }
    let choice = choice_of(choice)?;
    check_tools("tools", &all, &choice, "tool_choice")?;
    Ok((all, choice))
}

fn choice_of(choice: Option<&Value>) -> Result<ToolChoice, Refusal> {
    let name = |choice: &Value| {
        let name = choice["function"]["name"].as_str().or_else(|| choice["name"].as_str());
        name.map(|name| ToolChoice::Named(name.to_owned()))
    };
    match choice {
        None | Some(Value::Null) => Ok(ToolChoice::Auto),
        Some(Value::String(word)) => match word.as_str() {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" => Ok(ToolChoice::Required),
            _ => Err(bad_choice()),
        },
        Some(choice) => name(choice).ok_or_else(bad_choice),
    }
}

fn bad_choice() -> Refusal {
    Refusal::field("tool_choice", "not auto, none, required or the name of a function")
}

/// Calls in a message, with their arguments as the objects that templates expect.
pub(super) fn calls_of(field: &str, calls: &Value) -> Result<Value, Refusal> {
    let Some(list) = calls.as_array() else { return Err(Refusal::field(field, "not a list")) };
    let mut all = Vec::new();
    for (at, call) in list.iter().enumerate() {
        let place = format!("{field}[{at}].function");
        let function = call.get("function").unwrap_or(&Value::Null);
        let Some(name) = function.get("name").and_then(Value::as_str) else {
            return Err(Refusal::field(format!("{place}.name"), "missing"));
        };
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => json!({}),
            Some(Value::String(text)) if text.trim().is_empty() => json!({}),
            Some(Value::String(text)) => serde_json::from_str(text).map_err(|error| {
                Refusal::field(format!("{place}.arguments"), format!("not JSON: {error}"))
            })?,
            Some(value) => value.clone(),
        };
        all.push(json!({
            "id": call.get("id").and_then(Value::as_str).unwrap_or("call"),
            "type": "function",
            "function": { "name": name, "arguments": arguments },
        }));
    }
    Ok(Value::Array(all))
}

/// A call as clients get it.
pub(super) fn call_json(call: &Called) -> Value {
    json!({
        "id": new_id("call"),
        "type": "function",
        "function": { "name": call.name, "arguments": call.arguments },
    })
}
