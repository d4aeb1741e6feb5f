//! Variables. Scopes are a stack; each knows the one it is defined in, which for a macro is not the
//! one below it.

use crate::{
    ast::Symbol,
    error::{Result, fail},
    limits::{Charge, Gauge},
    value::Value,
};
use std::collections::HashMap;

/// What a variable takes, while its map doubles.
const VARIABLE: usize = 256;
const SCOPE: usize = 256;

pub(super) struct Scopes {
    scopes: Vec<Scope>,
    /// Numbers the scopes that there ever were.
    made: u64,
    meter: Gauge,
}

struct Scope {
    variables: HashMap<Symbol, Value>,
    parent: Option<usize>,
    serial: u64,
    charge: Charge,
}

impl Scopes {
    pub(super) fn new(meter: &Gauge) -> Result<Scopes> {
        let mut scopes = Scopes { scopes: Vec::new(), made: 0, meter: meter.clone() };
        scopes.add(None)?;
        Ok(scopes)
    }

    fn add(&mut self, parent: Option<usize>) -> Result<()> {
        self.meter.steps(2)?;
        let charge = Charge::new(&self.meter, SCOPE)?;
        self.made += 1;
        let serial = self.made;
        self.scopes.push(Scope { variables: HashMap::new(), parent, serial, charge });
        Ok(())
    }

    /// The scope we are in, and its number.
    pub(super) fn here(&self) -> (usize, u64) {
        let at = self.scopes.len().saturating_sub(1);
        (at, self.scopes.get(at).map_or(0, |scope| scope.serial))
    }

    /// Opens a scope inside of the one we are in.
    pub(super) fn push(&mut self) -> Result<()> {
        let (here, _) = self.here();
        self.add(Some(here))
    }

    /// Opens a scope inside of another that is still there.
    pub(super) fn push_in(&mut self, parent: usize, serial: u64) -> Result<()> {
        if self.scopes.get(parent).is_none_or(|scope| scope.serial != serial) {
            return fail("a macro or loop is called outside of the block that defines it");
        }
        self.add(Some(parent))
    }

    pub(super) fn pop(&mut self) {
        self.scopes.pop();
    }

    /// Forgets the variables of the innermost scope.
    pub(super) fn clear(&mut self) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.clear();
        }
    }

    pub(super) fn get(&self, symbol: Symbol) -> Result<Option<Value>> {
        let mut at = self.scopes.len().checked_sub(1);
        while let Some(scope) = at.and_then(|at| self.scopes.get(at)) {
            self.meter.steps(1)?;
            if let Some(value) = scope.variables.get(&symbol) {
                return Ok(Some(value.clone()));
            }
            at = scope.parent;
        }
        Ok(None)
    }

    /// Sets a variable of the innermost scope.
    pub(super) fn set(&mut self, symbol: Symbol, value: Value) -> Result<()> {
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        if scope.variables.len() == scope.variables.capacity() {
            let more = scope.variables.capacity().max(3) + 1;
            scope.charge.grow(more * VARIABLE)?;
        }
        scope.variables.insert(symbol, value);
        Ok(())
    }
}
