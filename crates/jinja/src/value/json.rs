//! JSON becomes values.

use super::{ListBuilder, Value, dict_of, text};
use crate::{error::Result, limits::Gauge};
use serde_json::Value as Json;

pub(crate) fn from_json(meter: &Gauge, json: &Json) -> Result<Value> {
    Ok(match json {
        Json::Null => Value::None,
        Json::Bool(x) => Value::Bool(*x),
        Json::Number(x) => match (x.as_i128(), x.as_f64()) {
            (Some(x), _) => Value::Int(x),
            (None, Some(x)) => Value::Float(x),
            (None, None) => Value::None,
        },
        Json::String(x) => text(meter, x)?,
        Json::Array(items) => {
            let mut out = ListBuilder::with_capacity(meter, items.len())?;
            for item in items {
                out.push(from_json(meter, item)?)?;
            }
            out.list()?
        }
        Json::Object(map) => {
            let entries =
                map.iter().map(|(key, value)| Ok((text(meter, key)?, from_json(meter, value)?)));
            Value::Dict(dict_of(meter, map.len(), entries)?)
        }
    })
}
