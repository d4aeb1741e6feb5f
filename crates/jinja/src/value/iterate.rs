//! Going through the items of a value.

use super::{Dict, Generator, ListBuilder, Range, Seq, Text, Value, View, text};
use crate::{
    error::{Result, fail},
    limits::Gauge,
};
use std::rc::Rc;

/// Where in a value we are.
pub(crate) enum Iter {
    Empty,
    Seq(Rc<Seq>, usize),
    Text(Rc<Text>, usize),
    Dict(Rc<Dict>, View, usize),
    Range(Rc<Range>, usize),
    Generator(Rc<Generator>),
}

/// The items of a value, one after another.
pub(crate) fn iterate(value: &Value) -> Result<Iter> {
    Ok(match value {
        Value::Undefined(_) => Iter::Empty,
        Value::List(x) | Value::Tuple(x) => Iter::Seq(Rc::clone(x), 0),
        Value::Text(x) => Iter::Text(Rc::clone(x), 0),
        Value::Dict(x) => Iter::Dict(Rc::clone(x), View::Keys, 0),
        Value::View(view, x) => Iter::Dict(Rc::clone(x), *view, 0),
        Value::Range(x) => Iter::Range(Rc::clone(x), 0),
        Value::Generator(x) => Iter::Generator(Rc::clone(x)),
        _ => return fail(format!("'{}' object is not iterable", value.kind())),
    })
}

impl Iter {
    pub(crate) fn next(&mut self, meter: &Gauge) -> Result<Option<Value>> {
        meter.steps(1)?;
        Ok(match self {
            Iter::Empty => None,
            Iter::Seq(seq, at) => {
                *at += 1;
                seq.items.get(*at - 1).cloned()
            }
            Iter::Text(whole, at) => match whole[*at..].chars().next() {
                Some(c) => {
                    let start = *at;
                    *at += c.len_utf8();
                    Some(text(meter, &whole[start..*at])?)
                }
                None => None,
            },
            Iter::Dict(dict, view, at) => {
                *at += 1;
                dict.part(meter, *at - 1, *view)?
            }
            Iter::Range(range, at) => {
                *at += 1;
                (*at <= range.len()).then(|| Value::Int(range.get(*at - 1)))
            }
            Iter::Generator(generator) => {
                let at = generator.at.get();
                generator.at.set((at + 1).min(generator.items.items.len()));
                generator.items.items.get(at).cloned()
            }
        })
    }

    /// How many items are left.
    pub(crate) fn len(&self) -> usize {
        match self {
            Iter::Empty => 0,
            Iter::Seq(seq, at) => seq.items.len().saturating_sub(*at),
            Iter::Text(text, at) if *at == 0 => text.chars,
            Iter::Text(text, at) => text[*at..].chars().count(),
            Iter::Dict(dict, _, at) => dict.entries.len().saturating_sub(*at),
            Iter::Range(range, at) => range.len().saturating_sub(*at),
            Iter::Generator(x) => x.items.items.len().saturating_sub(x.at.get()),
        }
    }
}

/// All items of a value, as a sequence; a list or tuple is not copied.
pub(crate) fn items(meter: &Gauge, value: &Value) -> Result<Rc<Seq>> {
    if let Value::List(seq) | Value::Tuple(seq) = value {
        return Ok(Rc::clone(seq));
    }
    let mut iter = iterate(value)?;
    let mut out = ListBuilder::with_capacity(meter, iter.len())?;
    while let Some(item) = iter.next(meter)? {
        out.push(item)?;
    }
    out.seq()
}
