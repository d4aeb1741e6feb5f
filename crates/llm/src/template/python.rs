//! Values as Python prints them, which templates were written and models trained with.

use super::bounds::MOST_BYTES;
use minijinja::{Value, value::ValueKind};
use serde_json::Value as Json;
use std::{
    borrow::Cow,
    fmt::{self, Write},
};

/// What `str()` gives.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    if let Some(text) = value.as_str() {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = repr(value, &mut out, 0);
    Cow::Owned(out)
}

/// Values within values are printed this deep; JSON is read no deeper either.
pub(super) const DEEPEST: usize = 128;

fn repr(value: &Value, out: &mut String, depth: usize) -> fmt::Result {
    if depth > DEEPEST {
        return out.write_str("...");
    }
    match value.kind() {
        ValueKind::Undefined => Ok(()),
        ValueKind::None => out.write_str("None"),
        ValueKind::Bool => out.write_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::Number if !value.is_integer() => match f64::try_from(value.clone()) {
            Ok(number) => out.write_str(&float(number)),
            Err(_) => write!(out, "{value}"),
        },
        ValueKind::String if depth > 0 => quoted(value.as_str().unwrap_or(""), out),
        ValueKind::Seq | ValueKind::Map => nested(value, out, depth),
        _ => write!(out, "{value}"),
    }
}

fn nested(value: &Value, out: &mut String, depth: usize) -> fmt::Result {
    let Ok(items) = value.try_iter() else {
        return write!(out, "{value}");
    };
    let is_map = value.kind() == ValueKind::Map;
    let [open, close] = match is_map {
        true => ['{', '}'],
        false if value.is_tuple() => ['(', ')'],
        false => ['[', ']'],
    };
    out.write_char(open)?;
    for (i, item) in items.enumerate() {
        out.write_str(if i == 0 { "" } else { ", " })?;
        repr(&item, out, depth + 1)?;
        if is_map {
            out.write_str(": ")?;
            repr(&value.get_item(&item).unwrap_or_default(), out, depth + 1)?;
        }
    }
    if value.is_tuple() && value.len() == Some(1) {
        out.write_char(',')?;
    }
    out.write_char(close)
}

/// A string in single quotes, or in double ones if it has single ones and no double.
fn quoted(text: &str, out: &mut String) -> fmt::Result {
    let double = text.contains('\'') && !text.contains('"');
    let quote = if double { '"' } else { '\'' };
    out.write_char(quote)?;
    for c in text.chars() {
        match c {
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '\\' => out.write_str("\\\\")?,
            c if c == quote => write!(out, "\\{c}")?,
            c if c < ' ' || c == '\x7f' => write!(out, "\\x{:02x}", u32::from(c))?,
            c => out.write_char(c)?,
        }
    }
    out.write_char(quote)
}

/// The shortest digits that mean this number, with an exponent where Python has one.
fn float(number: f64) -> String {
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
            let plain = format!("{number}");
            let point = if plain.contains('.') { "" } else { ".0" };
            plain + point
        }
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
    }
}

/// How `json.dumps` writes.
pub(super) struct Style {
    indent: Option<String>,
    comma: String,
    colon: String,
    sort: bool,
    ascii: bool,
}

impl Style {
    pub(super) fn new(
        indent: Option<String>,
        separators: Option<&[String]>,
        sort: bool,
        ascii: bool,
    ) -> Style {
        let (comma, colon) = match separators {
            Some([comma, colon]) => (comma.clone(), colon.clone()),
            _ => {
                let comma = if indent.is_some() { "," } else { ", " };
                (comma.to_owned(), ": ".to_owned())
            }
        };
        Style { indent, comma, colon, sort, ascii }
    }

    pub(super) fn json(&self, value: &Json) -> String {
        let mut out = String::new();
        self.write(value, 0, &mut out);
        out
    }

    fn write(&self, value: &Json, depth: usize, out: &mut String) {
        match value {
            Json::Null => out.push_str("null"),
            Json::Bool(x) => out.push_str(if *x { "true" } else { "false" }),
            Json::Number(x) => match x.as_f64() {
                Some(number) if x.is_f64() => out.push_str(&float(number)),
                _ => out.push_str(&x.to_string()),
            },
            Json::String(text) => self.string(text, out),
            Json::Array(items) => self.items(['[', ']'], items.iter(), depth, out, |item, out| {
                self.write(item, depth + 1, out);
            }),
            Json::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                if self.sort {
                    entries.sort_by_key(|(key, _)| *key);
                }
                let entries = entries.into_iter();
                self.items(['{', '}'], entries, depth, out, |(key, value), out| {
                    self.string(key, out);
                    out.push_str(&self.colon);
                    self.write(value, depth + 1, out);
                });
            }
        }
    }

    fn items<T>(
        &self,
        [open, close]: [char; 2],
        items: impl ExactSizeIterator<Item = T>,
        depth: usize,
        out: &mut String,
        write: impl Fn(T, &mut String),
    ) {
        let line = |depth: usize, out: &mut String| {
            // Beyond the limit the text is refused anyway.
            if let Some(indent) = self.indent.as_ref().filter(|_| out.len() < MOST_BYTES) {
                out.push('\n');
                (0..depth).for_each(|_| out.push_str(indent));
            }
        };
        let empty = items.len() == 0;
        out.push(open);
        for (i, item) in items.enumerate() {
            if i > 0 {
                out.push_str(&self.comma);
            }
            line(depth + 1, out);
            write(item, out);
        }
        if !empty {
            line(depth, out);
        }
        out.push(close);
    }

    fn string(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\x08' => out.push_str("\\b"),
                '\x0c' => out.push_str("\\f"),
                c if c < ' ' || (self.ascii && !c.is_ascii()) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_python_has_them() {
        for (number, expected) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
            (0.0, "0.0"),
        ] {
            assert_eq!(float(number), expected);
        }
    }
}
