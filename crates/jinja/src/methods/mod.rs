//! Methods of Python's types. Methods that change a list or dict do not exist, as in Jinja's
//! immutable sandbox.

mod collection;
mod string;

pub(crate) use string::is;

use crate::{
    error::{Result, fail},
    eval::{CallArgs, bind},
    limits::Gauge,
    value::{Value, equal, tuple},
};

const OF_LISTS: [&str; 3] = ["copy", "count", "index"];
const OF_TUPLES: [&str; 2] = ["count", "index"];
const OF_DICTS: [&str; 5] = ["copy", "get", "items", "keys", "values"];
const OF_LOOPS: [&str; 2] = ["changed", "cycle"];
const OF_CYCLERS: [&str; 2] = ["next", "reset"];
/// Methods whose arguments may be named.
const NAMED: [&str; 5] = ["expandtabs", "format", "rsplit", "split", "splitlines"];
const CHANGES_LISTS: [&str; 8] =
    ["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"];
const CHANGES_DICTS: [&str; 5] = ["clear", "pop", "popitem", "setdefault", "update"];

/// The method of this name, if the value has one.
pub(crate) fn find(value: &Value, name: &str) -> Option<&'static str> {
    let names: &[&'static str] = match value {
        Value::Text(_) => &string::NAMES,
        Value::List(_) => &OF_LISTS,
        Value::Tuple(_) | Value::Range(_) => &OF_TUPLES,
        Value::Dict(_) => &OF_DICTS,
        Value::Loop(_) => &OF_LOOPS,
        Value::Cycler(_) => &OF_CYCLERS,
        _ => return None,
    };
    names.iter().find(|known| **known == name).copied()
}

/// Whether Python has a method of this name that changes the value.
pub(crate) fn changes(value: &Value, name: &str) -> bool {
    match value {
        Value::List(_) => CHANGES_LISTS.contains(&name),
        Value::Dict(_) => CHANGES_DICTS.contains(&name),
        _ => false,
    }
}

/// Calls a method that [`find`] has found.
pub(crate) fn call(meter: &Gauge, receiver: &Value, name: &str, args: CallArgs) -> Result<Value> {
    if !args.named.is_empty() && !NAMED.contains(&name) {
        return fail(format!("{name}: takes no named arguments"));
    }
    match receiver {
        Value::Text(text) => string::call(meter, text, name, args),
        Value::Loop(state) if name == "changed" => {
            let value = tuple(meter, &args.positional)?;
            if value.is_tied() {
                return fail("loop.changed: cannot compare loops, macros or namespaces");
            }
            let mut last = state.changed.borrow_mut();
            let same = match &*last {
                Some(last) => equal(meter, last, &value)?,
                None => false,
            };
            *last = Some(value);
            Ok(Value::Bool(!same))
        }
        Value::Loop(state) => match args.positional.len() {
            0 => fail("loop.cycle: there are no items"),
            count => Ok(args.positional[state.index0.get() % count].clone()),
        },
        Value::Cycler(cycler) => {
            let [] = bind(name, args, [], 0)?;
            let at = cycler.at.get();
            match name {
                "reset" => {
                    cycler.at.set(0);
                    Ok(Value::None)
                }
                _ => {
                    cycler.at.set((at + 1) % cycler.items.items.len().max(1));
                    Ok(cycler.items.items.get(at).cloned().unwrap_or(Value::None))
                }
            }
        }
        _ => collection::call(meter, receiver, name, args),
    }
}
