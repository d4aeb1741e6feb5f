//! Tests: what follows `is`, and what `select` and its kin are given by name.

use crate::{
    ast::Comparison,
    error::{Result, clip, fail},
    eval::{CallArgs, bind, compare},
    filters,
    limits::Gauge,
    methods::is,
    value::{TextBuilder, Value, identical, write_str},
};

/// Tests without an argument.
const PLAIN: [&str; 21] = [
    "boolean",
    "callable",
    "defined",
    "escaped",
    "even",
    "false",
    "filter",
    "float",
    "integer",
    "iterable",
    "lower",
    "mapping",
    "none",
    "number",
    "odd",
    "sequence",
    "string",
    "test",
    "true",
    "undefined",
    "upper",
];

/// Tests with one, under all their names.
const BINARY: [(&str, Comparison); 16] = [
    ("==", Comparison::Equal),
    ("eq", Comparison::Equal),
    ("equalto", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("ne", Comparison::Unequal),
    (">", Comparison::Greater),
    ("gt", Comparison::Greater),
    ("greaterthan", Comparison::Greater),
    (">=", Comparison::GreaterEqual),
    ("ge", Comparison::GreaterEqual),
    ("<", Comparison::Less),
    ("lt", Comparison::Less),
    ("lessthan", Comparison::Less),
    ("<=", Comparison::LessEqual),
    ("le", Comparison::LessEqual),
    ("in", Comparison::In),
];

fn exists(name: &str) -> bool {
    PLAIN.contains(&name)
        || BINARY.iter().any(|(known, _)| *known == name)
        || matches!(name, "divisibleby" | "sameas")
}

pub(crate) fn apply(meter: &Gauge, name: &str, value: &Value, args: CallArgs) -> Result<bool> {
    if PLAIN.contains(&name) {
        let [] = bind(name, args, [], 0)?;
        return plain(meter, name, value);
    }
    if !exists(name) {
        return fail(format!("there is no test '{}'", clip(name, 80)));
    }
    let [other] = bind(name, args, ["other"], 1)?;
    let other = other.unwrap_or(Value::None);
    if let Some((_, comparison)) = BINARY.iter().find(|(known, _)| *known == name) {
        return compare(meter, *comparison, value, &other);
    }
    match name {
        "sameas" => {
            meter.copy(value.as_str().map_or(0, str::len))?;
            Ok(identical(value, &other))
        }
        _ => divisible(name, value, &other),
    }
}

fn divisible(name: &str, value: &Value, by: &Value) -> Result<bool> {
    match (value.as_int(), by.as_int()) {
        (Some(_), Some(0)) => fail(format!("{name}: division by zero")),
        (Some(value), Some(by)) => Ok(value.checked_rem(by).is_none_or(|rest| rest == 0)),
        _ => match (value.as_float(), by.as_float()) {
            (Some(value), Some(by)) if by != 0.0 => Ok(value % by == 0.0),
            _ => fail(format!("{name}: cannot divide {} by {}", value.kind(), by.kind())),
        },
    }
}

fn plain(meter: &Gauge, name: &str, value: &Value) -> Result<bool> {
    Ok(match name {
        "defined" => !value.is_undefined(),
        "undefined" => value.is_undefined(),
        "none" => matches!(value, Value::None),
        "boolean" => matches!(value, Value::Bool(_)),
        "true" => matches!(value, Value::Bool(true)),
        "false" => matches!(value, Value::Bool(false)),
        "integer" => matches!(value, Value::Int(_)),
        "float" => matches!(value, Value::Float(_)),
        "number" => matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_)),
        "string" => matches!(value, Value::Text(_)),
        "mapping" => matches!(value, Value::Dict(_)),
        // What is undefined is an empty sequence, which fails when it is called.
        "sequence" => matches!(
            value,
            Value::Text(_)
                | Value::List(_)
                | Value::Tuple(_)
                | Value::Dict(_)
                | Value::Range(_)
                | Value::Undefined(_)
        ),
        "iterable" => matches!(
            value,
            Value::Text(_)
                | Value::List(_)
                | Value::Tuple(_)
                | Value::Dict(_)
                | Value::Range(_)
                | Value::View(..)
                | Value::Generator(_)
                | Value::Undefined(_)
                | Value::Loop(_)
        ),
        "callable" => matches!(
            value,
            Value::Function(_)
                | Value::Macro(_)
                | Value::Method(_)
                | Value::Loop(_)
                | Value::Joiner(_)
                | Value::Undefined(_)
        ),
        "odd" => !divisible(name, value, &Value::Int(2))?,
        "even" => divisible(name, value, &Value::Int(2))?,
        "lower" | "upper" => {
            let mut text = TextBuilder::new(meter)?;
            write_str(&mut text, value)?;
            meter.scan(2 * text.as_str().len())?;
            is(text.as_str(), if name == "lower" { "islower" } else { "isupper" })?
        }
        "filter" => value.as_str().is_some_and(filters::exists),
        "test" => value.as_str().is_some_and(exists),
        // There is no markup.
        _ => false,
    })
}
