//! Filters. They get the meter and values, never the evaluator, so no filter can call a macro.

mod collection;
mod number;
mod select;
mod sort;
mod text;

pub(crate) use sort::sorted;

use crate::{
    error::{Result, clip, fail},
    eval::CallArgs,
    limits::Gauge,
    value::Value,
};

const NAMES: [&str; 50] = [
    "abs",
    "attr",
    "batch",
    "capitalize",
    "center",
    "count",
    "d",
    "default",
    "dictsort",
    "e",
    "escape",
    "filesizeformat",
    "first",
    "float",
    "forceescape",
    "format",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "safe",
    "select",
    "selectattr",
    "slice",
    "sort",
    "string",
    "striptags",
    "sum",
    "title",
    "tojson",
    "trim",
    "truncate",
    "unique",
    "upper",
    "urlencode",
    "wordcount",
    "xmlattr",
];

pub(crate) fn exists(name: &str) -> bool {
    NAMES.contains(&name)
}

pub(crate) fn apply(meter: &Gauge, name: &str, value: Value, args: CallArgs) -> Result<Value> {
    meter.steps(1)?;
    // `map` can be given `map`.
    meter.deeper()?;
    let result = dispatch(meter, name, value, args);
    meter.shallower();
    result
}

fn dispatch(meter: &Gauge, name: &str, value: Value, args: CallArgs) -> Result<Value> {
    match name {
        "abs" | "float" | "int" | "round" | "filesizeformat" => {
            number::apply(meter, name, value, args)
        }
        "map" | "select" | "reject" | "selectattr" | "rejectattr" => {
            select::apply(meter, name, &value, args)
        }
        "sort" | "dictsort" | "groupby" | "unique" | "min" | "max" => {
            sort::apply(meter, name, &value, args)
        }
        "attr" | "batch" | "count" | "d" | "default" | "first" | "items" | "join" | "last"
        | "length" | "list" | "reverse" | "slice" | "sum" | "tojson" => {
            collection::apply(meter, name, value, args)
        }
        _ if exists(name) => text::apply(meter, name, &value, args),
        _ => fail(format!("there is no filter '{}'", clip(name, 80))),
    }
}
