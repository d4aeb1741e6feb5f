//! Templates against Python's jinja2. `fixtures/make.py` writes what is compared.

use bessemer_jinja::{Environment, Template};
use serde_json::Value;

/// The clock of the fixtures: formats that appear there.
fn clock(format: &str) -> Result<String, String> {
    match format {
        "%Y-%m-%d %H:%M:%S" => Ok("2025-03-09 14:05:06".to_owned()),
        "%d %B %Y, %A, %b %a %j %p %I" => Ok("09 March 2025, Sunday, Mar Sun 068 PM 02".to_owned()),
        _ => Err(format!("unknown format {format}")),
    }
}

/// What prints differently on purpose: addresses, and names of Python's own types.
fn is_address(expected: &str) -> bool {
    expected.contains(" at 0x")
}

#[test]
fn results_are_those_of_jinja2() {
    let cases = include_bytes!("../fixtures/cases.json");
    let cases: Value = serde_json::from_slice(cases).unwrap();
    let environment = Environment { clock: Some(&clock), cancel: None };
    let mut wrong = Vec::new();
    for case in cases["cases"].as_array().unwrap() {
        let source = case["template"].as_str().unwrap();
        let rendered = Template::new(source)
            .and_then(|template| template.render_with(&cases["context"], &environment));
        let right = match (&rendered, case["expected"].as_str()) {
            (Ok(text), Some(expected)) => text == expected || is_address(expected),
            (Err(_), None) => true,
            _ => false,
        };
        if !right {
            wrong.push(format!(
                "{source}\n  is       {rendered:?}\n  expected {}",
                case["expected"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}
