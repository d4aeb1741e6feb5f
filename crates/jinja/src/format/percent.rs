//! The operator `%` on strings, and the filter `format`.

use super::spec::Spec;
use crate::{
    error::{Result, fail},
    limits::Gauge,
    value::{TextBuilder, Value, repr},
};
use std::{iter::Peekable, str::Chars};

/// Fills values into a text, at its `%s`, `%d`, `%(name)s` and so on.
pub(crate) fn percent(meter: &Gauge, text: &str, args: &Value) -> Result<Value> {
    meter.scan(text.len())?;
    let mut out = TextBuilder::new(meter)?;
    let mut values = Values { args, used: 0, named: false };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c)?;
            continue;
        }
        meter.steps(1)?;
        if chars.next_if_eq(&'%').is_some() {
            out.push('%')?;
            continue;
        }
        let name = match chars.peek() {
            Some('(') => Some(key(&mut chars)?),
            _ => None,
        };
        let mut spec = flags(&mut chars);
        spec.width = match size(&mut chars, &mut values)? {
            Some(width) if width < 0 => {
                spec.align = Some('<');
                clamp(-width)
            }
            width => clamp(width.unwrap_or(0)),
        };
        if chars.next_if_eq(&'.').is_some() {
            spec.precision = Some(clamp(size(&mut chars, &mut values)?.unwrap_or(0)));
        }
        while chars.next_if(|c| matches!(c, 'h' | 'l' | 'L')).is_some() {}
        match chars.next() {
            None => return fail("%: the format ends after a '%'"),
            Some(kind) => one(&mut out, spec, kind, &values.next(name.as_deref())?)?,
        }
    }
    values.finish()?;
    Ok(out.finish())
}

fn clamp(size: i128) -> usize {
    usize::try_from(size.max(0)).unwrap_or(usize::MAX)
}

fn one(out: &mut TextBuilder, mut spec: Spec, kind: char, value: &Value) -> Result<()> {
    spec.kind = Some(kind);
    match kind {
        's' => {
            spec.zero = false;
            spec.align = spec.align.or(Some('>'));
            spec.text(out, value)
        }
        'r' | 'a' => {
            let mut text = TextBuilder::new(&out.meter().clone())?;
            repr(&mut text, value)?;
            spec.zero = false;
            spec.align = spec.align.or(Some('>'));
            spec.cut(out, text.as_str())
        }
        'c' => match value {
            Value::Text(text) if text.chars == 1 => {
                spec.align = spec.align.or(Some('>'));
                spec.cut(out, text)
            }
            _ => match value.as_int() {
                Some(x) => {
                    spec.align = spec.align.or(Some('>'));
                    spec.integer(out, x)
                }
                None => fail(format!("%c: a {} is not a character", value.kind())),
            },
        },
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => match (value, kind) {
            (Value::Float(x), 'd' | 'i' | 'u') if x.is_finite() && x.abs() < 1e38 => {
                digits(out, &spec, x.trunc() as i128)
            }
            _ => match value.as_int() {
                Some(x) => digits(out, &spec, x),
                None => fail(format!("%{kind}: a number is needed, not a {}", value.kind())),
            },
        },
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => match value.as_float() {
            Some(x) => spec.float(out, x),
            None => fail(format!("%{kind}: a number is needed, not a {}", value.kind())),
        },
        _ => fail(format!("%: unknown format '%{kind}'")),
    }
}

/// An integer, where a precision means digits.
fn digits(out: &mut TextBuilder, spec: &Spec, number: i128) -> Result<()> {
    let Some(precision) = spec.precision else {
        return spec.integer(out, number);
    };
    let mut text = TextBuilder::new(&out.meter().clone())?;
    let inner = Spec { width: 0, precision: None, ..spec.clone() };
    inner.integer(&mut text, number.checked_abs().unwrap_or(i128::MAX))?;
    let mut whole = TextBuilder::new(&out.meter().clone())?;
    whole.push_str(if number < 0 { "-" } else { "" })?;
    whole.repeat("0", precision.saturating_sub(text.as_str().len()))?;
    whole.push_str(text.as_str())?;
    let outer = Spec { precision: None, align: spec.align.or(Some('>')), ..spec.clone() };
    outer.cut(out, whole.as_str())
}

fn key(chars: &mut Peekable<Chars<'_>>) -> Result<String> {
    chars.next();
    let mut name = String::new();
    let mut depth = 1;
    for c in chars {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(name);
        }
        name.push(c);
        if name.len() > 1000 {
            return fail("%: a key of more than 1,000 bytes");
        }
    }
    fail("%: a key is not closed")
}

fn flags(chars: &mut Peekable<Chars<'_>>) -> Spec {
    let mut spec = Spec::default();
    while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '+' | ' ' | '#' | '0')) {
        match flag {
            '-' => spec.align = Some('<'),
            '+' => spec.sign = Some('+'),
            ' ' if spec.sign.is_none() => spec.sign = Some(' '),
            '#' => spec.alternate = true,
            '0' => spec.zero = true,
            _ => {}
        }
    }
    spec
}

/// A width or precision: digits, or `*` for the next value.
fn size(chars: &mut Peekable<Chars<'_>>, values: &mut Values<'_>) -> Result<Option<i128>> {
    if chars.next_if_eq(&'*').is_some() {
        return match values.next(None)?.as_int() {
            Some(size) => Ok(Some(size)),
            None => fail("%: '*' needs an integer"),
        };
    }
    let mut size: Option<i128> = None;
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        let digit = i128::from(digit.to_digit(10).unwrap_or(0));
        size = Some(size.unwrap_or(0).saturating_mul(10).saturating_add(digit));
    }
    Ok(size)
}

/// The values that are filled in.
struct Values<'a> {
    args: &'a Value,
    used: usize,
    named: bool,
}

impl Values<'_> {
    fn next(&mut self, name: Option<&str>) -> Result<Value> {
        if let Some(name) = name {
            self.named = true;
            let Value::Dict(dict) = self.args else {
                return fail("%: a format with keys needs a dict");
            };
            return match dict.get_str(name) {
                Some(value) => Ok(value.clone()),
                None => fail(format!("%: there is no key '{name}'")),
            };
        }
        self.used += 1;
        let found = match self.args {
            Value::Tuple(seq) => seq.items.get(self.used - 1).cloned(),
            single => (self.used == 1).then(|| single.clone()),
        };
        found.map_or_else(|| fail("%: too few values for the format"), Ok)
    }

    /// Whether all were used.
    fn finish(&self) -> Result<()> {
        let left = match self.args {
            Value::Tuple(seq) => self.used < seq.items.len(),
            Value::Dict(_) | Value::List(_) | Value::Range(_) | Value::Undefined(_) => false,
            _ => self.used == 0 && !self.named,
        };
        if left { fail("%: more values than the format uses") } else { Ok(()) }
    }
}
