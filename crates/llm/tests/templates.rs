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

#[test]
fn hostile_templates_end() {
    let error = refusal("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
    assert!(error.contains("recursion"), "{error}");
    let loops = "{% for a in range(9999) %}".repeat(9) + &"{% endfor %}".repeat(9);
    assert!(refusal(&loops).contains("does not end"));
    let wide = "{% for a in range(9999) %}{{ 'x' * 100000 }}{% endfor %}";
    assert!(refusal(wide).contains("more than 256 MB"));
    refusal(&"{{ ".repeat(10_000));
    refusal(&format!("{{{{ {}1{} }}}}", "(".repeat(10_000), ")".repeat(10_000)));
    refusal(&"{% if true %}".repeat(10_000));
    assert!(refusal("{{ 1 is divisibleby(0) }}").contains("division by zero"));
    refusal("{{ 'x' * 99999999999 }}");
    refusal("{{ range(99999999999) }}");
}

/// Each makes much of little, in few steps.
#[test]
fn templates_that_double_are_stopped() {
    let doubling = |step: &str| {
        format!(
            "{{% set ns = namespace(x='ab', l=[1, 2]) %}}{{% for i in range(60) %}}{step}\
             {{% endfor %}}{{{{ ns.x }}}}{{{{ ns.l }}}}"
        )
    };
    for step in [
        "{% set ns.x = ns.x ~ ns.x %}",
        "{% set ns.x = ns.x + ns.x %}",
        "{% set ns.x = ns.x * 2 %}",
        "{% set ns.x = [ns.x, ns.x] | join %}",
        "{% set ns.x = ns.x | replace('a', ns.x) %}",
        "{% set ns.x = ns.x.replace('b', ns.x) %}",
        "{% set ns.x = ns.x.join([ns.x, ns.x, ns.x]) %}",
        "{% set ns.x = '%s%s' | format(ns.x, ns.x) %}",
        "{% set ns.x = '{}{}'.format(ns.x, ns.x) %}",
        "{% set y %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = y %}",
        "{% set ns.x = (ns.x, ns.x) | string %}",
        "{% set ns.x = [ns.x, ns.x] | tojson %}",
        "{% set ns.l = [ns.l, ns.l] %}",
        "{% set ns.l = ns.l + ns.l %}{% set ns.x = ns.l | list %}",
        "{% set ns.l = ns.l * 2 %}{% set ns.x = ns.l | list %}",
        "{% set ns.l = {'a': ns.l, 'b': ns.l} %}",
        "{% set ns.l = [ns.l, ns.l] %}{% set ns.x = ns.l | tojson(indent=9) %}",
        "{% set ns.l = [ns.l, ns.l] %}{% set ns.x = ns.l == [ns.l, ns.l] %}",
    ] {
        let error = refusal(&doubling(step));
        assert!(error.contains("more than"), "{step}: {error}");
    }
    let calls = "{% macro f(x, n) %}{% if n > 0 %}{{ f(x ~ x, n - 1) }}{% else %}{{ x }}{% endif %}\
                 {% endmacro %}{{ f('ab', 60) }}";
    assert!(refusal(calls).contains("more than"));
    // Without a loop.
    let line = "{% set x = 'ab' %}".to_owned() + &"{% set x = x ~ x %}".repeat(60) + "{{ x }}";
    assert!(refusal(&line).contains("more than"));
    // Worked out while it is read.
    let constant = format!("{{{{ {} }}}}", vec!["('x' * 99999999)"; 50].join(" ~ "));
    assert!(refusal(&constant).contains("more than"));
    for once in [
        "{{ '%999999999d' | format(1) }}",
        "{{ '{:>999999999}'.format('x') }}",
        "{{ 'x' | indent(999999999, true) }}",
        "{{ [1] | batch(999999999, 'x') | list }}",
        "{{ [1] | slice(999999999, 'x') | list }}",
    ] {
        assert!(refusal(once).contains("more than"), "{once}");
    }
    // Much, kept: small values by large steps.
    let kept = "{% set ns = namespace(l=[], s='x' * 9000000) %}{% for i in range(900) %}\
                {% set ns.l = ns.l + [ns.s[1:]] %}{% endfor %}";
    assert!(refusal(kept).contains("more than"));
    // Text of the template itself.
    let raw = "x".repeat(100_000);
    let raw =
        format!("{{% set y %}}{{% for i in range(99999) %}}{raw}{{% endfor %}}{{% endset %}}");
    assert!(refusal(&raw).contains("does not end"));
    assert!(refusal(&" ".repeat(2 << 20)).contains("bytes"));
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
