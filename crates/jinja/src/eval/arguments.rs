//! Arguments of calls, and how they are bound to parameters.

use super::Evaluator;
use crate::{
    ast::Args,
    error::{Result, fail},
    limits::{Charge, Gauge},
    value::{Value, items},
};
use std::sync::Arc;

/// The values of a call.
#[derive(Default)]
pub(crate) struct CallArgs {
    pub(crate) positional: Vec<Value>,
    pub(crate) named: Vec<(Arc<str>, Value)>,
    /// For the memory of long argument lists.
    charge: Option<Charge>,
}

impl CallArgs {
    /// Without the first `count` that have no name.
    pub(crate) fn after(&self, meter: &Gauge, count: usize) -> Result<CallArgs> {
        let positional = self.positional.get(count..).unwrap_or(&[]);
        let len = positional.len() + self.named.len();
        meter.steps(len as u64)?;
        let charge = Some(Charge::new(meter, len * size_of::<(Arc<str>, Value)>())?);
        Ok(CallArgs { positional: positional.to_vec(), named: self.named.clone(), charge })
    }

    /// Takes a named argument out.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.named.iter().position(|(other, _)| **other == *name)?;
        Some(self.named.remove(at).1)
    }
}

impl Evaluator<'_> {
    pub(super) fn arguments(&mut self, args: &Args, caller: Option<Value>) -> Result<CallArgs> {
        let mut found = CallArgs::default();
        let count = args.positional.len() + args.named.len();
        if count > 8 {
            found.charge =
                Some(Charge::new(&self.meter, 2 * count * size_of::<(Arc<str>, Value)>())?);
        }
        for arg in &args.positional {
            found.positional.push(self.expr(arg)?);
        }
        if let Some(list) = &args.list {
            let list = self.expr(list)?;
            let list = items(&self.meter, &list)?;
            self.charge(&mut found, list.items.len())?;
            found.positional.extend_from_slice(&list.items);
        }
        for (name, arg) in &args.named {
            found.named.push((Arc::clone(name), self.expr(arg)?));
        }
        if let Some(dict) = &args.dict {
            let dict = self.expr(dict)?;
            let Value::Dict(dict) = dict else {
                return fail(format!("argument after ** must be a dict, not {}", dict.kind()));
            };
            // Names are looked for one after another.
            if dict.entries.len() > 1000 {
                return fail(format!("{} named arguments are more than 1,000", dict.entries.len()));
            }
            self.charge(&mut found, dict.entries.len())?;
            for (key, value) in dict.entries.values() {
                let Some(name) = key.as_str() else {
                    return fail("keys after ** must be strings");
                };
                self.meter.scan(name.len() + 8 * found.named.len())?;
                if found.named.iter().any(|(other, _)| **other == *name) {
                    return fail(format!("the argument '{name}' is given twice"));
                }
                if let Some(charge) = &mut found.charge {
                    charge.grow(name.len())?;
                }
                found.named.push((name.into(), value.clone()));
            }
        }
        if let Some(caller) = caller {
            found.named.push(("caller".into(), caller));
        }
        Ok(found)
    }

    fn charge(&self, args: &mut CallArgs, more: usize) -> Result<()> {
        self.meter.steps(more as u64)?;
        // Room for the old and the new list, while it grows.
        let bytes = 3 * (args.positional.len() + more) * size_of::<(Arc<str>, Value)>();
        match &mut args.charge {
            Some(charge) => charge.grow(bytes),
            None => {
                args.charge = Some(Charge::new(&self.meter, bytes)?);
                Ok(())
            }
        }
    }
}

/// The arguments in the order of these parameters; the first `required` must be there.
pub(crate) fn bind<const N: usize>(
    what: &str,
    args: CallArgs,
    parameters: [&str; N],
    required: usize,
) -> Result<[Option<Value>; N]> {
    let given = args.positional.len();
    if given > N {
        return fail(format!("{what}: {given} arguments where at most {N} are allowed"));
    }
    let mut bound = [const { None }; N];
    for (place, value) in bound.iter_mut().zip(args.positional) {
        *place = Some(value);
    }
    for (name, value) in args.named {
        match parameters.iter().position(|parameter| **parameter == *name) {
            Some(at) if bound[at].is_none() => bound[at] = Some(value),
            Some(_) => return fail(format!("{what}: the argument '{name}' is given twice")),
            None => {
                let name = crate::error::clip(&name, 80);
                return fail(format!("{what}: there is no argument '{name}'"));
            }
        }
    }
    match (0..required.min(N)).find(|&at| bound[at].is_none()) {
        Some(at) => fail(format!("{what}: the argument '{}' is missing", parameters[at])),
        None => Ok(bound),
    }
}
