//! Filters on text. What is not text is printed first.

use crate::{
    error::{Result, fail},
    eval::{CallArgs, bind, defined, offset},
    format,
    limits::Gauge,
    strings::{self, Side},
    value::{Text, TextBuilder, Value, dict_of, is_space, iterate, text, tuple, write_str},
};
use std::rc::Rc;

/// `str()` of a value.
fn soft(meter: &Gauge, value: &Value) -> Result<Rc<Text>> {
    if let Value::Text(text) = value {
        return Ok(Rc::clone(text));
    }
    let mut out = TextBuilder::new(meter)?;
    write_str(&mut out, value)?;
    Ok(Rc::new(out.into_text()))
}

/// A value that has to be a string.
fn string(name: &str, value: &Value) -> Result<Rc<Text>> {
    match value {
        Value::Text(text) => Ok(Rc::clone(text)),
        _ => {
            defined(value)?;
            fail(format!("{name}: a string is needed, not {}", value.kind()))
        }
    }
}

fn number(name: &str, value: Option<Value>, default: usize) -> Result<usize> {
    match value.map(|value| value.as_int()) {
        None => Ok(default),
        Some(Some(number)) => Ok(usize::try_from(number.max(0)).unwrap_or(usize::MAX)),
        Some(None) => fail(format!("{name}: an integer is needed")),
    }
}

pub(super) fn apply(meter: &Gauge, name: &str, value: &Value, args: CallArgs) -> Result<Value> {
    match name {
        "format" => formatted(meter, value, args),
        "replace" => {
            let [old, new, count] = bind(name, args, ["old", "new", "count"], 2)?;
            let old = soft(meter, &old.unwrap_or(Value::None))?;
            let new = soft(meter, &new.unwrap_or(Value::None))?;
            let count = match count.filter(|count| !matches!(count, Value::None)) {
                Some(count) if count.as_int().is_some_and(|count| count < 0) => None,
                Some(count) => Some(number(name, Some(count), 0)?),
                None => None,
            };
            strings::replace(meter, &soft(meter, value)?, &old, &new, count)
        }
        "trim" => {
            let [chars] = bind(name, args, ["chars"], 0)?;
            let chars = chars.filter(|chars| !matches!(chars, Value::None));
            let chars = chars.map(|chars| string(name, &chars)).transpose()?;
            let whole = soft(meter, value)?;
            text(meter, strings::strip(meter, &whole, chars.as_deref().map(|c| &**c), Side::Both)?)
        }
        "indent" => indent(meter, value, args),
        "truncate" => truncate(meter, value, args),
        "center" => {
            let [width] = bind(name, args, ["width"], 0)?;
            let whole = soft(meter, value)?;
            let (left, right) = strings::centered(&whole, number(name, width, 80)?);
            strings::padded(meter, &whole, " ", left, right)
        }
        "xmlattr" => {
            let [space] = bind(name, args, ["autospace"], 0)?;
            xml_attributes(meter, value, space.is_none_or(|space| space.is_true()))
        }
        _ => {
            let [] = bind(name, args, [], 0)?;
            plain(meter, name, value)
        }
    }
}

/// Filters without arguments.
fn plain(meter: &Gauge, name: &str, value: &Value) -> Result<Value> {
    if name == "urlencode" && value.as_str().is_none() {
        return urlencode_pairs(meter, value);
    }
    let whole = soft(meter, value)?;
    match name {
        "string" | "safe" => Ok(Value::Text(whole)),
        "upper" => strings::upper(meter, &whole),
        "lower" => strings::lower(meter, &whole),
        "capitalize" => strings::capitalize(meter, &whole),
        "title" => {
            let mut starts = true;
            strings::mapped(meter, &whole, |c| {
                let delimits = is_space(c) || matches!(c, '-' | '(' | '{' | '[' | '<');
                let upper = std::mem::replace(&mut starts, delimits);
                strings::cased(c, upper && !delimits)
            })
        }
        "wordcount" => {
            meter.scan(whole.len())?;
            let words = whole.split(|c: char| !c.is_alphanumeric() && c != '_');
            Ok(Value::Int(words.filter(|word| !word.is_empty()).count() as i128))
        }
        "urlencode" => {
            let mut out = TextBuilder::new(meter)?;
            quote(&mut out, &whole, false)?;
            Ok(out.finish())
        }
        "striptags" => strip_tags(meter, &whole),
        _ => {
            let mut out = TextBuilder::new(meter)?;
            escape(&mut out, &whole)?;
            Ok(out.finish())
        }
    }
}

fn formatted(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let whole = soft(meter, value)?;
    if args.named.is_empty() {
        return format::percent(meter, &whole, &tuple(meter, &args.positional)?);
    }
    if !args.positional.is_empty() {
        return fail("format: values with and without names");
    }
    let count = args.named.len();
    let entries = args.named.into_iter().map(|(name, value)| Ok((text(meter, &name)?, value)));
    format::percent(meter, &whole, &Value::Dict(dict_of(meter, count, entries)?))
}

/// HTML's special characters, escaped.
fn escape(out: &mut TextBuilder, whole: &str) -> Result<()> {
    out.meter().scan(2 * whole.len())?;
    for c in whole.chars() {
        match c {
            '&' => out.push_str("&amp;")?,
            '<' => out.push_str("&lt;")?,
            '>' => out.push_str("&gt;")?,
            '\'' => out.push_str("&#39;")?,
            '"' => out.push_str("&#34;")?,
            c => out.push(c)?,
        }
    }
    Ok(())
}

fn xml_attributes(meter: &Gauge, value: &Value, space: bool) -> Result<Value> {
    let Value::Dict(dict) = value else {
        return fail(format!("xmlattr: a {} is not a mapping", value.kind()));
    };
    let mut out = TextBuilder::new(meter)?;
    for (key, value) in dict.entries.values() {
        if matches!(value, Value::None | Value::Undefined(_)) {
            continue;
        }
        let key = string("xmlattr", key)?;
        meter.scan(key.len())?;
        if key.contains([' ', '\t', '\n', '\r', '\x0b', '\x0c', '/', '>', '=']) {
            return fail("xmlattr: a name has a space, '/', '>' or '='");
        }
        if space || !out.as_str().is_empty() {
            out.push_str(" ")?;
        }
        escape(&mut out, &key)?;
        out.push_str("=\"")?;
        escape(&mut out, &soft(meter, value)?)?;
        out.push_str("\"")?;
    }
    Ok(out.finish())
}

/// Text without tags and comments, its whitespace folded and its entities resolved.
fn strip_tags(meter: &Gauge, whole: &str) -> Result<Value> {
    meter.scan(4 * whole.len())?;
    let mut kept = TextBuilder::new(meter)?;
    let mut rest = whole;
    for (open, close) in [("<!--", "-->"), ("<", ">")] {
        let mut next = TextBuilder::new(meter)?;
        while let Some(start) = rest.find(open) {
            let Some(end) = rest[start..].find(close) else { break };
            next.push_str(&rest[..start])?;
            rest = &rest[start + end + close.len()..];
        }
        next.push_str(rest)?;
        kept = next;
        rest = kept.as_str();
    }
    let mut folded = TextBuilder::new(meter)?;
    for word in kept.as_str().split(is_space).filter(|word| !word.is_empty()) {
        if !folded.as_str().is_empty() {
            folded.push_str(" ")?;
        }
        folded.push_str(word)?;
    }
    let mut plain = folded.finish();
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#39;", "'"),
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ];
    for (entity, c) in entities {
        plain = strings::replace(meter, plain.as_str().unwrap_or(""), entity, c, None)?;
    }
    Ok(plain)
}

/// Percent-encoding; in a query also of slashes, and spaces become `+`.
fn quote(out: &mut TextBuilder, whole: &str, query: bool) -> Result<()> {
    out.meter().scan(2 * whole.len())?;
    for byte in whole.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => {
                out.push(byte.into())?;
            }
            b'/' if !query => out.push('/')?,
            b' ' if query => out.push('+')?,
            _ => out.push_str(&format!("%{byte:02X}"))?,
        }
    }
    Ok(())
}

fn urlencode_pairs(meter: &Gauge, value: &Value) -> Result<Value> {
    let view = match value {
        Value::Dict(dict) => Value::View(crate::value::View::Items, Rc::clone(dict)),
        _ => value.clone(),
    };
    let mut out = TextBuilder::new(meter)?;
    let Ok(mut pairs) = iterate(&view) else {
        quote(&mut out, &soft(meter, value)?, false)?;
        return Ok(out.finish());
    };
    let mut first = true;
    while let Some(item) = pairs.next(meter)? {
        let item = crate::value::items(meter, &item)?;
        let [key, value] = &item.items[..] else {
            return fail("urlencode: an item is not a pair");
        };
        if !std::mem::take(&mut first) {
            out.push_str("&")?;
        }
        quote(&mut out, &soft(meter, key)?, true)?;
        out.push_str("=")?;
        quote(&mut out, &soft(meter, value)?, true)?;
    }
    Ok(out.finish())
}

fn indent(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [width, first, blank] = bind("indent", args, ["width", "first", "blank"], 0)?;
    let whole = string("indent", value)?;
    let truth = |value: Option<Value>| value.is_some_and(|value| value.is_true());
    let (first, blank) = (truth(first), truth(blank));
    let mut indention = TextBuilder::new(meter)?;
    match &width {
        Some(Value::Text(width)) => indention.push_str(width)?,
        _ => indention.repeat(" ", number("indent", width, 4)?)?,
    }
    // A newline at the end ends a line; without one, as if there were.
    let lines = strings::lines(meter, &whole, false)?;
    let mut out = TextBuilder::new(meter)?;
    if first {
        out.push_str(indention.as_str())?;
    }
    let mut lines: Vec<&str> = lines.items().iter().filter_map(Value::as_str).collect();
    if whole.chars().next_back().is_none_or(|c| strings::ends_line(c) && c != '\r') {
        lines.push("");
    }
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            out.push_str("\n")?;
            if blank || !line.is_empty() {
                out.push_str(indention.as_str())?;
            }
        }
        out.push_str(line)?;
    }
    Ok(out.finish())
}

fn truncate(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let parameters = ["length", "killwords", "end", "leeway"];
    let [length, kill, end, leeway] = bind("truncate", args, parameters, 0)?;
    let length = number("truncate", length, 255)?;
    let leeway = number("truncate", leeway.filter(|leeway| !matches!(leeway, Value::None)), 5)?;
    let end = match end {
        Some(end) => string("truncate", &end)?,
        None => soft(meter, &text(meter, "...")?)?,
    };
    let Some(kept) = length.checked_sub(end.chars) else {
        return fail("truncate: the length is less than that of the end");
    };
    if value.len()? <= length.saturating_add(leeway) {
        return Ok(value.clone());
    }
    let whole = string("truncate", value)?;
    let mut start = &whole[..offset(meter, &whole, kept)?];
    if !kill.is_some_and(|kill| kill.is_true()) {
        meter.scan(start.len())?;
        start = start.rfind(' ').map_or(start, |at| &start[..at]);
    }
    let mut out = TextBuilder::new(meter)?;
    out.push_str(start)?;
    out.push_str(&end)?;
    Ok(out.finish())
}
