//! Splits what a model writes into text, thoughts and calls of tools, as it comes.

use super::{Called, tools::ToolFormat};
use serde_json::{Value, value::RawValue};

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Thinking(String),
    Call(Called),
}

/// Takes text and gives parts. What may still turn out to be the start of a mark is held back.
#[derive(Debug)]
pub(crate) struct Splitter {
    /// The marks of calls, where there are tools.
    format: Option<ToolFormat>,
    /// The tools, where the format has no mark and a call is known by the name.
    names: Vec<String>,
    state: State,
    held: String,
    calls: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing but white space has come.
    Start,
    /// A thought was opened, and nothing but white space has come of it.
    Opened,
    Thinking,
    Text,
    /// Behind a thought or a call, where white space is no text yet.
    Behind,
    /// In a call, up to its end.
    Call,
}

const THINK: (&str, &str) = ("<think>", "</think>");
const HERMES: (&str, &str) = ("<tool_call>", "</tool_call>");
const MISTRAL: &str = "[TOOL_CALLS]";
const PYTHON: &str = "<|python_tag|>";

impl Splitter {
    /// For an answer that may call tools in this format. `thinking` says that the prompt has opened a
    /// thought already.
    pub(crate) fn new(format: Option<ToolFormat>, names: Vec<String>, thinking: bool) -> Splitter {
        let state = if thinking { State::Opened } else { State::Start };
        Splitter { format, names, state, held: String::new(), calls: 0 }
    }

    /// How many calls there were.
    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    /// The parts that are sure now that this text has come.
    pub(crate) fn push(&mut self, text: &str) -> Vec<Part> {
        self.held += text;
        let mut parts = Vec::new();
        while self.step(&mut parts) {}
        parts
    }

    /// What is left when no more text comes.
    pub(crate) fn finish(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        let rest = std::mem::take(&mut self.held);
        match self.state {
            State::Opened | State::Thinking => push(&mut parts, Part::Thinking(rest)),
            State::Call => self.called(&rest, &mut parts),
            State::Behind => push(&mut parts, Part::Text(rest.trim_start().to_owned())),
            State::Start | State::Text => push(&mut parts, Part::Text(rest)),
        }
        parts
    }

    /// One step; `false` if more text has to come first.
    fn step(&mut self, parts: &mut Vec<Part>) -> bool {
        match self.state {
            State::Start => self.start(),
            State::Opened => {
                self.skip_space();
                self.state = if self.held.is_empty() { State::Opened } else { State::Thinking };
                self.state == State::Thinking
            }
            State::Thinking => {
                let (before, found) = self.until(THINK.1);
                let before = if found { before.trim_end().to_owned() } else { before };
                push(parts, Part::Thinking(before));
                if found {
                    self.state = State::Behind;
                }
                found
            }
            State::Text | State::Behind => {
                if self.state == State::Behind {
                    self.skip_space();
                    if self.held.is_empty() {
                        return false;
                    }
                    if self.format == Some(ToolFormat::Llama) && self.held.starts_with('{') {
                        self.state = State::Call;
                        return true;
                    }
                }
                let Some(mark) = self.mark() else {
                    self.state = State::Text;
                    push(parts, Part::Text(std::mem::take(&mut self.held)));
                    return false;
                };
                let (before, found) = self.until(mark);
                if !before.is_empty() {
                    self.state = State::Text;
                    // The break before a call belongs to it.
                    let before = if found { before.trim_end().to_owned() } else { before };
                    push(parts, Part::Text(before));
                }
                if found {
                    self.state = State::Call;
                }
                found
            }
            State::Call => {
                if self.format != Some(ToolFormat::Hermes) {
                    // Only the end of the answer ends it.
                    return false;
                }
                let Some(at) = self.held.find(HERMES.1) else { return false };
                let call = self.held[..at].to_owned();
                self.held.drain(..at + HERMES.1.len());
                self.called(&call, parts);
                self.state = State::Behind;
                true
            }
        }
    }

    /// The text that begins calls anywhere in an answer.
    fn mark(&self) -> Option<&'static str> {
        match self.format? {
            ToolFormat::Hermes => Some(HERMES.0),
            ToolFormat::Mistral => Some(MISTRAL),
            ToolFormat::Llama => Some(PYTHON),
        }
    }

    /// The start of an answer: a thought, a call without a mark, or text.
    fn start(&mut self) -> bool {
        let seen = self.held.trim_start();
        if seen.is_empty() {
            return false;
        }
        if let Some(rest) = seen.strip_prefix(THINK.0) {
            self.held = rest.to_owned();
            self.state = State::Opened;
        } else if THINK.0.starts_with(seen) {
            return false;
        } else if self.format == Some(ToolFormat::Llama) && seen.starts_with('{') {
            self.state = State::Call;
        } else {
            self.state = State::Text;
        }
        true
    }

    /// Takes what is before `mark`, and the mark itself if it is there. What may be its start is left.
    fn until(&mut self, mark: &str) -> (String, bool) {
        if let Some(at) = self.held.find(mark) {
            let before = self.held[..at].to_owned();
            self.held.drain(..at + mark.len());
            return (before, true);
        }
        let longest = mark.len().min(self.held.len() + 1) - 1;
        let mut kept = (1..=longest).rev().find(|&len| self.held.ends_with(&mark[..len]));
        if kept.is_some() || self.held.ends_with(char::is_whitespace) {
            // White space before a mark may be left out together with it.
            let end = self.held.len() - kept.unwrap_or(0);
            kept = Some(self.held.len() - self.held[..end].trim_end().len());
        }
        let rest = self.held.split_off(self.held.len() - kept.unwrap_or(0));
        (std::mem::replace(&mut self.held, rest), false)
    }

    fn skip_space(&mut self) {
        self.held = self.held.trim_start().to_owned();
    }

    /// What is in a call; what is none is text.
    fn called(&mut self, text: &str, parts: &mut Vec<Part>) {
        let Some(format) = self.format else { return };
        let mut calls = match format {
            ToolFormat::Hermes | ToolFormat::Llama => calls_of(text),
            ToolFormat::Mistral => calls_of(text).or_else(|| named_calls(text)),
        };
        if format == ToolFormat::Llama {
            // Without a mark an answer of JSON is a call only if it names a tool.
            calls = calls.filter(|all| all.iter().all(|call| self.names.contains(&call.name)));
        }
        match calls {
            Some(calls) => {
                self.calls += calls.len();
                parts.extend(calls.into_iter().map(Part::Call));
            }
            None => push(parts, Part::Text(text.to_owned())),
        }
    }
}

fn push(parts: &mut Vec<Part>, part: Part) {
    match (&part, parts.last_mut()) {
        (Part::Text(text) | Part::Thinking(text), _) if text.is_empty() => {}
        (Part::Text(text), Some(Part::Text(last))) => *last += text,
        (Part::Thinking(text), Some(Part::Thinking(last))) => *last += text,
        _ => parts.push(part),
    }
}

/// Calls as JSON: one, several one after another, or a list.
fn calls_of(text: &str) -> Option<Vec<Called>> {
    let text = text.trim();
    if let Ok(list) = serde_json::from_str::<Vec<Value>>(text) {
        return list.iter().map(call_of).collect::<Option<Vec<_>>>().filter(|all| !all.is_empty());
    }
    let mut calls = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        calls.push(call_of(&values.next()?.ok()?)?);
        rest = rest[values.byte_offset()..].trim_start_matches([';', ',', '\n', ' ']);
    }
    (!calls.is_empty()).then_some(calls)
}

fn call_of(value: &Value) -> Option<Called> {
    // Some models wrap it once more, as in the API.
    let value = value.get("function").filter(|inner| inner.is_object()).unwrap_or(value);
    let name = value.get("name")?.as_str()?.to_owned();
    let arguments = match value.get("arguments").or_else(|| value.get("parameters")) {
        None | Some(Value::Null) => "{}".to_owned(),
        // JSON in a text, as in the API.
        Some(Value::String(text)) => {
            serde_json::from_str::<Value>(text).ok()?.is_object().then(|| text.clone())?
        }
        Some(arguments) => arguments.is_object().then(|| arguments.to_string())?,
    };
    Some(Called { name, arguments })
}

/// Mistral's later form: `name[ARGS]{…}` or `name{…}`, with the mark again before each.
fn named_calls(text: &str) -> Option<Vec<Called>> {
    let call = |text: &str| {
        let (name, arguments) = text.trim().split_at_checked(text.trim().find('{')?)?;
        let name = name.trim().strip_suffix("[ARGS]").unwrap_or(name).trim();
        let arguments: &RawValue = serde_json::from_str(arguments).ok()?;
        let (name, arguments) = (name.to_owned(), arguments.get().to_owned());
        (!name.is_empty()).then_some(Called { name, arguments })
    };
    text.split(MISTRAL).filter(|call| !call.trim().is_empty()).map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> Part {
        Part::Call(Called { name: name.into(), arguments: arguments.into() })
    }

    fn text(text: &str) -> Part {
        Part::Text(text.into())
    }

    /// The parts, whatever pieces the text comes in.
    fn split(format: Option<ToolFormat>, whole: &str) -> Vec<Part> {
        let run = |size: usize| {
            let mut splitter = Splitter::new(format, vec!["add".into()], false);
            let mut parts = Vec::new();
            let chars: Vec<char> = whole.chars().collect();
            for piece in chars.chunks(size) {
                let piece: String = piece.iter().collect();
                splitter.push(&piece).into_iter().for_each(|part| push(&mut parts, part));
            }
            splitter.finish().into_iter().for_each(|part| push(&mut parts, part));
            parts
        };
        let parts = run(1);
        for size in [2, 3, 7, 1000] {
            assert_eq!(run(size), parts, "in pieces of {size}");
        }
        parts
    }

    #[test]
    fn text_stays_text() {
        for whole in ["Hello, <world>!", "  a < b <tool", "a\n\n", "<thin", "{\"name\": \"x\"}", ""]
        {
            let expected: Vec<Part> =
                [text(whole)].into_iter().filter(|_| !whole.is_empty()).collect();
            assert_eq!(split(None, whole), expected);
            assert_eq!(split(Some(ToolFormat::Hermes), whole), expected);
        }
        let json = r#"{"answer": 1}"#;
        assert_eq!(split(Some(ToolFormat::Llama), json), [text(json)]);
    }

    #[test]
    fn thoughts_are_set_apart() {
        let parts = split(None, "<think>\nHm < 3\n</think>\n\nYes.");
        assert_eq!(parts, [Part::Thinking("Hm < 3".into()), text("Yes.")]);
        let mut splitter = Splitter::new(None, Vec::new(), true);
        assert_eq!(splitter.push("Hm</think>Yes"), [Part::Thinking("Hm".into()), text("Yes")]);
    }

    #[test]
    fn calls_of_hermes_are_found() {
        let whole = "I add.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>\n\
            <tool_call>{\"name\":\"now\"}</tool_call>\n";
        assert_eq!(
            split(Some(ToolFormat::Hermes), whole),
            [text("I add."), call("add", r#"{"a":1}"#), call("now", "{}")]
        );
        // The end is missing, or there is no JSON in it.
        let open = "<tool_call>{\"name\": \"add\", \"arguments\": {}}";
        assert_eq!(split(Some(ToolFormat::Hermes), open), [call("add", "{}")]);
        let broken = "<tool_call>add 1</tool_call>";
        assert_eq!(split(Some(ToolFormat::Hermes), broken), [text("add 1")]);
        let parts = split(
            Some(ToolFormat::Hermes),
            "<think>x</think><tool_call>{\"name\":\"a\"}</tool_call>",
        );
        assert_eq!(parts, [Part::Thinking("x".into()), call("a", "{}")]);
    }

    #[test]
    fn calls_of_llama_are_found() {
        let whole =
            r#"{"name": "add", "parameters": {"a": "1"}}; {"name": "add", "parameters": {}}"#;
        let calls = [call("add", r#"{"a":"1"}"#), call("add", "{}")];
        assert_eq!(split(Some(ToolFormat::Llama), whole), calls);
        assert_eq!(split(Some(ToolFormat::Llama), &format!("<|python_tag|>{whole}")), calls);
        let other = r#"{"name": "Bob", "parameters": {}}"#;
        assert_eq!(split(Some(ToolFormat::Llama), other), [text(other)]);
    }

    #[test]
    fn calls_of_mistral_are_found() {
        let list = r#"[TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}, "id": "123456789"}]"#;
        assert_eq!(split(Some(ToolFormat::Mistral), list), [call("add", r#"{"a":1}"#)]);
        let named = r#"Sure. [TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]now{}"#;
        assert_eq!(
            split(Some(ToolFormat::Mistral), named),
            [text("Sure."), call("add", r#"{"a": 1}"#), call("now", "{}")]
        );
    }
}
