//! JSON becomes values.

use super::{ListBuilder, Value, dict_of, text};
use crate::{
    error::{Error, Result},
    limits::Gauge,
};
use serde_json::Value as Json;

pub(crate) fn from_json(meter: &Gauge, json: &Json) -> Result<Value> {
    within(meter, json, meter.limits.value_depth)
}

/// The same, of JSON that nests at most this deep.
fn within(meter: &Gauge, json: &Json, depth: usize) -> Result<Value> {
    let Some(inner) = depth.checked_sub(1) else {
        let most = meter.limits.value_depth;
        return Err(Error::limit(format!("a variable nests deeper than {most}")));
    };
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
                out.push(within(meter, item, inner)?)?;
            }
            out.list()?
        }
        Json::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| Ok((text(meter, key)?, within(meter, value, inner)?)));
            Value::Dict(dict_of(meter, map.len(), entries)?)
        }
    })
}
