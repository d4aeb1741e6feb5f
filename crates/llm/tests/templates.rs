//! Chat templates against the Jinja they were written for. `fixtures/make.py` writes what is
//! compared.

use bessemer_llm::template::{Chat, ChatTemplate, Message};
use serde_json::{Map, Value};
use std::{
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

fn chat(json: &Value) -> Chat {
    let mut more: Map<String, Value> = json.as_object().unwrap().clone();
    let messages: Vec<Message> = serde_json::from_value(more.remove("messages").unwrap()).unwrap();
    let prompt = more.remove("add_generation_prompt");
    Chat {
        messages,
        add_generation_prompt: prompt != Some(Value::Bool(false)),
        bos_token: Some("<s>".into()),
        eos_token: Some("</s>".into()),
        tools: more.remove("tools"),
        more,
        // 2025-03-09 14:05:06
        now: Some(UNIX_EPOCH + Duration::from_secs(1_741_529_106)),
    }
}

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/templates");
    let source = std::fs::read_to_string(folder.join(format!("{name}.jinja"))).unwrap();
    let cases = std::fs::read(folder.join("expected.json")).unwrap();
    let cases: Value = serde_json::from_slice(&cases).unwrap();
    let chats = cases["chats"].as_array().unwrap();
    let expected = cases["expected"][name].as_array().unwrap();
    for (json, expected) in chats.iter().zip(expected) {
        let rendered = ChatTemplate::new(&source).and_then(|t| t.render(&chat(json)));
        match (rendered, expected) {
            (Ok(text), Value::String(expected)) => assert_eq!(text, *expected, "{json}"),
            (Err(_), Value::Null) => {}
            (found, _) => panic!("{json}:\n{found:?}\nnot {expected}"),
        }
    }
}

macro_rules! templates {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*
    };
}

templates!(chatml, llama2, llama3, mistral, gemma, phi3, zephyr, thinking, python, deep, broken,);

fn refusal(source: &str) -> String {
    let chat = Chat::new([Message::user("x")]);
    let rendered = ChatTemplate::new(source).and_then(|t| t.render(&chat));
    rendered.unwrap_err().to_string()
}

#[test]
fn errors_say_what_and_where() {
    let error = refusal("{% for m in messages %}\n{{ m.content }");
    assert!(error.contains("line 2"), "{error}");
    let error = refusal("\n\n{{ raise_exception('no such role') }}");
    assert!(error.contains("line 3: no such role"), "{error}");
    let error = refusal("{{ messages[0].a.b }}");
    assert!(error.contains("undefined"), "{error}");
    assert!(refusal("{{ messages[0].content.nope() }}").contains("nope"));
    assert!(refusal("{{ strftime_now('%!') }}").contains("line 1"));
}

/// The limits themselves are tested in `crates/jinja`.
#[test]
fn hostile_templates_are_refused() {
    for (source, why) in [
        (
            "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
            "line 1: tags, expressions and calls nest",
        ),
        (
            "{{ 'x' * 99999999999 }}",
            "line 1: the template needs more than 67,108,864 bytes of memory",
        ),
        (&" ".repeat(2 << 20), "the template has 2,097,152 bytes"),
        ("{{ strftime_now('%Y' * 999) }}", "line 1: strftime_now: a format of 1998 bytes"),
    ] {
        let error = refusal(source);
        assert!(error.contains(why), "{error}");
    }
    // Widths are numbers in the format, and small ones for the clock too.
    refusal("{{ strftime_now('%999999999Y') }}");
}

#[test]
fn long_chats_are_not_stopped() {
    let source = "{% set ns = namespace(text='') %}{% for m in messages %}\
                  {% set ns.text = ns.text ~ m.role + ': ' + m.content | trim ~ '\n' %}\
                  {% if loop.index == messages | length %}{{ ns.text }}{% endif %}{% endfor %}";
    let messages: Vec<Message> = (0..400).map(|_| Message::user(&"word ".repeat(100))).collect();
    let text = ChatTemplate::new(source).unwrap().render(&Chat::new(messages)).unwrap();
    assert_eq!(text.len(), 400 * (6 + 499 + 1));
}
