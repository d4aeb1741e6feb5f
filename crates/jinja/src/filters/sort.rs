//! Filters that order items: `sort`, `dictsort`, `groupby`, `unique`, `min` and `max`.

use super::select::Getter;
use crate::{
    error::{Result, fail},
    eval::{CallArgs, bind, defined},
    limits::{Charge, Gauge},
    strings,
    value::{Key, ListBuilder, Missing, Seq, Value, equal, items, less, pair},
};
use std::{collections::HashSet, mem, rc::Rc};

pub(super) fn apply(meter: &Gauge, name: &str, value: &Value, args: CallArgs) -> Result<Value> {
    match name {
        "sort" => {
            let [reverse, case, attribute] =
                bind(name, args, ["reverse", "case_sensitive", "attribute"], 0)?;
            let seq = items(meter, value)?;
            let keys = sort_keys(meter, &seq, attribute.as_ref(), is_true(&case))?;
            picked(meter, &seq, &sorted(meter, keys.items(), is_true(&reverse))?)?.list()
        }
        "dictsort" => dictsort(meter, value, args),
        "groupby" => groupby(meter, value, args),
        "unique" => unique(meter, value, args),
        _ => extreme(meter, name, value, args),
    }
}

fn is_true(value: &Option<Value>) -> bool {
    value.as_ref().is_some_and(Value::is_true)
}

/// A text in lower case, unless case matters.
fn folded(meter: &Gauge, value: Value, case_sensitive: bool) -> Result<Value> {
    match &value {
        Value::Text(text) if !case_sensitive => strings::lower(meter, text),
        _ => Ok(value),
    }
}

/// What items are sorted by: themselves, or attributes, several with commas between them.
fn sort_keys(
    meter: &Gauge,
    seq: &Seq,
    attribute: Option<&Value>,
    case_sensitive: bool,
) -> Result<ListBuilder> {
    let mut getters = Vec::new();
    match attribute {
        Some(Value::Text(text)) if text.contains(',') => {
            meter.scan(text.len())?;
            for part in text.split(',') {
                if getters.len() == 100 {
                    return fail("sort: more than 100 attributes");
                }
                getters.push(Getter::new(meter, &crate::value::text(meter, part)?)?);
            }
        }
        Some(attribute) => getters.push(Getter::new(meter, attribute)?),
        None => getters.push(Getter::new(meter, &Value::None)?),
    }
    let mut keys = ListBuilder::with_capacity(meter, seq.items.len())?;
    for item in &seq.items {
        let mut key = ListBuilder::with_capacity(meter, getters.len())?;
        for getter in &getters {
            key.push(folded(meter, getter.get(meter, item, None)?, case_sensitive)?)?;
        }
        // A tuple even of one: what is undefined equals itself, and only as a part can be sorted.
        keys.push(key.tuple()?)?;
    }
    Ok(keys)
}

/// The places of `keys` in order. Equal keys keep theirs. A merge sort: whatever the comparison
/// says, it ends after `n log n` of them.
pub(crate) fn sorted(meter: &Gauge, keys: &[Value], reverse: bool) -> Result<Vec<usize>> {
    let len = keys.len();
    let _room = Charge::new(meter, 2 * len * size_of::<usize>())?;
    let mut order: Vec<usize> = (0..len).collect();
    let mut merged: Vec<usize> = Vec::with_capacity(len);
    let mut width = 1;
    while width < len {
        meter.steps(len as u64)?;
        merged.clear();
        for run in order.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let ([a, rest_a @ ..], [b, rest_b @ ..]) = (left, right) {
                let (x, y) = (&keys[*a], &keys[*b]);
                let swap = if reverse { less(meter, x, y)? } else { less(meter, y, x)? };
                match swap {
                    true => {
                        merged.push(*b);
                        right = rest_b;
                    }
                    false => {
                        merged.push(*a);
                        left = rest_a;
                    }
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    Ok(order)
}

fn picked(meter: &Gauge, seq: &Seq, order: &[usize]) -> Result<ListBuilder> {
    let mut out = ListBuilder::with_capacity(meter, order.len())?;
    for &at in order {
        out.push(seq.items[at].clone())?;
    }
    Ok(out)
}

fn dictsort(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [case, by, reverse] = bind("dictsort", args, ["case_sensitive", "by", "reverse"], 0)?;
    let Value::Dict(dict) = value else {
        defined(value)?;
        return fail(format!("dictsort: cannot sort a {}", value.kind()));
    };
    let by_value = match by.as_ref().map_or(Some("key"), Value::as_str) {
        Some("key") => false,
        Some("value") => true,
        _ => return fail("dictsort: 'by' is neither \"key\" nor \"value\""),
    };
    let mut keys = ListBuilder::with_capacity(meter, dict.entries.len())?;
    for (key, value) in dict.entries.values() {
        let by = if by_value { value } else { key };
        keys.push(folded(meter, by.clone(), is_true(&case))?)?;
    }
    let mut out = ListBuilder::with_capacity(meter, dict.entries.len())?;
    for at in sorted(meter, keys.items(), is_true(&reverse))? {
        let (key, value) = &dict.entries[at];
        out.push(pair(meter, key.clone(), value.clone())?)?;
    }
    out.list()
}

fn groupby(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [attribute, default, case] =
        bind("groupby", args, ["attribute", "default", "case_sensitive"], 1)?;
    let seq = items(meter, value)?;
    let getter = Getter::new(meter, &attribute.unwrap_or(Value::None))?;
    let mut names = ListBuilder::with_capacity(meter, seq.items.len())?;
    let mut keys = ListBuilder::with_capacity(meter, seq.items.len())?;
    for item in &seq.items {
        let name = getter.get(meter, item, default.as_ref())?;
        keys.push(folded(meter, name.clone(), is_true(&case))?)?;
        names.push(name)?;
    }
    let order = sorted(meter, keys.items(), false)?;
    let mut out = ListBuilder::new(meter)?;
    let mut at = 0;
    while let Some(&first) = order.get(at) {
        let mut group = ListBuilder::new(meter)?;
        while let Some(&next) = order.get(at) {
            if !equal(meter, &keys.items()[first], &keys.items()[next])? {
                break;
            }
            group.push(seq.items[next].clone())?;
            at += 1;
        }
        // What is equal to nothing, not even itself, would not end.
        if group.items().is_empty() {
            group.push(seq.items[first].clone())?;
            at += 1;
        }
        let mut named = ListBuilder::with_capacity(meter, 2)?;
        named.push(names.items()[first].clone())?;
        named.push(group.list()?)?;
        out.push(named.group()?)?;
    }
    out.list()
}

fn unique(meter: &Gauge, value: &Value, args: CallArgs) -> Result<Value> {
    let [case, attribute] = bind("unique", args, ["case_sensitive", "attribute"], 0)?;
    let getter = Getter::new(meter, &attribute.unwrap_or(Value::None))?;
    let seq = items(meter, value)?;
    let _room = Charge::new(meter, seq.items.len() * 3 * size_of::<Key>())?;
    // What a text is charged to may change, but not its characters, which are hashed.
    #[allow(clippy::mutable_key_type)]
    let mut seen = HashSet::new();
    let mut out = ListBuilder::new(meter)?;
    for item in &seq.items {
        let key = folded(meter, getter.get(meter, item, None)?, is_true(&case))?;
        if seen.insert(Key::new(meter, &key)?) {
            out.push(item.clone())?;
        }
    }
    out.generator()
}

/// `min` and `max`.
fn extreme(meter: &Gauge, name: &str, value: &Value, args: CallArgs) -> Result<Value> {
    let [case, attribute] = bind(name, args, ["case_sensitive", "attribute"], 0)?;
    let seq: Rc<Seq> = items(meter, value)?;
    let getter = Getter::new(meter, &attribute.unwrap_or(Value::None))?;
    let mut best: Option<(Value, &Value)> = None;
    for item in &seq.items {
        let key = folded(meter, getter.get(meter, item, None)?, is_true(&case))?;
        defined(&key)?;
        let better = match &best {
            None => true,
            Some((least, _)) if name == "min" => less(meter, &key, least)?,
            Some((most, _)) => less(meter, most, &key)?,
        };
        if better {
            best = Some((key, item));
        }
    }
    Ok(match best {
        Some((_, item)) => item.clone(),
        None => Value::undefined(Missing::Because("the sequence is empty, so it has no extreme")),
    })
}
