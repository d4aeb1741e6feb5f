//! Methods of strings. Places are counted in characters, as Python does.

use crate::{
    error::{Result, fail},
    eval::{CallArgs, bind, offset},
    format,
    limits::Gauge,
    strings::{self, Side},
    value::{Text, TextBuilder, Value, is_space, items, text, tuple},
};
use std::rc::Rc;

pub(super) const NAMES: [&str; 41] = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "islower",
    "isnumeric",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "upper",
    "zfill",
];

pub(super) fn call(meter: &Gauge, this: &Rc<Text>, name: &str, args: CallArgs) -> Result<Value> {
    match name {
        "strip" | "lstrip" | "rstrip" => {
            let [chars] = bind(name, args, ["chars"], 0)?;
            let side = match name {
                "lstrip" => Side::Left,
                "rstrip" => Side::Right,
                _ => Side::Both,
            };
            text(meter, strings::strip(meter, this, optional(name, &chars)?, side)?)
        }
        "split" | "rsplit" => {
            let [separator, most] = bind(name, args, ["sep", "maxsplit"], 0)?;
            let separator = optional(name, &separator)?;
            if separator == Some("") {
                return fail(format!("{name}: the separator is empty"));
            }
            let most = count(name, &most)?.unwrap_or(usize::MAX);
            strings::split(meter, this, separator, most, name == "rsplit")
        }
        "splitlines" => {
            let [keep] = bind(name, args, ["keepends"], 0)?;
            strings::lines(meter, this, keep.is_some_and(|keep| keep.is_true()))?.list()
        }
        "startswith" | "endswith" => affix(meter, this, name, args),
        "replace" => {
            let [old, new, most] = bind(name, args, ["old", "new", "count"], 2)?;
            let (old, new) = (required(name, &old)?, required(name, &new)?);
            strings::replace(meter, this, old, new, count(name, &most)?)
        }
        "upper" | "lower" | "casefold" | "capitalize" | "title" | "swapcase" => {
            let [] = bind(name, args, [], 0)?;
            match name {
                "upper" => strings::upper(meter, this),
                "capitalize" => strings::capitalize(meter, this),
                "swapcase" => strings::mapped(meter, this, |c| strings::cased(c, c.is_lowercase())),
                "title" => {
                    let mut inside = false;
                    strings::mapped(meter, this, |c| {
                        let upper = !std::mem::replace(&mut inside, is_cased(c));
                        strings::cased(c, upper)
                    })
                }
                _ => strings::lower(meter, this),
            }
        }
        "find" | "rfind" | "index" | "rindex" | "count" => search(meter, this, name, args),
        "join" => {
            let [parts] = bind(name, args, ["iterable"], 1)?;
            join(meter, this, &parts.unwrap_or(Value::None))
        }
        "format" => format::braces(meter, this, &args),
        "removeprefix" | "removesuffix" => {
            let [affix] = bind(name, args, ["affix"], 1)?;
            let affix = required(name, &affix)?;
            meter.copy(affix.len())?;
            let rest = match name {
                "removeprefix" => this.strip_prefix(affix),
                _ => this.strip_suffix(affix),
            };
            text(meter, rest.unwrap_or(this))
        }
        "center" | "ljust" | "rjust" | "zfill" => pad(meter, this, name, args),
        "partition" | "rpartition" => {
            let [separator] = bind(name, args, ["sep"], 1)?;
            partition(meter, this, required(name, &separator)?, name == "rpartition")
        }
        "expandtabs" => {
            let [size] = bind(name, args, ["tabsize"], 0)?;
            expand_tabs(meter, this, count(name, &size)?.unwrap_or(8))
        }
        _ => {
            let [] = bind(name, args, [], 0)?;
            meter.scan(2 * this.len())?;
            is(this, name).map(Value::Bool)
        }
    }
}

fn required<'a>(name: &str, value: &'a Option<Value>) -> Result<&'a str> {
    match value.as_ref().map(|value| (value, value.as_str())) {
        Some((_, Some(text))) => Ok(text),
        Some((value, None)) => fail(format!("{name}: a string is needed, not {}", value.kind())),
        None => fail(format!("{name}: a string is needed")),
    }
}

fn optional<'a>(name: &str, value: &'a Option<Value>) -> Result<Option<&'a str>> {
    match value {
        None | Some(Value::None) => Ok(None),
        _ => required(name, value).map(Some),
    }
}

/// A number of times; less than none means no limit.
fn count(name: &str, value: &Option<Value>) -> Result<Option<usize>> {
    match value {
        None => Ok(None),
        Some(value) => match value.as_int() {
            Some(number) if number < 0 => Ok(None),
            Some(number) => Ok(Some(usize::try_from(number).unwrap_or(usize::MAX))),
            None => fail(format!("{name}: an integer is needed, not {}", value.kind())),
        },
    }
}

/// The part of a text between two places, in characters; none if they are not in order. Also where
/// it begins.
fn part<'a>(
    meter: &Gauge,
    this: &'a Text,
    start: Option<Value>,
    end: Option<Value>,
) -> Result<Option<(usize, &'a str)>> {
    let len = this.chars as i128;
    let place = |value: Option<Value>, default: i128| match value {
        None | Some(Value::None) => Ok(default),
        Some(value) => match value.as_int() {
            Some(x) if x < 0 => Ok(x.saturating_add(len).max(0)),
            Some(x) => Ok(x),
            None => fail(format!("a place in a string is a {}", value.kind())),
        },
    };
    let (start, end) = (place(start, 0)?, place(end, len)?.min(len));
    if start > end {
        return Ok(None);
    }
    let (from, to) = (start as usize, end as usize);
    let bytes = offset(meter, this, from)?..offset(meter, this, to)?;
    Ok(Some((from, &this[bytes])))
}

fn affix(meter: &Gauge, this: &Text, name: &str, args: CallArgs) -> Result<Value> {
    let [affix, start, end] = bind(name, args, ["affix", "start", "end"], 1)?;
    let Some((_, part)) = part(meter, this, start, end)? else {
        return Ok(Value::Bool(false));
    };
    let has = |affix: &str| {
        meter.copy(affix.len().min(part.len()))?;
        Ok(if name == "startswith" { part.starts_with(affix) } else { part.ends_with(affix) })
    };
    if let Some(Value::Tuple(seq)) = &affix {
        for item in &seq.items {
            if has(required(name, &Some(item.clone()))?)? {
                return Ok(Value::Bool(true));
            }
        }
        return Ok(Value::Bool(false));
    }
    has(required(name, &affix)?).map(Value::Bool)
}

fn search(meter: &Gauge, this: &Text, name: &str, args: CallArgs) -> Result<Value> {
    let [what, start, end] = bind(name, args, ["sub", "start", "end"], 1)?;
    let what = required(name, &what)?;
    let part = part(meter, this, start, end)?;
    meter.scan(this.len() + what.len())?;
    let found = part.and_then(|(from, part)| {
        let at = match name {
            "count" => return Some(part.matches(what).count()),
            "find" | "index" => part.find(what),
            _ => part.rfind(what),
        };
        at.map(|at| from + part[..at].chars().count())
    });
    match (found, name) {
        (Some(found), _) => Ok(Value::Int(found as i128)),
        (None, "count") => Ok(Value::Int(0)),
        (None, "index" | "rindex") => fail(format!("{name}: the text is not found")),
        (None, _) => Ok(Value::Int(-1)),
    }
}

fn join(meter: &Gauge, this: &Text, parts: &Value) -> Result<Value> {
    let mut out = TextBuilder::new(meter)?;
    for (i, item) in items(meter, parts)?.items.iter().enumerate() {
        let Some(item) = item.as_str() else {
            return fail(format!("join: item {i} is a {}, not a string", item.kind()));
        };
        if i > 0 {
            out.push_str(this)?;
        }
        out.push_str(item)?;
    }
    Ok(out.finish())
}

fn pad(meter: &Gauge, this: &Text, name: &str, args: CallArgs) -> Result<Value> {
    let [width, fill] = bind(name, args, ["width", "fillchar"], 1)?;
    let width = count(name, &width)?.unwrap_or(0);
    let pad = width.saturating_sub(this.chars);
    if name == "zfill" {
        let digits = this.trim_start_matches(['+', '-']);
        let signed = usize::from(digits.len() < this.len());
        let mut out = TextBuilder::new(meter)?;
        out.push_str(&this[..signed])?;
        out.repeat("0", pad)?;
        out.push_str(&this[signed..])?;
        return Ok(out.finish());
    }
    let fill = optional(name, &fill)?.unwrap_or(" ");
    if fill.chars().nth(1).is_some() || fill.is_empty() {
        return fail(format!("{name}: the fill is not one character"));
    }
    let (left, right) = match name {
        "ljust" => (0, pad),
        "rjust" => (pad, 0),
        _ => strings::centered(this, width),
    };
    strings::padded(meter, this, fill, left, right)
}

fn partition(meter: &Gauge, this: &Text, separator: &str, right: bool) -> Result<Value> {
    if separator.is_empty() {
        return fail("partition: the separator is empty");
    }
    meter.scan(this.len() + separator.len())?;
    let found = if right { this.rsplit_once(separator) } else { this.split_once(separator) };
    let parts = match found {
        Some((before, after)) => [before, separator, after],
        None if right => ["", "", this],
        None => [this, "", ""],
    };
    let [a, b, c] = parts.map(|part| text(meter, part));
    tuple(meter, &[a?, b?, c?])
}

fn expand_tabs(meter: &Gauge, this: &Text, size: usize) -> Result<Value> {
    meter.scan(this.len())?;
    let mut out = TextBuilder::new(meter)?;
    let mut column = 0usize;
    for c in this.chars() {
        match c {
            '\t' if size > 0 => {
                let spaces = size - column % size;
                out.repeat(" ", spaces)?;
                column = column.saturating_add(spaces);
            }
            '\t' => {}
            _ => {
                out.push(c)?;
                column = if matches!(c, '\n' | '\r') { 0 } else { column.saturating_add(1) };
            }
        }
    }
    Ok(out.finish())
}

fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// Whether a text is of a kind; an empty one is only ASCII.
pub(crate) fn is(this: &str, name: &str) -> Result<bool> {
    let all = |test: fn(char) -> bool| !this.is_empty() && this.chars().all(test);
    Ok(match name {
        "isascii" => this.is_ascii(),
        "isspace" => all(is_space),
        "isalpha" => all(char::is_alphabetic),
        "isalnum" => all(char::is_alphanumeric),
        "isdigit" | "isdecimal" => all(|c| c.is_ascii_digit() || c.is_numeric() && is_decimal(c)),
        "isnumeric" => all(char::is_numeric),
        "islower" => this.chars().any(is_cased) && !this.chars().any(char::is_uppercase),
        "isupper" => this.chars().any(is_cased) && !this.chars().any(char::is_lowercase),
        "istitle" => {
            let mut inside = false;
            let mut right = true;
            for c in this.chars() {
                right &= !(c.is_uppercase() && inside || c.is_lowercase() && !inside);
                inside = is_cased(c);
            }
            right && this.chars().any(is_cased)
        }
        _ => return fail(format!("'str' has no method '{name}'")),
    })
}

/// Digits of other scripts, of which each has ten in a row.
fn is_decimal(c: char) -> bool {
    matches!(c, '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}' | '\u{966}'..='\u{96f}' | '\u{ff10}'..='\u{ff19}')
}
