//! Values as Python prints them: `str()` and `repr()`.

use super::{Missing, Range, TextBuilder, Value};
use crate::error::{Result, clip};
use std::{fmt::Write, rc::Rc};

/// Python's `str.isspace`.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Writes what `str()` gives.
pub(crate) fn write_str(out: &mut TextBuilder, value: &Value) -> Result<()> {
    match value {
        Value::Undefined(_) => Ok(()),
        Value::Text(text) => out.push_str(text),
        _ => repr(out, value),
    }
}

/// Writes what `repr()` gives.
pub(crate) fn repr(out: &mut TextBuilder, value: &Value) -> Result<()> {
    match value {
        Value::Undefined(_) => out.push_str("Undefined"),
        Value::None => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Int(x) => out.push_str(&x.to_string()),
        Value::Float(x) => out.push_str(&float(*x)),
        Value::Text(x) => quoted(out, x),
        Value::List(x) => sequence(out, "[", &x.items, "]"),
        Value::Tuple(x) if x.items.len() == 1 => sequence(out, "(", &x.items, ",)"),
        Value::Tuple(x) => sequence(out, "(", &x.items, ")"),
        Value::Dict(x) => {
            out.push_str("{")?;
            entries(out, x.entries.values().map(|(key, value)| (Some(key), value)))?;
            out.push_str("}")
        }
        Value::View(view, x) => {
            out.push_str(value.kind())?;
            out.push_str("([")?;
            for at in 0..x.entries.len() {
                let part = x.part(&Rc::clone(out.meter()), at, *view)?;
                out.push_str(if at == 0 { "" } else { ", " })?;
                repr(out, &part.unwrap_or(Value::None))?;
            }
            out.push_str("])")
        }
        Value::Range(x) => out.push_str(&range(x)),
        Value::Namespace(x) => {
            out.push_str("<Namespace {")?;
            for (i, (key, value)) in x.values.borrow().iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " })?;
                quoted(out, key)?;
                out.push_str(": ")?;
                repr(out, value)?;
            }
            out.push_str("}>")
        }
        Value::Macro(x) => {
            out.push_str("<Macro ")?;
            quoted(out, &x.def.name)?;
            out.push_str(">")
        }
        Value::Loop(x) => {
            out.push_str(&format!("<LoopContext {}/{}>", x.index0.get() + 1, x.length))
        }
        Value::Method(x) => out.push_str(&format!("<method {} of {}>", x.name, x.receiver.kind())),
        _ => out.push_str(&format!("<{}>", value.kind())),
    }
}

fn range(x: &Range) -> String {
    match x.step {
        1 => format!("range({}, {})", x.start, x.stop),
        step => format!("range({}, {}, {step})", x.start, x.stop),
    }
}

fn sequence(out: &mut TextBuilder, open: &str, items: &[Value], close: &str) -> Result<()> {
    out.push_str(open)?;
    entries(out, items.iter().map(|item| (None, item)))?;
    out.push_str(close)
}

fn entries<'a>(
    out: &mut TextBuilder,
    entries: impl Iterator<Item = (Option<&'a Value>, &'a Value)>,
) -> Result<()> {
    for (i, (key, value)) in entries.enumerate() {
        out.push_str(if i == 0 { "" } else { ", " })?;
        if let Some(key) = key {
            repr(out, key)?;
            out.push_str(": ")?;
        }
        repr(out, value)?;
    }
    Ok(())
}

/// A string in single quotes, or in double ones if it has single ones and no double.
fn quoted(out: &mut TextBuilder, text: &str) -> Result<()> {
    out.meter().scan(2 * text.len())?;
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote)?;
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n")?,
            '\r' => out.push_str("\\r")?,
            '\t' => out.push_str("\\t")?,
            '\\' => out.push_str("\\\\")?,
            c if c == quote => {
                out.push('\\')?;
                out.push(c)?;
            }
            c if !is_printable(c) => {
                out.meter().steps(4)?;
                out.push_str(&escape(c))?;
            }
            c => out.push(c)?,
        }
    }
    out.push(quote)
}

fn escape(c: char) -> String {
    match u32::from(c) {
        code @ 0..0x100 => format!("\\x{code:02x}"),
        code @ 0x100..0x1_0000 => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// Whether Python prints a character as it is. (Unassigned code points are not told apart.)
fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        _ if c.is_control() || c.is_whitespace() => false,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => false,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' => false,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => false,
        _ => u32::from(c) & 0xfffe != 0xfffe && !('\u{fdd0}'..='\u{fdef}').contains(&c),
    }
}

/// The shortest digits that mean this number, with an exponent where Python has one.
pub(crate) fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        -4..16 => {
            let mut plain = format!("{number}");
            if !plain.contains('.') {
                plain.push_str(".0");
            }
            plain
        }
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            let mut out = digits.to_owned();
            // Writing to a string does not fail.
            let _ = write!(out, "e{sign}{:02}", exponent.abs());
            out
        }
    }
}

/// What is undefined, as an error says it.
pub(crate) fn describe(missing: &Missing) -> String {
    match missing {
        Missing::Name(name) => format!("'{}' is undefined", clip(name, 80)),
        Missing::Attribute(kind, name) => no_attribute(kind, name),
        Missing::Item(kind, Value::Text(name)) => no_attribute(kind, name),
        Missing::Item(kind, key) => {
            let key = match key {
                Value::Int(x) => x.to_string(),
                Value::Float(x) => float(*x),
                Value::Bool(x) => if *x { "True" } else { "False" }.to_owned(),
                _ => "None".to_owned(),
            };
            format!("'{kind}' has no element {key}, so it is undefined")
        }
        Missing::Unsafe(kind, name) => {
            format!("'{name}' of '{kind}' is not available in templates")
        }
        Missing::Parameter(name) => format!("parameter '{name}' was not provided"),
        Missing::Because(why) => (*why).to_owned(),
    }
}

fn no_attribute(kind: &str, name: &str) -> String {
    format!("'{kind}' has no attribute '{}', so it is undefined", clip(name, 80))
}
