//! Comparing values. Every pair that is looked at is a step: what occurs twice is charged twice.

use super::{Key, Value, describe, iterate, key::whole};
use crate::{
    error::{Result, fail},
    limits::Gauge,
};
use std::{cmp::Ordering, rc::Rc};

/// Python's `==`.
pub(crate) fn equal(meter: &Gauge, a: &Value, b: &Value) -> Result<bool> {
    meter.steps(1)?;
    Ok(match (a, b) {
        (Value::Undefined(_), Value::Undefined(_)) | (Value::None, Value::None) => true,
        (Value::Text(a), Value::Text(b)) => {
            if a.len() == b.len() {
                meter.copy(a.len())?;
            }
            ***a == ***b
        }
        (Value::List(x), Value::List(y)) | (Value::Tuple(x), Value::Tuple(y)) => {
            x.items.len() == y.items.len() && all(meter, x.items.iter().zip(&y.items))?
        }
        (Value::Dict(x), Value::Dict(y)) => {
            if x.entries.len() != y.entries.len() {
                return Ok(false);
            }
            for (key, (_, value)) in &x.entries {
                if let Key::Text(text) = key {
                    meter.scan(text.len())?;
                }
                match y.entries.get(key) {
                    Some((_, other)) if equal(meter, value, other)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Value::Range(x), Value::Range(y)) => {
            let (n, m) = (x.len(), y.len());
            n == m && (n == 0 || x.start == y.start && (n == 1 || x.step == y.step))
        }
        _ => match number_order(a, b) {
            Some(order) => order == Some(Ordering::Equal),
            None => identical(a, b),
        },
    })
}

fn all<'a>(meter: &Gauge, pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Result<bool> {
    for (a, b) in pairs {
        if !equal(meter, a, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How two numbers compare; nothing at all if one is none, and no order if one is NaN.
fn number_order(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return Some(Some(a.cmp(&b)));
    }
    let (x, y) = (a.as_float()?, b.as_float()?);
    // Exactly, where an integer would lose digits as a float.
    match (a.as_int().or_else(|| whole(x)), b.as_int().or_else(|| whole(y))) {
        (Some(a), Some(b)) => Some(Some(a.cmp(&b))),
        _ => Some(x.partial_cmp(&y)),
    }
}

/// Python's `is`, for what has an identity; texts and numbers are the same if they are equal.
pub(crate) fn identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => Rc::ptr_eq(a, b) || ***a == ***b,
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b),
        (Value::Dict(a), Value::Dict(b)) => Rc::ptr_eq(a, b),
        (Value::Generator(a), Value::Generator(b)) => Rc::ptr_eq(a, b),
        (Value::Namespace(a), Value::Namespace(b)) => Rc::ptr_eq(a, b),
        (Value::Macro(a), Value::Macro(b)) => Rc::ptr_eq(a, b),
        (Value::Loop(a), Value::Loop(b)) => Rc::ptr_eq(a, b),
        (Value::Cycler(a), Value::Cycler(b)) => Rc::ptr_eq(a, b),
        (Value::Joiner(a), Value::Joiner(b)) => Rc::ptr_eq(a, b),
        (Value::Function(a), Value::Function(b)) => a == b,
        _ => false,
    }
}

/// Python's `<`.
pub(crate) fn less(meter: &Gauge, a: &Value, b: &Value) -> Result<bool> {
    meter.steps(1)?;
    match (a, b) {
        (Value::Undefined(missing), _) | (_, Value::Undefined(missing)) => fail(describe(missing)),
        (Value::Text(a), Value::Text(b)) => {
            meter.copy(a.len().min(b.len()))?;
            Ok(***a < ***b)
        }
        (Value::List(x), Value::List(y)) | (Value::Tuple(x), Value::Tuple(y)) => {
            for (a, b) in x.items.iter().zip(&y.items) {
                if !equal(meter, a, b)? {
                    return less(meter, a, b);
                }
            }
            Ok(x.items.len() < y.items.len())
        }
        _ => match number_order(a, b) {
            Some(order) => Ok(order == Some(Ordering::Less)),
            None => fail(format!("'<' cannot compare {} and {}", a.kind(), b.kind())),
        },
    }
}

/// Python's `in`.
pub(crate) fn contains(meter: &Gauge, container: &Value, item: &Value) -> Result<bool> {
    match (container, item) {
        (Value::Text(text), Value::Text(part)) => {
            meter.scan(text.len() + part.len())?;
            Ok(text.contains(&***part))
        }
        (Value::Text(_), _) => fail(format!("'in <string>' needs a string, not {}", item.kind())),
        (Value::Dict(dict), _) | (Value::View(super::View::Keys, dict), _) => {
            Ok(dict.entries.contains_key(&Key::new(meter, item)?))
        }
        _ => {
            let mut items = iterate(container)?;
            while let Some(other) = items.next(meter)? {
                if equal(meter, &other, item)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}
