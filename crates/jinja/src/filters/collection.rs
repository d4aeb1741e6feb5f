//! Filters on lists, dicts and values of any kind.

use super::select::Getter;
use crate::{
    ast::Binary,
    error::{Result, fail},
    eval::{CallArgs, binary, bind, defined, own_attribute},
    format::{Style, json},
    limits::Gauge,
    value::{
        Generator, Iter, ListBuilder, Missing, TextBuilder, Value, View, items, iterate, text,
        write_str,
    },
};
use std::rc::Rc;

pub(super) fn apply(meter: &Gauge, name: &str, value: Value, args: CallArgs) -> Result<Value> {
    match name {
        "count" | "length" => {
            let [] = bind(name, args, [], 0)?;
            Ok(Value::Int(value.len()? as i128))
        }
        "d" | "default" => {
            let [default, boolean] = bind(name, args, ["default_value", "boolean"], 0)?;
            let boolean = boolean.is_some_and(|boolean| boolean.is_true());
            match value.is_undefined() || boolean && !value.is_true() {
                true => default.map_or_else(|| text(meter, ""), Ok),
                false => Ok(value),
            }
        }
        "first" => {
            let [] = bind(name, args, [], 0)?;
            let first = iterate(&value)?.next(meter)?;
            let why = Missing::Because("the sequence is empty, so it has no first item");
            Ok(first.unwrap_or_else(|| Value::undefined(why)))
        }
        "last" => {
            let [] = bind(name, args, [], 0)?;
            last(meter, &value)
        }
        "list" => {
            let [] = bind(name, args, [], 0)?;
            Ok(match &value {
                Value::List(_) => value,
                _ => Value::List(items(meter, &value)?),
            })
        }
        "items" => {
            let [] = bind(name, args, [], 0)?;
            match &value {
                Value::Undefined(_) => ListBuilder::new(meter)?.generator(),
                Value::Dict(dict) => {
                    generator(items(meter, &Value::View(View::Items, Rc::clone(dict)))?)
                }
                _ => fail(format!("items: a {} is not a mapping", value.kind())),
            }
        }
        "reverse" => {
            let [] = bind(name, args, [], 0)?;
            reverse(meter, &value)
        }
        "join" => join(meter, &value, args),
        "batch" => batch(meter, &value, args),
        "slice" => slices(meter, &value, args),
        "sum" => {
            let [attribute, start] = bind(name, args, ["attribute", "start"], 0)?;
            let getter = Getter::new(meter, &attribute.unwrap_or(Value::None))?;
            let mut sum = start.unwrap_or(Value::Int(0));
            if sum.as_str().is_some() {
                return fail("sum: cannot sum strings; use join");
            }
            let mut iter = iterate(&value)?;
            while let Some(item) = iter.next(meter)? {
                sum = binary(meter, Binary::Add, &sum, &getter.get(meter, &item, None)?)?;
            }
            Ok(sum)
        }
        "attr" => {
            let [attribute] = bind(name, args, ["name"], 1)?;
            defined(&value)?;
            let Some(Value::Text(attribute)) = attribute else {
                return fail("attr: the name is not a string");
            };
            meter.scan(attribute.len())?;
            let missing = || Missing::Item(value.kind(), Value::Text(Rc::clone(&attribute)));
            let found = own_attribute(&value, &attribute);
            Ok(found.unwrap_or_else(|| Value::undefined(missing())))
        }
        _ => tojson(meter, &value, args),
    }
}

fn generator(items: Rc<crate::value::Seq>) -> Result<Value> {
    Ok(Value::Generator(Rc::new(Generator { items, at: 0.into() })))
}

fn last(meter: &Gauge, value: &Value) -> Result<Value> {
    let last = match value {
        Value::Generator(_) => return fail("last: a generator cannot be reversed"),
        Value::Text(whole) => match whole.chars().next_back() {
            Some(c) => Some(text(meter, c.encode_utf8(&mut [0; 4]))?),
            None => None,
        },
        Value::List(seq) | Value::Tuple(seq) => seq.items.last().cloned(),
        _ => {
            let mut iter = iterate(value)?;
            let left = iter.len();
            if let Iter::Dict(_, _, at) | Iter::Range(_, at) = &mut iter {
                *at = left.saturating_sub(1);
            }
            iter.next(meter)?
        }
    };
    let why = Missing::Because("the sequence is empty, so it has no last item");
    Ok(last.unwrap_or_else(|| Value::undefined(why)))
}

fn reverse(meter: &Gauge, value: &Value) -> Result<Value> {
    if let Value::Text(whole) = value {
        meter.scan(2 * whole.len())?;
        let mut out = TextBuilder::with_capacity(meter, whole.len())?;
        for c in whole.chars().rev() {
            out.push(c)?;
        }
        return Ok(out.finish());
    }
    let seq = items(meter, value)?;
    let mut out = ListBuilder::with_capacity(meter, seq.items.len())?;
    for item in seq.items.iter().rev() {
        out.push(item.clone())?;
    }
    match value {
        Value::Generator(_) => out.list(),
        _ => out.generator(),
    }
}

fn join(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [separator, attribute] = bind("join", args, ["d", "attribute"], 0)?;
    let getter = Getter::new(meter, &attribute.unwrap_or(Value::None))?;
    let mut between = TextBuilder::new(meter)?;
    if let Some(separator) = &separator {
        write_str(&mut between, separator)?;
    }
    let mut out = TextBuilder::new(meter)?;
    let mut iter = iterate(value)?;
    let mut first = true;
    while let Some(item) = iter.next(meter)? {
        if !std::mem::take(&mut first) {
            out.push_str(between.as_str())?;
        }
        write_str(&mut out, &getter.get(meter, &item, None)?)?;
    }
    Ok(out.finish())
}

/// A count of items; at least one.
fn size(name: &str, value: Option<Value>) -> Result<usize> {
    match value.as_ref().and_then(Value::as_int) {
        Some(size) if size > 0 => Ok(usize::try_from(size).unwrap_or(usize::MAX)),
        _ => fail(format!("{name}: the count is not a positive integer")),
    }
}

fn batch(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [count, fill] = bind("batch", args, ["linecount", "fill_with"], 1)?;
    let count = size("batch", count)?;
    let seq = items(meter, value)?;
    let mut out = ListBuilder::new(meter)?;
    for chunk in seq.items.chunks(count) {
        let mut row = ListBuilder::with_capacity(meter, chunk.len())?;
        row.extend(chunk)?;
        if let Some(fill) = fill.as_ref().filter(|fill| !matches!(fill, Value::None)) {
            for _ in chunk.len()..count {
                row.push(fill.clone())?;
            }
        }
        out.push(row.list()?)?;
    }
    out.generator()
}

fn slices(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [count, fill] = bind("slice", args, ["slices", "fill_with"], 1)?;
    let count = size("slice", count)?;
    let seq = items(meter, value)?;
    let (each, longer) = (seq.items.len() / count, seq.items.len() % count);
    let mut out = ListBuilder::new(meter)?;
    let mut rest = &seq.items[..];
    for at in 0..count {
        let (part, after) = rest.split_at(each + usize::from(at < longer));
        let mut row = ListBuilder::with_capacity(meter, part.len() + 1)?;
        row.extend(part)?;
        if let Some(fill) =
            fill.as_ref().filter(|fill| !matches!(fill, Value::None) && at >= longer)
        {
            row.push(fill.clone())?;
        }
        out.push(row.list()?)?;
        rest = after;
    }
    out.generator()
}

/// As transformers has it: plain JSON, with the arguments of `json.dumps`.
fn tojson(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let parameters = ["ensure_ascii", "indent", "separators", "sort_keys"];
    let [ascii, indent, separators, sort] = bind("tojson", args, parameters, 0)?;
    let indent = indent.filter(|indent| !matches!(indent, Value::None));
    if let Some(indent) = &indent
        && indent.as_str().is_none()
        && indent.as_int().is_none()
    {
        return fail(format!("tojson: an indent cannot be a {}", indent.kind()));
    }
    let (comma, colon) = match separators.filter(|value| !matches!(value, Value::None)) {
        None => (text(meter, if indent.is_some() { "," } else { ", " })?, text(meter, ": ")?),
        Some(separators) => match &items(meter, &separators)?.items[..] {
            [comma @ Value::Text(_), colon @ Value::Text(_)] => (comma.clone(), colon.clone()),
            _ => return fail("tojson: the separators are not two strings"),
        },
    };
    let truth = |value: Option<Value>| value.is_some_and(|value| value.is_true());
    let style = Style { indent, comma, colon, sort_keys: truth(sort), ascii: truth(ascii) };
    let mut out = TextBuilder::new(meter)?;
    json(&mut out, &style, value, 0)?;
    Ok(out.finish())
}
