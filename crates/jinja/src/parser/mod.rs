//! From tokens to the tree, by recursive descent: how deep it goes and how many nodes it makes are
//! limited. Expressions are in `expression.rs`, tags in `statement.rs`.

mod expression;
mod statement;

use crate::{
    ast::{Body, Symbol, Uses},
    error::{Error, Result},
    lexer::Lexer,
    limits::{Limits, grouped},
    token::{Kind, Token},
};
use std::{collections::HashMap, mem, sync::Arc};

/// A parsed template.
pub(crate) struct Tree {
    pub(crate) body: Body,
    /// The names of all variables, by symbol.
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) symbols: HashMap<Arc<str>, Symbol>,
}

pub(crate) fn parse(source: &str, limits: &Limits) -> Result<Tree> {
    if source.len() > limits.source {
        return Err(Error::limit(format!(
            "the template has {} bytes, more than {}",
            grouped(source.len() as u64),
            grouped(limits.source as u64)
        )));
    }
    let mut lexer = Lexer::new(source);
    let token = lexer.next()?;
    let mut parser = Parser {
        lexer,
        token,
        ahead: None,
        nodes: limits.nodes,
        depth: 0,
        limits,
        names: Vec::new(),
        symbols: HashMap::new(),
        macros: Vec::new(),
        loops: 0,
    };
    // In every template, known by these numbers.
    for name in SPECIAL {
        parser.symbol(name);
    }
    let body = parser.template()?;
    Ok(Tree { body, names: parser.names, symbols: parser.symbols })
}

const SPECIAL: [&str; 4] = ["caller", "varargs", "kwargs", "loop"];
pub(crate) const CALLER: Symbol = 0;
pub(crate) const VARARGS: Symbol = 1;
pub(crate) const KWARGS: Symbol = 2;
pub(crate) const LOOP: Symbol = 3;

struct Parser<'a> {
    lexer: Lexer,
    token: Token,
    ahead: Option<Token>,
    /// How many more nodes there may be.
    nodes: usize,
    depth: usize,
    limits: &'a Limits,
    names: Vec<Arc<str>>,
    symbols: HashMap<Arc<str>, Symbol>,
    /// What the macros around use.
    macros: Vec<Uses>,
    /// Loops around, up to the next macro.
    loops: usize,
}

impl Parser<'_> {
    /// Takes the token.
    fn advance(&mut self) -> Result<Token> {
        let next = match self.ahead.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        Ok(mem::replace(&mut self.token, next))
    }

    /// The token after the next.
    fn peek(&mut self) -> Result<&Kind> {
        if self.ahead.is_none() {
            self.ahead = Some(self.lexer.next()?);
        }
        Ok(self.ahead.as_ref().map_or(&Kind::End, |token| &token.kind))
    }

    fn is(&self, symbol: &str) -> bool {
        self.token.kind.is(symbol)
    }

    fn is_name(&self, name: &str) -> bool {
        self.token.kind.is_name(name)
    }

    fn skip(&mut self, symbol: &str) -> Result<bool> {
        let found = self.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn skip_name(&mut self, name: &str) -> Result<bool> {
        let found = self.is_name(name);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        match self.skip(symbol)? {
            true => Ok(()),
            false => Err(self.unexpected(&format!("'{symbol}'"))),
        }
    }

    fn expect_name(&mut self) -> Result<String> {
        match &mut self.token.kind {
            Kind::Name(name) => {
                let name = mem::take(name);
                self.advance()?;
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    fn expect_end_of_tag(&mut self) -> Result<()> {
        match self.token.kind {
            Kind::TagEnd => self.advance().map(drop),
            _ => Err(self.unexpected("'%}'")),
        }
    }

    fn unexpected(&self, expected: &str) -> Error {
        let found = self.token.kind.describe();
        self.error(format!("expected {expected}, found {found}"))
    }

    fn error(&self, message: impl Into<String>) -> Error {
        self.lexer.error(self.token.at, message)
    }

    /// Counts a node.
    fn node(&mut self) -> Result<()> {
        match self.nodes.checked_sub(1) {
            Some(left) => {
                self.nodes = left;
                Ok(())
            }
            None => {
                let most = grouped(self.limits.nodes as u64);
                let why = format!("the template has more than {most} tags and expressions");
                Err(Error::limit(why).at(self.token.line))
            }
        }
    }

    /// One level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.check_depth(self.depth + 1)?;
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn check_depth(&self, depth: usize) -> Result<()> {
        let most = self.limits.nesting;
        if depth > most {
            let why = format!("tags and expressions nest deeper than {most}");
            return Err(Error::limit(why).at(self.token.line));
        }
        Ok(())
    }

    /// The number of a variable.
    fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        let symbol = self.names.len() as Symbol;
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.symbols.insert(name, symbol);
        symbol
    }
}
