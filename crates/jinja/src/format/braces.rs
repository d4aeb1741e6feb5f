//! `str.format`.

use super::spec::Spec;
use crate::{
    error::{Result, fail},
    eval::{CallArgs, attribute, item},
    limits::Gauge,
    value::{TextBuilder, Value, repr, text, write_str},
};
use std::{iter::Peekable, str::Chars};

/// Fills values into a text, at its `{}`, `{0}`, `{name:>10}` and so on.
pub(crate) fn braces(meter: &Gauge, format: &str, args: &CallArgs) -> Result<Value> {
    let mut out = TextBuilder::new(meter)?;
    fill(&mut out, format, &mut Fields { meter, args, next: Some(0) }, 2)?;
    Ok(out.finish())
}

struct Fields<'a> {
    meter: &'a Gauge,
    args: &'a CallArgs,
    /// The next value without a number; none once fields have numbers.
    next: Option<usize>,
}

fn fill(out: &mut TextBuilder, format: &str, fields: &mut Fields<'_>, depth: usize) -> Result<()> {
    fields.meter.scan(format.len())?;
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at])?;
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            out.push_str(brace)?;
            rest = after;
            continue;
        }
        if brace == "}" {
            return fail("format: a '}' without a '{'");
        }
        let end = field_end(rest)?;
        field(out, &rest[..end], fields, depth)?;
        rest = &rest[end + 1..];
    }
    out.push_str(rest)
}

/// Where the `}` of a field is.
fn field_end(rest: &str) -> Result<usize> {
    let mut depth = 1;
    for (at, c) in rest.bytes().enumerate() {
        match c {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(at);
        }
    }
    fail("format: a '{' is not closed")
}

fn field(out: &mut TextBuilder, field: &str, fields: &mut Fields<'_>, depth: usize) -> Result<()> {
    if depth == 0 {
        return fail("format: fields nest too deep");
    }
    let meter = fields.meter;
    let name_end = field.find([':', '!']).unwrap_or(field.len());
    let (name, rest) = field.split_at(name_end);
    let mut value = fields.value(name)?;
    let mut spec_text = rest;
    if let Some(conversion) = rest.strip_prefix('!') {
        let kind = conversion.chars().next();
        let mut text = TextBuilder::new(meter)?;
        match kind {
            Some('r' | 'a') => repr(&mut text, &value)?,
            Some('s') => write_str(&mut text, &value)?,
            _ => return fail("format: the conversion is neither !r nor !s"),
        }
        value = text.finish();
        spec_text = &conversion[1..];
    }
    let spec_text = match spec_text.strip_prefix(':') {
        Some(spec) => spec,
        None if spec_text.is_empty() => "",
        None => return fail("format: expected ':' after a conversion"),
    };
    let mut spec = TextBuilder::new(meter)?;
    fill(&mut spec, spec_text, fields, depth - 1)?;
    if spec.as_str().is_empty() {
        return write_str(out, &value);
    }
    match value {
        Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
            parse(spec.as_str())?.write(out, &value)
        }
        _ => fail(format!("format: a {} takes no format", value.kind())),
    }
}

impl Fields<'_> {
    /// The value of a field such as `0.name[key]`.
    fn value(&mut self, name: &str) -> Result<Value> {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (first, mut path) = name.split_at(end);
        let mut value = self.first(first)?;
        while !path.is_empty() {
            self.meter.scan(path.len())?;
            if let Some(rest) = path.strip_prefix('.') {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                value = attribute(&value, &rest[..end].into())?;
                path = &rest[end..];
            } else if let Some((key, rest)) = path.get(1..).and_then(|rest| rest.split_once(']')) {
                let key = match key.parse::<i128>() {
                    Ok(number) => Value::Int(number),
                    Err(_) => text(self.meter, key)?,
                };
                value = item(self.meter, &value, &key)?;
                path = rest;
            } else {
                return fail("format: a '[' is not closed");
            }
        }
        Ok(value)
    }

    fn first(&mut self, name: &str) -> Result<Value> {
        self.meter.steps(1 + self.args.named.len() as u64)?;
        let index = match (name, self.next) {
            ("", Some(next)) => {
                self.next = Some(next + 1);
                next
            }
            ("", None) => return fail("format: fields with and without numbers"),
            (name, next) => match name.parse::<usize>() {
                Ok(_) if next.is_some_and(|next| next > 0) => {
                    return fail("format: fields with and without numbers");
                }
                Ok(index) => {
                    self.next = None;
                    index
                }
                Err(_) => {
                    let named = self.args.named.iter().find(|(other, _)| **other == *name);
                    let name = crate::error::clip(name, 80);
                    return named.map_or_else(
                        || fail(format!("format: there is no value '{name}'")),
                        |(_, value)| Ok(value.clone()),
                    );
                }
            },
        };
        match self.args.positional.get(index) {
            Some(value) => Ok(value.clone()),
            None => fail(format!("format: there is no value {index}")),
        }
    }
}

/// `[[fill]align][sign][#][0][width][,][.precision][type]`.
fn parse(text: &str) -> Result<Spec> {
    let mut spec = Spec::default();
    let mut chars = text.chars().peekable();
    let is_align = |c: char| matches!(c, '<' | '>' | '^' | '=');
    let mut ahead = text.chars();
    match (ahead.next(), ahead.next()) {
        (Some(fill), Some(align)) if is_align(align) => {
            (spec.fill, spec.align) = (Some(fill), Some(align));
            chars.next();
            chars.next();
        }
        (Some(align), _) if is_align(align) => {
            spec.align = Some(align);
            chars.next();
        }
        _ => {}
    }
    spec.sign = chars.next_if(|c| matches!(c, '+' | '-' | ' '));
    spec.alternate = chars.next_if_eq(&'#').is_some();
    spec.zero = chars.next_if_eq(&'0').is_some();
    spec.width = number(&mut chars).unwrap_or(0);
    spec.grouping = chars.next_if(|c| matches!(c, ',' | '_'));
    if chars.next_if_eq(&'.').is_some() {
        spec.precision = number(&mut chars);
        if spec.precision.is_none() {
            return fail("format: a '.' without a precision");
        }
    }
    spec.kind = chars.next();
    match chars.next() {
        Some(_) => fail(format!("format: '{}' is not a format", crate::error::clip(text, 80))),
        None => Ok(spec),
    }
}

fn number(chars: &mut Peekable<Chars<'_>>) -> Option<usize> {
    let mut number: Option<usize> = None;
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        let digit = digit.to_digit(10).unwrap_or(0) as usize;
        number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
    }
    number
}
