//! Methods of lists, tuples and dicts.

use crate::{
    error::{Result, fail},
    eval::{CallArgs, bind},
    limits::Gauge,
    value::{Key, Value, View, equal, items, list},
};
use std::rc::Rc;

pub(super) fn call(meter: &Gauge, receiver: &Value, name: &str, args: CallArgs) -> Result<Value> {
    match (receiver, name) {
        (Value::Dict(dict), "get") => {
            let [key, default] = bind("get", args, ["key", "default"], 1)?;
            let found = match key {
                Some(Value::Text(key)) => {
                    meter.scan(key.len())?;
                    dict.get_str(&key).cloned()
                }
                key => {
                    let key = Key::new(meter, &key.unwrap_or(Value::None))?;
                    dict.entries.get(&key).map(|(_, value)| value.clone())
                }
            };
            Ok(found.or(default).unwrap_or(Value::None))
        }
        (_, "copy") => {
            let [] = bind("copy", args, [], 0)?;
            match receiver {
                // Nothing changes it, so it need not be another.
                Value::List(seq) => list(meter, &seq.items),
                _ => Ok(receiver.clone()),
            }
        }
        (Value::Dict(dict), _) => {
            let [] = bind(name, args, [], 0)?;
            let view = match name {
                "keys" => View::Keys,
                "values" => View::Values,
                _ => View::Items,
            };
            Ok(Value::View(view, Rc::clone(dict)))
        }
        (_, "count") => {
            let [value] = bind("count", args, ["value"], 1)?;
            let value = value.unwrap_or(Value::None);
            let mut count = 0;
            for item in &items(meter, receiver)?.items {
                count += i128::from(equal(meter, item, &value)?);
            }
            Ok(Value::Int(count))
        }
        (_, "index") => {
            let [value] = bind("index", args, ["value"], 1)?;
            let value = value.unwrap_or(Value::None);
            for (at, item) in items(meter, receiver)?.items.iter().enumerate() {
                if equal(meter, item, &value)? {
                    return Ok(Value::Int(at as i128));
                }
            }
            fail("index: the value is not in the list")
        }
        _ => fail(format!("'{}' has no method '{name}'", receiver.kind())),
    }
}
