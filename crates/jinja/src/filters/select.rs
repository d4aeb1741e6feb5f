//! Filters that apply an attribute, a filter or a test to every item.

use crate::{
    error::{Error, Result, fail},
    eval::{CallArgs, item as get_item},
    limits::Gauge,
    tests,
    value::{ListBuilder, Seq, Value, iterate, text},
};
use std::rc::Rc;

/// Gets an attribute such as `a.b.0` of items.
pub(super) struct Getter {
    path: Rc<Seq>,
}

impl Getter {
    /// By a text with dots, a number, or none for the item itself.
    pub(super) fn new(meter: &Gauge, attribute: &Value) -> Result<Getter> {
        let mut path = ListBuilder::new(meter)?;
        match attribute {
            Value::None => {}
            Value::Text(names) => {
                meter.scan(names.len())?;
                for name in names.split('.') {
                    let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
                    path.push(match name.parse::<i128>() {
                        Ok(number) if digits => Value::Int(number),
                        _ => text(meter, name)?,
                    })?;
                }
            }
            other => path.push(other.clone())?,
        }
        Ok(Getter { path: path.seq()? })
    }

    pub(super) fn get(
        &self,
        meter: &Gauge,
        item: &Value,
        default: Option<&Value>,
    ) -> Result<Value> {
        let mut found = item.clone();
        for name in &self.path.items {
            meter.steps(1)?;
            found = get_item(meter, &found, name)?;
            if let Some(default) = default.filter(|default| !matches!(default, Value::None))
                && found.is_undefined()
            {
                found = default.clone();
            }
        }
        Ok(found)
    }
}

pub(super) fn apply(meter: &Gauge, name: &str, value: &Value, mut args: CallArgs) -> Result<Value> {
    let mut out = ListBuilder::new(meter)?;
    if !value.is_true() {
        return out.generator();
    }
    let mut iter = iterate(value)?;
    if name == "map" {
        let attribute = if args.positional.is_empty() { args.take("attribute") } else { None };
        let Some(attribute) = attribute else {
            let filter = first(name, &args, 0)?.clone();
            let Some(filter) = filter.as_str() else {
                return fail("map: the name of a filter is not a string");
            };
            while let Some(item) = iter.next(meter)? {
                out.push(super::apply(meter, filter, item, args.after(meter, 1)?)?)?;
            }
            return out.generator();
        };
        let default = args.take("default");
        if let Some((name, _)) = args.named.first() {
            return fail(format!("map: there is no argument '{}'", crate::error::clip(name, 80)));
        }
        let getter = Getter::new(meter, &attribute)?;
        while let Some(item) = iter.next(meter)? {
            out.push(getter.get(meter, &item, default.as_ref())?)?;
        }
        return out.generator();
    }
    let by_attribute = name.ends_with("attr");
    let getter = match by_attribute {
        true => Getter::new(meter, first(name, &args, 0)?)?,
        false => Getter::new(meter, &Value::None)?,
    };
    let at = usize::from(by_attribute);
    let keep = name.starts_with("select");
    while let Some(item) = iter.next(meter)? {
        let part = getter.get(meter, &item, None)?;
        let passes = match args.positional.get(at) {
            None => part.is_true(),
            Some(Value::Text(test)) => {
                tests::apply(meter, test, &part, args.after(meter, at + 1)?)?
            }
            Some(_) => return fail(format!("{name}: the name of a test is not a string")),
        };
        if passes == keep {
            out.push(item)?;
        }
    }
    out.generator()
}

fn first<'a>(name: &str, args: &'a CallArgs, at: usize) -> Result<&'a Value> {
    let missing = || Error::runtime(format!("{name}: an argument is missing"));
    args.positional.get(at).ok_or_else(missing)
}
