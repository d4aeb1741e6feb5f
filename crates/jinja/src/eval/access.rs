//! Attributes, items and slices.

use super::operators::defined;
use crate::{
    error::{ErrorKind, Result, fail},
    limits::{Charge, Gauge},
    methods,
    value::{Key, ListBuilder, Loop, Method, Missing, Range, Text, TextBuilder, Value, text},
};
use std::{rc::Rc, sync::Arc};

/// `value.name`: an attribute or method, or an item of that name.
pub(crate) fn attribute(value: &Value, name: &Arc<str>) -> Result<Value> {
    defined(value)?;
    if let Some(found) = own_attribute(value, name) {
        return Ok(found);
    }
    if let Value::Dict(dict) = value
        && let Some(found) = dict.get_str(name)
    {
        return Ok(found.clone());
    }
    Ok(Value::undefined(Missing::Attribute(value.kind(), Arc::clone(name))))
}

/// What Python's `getattr` finds.
pub(crate) fn own_attribute(value: &Value, name: &str) -> Option<Value> {
    if let Some(method) = methods::find(value, name) {
        let receiver = value.clone();
        return Some(Value::Method(Rc::new(Method { receiver, name: method })));
    }
    if methods::changes(value, name) {
        let missing = Missing::Unsafe(value.kind(), name.into());
        return Some(Value::undefined(missing));
    }
    match value {
        Value::Namespace(namespace) => namespace.values.borrow().get(name).cloned(),
        Value::Tuple(seq) if seq.group => match name {
            "grouper" => seq.items.first().cloned(),
            "list" => seq.items.get(1).cloned(),
            _ => None,
        },
        Value::Loop(state) => of_loop(state, name),
        Value::Cycler(cycler) if name == "current" => {
            cycler.items.items.get(cycler.at.get()).cloned()
        }
        _ => None,
    }
}

fn of_loop(state: &Loop, name: &str) -> Option<Value> {
    let index0 = state.index0.get();
    let int = |number: usize| Some(Value::Int(number as i128));
    match name {
        "index" => int(index0 + 1),
        "index0" => int(index0),
        "revindex" => int(state.length - index0),
        "revindex0" => int(state.length - index0 - 1),
        "first" => Some(Value::Bool(index0 == 0)),
        "last" => Some(Value::Bool(state.next.borrow().is_none())),
        "length" => int(state.length),
        "depth" => int(state.depth0 + 1),
        "depth0" => int(state.depth0),
        "previtem" => Some(neighbour(&state.previous.borrow(), "there is no previous item")),
        "nextitem" => Some(neighbour(&state.next.borrow(), "there is no next item")),
        _ => None,
    }
}

fn neighbour(item: &Option<Value>, why: &'static str) -> Value {
    item.clone().unwrap_or_else(|| Value::undefined(Missing::Because(why)))
}

/// `value[key]`: an item, or an attribute of that name.
pub(crate) fn item(meter: &Gauge, value: &Value, key: &Value) -> Result<Value> {
    defined(value)?;
    let found = match (value, key) {
        (Value::Dict(dict), Value::Text(key)) => {
            meter.scan(key.len())?;
            dict.get_str(key).cloned()
        }
        (Value::Dict(dict), key) => match Key::new(meter, key) {
            Ok(key) => dict.entries.get(&key).map(|(_, value)| value.clone()),
            // What cannot be a key is not found.
            Err(error) if error.kind() == ErrorKind::Runtime => None,
            Err(error) => return Err(error),
        },
        (_, Value::Int(_) | Value::Bool(_)) => indexed(meter, value, key.as_int().unwrap_or(0))?,
        _ => None,
    };
    if let Some(found) = found {
        return Ok(found);
    }
    Ok(match key {
        Value::Text(name) => match own_attribute(value, name) {
            Some(found) => found,
            None => Value::undefined(Missing::Item(value.kind(), key.clone())),
        },
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::None => {
            Value::undefined(Missing::Item(value.kind(), key.clone()))
        }
        _ => Value::undefined(Missing::Because("an item that does not exist is undefined")),
    })
}

fn indexed(meter: &Gauge, value: &Value, index: i128) -> Result<Option<Value>> {
    let len = match value {
        Value::Text(_) | Value::List(_) | Value::Tuple(_) | Value::Range(_) => value.len()?,
        _ => return Ok(None),
    };
    let index = if index < 0 { index + len as i128 } else { index };
    let Some(index) = usize::try_from(index).ok().filter(|&index| index < len) else {
        return Ok(None);
    };
    Ok(match value {
        Value::List(seq) | Value::Tuple(seq) => seq.items.get(index).cloned(),
        Value::Range(range) => Some(Value::Int(range.get(index))),
        Value::Text(whole) => {
            let start = offset(meter, whole, index)?;
            let end = whole.ceil_char_boundary(start + 1);
            Some(text(meter, &whole[start..end])?)
        }
        _ => None,
    })
}

/// Where a character begins, in bytes.
pub(crate) fn offset(meter: &Gauge, text: &Text, chars: usize) -> Result<usize> {
    if text.is_ascii() {
        return Ok(chars.min(text.len()));
    }
    meter.scan(text.len())?;
    Ok(text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at))
}

/// `value[start:stop:step]`.
pub(super) fn slice(meter: &Gauge, value: &Value, bounds: &[Value; 3]) -> Result<Value> {
    defined(value)?;
    let len = match value {
        Value::Text(_) | Value::List(_) | Value::Tuple(_) | Value::Range(_) => value.len()?,
        _ => return fail(format!("'{}' object cannot be sliced", value.kind())),
    };
    let picked = pick(len, bounds)?;
    let count = picked.len();
    match value {
        Value::List(seq) | Value::Tuple(seq) => {
            let mut out = ListBuilder::with_capacity(meter, count)?;
            for at in 0..count {
                out.push(seq.items[picked.get(at) as usize].clone())?;
            }
            if matches!(value, Value::List(_)) { out.list() } else { out.tuple() }
        }
        Value::Range(range) => {
            let end = |at: i128| range.start + range.step * at;
            let step = range.step * picked.step;
            let (start, stop) = (end(picked.start), end(picked.stop));
            Ok(Value::Range(Rc::new(Range { start, stop, step })))
        }
        Value::Text(whole) => slice_text(meter, whole, &picked),
        _ => Ok(Value::None),
    }
}

fn slice_text(meter: &Gauge, whole: &Text, picked: &Range) -> Result<Value> {
    let count = picked.len();
    if picked.step == 1 {
        let start = offset(meter, whole, picked.start as usize)?;
        let end = offset(meter, whole, picked.start as usize + count)?;
        return text(meter, &whole[start..end]);
    }
    meter.scan(whole.len())?;
    // Characters in a list of their own, to go through them in any order.
    let _room = Charge::new(meter, whole.chars * size_of::<char>() * 2)?;
    let chars: Vec<char> = whole.chars().collect();
    let mut out = TextBuilder::new(meter)?;
    meter.steps(count as u64)?;
    for at in 0..count {
        out.push(chars[picked.get(at) as usize])?;
    }
    Ok(out.finish())
}

/// Which of `len` items a slice picks; all are within bounds.
fn pick(len: usize, bounds: &[Value; 3]) -> Result<Range> {
    let mut numbers = [None; 3];
    for (number, bound) in numbers.iter_mut().zip(bounds) {
        *number = match bound {
            Value::None => None,
            Value::Int(_) | Value::Bool(_) => bound.as_int(),
            _ => {
                defined(bound)?;
                return fail(format!("a bound of a slice is a {}, not an integer", bound.kind()));
            }
        };
    }
    let len = len as i128;
    // Larger ones pick the same.
    let step = numbers[2].unwrap_or(1).clamp(-len - 1, len + 1);
    if step == 0 {
        return fail("the step of a slice is 0");
    }
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let place = |number: Option<i128>, default: i128| match number {
        None => default,
        Some(number) if number < 0 => number.saturating_add(len).clamp(low, high),
        Some(number) => number.clamp(low, high),
    };
    let start = place(numbers[0], if step > 0 { low } else { high });
    let stop = place(numbers[1], if step > 0 { high } else { low });
    Ok(Range { start, stop, step })
}
