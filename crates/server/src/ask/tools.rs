//! Tools: what a client offers, how it is told to a model, and in which format the model calls them.

use crate::Refusal;
use bessemer_llm::{
    Llm,
    template::{Chat, Message},
};
use serde_json::{Map, Value, json};

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// The JSON schema of its arguments.
    pub(crate) parameters: Value,
}

/// Which tools are to be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    /// Those that the model likes, or none.
    #[default]
    Auto,
    None,
    /// Any, but at least one.
    Required,
    /// This one.
    Named(String),
}

/// How models write calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolFormat {
    /// `<tool_call>{"name": …, "arguments": …}</tool_call>`: Hermes, Qwen and many others.
    Hermes,
    /// `{"name": …, "parameters": …}` as the whole answer: Llama 3.
    Llama,
    /// `[TOOL_CALLS][{"name": …, "arguments": …}]`.
    Mistral,
}

/// How a model takes tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToolStyle {
    pub(crate) format: ToolFormat,
    /// Whether its template has a place for them. Otherwise the system prompt says what there is.
    pub(crate) native: bool,
}

const PROBE: &str = "probe_of_tools";

impl ToolStyle {
    /// What a model's template makes of a tool, and of a call: the words around it say the format.
    pub(crate) fn of(llm: &Llm) -> ToolStyle {
        let rendered = |messages: Vec<Message>| {
            let mut chat = Chat::new(messages);
            chat.tools = Some(json!([offered(&Tool {
                name: PROBE.into(),
                description: Some("A tool".into()),
                parameters: json!({ "type": "object", "properties": {} }),
            })]));
            llm.render(&chat).unwrap_or_default()
        };
        let asked = rendered(vec![Message::user("Hi")]);
        if !asked.contains(PROBE) {
            return ToolStyle { format: ToolFormat::Hermes, native: false };
        }
        let call = json!([{
            "id": "abcdefghi",
            "type": "function",
            "function": { "name": PROBE, "arguments": {} },
        }]);
        let mut calls = Message::assistant("");
        calls.more.insert("tool_calls".into(), call);
        let mut result = Message::new("tool", "1");
        result.more.insert("tool_call_id".into(), "abcdefghi".into());
        let called = rendered(vec![Message::user("Hi"), calls, result]);
        let both = format!("{asked}{called}");
        let format = if both.contains("[TOOL_CALLS]") || both.contains("[AVAILABLE_TOOLS]") {
            ToolFormat::Mistral
        } else if both.contains("<tool_call>") {
            ToolFormat::Hermes
        } else if both.contains("\"parameters\"") {
            ToolFormat::Llama
        } else {
            ToolFormat::Hermes
        };
        ToolStyle { format, native: true }
    }

    /// Puts tools, and what messages say of them, where the model finds them.
    pub(crate) fn tell(self, tools: &[Tool], chat: &mut Chat) {
        let speaks_of_tools = chat
            .messages
            .iter()
            .any(|message| message.role == "tool" || message.more.contains_key("tool_calls"));
        if self.native {
            if !tools.is_empty() {
                chat.tools = Some(tools.iter().map(offered).collect());
            }
            return;
        }
        if speaks_of_tools {
            chat.messages.iter_mut().for_each(spell_out);
        }
        if !tools.is_empty() {
            let told = told(tools);
            match chat.messages.first_mut() {
                Some(first) if first.role == "system" => {
                    let text = first.content.as_ref().and_then(Value::as_str).unwrap_or("");
                    first.content = Some(format!("{text}\n\n{told}").into());
                }
                _ => chat.messages.insert(0, Message::system(&told)),
            }
        }
    }
}

/// A tool as templates expect it, which is as OpenAI's API has it.
fn offered(tool: &Tool) -> Value {
    let mut function = Map::new();
    function.insert("name".into(), tool.name.as_str().into());
    if let Some(description) = &tool.description {
        function.insert("description".into(), description.as_str().into());
    }
    function.insert("parameters".into(), tool.parameters.clone());
    json!({ "type": "function", "function": function })
}

/// The words for a template that has none, in the form that most models know.
fn told(tools: &[Tool]) -> String {
    let tools: Vec<String> = tools.iter().map(|tool| offered(tool).to_string()).collect();
    format!(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n\
         You are provided with function signatures within <tools></tools> XML tags:\n\
         <tools>\n{}\n</tools>\n\n\
         For each function call, return a json object with function name and arguments within \
         <tool_call></tool_call> XML tags:\n\
         <tool_call>\n{{\"name\": <function-name>, \"arguments\": <args-json-object>}}\n</tool_call>",
        tools.join("\n")
    )
}

/// Calls and their results as text, for a template that would leave them out.
fn spell_out(message: &mut Message) {
    let text = message.content.as_ref().and_then(Value::as_str).unwrap_or("").to_owned();
    if message.role == "tool" {
        *message = Message::user(&format!("<tool_response>\n{text}\n</tool_response>"));
    } else if let Some(Value::Array(calls)) = message.more.remove("tool_calls") {
        let calls = calls.iter().map(|call| {
            let (name, arguments) = (&call["function"]["name"], &call["function"]["arguments"]);
            let call = json!({ "name": name, "arguments": arguments });
            format!("<tool_call>\n{call}\n</tool_call>")
        });
        let lines: Vec<String> =
            [text].into_iter().filter(|text| !text.is_empty()).chain(calls).collect();
        message.content = Some(lines.join("\n").into());
    }
}

/// Checks what a client offers. `field` is where.
pub(crate) fn check_tools(
    field: &str,
    tools: &[Tool],
    choice: &ToolChoice,
    choice_field: &str,
) -> Result<(), Refusal> {
    const MOST: usize = 128;
    if tools.len() > MOST {
        let count = tools.len();
        return Err(Refusal::field(field, format!("{count} tools are more than {MOST}")));
    }
    for (at, tool) in tools.iter().enumerate() {
        let name = &tool.name;
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_word) {
            let name: String = name.chars().take(70).collect();
            let rule = "not 1 to 64 letters, digits, underscores, dashes or dots";
            return Err(Refusal::field(format!("{field}[{at}].name"), format!("{name:?}: {rule}")));
        }
        if tools[..at].iter().any(|other| other.name == *name) {
            let why = format!("{name:?} is the name of two tools");
            return Err(Refusal::field(format!("{field}[{at}].name"), why));
        }
        if !tool.parameters.is_object() {
            let why = "not a JSON schema, which is an object";
            return Err(Refusal::field(format!("{field}[{at}].parameters"), why));
        }
    }
    match choice {
        ToolChoice::Required if tools.is_empty() => {
            Err(Refusal::field(choice_field, "a tool is required, but there are none"))
        }
        ToolChoice::Named(name) if !tools.iter().any(|tool| tool.name == *name) => {
            Err(Refusal::field(choice_field, format!("there is no tool {name:?}")))
        }
        _ => Ok(()),
    }
}

/// A grammar of calls, for clients that require one.
pub(crate) fn grammar(
    format: ToolFormat,
    tools: &[Tool],
    choice: &ToolChoice,
    one: bool,
    special: impl Fn(&str) -> Option<u32>,
) -> Option<String> {
    let wanted: Vec<&Tool> = match choice {
        ToolChoice::Auto | ToolChoice::None => return None,
        ToolChoice::Required => tools.iter().collect(),
        ToolChoice::Named(name) => tools.iter().filter(|tool| tool.name == *name).collect(),
    };
    let arguments = if format == ToolFormat::Llama { "parameters" } else { "arguments" };
    let call = |tool: &&Tool| {
        json!({
            "type": "object",
            "properties": {
                "name": { "const": tool.name },
                (arguments): as_object(&tool.parameters),
            },
            "required": ["name", arguments],
            "additionalProperties": false,
        })
    };
    let calls: Vec<Value> = wanted.iter().map(call).collect();
    // As templates write JSON, so that models find themselves where they have learned.
    let spaces =
        json!({ "whitespace_flexible": false, "item_separator": ", ", "key_separator": ": " });
    let mut call = json!({ "anyOf": calls, "x-guidance": spaces });
    // Definitions are found from the top.
    for tool in &wanted {
        for name in ["$defs", "definitions"] {
            if let Some(Value::Object(inner)) = tool.parameters.get(name) {
                let all = call.as_object_mut()?.entry(name).or_insert_with(|| json!({}));
                all.as_object_mut()?.extend(inner.clone());
            }
        }
    }
    let one = one || matches!(choice, ToolChoice::Named(_));
    let mark = |text: &str| match special(text) {
        Some(id) => format!("<[{id}]>"),
        None => json!(text).to_string(),
    };
    Some(match format {
        ToolFormat::Hermes => {
            let (start, end) = (mark("<tool_call>"), mark("</tool_call>"));
            let more = if one { "" } else { " (\"\\n\" call)*" };
            format!(
                "start: call{more}\ncall: {start} \"\\n\" object \"\\n\" {end}\nobject: %json {call}\n"
            )
        }
        ToolFormat::Llama => format!("start: object\nobject: %json {call}\n"),
        ToolFormat::Mistral => {
            let start = mark("[TOOL_CALLS]");
            let more = if one { "" } else { " (\", \" object)*" };
            format!("start: {start} \"[\" object{more} \"]\"\nobject: %json {call}\n")
        }
    })
}

/// Parameters are an object, even if their schema forgets to say so.
fn as_object(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(map) = schema.as_object_mut() {
        map.entry("type").or_insert_with(|| "object".into());
        map.remove("$schema");
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> Tool {
        Tool { name: name.into(), description: None, parameters: json!({ "type": "object" }) }
    }

    #[test]
    fn a_template_without_tools_gets_them_as_text() {
        let style = ToolStyle { format: ToolFormat::Hermes, native: false };
        let mut calls = Message::assistant("");
        calls.more.insert(
            "tool_calls".into(),
            json!([{ "function": { "name": "add", "arguments": { "a": 1 } } }]),
        );
        let messages = [Message::system("Be brief."), calls, Message::new("tool", "2")];
        let mut chat = Chat::new(messages);
        style.tell(&[tool("add")], &mut chat);
        let texts: Vec<&str> =
            chat.messages.iter().filter_map(|m| m.content.as_ref()?.as_str()).collect();
        assert!(texts[0].starts_with("Be brief.\n\n# Tools"), "{}", texts[0]);
        assert_eq!(
            texts[1],
            "<tool_call>\n{\"name\":\"add\",\"arguments\":{\"a\":1}}\n</tool_call>"
        );
        assert_eq!(texts[2], "<tool_response>\n2\n</tool_response>");
        assert!(chat.tools.is_none());
    }

    #[test]
    fn tools_that_make_no_sense_are_refused() {
        let check = |tools: &[Tool], choice: ToolChoice| {
            check_tools("tools", tools, &choice, "tool_choice").unwrap_err().message
        };
        assert!(check(&[tool("a b")], ToolChoice::Auto).starts_with("tools[0].name: \"a b\": not"));
        assert!(check(&[tool("a"), tool("a")], ToolChoice::Auto).contains("two tools"));
        assert!(check(&[], ToolChoice::Required).contains("there are none"));
        assert!(check(&[tool("a")], ToolChoice::Named("b".into())).contains("no tool \"b\""));
    }
}
