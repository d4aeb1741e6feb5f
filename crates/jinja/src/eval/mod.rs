//! Runs the tree. The evaluator owns the scopes and the output; every recursion goes through
//! [`Evaluator::nested`], every node through the meter.

mod access;
mod arguments;
mod call;
mod expression;
mod operators;
mod scope;
mod statement;

pub(crate) use access::{attribute, item, offset, own_attribute};
pub(crate) use arguments::{CallArgs, bind};
pub(crate) use operators::{binary, compare, defined};

use crate::{
    error::Result,
    limits::Gauge,
    parser::Tree,
    value::{Function, TextBuilder, Value, from_json},
};
use scope::Scopes;
use serde_json::Value as Json;

/// Formats the present time for `strftime_now`.
pub type Clock<'a> = &'a dyn Fn(&str) -> std::result::Result<String, String>;

pub(crate) struct Evaluator<'a> {
    meter: Gauge,
    tree: &'a Tree,
    scopes: Scopes,
    /// Where text goes: the output, and what is captured on top of it.
    out: Vec<TextBuilder>,
    clock: Option<Clock<'a>>,
}

const FUNCTIONS: [(&str, Function); 7] = [
    ("range", Function::Range),
    ("dict", Function::Dict),
    ("namespace", Function::Namespace),
    ("cycler", Function::Cycler),
    ("joiner", Function::Joiner),
    ("raise_exception", Function::RaiseException),
    ("strftime_now", Function::StrftimeNow),
];

/// The text that a template makes of these variables.
pub(crate) fn run<'v>(
    tree: &Tree,
    meter: Gauge,
    clock: Option<Clock<'_>>,
    variables: impl Iterator<Item = (&'v String, &'v Json)>,
) -> Result<String> {
    let scopes = Scopes::new(&meter)?;
    let out = vec![TextBuilder::new(&meter)?];
    let mut evaluator = Evaluator { meter, tree, scopes, out, clock };
    for (name, function) in FUNCTIONS {
        if let Some(symbol) = tree.symbols.get(name) {
            evaluator.scopes.set(*symbol, Value::Function(function))?;
        }
    }
    for (name, value) in variables {
        if let Some(symbol) = tree.symbols.get(name.as_str()) {
            let value = from_json(&evaluator.meter, value)?;
            evaluator.scopes.set(*symbol, value)?;
        }
    }
    evaluator.body(&tree.body)?;
    Ok(evaluator.out.pop().map(TextBuilder::into_string).unwrap_or_default())
}

impl Evaluator<'_> {
    /// One level deeper.
    fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.meter.deeper()?;
        let result = run(self);
        self.meter.shallower();
        result
    }

    /// What `run` writes, as a text.
    fn captured<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Value)> {
        self.out.push(TextBuilder::new(&self.meter)?);
        let result = run(self);
        let text = self.out.pop();
        let text = text.map_or(Value::None, TextBuilder::finish);
        Ok((result?, text))
    }
}
