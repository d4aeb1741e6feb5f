//! Keys of dicts: equal if Python's are, so `1`, `1.0` and `True` are one key.

use super::{Text, Value};
use crate::{
    error::{Result, fail},
    limits::Gauge,
};
use indexmap::Equivalent;
use std::{
    hash::{Hash, Hasher},
    rc::Rc,
};

pub(crate) enum Key {
    None,
    Undefined,
    Int(i128),
    /// Bits of a number that is not an integer.
    Float(u64),
    Text(Rc<Text>),
    Tuple(Vec<Key>),
}

impl Key {
    /// The key that a value is, charged for being hashed.
    pub(crate) fn new(meter: &Gauge, value: &Value) -> Result<Key> {
        meter.steps(1)?;
        Ok(match value {
            Value::None => Key::None,
            Value::Undefined(_) => Key::Undefined,
            Value::Bool(x) => Key::Int(i128::from(*x)),
            Value::Int(x) => Key::Int(*x),
            Value::Float(x) => match whole(*x) {
                Some(x) => Key::Int(x),
                None => Key::Float(x.to_bits()),
            },
            Value::Text(x) => {
                meter.scan(x.len())?;
                Key::Text(Rc::clone(x))
            }
            Value::Tuple(x) => {
                // Its keys are not counted as memory; as steps they are dear enough to stay few.
                meter.steps(64 * x.items.len() as u64)?;
                let keys = x.items.iter().map(|item| Key::new(meter, item));
                Key::Tuple(keys.collect::<Result<_>>()?)
            }
            _ => return fail(format!("unhashable type: '{}'", value.kind())),
        })
    }
}

/// The integer that a number is.
pub(crate) fn whole(x: f64) -> Option<i128> {
    (x.fract() == 0.0 && x.abs() < 1e38).then_some(x as i128)
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::None, Key::None) | (Key::Undefined, Key::Undefined) => true,
            (Key::Int(a), Key::Int(b)) => a == b,
            (Key::Float(a), Key::Float(b)) => a == b,
            (Key::Text(a), Key::Text(b)) => ***a == ***b,
            (Key::Tuple(a), Key::Tuple(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Key::None => state.write_u8(0),
            Key::Undefined => state.write_u8(1),
            Key::Int(x) => x.hash(state),
            Key::Float(x) => x.hash(state),
            Key::Text(x) => StrKey(x).hash(state),
            Key::Tuple(x) => x.hash(state),
        }
    }
}

/// A key that is looked up without making a text.
#[derive(Hash)]
pub(crate) struct StrKey<'a>(pub(crate) &'a str);

impl Equivalent<Key> for StrKey<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(key, Key::Text(text) if ***text == *self.0)
    }
}
