//! Calls of functions, macros and loops.

use super::{Clock, Evaluator, arguments::CallArgs, bind, operators};
use crate::{
    ast::{Args, Expr},
    error::{Error, ErrorKind, Result, fail},
    methods,
    parser::{CALLER, KWARGS, VARARGS},
    value::{
        Cycler, Function, Joiner, ListBuilder, Macro, Missing, Namespace, Range, Value, dict_of,
        items, text, tuple,
    },
};
use std::{cell::Cell, rc::Rc, sync::Arc};

/// As in Jinja's sandbox.
const LONGEST_RANGE: usize = 100_000;

/// A format of the time, in bytes.
const LONGEST_FORMAT: usize = 1000;

impl Evaluator<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Value,
        args: &Args,
        caller: Option<Value>,
    ) -> Result<Value> {
        operators::defined(callee)?;
        let args = self.arguments(args, caller)?;
        match callee {
            Value::Function(function) => self.function(*function, args),
            Value::Macro(called) => self.call_macro(called, args),
            Value::Method(method) => {
                methods::call(&self.meter, &method.receiver, method.name, args)
            }
            Value::Loop(state) => {
                let Some((parsed, scope, serial)) = &state.recursive else {
                    return fail("a loop that is called needs the word 'recursive'");
                };
                let [iterable] = bind("loop", args, ["iterable"], 1)?;
                let (parsed, depth) = (Arc::clone(parsed), state.depth0 + 1);
                self.scopes.push_in(*scope, *serial)?;
                let ran = self.nested(|this| {
                    let iterable = iterable.unwrap_or(Value::None);
                    this.captured(|this| this.run_loop(&parsed, &iterable, depth))
                });
                self.scopes.pop();
                Ok(ran?.1)
            }
            Value::Joiner(joiner) => {
                let [] = bind("joiner", args, [], 0)?;
                match joiner.used.replace(true) {
                    true => Ok(Value::Text(Rc::clone(&joiner.separator))),
                    false => text(&self.meter, ""),
                }
            }
            _ => fail(format!("'{}' object is not callable", callee.kind())),
        }
    }

    /// The call that a `call` tag makes.
    pub(super) fn call_with(&mut self, call: &Expr, caller: Value) -> Result<Value> {
        match call {
            Expr::Postfix(base, ops) => {
                let value = self.expr(base)?;
                self.ops(value, ops, Some(caller))
            }
            _ => fail("'call' needs a call of a macro"),
        }
    }

    fn call_macro(&mut self, called: &Macro, args: CallArgs) -> Result<Value> {
        self.scopes.push_in(called.scope, called.serial)?;
        let result = self.nested(|this| {
            this.bind_macro(called, args)?;
            this.captured(|this| this.body(&called.def.body))
        });
        self.scopes.pop();
        Ok(result?.1)
    }

    /// Sets the parameters of a macro, in its scope.
    fn bind_macro(&mut self, called: &Macro, mut args: CallArgs) -> Result<()> {
        let def = &*called.def;
        let name = &def.name;
        let mut positional =
            args.positional.split_off(args.positional.len().min(def.parameters.len()));
        let mut given = std::mem::take(&mut args.positional).into_iter();
        self.meter.steps((def.parameters.len() * (1 + args.named.len())) as u64)?;
        let mut missing = Vec::new();
        for parameter in &def.parameters {
            match given.next().or_else(|| args.take(&parameter.name)) {
                Some(value) => self.scopes.set(parameter.symbol, value)?,
                None => missing.push(parameter),
            }
        }
        if def.uses.caller && !def.parameters.iter().any(|p| p.symbol == CALLER) {
            let caller = args.take("caller").unwrap_or_else(|| {
                Value::undefined(Missing::Because("the macro was not called by a 'call' tag"))
            });
            self.scopes.set(CALLER, caller)?;
        }
        if def.uses.kwargs {
            let named = std::mem::take(&mut args.named);
            let (meter, count) = (&self.meter, named.len());
            let entries = named.into_iter().map(|(name, value)| Ok((text(meter, &name)?, value)));
            let kwargs = dict_of(meter, count, entries)?;
            self.scopes.set(KWARGS, Value::Dict(kwargs))?;
        } else if let Some((extra, _)) = args.named.first() {
            let extra = crate::error::clip(extra, 80);
            return fail(format!("macro '{name}' takes no keyword argument '{extra}'"));
        }
        if def.uses.varargs {
            let varargs = tuple(&self.meter, &std::mem::take(&mut positional))?;
            self.scopes.set(VARARGS, varargs)?;
        } else if !positional.is_empty() {
            let most = def.parameters.len();
            return fail(format!("macro '{name}' takes not more than {most} arguments"));
        }
        // Defaults may use the parameters before them.
        for parameter in missing {
            let value = match &parameter.default {
                Some(default) => self.expr(default)?,
                None => Value::undefined(Missing::Parameter(Arc::clone(&parameter.name))),
            };
            self.scopes.set(parameter.symbol, value)?;
        }
        Ok(())
    }

    fn function(&mut self, function: Function, args: CallArgs) -> Result<Value> {
        let meter = &self.meter;
        match function {
            Function::Range => range(args),
            Function::Dict => self.dict_of_args("dict", args),
            Function::Namespace => match self.dict_of_args("namespace", args)? {
                Value::Dict(dict) => Namespace::with(&self.meter, &dict),
                other => Ok(other),
            },
            Function::Cycler => {
                if args.positional.is_empty() || !args.named.is_empty() {
                    return fail("cycler: needs at least one item, and no named ones");
                }
                let mut list = ListBuilder::with_capacity(meter, args.positional.len())?;
                list.extend(&args.positional)?;
                Ok(Value::Cycler(Rc::new(Cycler { items: list.seq()?, at: Cell::new(0) })))
            }
            Function::Joiner => {
                let separator = match bind("joiner", args, ["sep"], 0)? {
                    [Some(separator)] => separator,
                    [None] => text(meter, ", ")?,
                };
                let Value::Text(separator) = separator else {
                    return fail("joiner: the separator is not a string");
                };
                Ok(Value::Joiner(Rc::new(Joiner { separator, used: Cell::new(false) })))
            }
            Function::RaiseException => {
                let [message] = bind("raise_exception", args, ["message"], 1)?;
                let mut out = crate::value::TextBuilder::new(meter)?;
                crate::value::write_str(&mut out, &message.unwrap_or(Value::None))?;
                let message = crate::error::clip(out.as_str(), 1000);
                Err(Error::new(ErrorKind::Raised, message))
            }
            Function::StrftimeNow => {
                let [format] = bind("strftime_now", args, ["format"], 1)?;
                let time = now(self.clock, format.as_ref().and_then(Value::as_str))?;
                text(meter, &time)
            }
        }
    }

    fn dict_of_args(&self, what: &str, args: CallArgs) -> Result<Value> {
        let meter = &self.meter;
        let mut entries = ListBuilder::new(meter)?;
        if args.positional.len() > 1 {
            return fail(format!("{what}: more than one argument without a name"));
        }
        match args.positional.first() {
            Some(Value::Dict(dict)) => {
                for (key, value) in dict.entries.values() {
                    entries.extend(&[key.clone(), value.clone()])?;
                }
            }
            Some(other) => {
                for item in &items(meter, other)?.items {
                    let item = items(meter, item)?;
                    if item.items.len() != 2 {
                        return fail(format!("{what}: an item is not a pair"));
                    }
                    entries.extend(&item.items)?;
                }
            }
            None => {}
        }
        for (name, value) in &args.named {
            entries.extend(&[text(meter, name)?, value.clone()])?;
        }
        let pairs = entries.items().chunks_exact(2);
        let count = pairs.len();
        let dict = dict_of(meter, count, pairs.map(|pair| Ok((pair[0].clone(), pair[1].clone()))))?;
        Ok(Value::Dict(dict))
    }
}

fn range(args: CallArgs) -> Result<Value> {
    let mut numbers = Vec::new();
    for value in &args.positional {
        operators::defined(value)?;
        match value.as_int() {
            // Far enough for every range that is short enough, and sums of them do not overflow.
            Some(number) => numbers.push(number.clamp(-(1 << 100), 1 << 100)),
            None => return fail(format!("range: '{}' is not an integer", value.kind())),
        }
        if numbers.len() > 3 {
            break;
        }
    }
    let (start, stop, step) = match (&numbers[..], args.named.is_empty()) {
        ([stop], true) => (0, *stop, 1),
        ([start, stop], true) => (*start, *stop, 1),
        ([start, stop, step], true) => (*start, *stop, *step),
        _ => return fail("range: takes one to three integers"),
    };
    if step == 0 {
        return fail("range: the step is 0");
    }
    let range = Range { start, stop, step };
    if range.len() > LONGEST_RANGE {
        let why = format!("range: {} items are more than {LONGEST_RANGE}", range.len());
        return Err(Error::limit(why));
    }
    Ok(Value::Range(Rc::new(range)))
}

fn now(clock: Option<Clock<'_>>, format: Option<&str>) -> Result<String> {
    let Some(format) = format else {
        return fail("strftime_now: the format is not a string");
    };
    if format.len() > LONGEST_FORMAT {
        let why =
            format!("strftime_now: a format of {} bytes, more than {LONGEST_FORMAT}", format.len());
        return Err(Error::limit(why));
    }
    let Some(clock) = clock else {
        return fail("strftime_now: there is no clock");
    };
    clock(format).map_err(|why| Error::runtime(format!("strftime_now: {why}")))
}
