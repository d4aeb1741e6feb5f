//! Tags.

use super::Evaluator;
use crate::{
    ast::{Expr, For, Op, Stmt, StmtKind, Target},
    error::{Error, Result, fail},
    parser::LOOP,
    value::{Iter, ListBuilder, Loop, Macro, Value, items, iterate, write_str},
};
use std::{cell::Cell, rc::Rc, sync::Arc};

/// How a body ended.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Flow {
    Done,
    Break,
    Continue,
}

impl Evaluator<'_> {
    pub(super) fn body(&mut self, body: &[Stmt]) -> Result<Flow> {
        for stmt in body {
            self.meter.steps(1).map_err(|e| e.at(stmt.line))?;
            let flow = match &stmt.kind {
                StmtKind::Text(text) => self.write(text),
                StmtKind::Print(expr) => self.print(expr),
                _ => self.nested(|this| this.statement(&stmt.kind)),
            };
            match flow.map_err(|e| e.at(stmt.line))? {
                Flow::Done => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Done)
    }

    fn statement(&mut self, kind: &StmtKind) -> Result<Flow> {
        match kind {
            StmtKind::If { arms, otherwise } => self.if_tag(arms, otherwise),
            StmtKind::For(parsed) => self.for_tag(parsed),
            StmtKind::Set { target, value } => {
                let value = self.expr(value)?;
                self.assign(target, value)
            }
            StmtKind::SetBlock { target, filters, body } => self.set_block(target, filters, body),
            StmtKind::With { values, body } => self.with_tag(values, body),
            StmtKind::Macro(def) => {
                let (scope, serial) = self.scopes.here();
                let value = Value::Macro(Rc::new(Macro { def: Arc::clone(def), scope, serial }));
                self.scopes.set(def.symbol, value)?;
                Ok(Flow::Done)
            }
            StmtKind::Call { call, caller } => {
                let (scope, serial) = self.scopes.here();
                let caller = Macro { def: Arc::clone(caller), scope, serial };
                let value = self.call_with(call, Value::Macro(Rc::new(caller)))?;
                self.show(&value)
            }
            StmtKind::Filter { filters, body } => self.filter_tag(filters, body),
            StmtKind::Scope(body) => self.scoped(|this| this.body(body)),
            StmtKind::Break => Ok(Flow::Break),
            StmtKind::Continue => Ok(Flow::Continue),
            StmtKind::Text(text) => self.write(text),
            StmtKind::Print(expr) => self.print(expr),
        }
    }

    /// Runs in a scope of its own.
    pub(super) fn scoped<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push()?;
        let result = run(self);
        self.scopes.pop();
        result
    }

    fn write(&mut self, text: &str) -> Result<Flow> {
        if let Some(out) = self.out.last_mut() {
            out.push_str(text)?;
        }
        self.check_output()
    }

    fn print(&mut self, expr: &Expr) -> Result<Flow> {
        let value = self.expr(expr)?;
        self.show(&value)
    }

    fn show(&mut self, value: &Value) -> Result<Flow> {
        if let Some(out) = self.out.last_mut() {
            write_str(out, value)?;
        }
        self.check_output()
    }

    fn check_output(&self) -> Result<Flow> {
        let most = self.meter.limits.output;
        match self.out.as_slice() {
            [out] if out.as_str().len() > most => {
                let most = crate::limits::grouped(most as u64);
                Err(Error::limit(format!("the rendered text is longer than {most} bytes")))
            }
            _ => Ok(Flow::Done),
        }
    }

    fn if_tag(&mut self, arms: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) -> Result<Flow> {
        for (test, body) in arms {
            self.meter.steps(1)?;
            if self.expr(test)?.is_true() {
                return self.body(body);
            }
        }
        self.body(otherwise)
    }

    fn set_block(&mut self, target: &Target, filters: &[Op], body: &[Stmt]) -> Result<Flow> {
        let (flow, text) = self.captured(|this| this.scoped(|this| this.body(body)))?;
        if flow != Flow::Done {
            return Ok(flow);
        }
        let text = self.ops(text, filters, None)?;
        self.assign(target, text)
    }

    fn filter_tag(&mut self, filters: &[Op], body: &[Stmt]) -> Result<Flow> {
        let (flow, text) = self.captured(|this| this.scoped(|this| this.body(body)))?;
        if flow != Flow::Done {
            return Ok(flow);
        }
        let text = self.ops(text, filters, None)?;
        self.show(&text)
    }

    fn with_tag(&mut self, values: &[(Target, Expr)], body: &[Stmt]) -> Result<Flow> {
        // The values belong to the scope around.
        let mut found = ListBuilder::with_capacity(&self.meter, values.len())?;
        for (_, value) in values {
            found.push(self.expr(value)?)?;
        }
        self.scoped(|this| {
            for ((target, _), value) in values.iter().zip(found.items()) {
                this.assign(target, value.clone())?;
            }
            this.body(body)
        })
    }

    fn assign(&mut self, target: &Target, value: Value) -> Result<Flow> {
        match target {
            Target::Name(symbol) => self.scopes.set(*symbol, value)?,
            Target::Attribute(symbol, name) => match self.variable(*symbol)? {
                Value::Namespace(namespace) => namespace.set(name, value)?,
                _ => return fail("only attributes of a namespace can be set"),
            },
            Target::Tuple(targets) => {
                let items = items(&self.meter, &value)?;
                if items.items.len() != targets.len() {
                    return fail(format!(
                        "cannot unpack {} values into {} variables",
                        items.items.len(),
                        targets.len()
                    ));
                }
                for (target, item) in targets.iter().zip(&items.items) {
                    self.assign(target, item.clone())?;
                }
            }
        }
        Ok(Flow::Done)
    }

    fn for_tag(&mut self, parsed: &Arc<For>) -> Result<Flow> {
        let iterable = self.expr(&parsed.iterable)?;
        self.run_loop(parsed, &iterable, 0)
    }

    /// Runs a loop, inside of the scope we are in.
    pub(super) fn run_loop(
        &mut self,
        parsed: &Arc<For>,
        iterable: &Value,
        depth0: usize,
    ) -> Result<Flow> {
        let mut iter = iterate(iterable)?;
        if let Some(filter) = &parsed.filter {
            iter = self.filtered(&parsed.target, filter, iter)?;
        }
        let length = iter.len();
        let mut next = iter.next(&self.meter)?;
        // Jinja's `else` is for loops in which no turn came to its end.
        let mut ended = false;
        let (scope, serial) = self.scopes.here();
        let state = Rc::new(Loop {
            index0: Cell::new(0),
            length,
            depth0,
            previous: None.into(),
            current: None.into(),
            next: None.into(),
            changed: None.into(),
            recursive: parsed.recursive.then(|| (Arc::clone(parsed), scope, serial)),
        });
        self.scoped(|this| {
            let mut index = 0;
            while let Some(item) = next.take() {
                next = iter.next(&this.meter)?;
                // What a turn costs even if its body is empty.
                this.meter.steps(8)?;
                state.index0.set(index);
                state.next.replace(next.clone());
                state.previous.replace(state.current.replace(Some(item.clone())));
                this.scopes.clear();
                this.scopes.set(LOOP, Value::Loop(Rc::clone(&state)))?;
                this.assign(&parsed.target, item)?;
                match this.body(&parsed.body)? {
                    Flow::Done => ended = true,
                    Flow::Continue => {}
                    Flow::Break => break,
                }
                index += 1;
            }
            Ok(())
        })?;
        match ended || parsed.otherwise.is_empty() {
            true => Ok(Flow::Done),
            false => self.scoped(|this| this.body(&parsed.otherwise)),
        }
    }

    /// The items for which a test holds.
    fn filtered(&mut self, target: &Target, filter: &Expr, mut iter: Iter) -> Result<Iter> {
        let mut kept = ListBuilder::new(&self.meter)?;
        self.scoped(|this| {
            while let Some(item) = iter.next(&this.meter)? {
                this.scopes.clear();
                this.assign(target, item.clone())?;
                if this.expr(filter)?.is_true() {
                    kept.push(item)?;
                }
            }
            Ok(())
        })?;
        Ok(Iter::Seq(kept.seq()?, 0))
    }
}
