//! JSON as Python's `json.dumps` writes it.

use crate::{
    error::{Result, fail},
    filters::sorted,
    limits::Charge,
    value::{ListBuilder, TextBuilder, Value, float},
};
use std::rc::Rc;

/// The arguments of `json.dumps`.
pub(crate) struct Style {
    pub(crate) indent: Option<Value>,
    pub(crate) comma: Value,
    pub(crate) colon: Value,
    pub(crate) sort_keys: bool,
    pub(crate) ascii: bool,
}

pub(crate) fn json(
    out: &mut TextBuilder,
    style: &Style,
    value: &Value,
    depth: usize,
) -> Result<()> {
    out.meter().steps(1)?;
    match value {
        Value::List(seq) | Value::Tuple(seq) => {
            enclosed(out, style, depth, ["[", "]"], seq.items.len(), |out, at| {
                json(out, style, &seq.items[at], depth + 1)
            })
        }
        Value::Dict(dict) => {
            let meter = Rc::clone(out.meter());
            let _room = Charge::new(&meter, dict.entries.len() * 16)?;
            let order = match style.sort_keys {
                true => {
                    let mut keys = ListBuilder::new(&meter)?;
                    dict.entries.values().try_for_each(|(key, _)| keys.push(key.clone()))?;
                    sorted(&meter, keys.items(), false)?
                }
                false => (0..dict.entries.len()).collect(),
            };
            enclosed(out, style, depth, ["{", "}"], order.len(), |out, at| {
                let (key, value) = &dict.entries[order[at]];
                match key {
                    Value::Text(key) => string(out, key, style.ascii)?,
                    _ => {
                        out.push_str("\"")?;
                        scalar(out, key, "a key")?;
                        out.push_str("\"")?;
                    }
                }
                out.push_str(style.colon.as_str().unwrap_or(": "))?;
                json(out, style, value, depth + 1)
            })
        }
        Value::Text(text) => string(out, text, style.ascii),
        _ => scalar(out, value, "a value"),
    }
}

fn scalar(out: &mut TextBuilder, value: &Value, what: &str) -> Result<()> {
    match value {
        Value::None => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(x) => out.push_str(&x.to_string()),
        Value::Float(x) if x.is_nan() => out.push_str("NaN"),
        Value::Float(x) if x.is_infinite() => {
            out.push_str(if *x > 0.0 { "Infinity" } else { "-Infinity" })
        }
        Value::Float(x) => out.push_str(&float(*x)),
        _ => fail(format!("tojson: {what} of type {} has no JSON", value.kind())),
    }
}

/// Items between brackets, on lines of their own if the style has an indent.
fn enclosed(
    out: &mut TextBuilder,
    style: &Style,
    depth: usize,
    [open, close]: [&str; 2],
    count: usize,
    mut item: impl FnMut(&mut TextBuilder, usize) -> Result<()>,
) -> Result<()> {
    let line = |out: &mut TextBuilder, depth: usize| match &style.indent {
        None => Ok(()),
        Some(Value::Text(indent)) => {
            out.push_str("\n")?;
            out.repeat(indent, depth)
        }
        Some(indent) => {
            out.push_str("\n")?;
            let width = usize::try_from(indent.as_int().unwrap_or(0).max(0));
            out.repeat(" ", width.unwrap_or(usize::MAX).saturating_mul(depth))
        }
    };
    out.push_str(open)?;
    for at in 0..count {
        if at > 0 {
            out.push_str(style.comma.as_str().unwrap_or(", "))?;
        }
        line(out, depth + 1)?;
        item(out, at)?;
    }
    if count > 0 {
        line(out, depth)?;
    }
    out.push_str(close)
}

fn string(out: &mut TextBuilder, text: &str, ascii: bool) -> Result<()> {
    out.meter().scan(2 * text.len())?;
    out.push('"')?;
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\"")?,
            '\\' => out.push_str("\\\\")?,
            '\n' => out.push_str("\\n")?,
            '\r' => out.push_str("\\r")?,
            '\t' => out.push_str("\\t")?,
            '\x08' => out.push_str("\\b")?,
            '\x0c' => out.push_str("\\f")?,
            c if c < ' ' || ascii && c > '~' => {
                out.meter().steps(4)?;
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"))?;
                }
            }
            c => out.push(c)?,
        }
    }
    out.push('"')
}
