//! Expressions, from the loosest operator to the tightest.

use super::{CALLER, KWARGS, Parser, VARARGS};
use crate::{
    ast::{Args, Binary, Comparison, Expr, Op, OpKind, Sign},
    error::Result,
    token::Kind,
};
use std::{mem, sync::Arc};

/// Levels of binary operators, the loosest first. Between the first two stands `~`.
const SUMS: [(&str, Binary); 2] = [("+", Binary::Add), ("-", Binary::Sub)];
const PRODUCTS: [(&str, Binary); 4] =
    [("*", Binary::Mul), ("/", Binary::Div), ("//", Binary::FloorDiv), ("%", Binary::Mod)];
const POWERS: [(&str, Binary); 1] = [("**", Binary::Pow)];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<", Comparison::Less),
    ("<=", Comparison::LessEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterEqual),
];

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.nested(Self::conditional)
    }

    fn conditional(&mut self) -> Result<Expr> {
        let mut arms = Vec::new();
        let mut value = self.or()?;
        // Each turn without `else` is one level deeper.
        let mut depth = self.depth;
        while self.skip_name("if")? {
            self.node()?;
            let test = self.or()?;
            if self.skip_name("else")? {
                arms.push((value, test));
                value = self.or()?;
            } else {
                depth += 1;
                self.check_depth(depth)?;
                arms.push((value, test));
                value = Expr::Conditional { arms: mem::take(&mut arms), otherwise: None };
            }
        }
        if arms.is_empty() {
            return Ok(value);
        }
        Ok(Expr::Conditional { arms, otherwise: Some(Box::new(value)) })
    }

    /// An expression without `if`, as conditions of tags and iterables are.
    pub(super) fn or(&mut self) -> Result<Expr> {
        self.flat("or", Self::and, Expr::Or)
    }

    fn and(&mut self) -> Result<Expr> {
        self.flat("and", Self::not, Expr::And)
    }

    fn flat(
        &mut self,
        operator: &str,
        operand: fn(&mut Self) -> Result<Expr>,
        make: fn(Vec<Expr>) -> Expr,
    ) -> Result<Expr> {
        let first = operand(self)?;
        if !self.is_name(operator) {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.skip_name(operator)? {
            self.node()?;
            operands.push(operand(self)?);
        }
        Ok(make(operands))
    }

    fn not(&mut self) -> Result<Expr> {
        if !self.is_name("not") {
            return self.comparison();
        }
        let mut odd = false;
        while self.skip_name("not")? {
            self.node()?;
            odd = !odd;
        }
        let operand = Box::new(self.comparison()?);
        Ok(Expr::Not { odd, operand })
    }

    fn comparison(&mut self) -> Result<Expr> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        while let Some(comparison) = self.comparison_operator()? {
            self.node()?;
            rest.push((comparison, self.sum()?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Compare(Box::new(first), rest) })
    }

    fn comparison_operator(&mut self) -> Result<Option<Comparison>> {
        let found = COMPARISONS.iter().find(|(symbol, _)| self.is(symbol));
        if let Some((_, comparison)) = found {
            self.advance()?;
            return Ok(Some(*comparison));
        }
        if self.skip_name("in")? {
            return Ok(Some(Comparison::In));
        }
        if self.is_name("not") && self.peek()?.is_name("in") {
            self.advance()?;
            self.advance()?;
            return Ok(Some(Comparison::NotIn));
        }
        Ok(None)
    }

    fn sum(&mut self) -> Result<Expr> {
        self.chain(&SUMS, Self::concat)
    }

    fn concat(&mut self) -> Result<Expr> {
        let first = self.product()?;
        if !self.is("~") {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.skip("~")? {
            self.node()?;
            operands.push(self.product()?);
        }
        Ok(Expr::Concat(operands))
    }

    fn product(&mut self) -> Result<Expr> {
        self.chain(&PRODUCTS, Self::power)
    }

    fn power(&mut self) -> Result<Expr> {
        self.chain(&POWERS, Self::unary)
    }

    fn chain(
        &mut self,
        operators: &[(&str, Binary)],
        operand: fn(&mut Self) -> Result<Expr>,
    ) -> Result<Expr> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.is(symbol)) {
            self.node()?;
            self.advance()?;
            rest.push((*operator, operand(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    /// Signs, an operand, and what follows it. Filters apply to the operand with its signs.
    fn unary(&mut self) -> Result<Expr> {
        let mut signs = Vec::new();
        loop {
            match &self.token.kind {
                kind if kind.is("-") => signs.push(Sign::Minus),
                kind if kind.is("+") => signs.push(Sign::Plus),
                _ => break,
            }
            self.node()?;
            self.advance()?;
        }
        let mut operand = self.operand()?;
        if !signs.is_empty() {
            operand = Expr::Signs(signs, Box::new(operand));
        }
        let mut ops = Vec::new();
        loop {
            let line = self.token.line;
            let kind = if self.is("|") {
                self.advance()?;
                self.filter()?
            } else if self.is_name("is") {
                self.test()?
            } else if self.is("(") {
                OpKind::Call(self.arguments()?)
            } else {
                break;
            };
            self.node()?;
            ops.push(Op { line, kind });
        }
        Ok(with_ops(operand, ops))
    }

    /// A value with its attributes, items and calls.
    fn operand(&mut self) -> Result<Expr> {
        let primary = self.primary()?;
        let mut ops = Vec::new();
        loop {
            let line = self.token.line;
            let kind = if self.is(".") {
                self.attribute()?
            } else if self.is("[") {
                self.subscript()?
            } else if self.is("(") {
                OpKind::Call(self.arguments()?)
            } else {
                break;
            };
            self.node()?;
            ops.push(Op { line, kind });
        }
        Ok(with_ops(primary, ops))
    }

    fn attribute(&mut self) -> Result<OpKind> {
        self.advance()?;
        match &self.token.kind {
            Kind::Int(number) => {
                let number = *number;
                self.advance()?;
                Ok(OpKind::Item(Expr::Int(number)))
            }
            Kind::Name(_) => Ok(OpKind::Attribute(self.expect_name()?.into())),
            _ => Err(self.unexpected("a name or a number after '.'")),
        }
    }

    fn subscript(&mut self) -> Result<OpKind> {
        self.expect("[")?;
        let mut items = Vec::new();
        let mut slice = None;
        while !self.is("]") {
            if !items.is_empty() || slice.is_some() {
                self.expect(",")?;
                if slice.is_some() {
                    return Err(self.error("a subscript with a slice and something else"));
                }
            }
            match self.subscribed()? {
                OpKind::Item(item) => items.push(item),
                other if items.is_empty() => slice = Some(other),
                _ => return Err(self.error("a subscript with a slice and something else")),
            }
        }
        self.expect("]")?;
        if let Some(slice) = slice {
            return Ok(slice);
        }
        Ok(OpKind::Item(match items.len() {
            1 => items.remove(0),
            _ => Expr::Tuple(items),
        }))
    }

    /// One item of a subscript: an expression, or a slice.
    fn subscribed(&mut self) -> Result<OpKind> {
        let mut parts = [None, None, None];
        if !self.is(":") {
            let item = self.expression()?;
            if !self.is(":") {
                return Ok(OpKind::Item(item));
            }
            parts[0] = Some(item);
        }
        for part in &mut parts[1..] {
            if !self.skip(":")? {
                break;
            }
            if !self.is(":") && !self.is("]") && !self.is(",") {
                *part = Some(self.expression()?);
            }
        }
        Ok(OpKind::Slice(Box::new(parts)))
    }

    /// The name of a filter or test; it may have dots.
    fn dotted_name(&mut self) -> Result<Box<str>> {
        let mut name = self.expect_name()?;
        while self.skip(".")? {
            self.node()?;
            name.push('.');
            name.push_str(&self.expect_name()?);
        }
        Ok(name.into())
    }

    /// A filter, after the `|`.
    pub(super) fn filter(&mut self) -> Result<OpKind> {
        let name = self.dotted_name()?;
        let args = if self.is("(") { self.arguments()? } else { Args::default() };
        Ok(OpKind::Filter(name, args))
    }

    fn test(&mut self) -> Result<OpKind> {
        self.advance()?;
        let negated = self.skip_name("not")?;
        let name = self.dotted_name()?;
        let takes_argument = match &self.token.kind {
            Kind::Name(word) => !matches!(word.as_str(), "else" | "or" | "and" | "is"),
            Kind::Text(_) | Kind::Int(_) | Kind::Float(_) => true,
            kind => kind.is("[") || kind.is("{"),
        };
        if self.is_name("is") {
            return Err(self.error("tests with 'is' cannot be chained"));
        }
        let mut args = Args::default();
        if self.is("(") {
            args = self.arguments()?;
        } else if takes_argument {
            args.positional.push(self.nested(Self::operand)?);
        }
        Ok(OpKind::Test { name, args, negated })
    }

    /// Arguments in parentheses.
    fn arguments(&mut self) -> Result<Args> {
        self.expect("(")?;
        let mut args = Args::default();
        let mut first = true;
        while !self.is(")") {
            if !mem::take(&mut first) {
                self.expect(",")?;
                if self.is(")") {
                    break;
                }
            }
            let ends = args.dict.is_some();
            if self.is("*") && !ends && args.list.is_none() {
                self.advance()?;
                args.list = Some(Box::new(self.expression()?));
            } else if self.is("**") && !ends {
                self.advance()?;
                args.dict = Some(Box::new(self.expression()?));
            } else if matches!(self.token.kind, Kind::Name(_)) && self.peek()?.is("=") && !ends {
                let name: Arc<str> = self.expect_name()?.into();
                if args.named.iter().any(|(other, _)| *other == name) {
                    return Err(self.error(format!("the argument '{name}' is given twice")));
                }
                // Looking through the names for each makes long lists slow.
                if args.named.len() > 255 {
                    return Err(self.error("more than 255 named arguments"));
                }
                self.expect("=")?;
                args.named.push((name, self.expression()?));
            } else if args.named.is_empty() && args.list.is_none() && !ends {
                args.positional.push(self.expression()?);
            } else {
                return Err(self.error("an argument in the wrong place"));
            }
        }
        self.expect(")")?;
        Ok(args)
    }

    fn primary(&mut self) -> Result<Expr> {
        self.node()?;
        match &mut self.token.kind {
            Kind::Name(name) => {
                let name = mem::take(name);
                self.advance()?;
                Ok(match name.as_str() {
                    "true" | "True" => Expr::Bool(true),
                    "false" | "False" => Expr::Bool(false),
                    "none" | "None" => Expr::None,
                    name => Expr::Name(self.variable(name)),
                })
            }
            Kind::Int(number) => {
                let number = Expr::Int(*number);
                self.advance().map(|_| number)
            }
            Kind::Float(number) => {
                let number = Expr::Float(*number);
                self.advance().map(|_| number)
            }
            Kind::Text(_) => self.strings(),
            kind if kind.is("(") => {
                self.advance()?;
                let inside = self.tuple(true, true)?;
                self.expect(")")?;
                Ok(inside)
            }
            kind if kind.is("[") => self.list(),
            kind if kind.is("{") => self.dict(),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn variable(&mut self, name: &str) -> u32 {
        let symbol = self.symbol(name);
        for uses in &mut self.macros {
            uses.caller |= symbol == CALLER;
            uses.varargs |= symbol == VARARGS;
            uses.kwargs |= symbol == KWARGS;
        }
        symbol
    }

    /// Strings next to each other are one.
    fn strings(&mut self) -> Result<Expr> {
        let mut whole = String::new();
        while let Kind::Text(text) = &self.token.kind {
            whole.push_str(text);
            self.advance()?;
        }
        Ok(Expr::Text(whole.into()))
    }

    /// One expression, or several with commas between them, which are a tuple.
    pub(super) fn tuple(&mut self, conditional: bool, parenthesised: bool) -> Result<Expr> {
        let mut items = Vec::new();
        let mut commas = false;
        while !self.ends_tuple() {
            items.push(if conditional { self.expression()? } else { self.nested(Self::or)? });
            if !self.skip(",")? {
                break;
            }
            commas = true;
        }
        match items.len() {
            1 if !commas => Ok(items.remove(0)),
            0 if !parenthesised => Err(self.unexpected("an expression")),
            _ => Ok(Expr::Tuple(items)),
        }
    }

    fn ends_tuple(&self) -> bool {
        let kind = &self.token.kind;
        matches!(kind, Kind::PrintEnd | Kind::TagEnd) || kind.is(")")
    }

    fn list(&mut self) -> Result<Expr> {
        self.advance()?;
        let mut items = Vec::new();
        while !self.is("]") {
            items.push(self.expression()?);
            if !self.skip(",")? {
                break;
            }
        }
        self.expect("]")?;
        Ok(Expr::List(items))
    }

    fn dict(&mut self) -> Result<Expr> {
        self.advance()?;
        let mut entries = Vec::new();
        while !self.is("}") {
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?));
            if !self.skip(",")? {
                break;
            }
        }
        self.expect("}")?;
        Ok(Expr::Dict(entries))
    }
}

fn with_ops(operand: Expr, mut ops: Vec<Op>) -> Expr {
    match operand {
        _ if ops.is_empty() => operand,
        Expr::Postfix(base, mut before) => {
            before.append(&mut ops);
            Expr::Postfix(base, before)
        }
        operand => Expr::Postfix(Box::new(operand), ops),
    }
}
