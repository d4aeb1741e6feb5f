//! Expressions.

use super::{Evaluator, access, operators};
use crate::{
    ast::{Args, Binary, Comparison, Expr, Op, OpKind, Sign, Symbol},
    error::{Error, Result, fail},
    filters, methods, tests,
    value::{ListBuilder, Missing, TextBuilder, Value, dict_of, text, write_str},
};
use std::sync::Arc;

impl Evaluator<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Value> {
        self.meter.steps(1)?;
        match expr {
            Expr::None => Ok(Value::None),
            Expr::Bool(x) => Ok(Value::Bool(*x)),
            Expr::Int(x) => Ok(Value::Int(*x)),
            Expr::Float(x) => Ok(Value::Float(*x)),
            Expr::Text(x) => text(&self.meter, x),
            Expr::Name(symbol) => self.variable(*symbol),
            _ => self.nested(|this| this.compound(expr)),
        }
    }

    pub(super) fn variable(&self, symbol: Symbol) -> Result<Value> {
        Ok(match self.scopes.get(symbol)? {
            Some(value) => value,
            None => {
                let name = &self.tree.names[symbol as usize];
                Value::undefined(Missing::Name(Arc::clone(name)))
            }
        })
    }

    fn compound(&mut self, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::List(exprs) => self.all(exprs)?.list(),
            Expr::Tuple(exprs) => self.all(exprs)?.tuple(),
            Expr::Dict(entries) => self.dict(entries),
            Expr::Chain(first, rest) => self.chain(first, rest),
            Expr::Concat(exprs) => self.concat(exprs),
            Expr::And(exprs) => self.until(exprs, false),
            Expr::Or(exprs) => self.until(exprs, true),
            Expr::Not { odd, operand } => Ok(Value::Bool(self.expr(operand)?.is_true() != *odd)),
            Expr::Signs(signs, operand) => self.signed(signs, operand),
            Expr::Compare(first, rest) => self.comparison(first, rest),
            Expr::Conditional { arms, otherwise } => self.conditional(arms, otherwise.as_deref()),
            Expr::Postfix(base, ops) => {
                let value = self.expr(base)?;
                self.ops(value, ops, None)
            }
            // These are not compound.
            _ => self.expr(expr),
        }
    }

    fn chain(&mut self, first: &Expr, rest: &[(Binary, Expr)]) -> Result<Value> {
        let mut value = self.expr(first)?;
        for (operator, operand) in rest {
            let operand = self.expr(operand)?;
            value = operators::binary(&self.meter, *operator, &value, &operand)?;
        }
        Ok(value)
    }

    fn comparison(&mut self, first: &Expr, rest: &[(Comparison, Expr)]) -> Result<Value> {
        let mut left = self.expr(first)?;
        for (comparison, right) in rest {
            let right = self.expr(right)?;
            if !operators::compare(&self.meter, *comparison, &left, &right)? {
                return Ok(Value::Bool(false));
            }
            left = right;
        }
        Ok(Value::Bool(true))
    }

    fn conditional(&mut self, arms: &[(Expr, Expr)], otherwise: Option<&Expr>) -> Result<Value> {
        for (value, test) in arms {
            if self.expr(test)?.is_true() {
                return self.expr(value);
            }
        }
        match otherwise {
            Some(value) => self.expr(value),
            None => Ok(Value::undefined(Missing::Because(
                "the condition of an 'if' without 'else' is false, so its value is undefined",
            ))),
        }
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<ListBuilder> {
        let mut out = ListBuilder::with_capacity(&self.meter, exprs.len())?;
        for expr in exprs {
            out.push(self.expr(expr)?)?;
        }
        Ok(out)
    }

    fn dict(&mut self, entries: &[(Expr, Expr)]) -> Result<Value> {
        let meter = self.meter.clone();
        let values = entries.iter().map(|(key, value)| Ok((self.expr(key)?, self.expr(value)?)));
        dict_of(&meter, entries.len(), values).map(Value::Dict)
    }

    fn concat(&mut self, exprs: &[Expr]) -> Result<Value> {
        let parts = self.all(exprs)?;
        let mut out = TextBuilder::new(&self.meter)?;
        for part in parts.items() {
            write_str(&mut out, part)?;
        }
        Ok(out.finish())
    }

    /// The first value that is as true as asked, or the last.
    fn until(&mut self, exprs: &[Expr], truth: bool) -> Result<Value> {
        let mut value = Value::None;
        for expr in exprs {
            value = self.expr(expr)?;
            if value.is_true() == truth {
                break;
            }
        }
        Ok(value)
    }

    fn signed(&mut self, signs: &[Sign], operand: &Expr) -> Result<Value> {
        let mut value = self.expr(operand)?;
        for sign in signs.iter().rev() {
            self.meter.steps(1)?;
            value = match (value, sign) {
                (Value::Float(x), Sign::Minus) => Value::Float(-x),
                (Value::Float(x), Sign::Plus) => Value::Float(x),
                (value, sign) => match (value.as_int(), sign) {
                    (Some(x), Sign::Plus) => Value::Int(x),
                    (Some(x), Sign::Minus) => {
                        Value::Int(x.checked_neg().ok_or_else(operators::too_large)?)
                    }
                    (None, _) => {
                        operators::defined(&value)?;
                        return fail(format!("a sign in front of a {}", value.kind()));
                    }
                },
            };
        }
        Ok(value)
    }

    /// Applies what follows an operand. The last call gets `caller`.
    pub(super) fn ops(
        &mut self,
        mut value: Value,
        ops: &[Op],
        mut caller: Option<Value>,
    ) -> Result<Value> {
        let mut at = 0;
        while let Some(op) = ops.get(at) {
            let line = |e: Error| e.at(op.line);
            self.meter.steps(1).map_err(line)?;
            let call = ops.get(at + 1).map(|op| &op.kind);
            value = match (&op.kind, call) {
                // A method is called without being made a value.
                (OpKind::Attribute(name), Some(OpKind::Call(args))) => {
                    at += 1;
                    let caller = if at + 1 == ops.len() { caller.take() } else { None };
                    self.call_attribute(&value, name, args, caller)
                }
                (OpKind::Call(args), _) => {
                    let caller = if at + 1 == ops.len() { caller.take() } else { None };
                    self.call(&value, args, caller)
                }
                (kind, _) => self.op(value, kind),
            }
            .map_err(line)?;
            at += 1;
        }
        Ok(value)
    }

    fn call_attribute(
        &mut self,
        value: &Value,
        name: &Arc<str>,
        args: &Args,
        caller: Option<Value>,
    ) -> Result<Value> {
        self.meter.scan(name.len())?;
        match methods::find(value, name) {
            Some(method) => {
                let args = self.arguments(args, caller)?;
                methods::call(&self.meter, value, method, args)
            }
            None => {
                let callee = access::attribute(value, name)?;
                self.call(&callee, args, caller)
            }
        }
    }

    fn op(&mut self, value: Value, kind: &OpKind) -> Result<Value> {
        match kind {
            OpKind::Attribute(name) => {
                self.meter.scan(name.len())?;
                access::attribute(&value, name)
            }
            OpKind::Item(key) => {
                let key = self.expr(key)?;
                access::item(&self.meter, &value, &key)
            }
            OpKind::Slice(parts) => self.slice(&value, parts),
            OpKind::Filter(name, args) => {
                let args = self.arguments(args, None)?;
                filters::apply(&self.meter, name, value, args)
            }
            OpKind::Test { name, args, negated } => {
                let args = self.arguments(args, None)?;
                Ok(Value::Bool(tests::apply(&self.meter, name, &value, args)? != *negated))
            }
            OpKind::Call(args) => self.call(&value, args, None),
        }
    }
    fn slice(&mut self, value: &Value, parts: &[Option<Expr>; 3]) -> Result<Value> {
        let mut bounds = [Value::None, Value::None, Value::None];
        for (bound, part) in bounds.iter_mut().zip(parts) {
            if let Some(part) = part {
                *bound = self.expr(part)?;
            }
        }
        access::slice(&self.meter, value, &bounds)
    }
}
