//! Tags, and the text between them.

use super::Parser;
use crate::{
    ast::{Body, Expr, For, MacroDef, Op, OpKind, Parameter, Stmt, StmtKind, Target, Uses},
    error::Result,
    token::Kind,
};
use std::{mem, sync::Arc};

impl Parser<'_> {
    pub(super) fn template(&mut self) -> Result<Body> {
        let (body, _) = self.body(&[])?;
        Ok(body)
    }

    /// Everything up to one of the tags `ends`, which is taken but for its arguments; without any,
    /// up to the end of the template.
    fn body(&mut self, ends: &[&'static str]) -> Result<(Body, &'static str)> {
        let mut body = Vec::new();
        loop {
            let line = self.token.line;
            match &mut self.token.kind {
                Kind::Data(text) => {
                    let text = mem::take(text);
                    self.advance()?;
                    if !text.is_empty() {
                        self.node()?;
                        body.push(Stmt { line, kind: StmtKind::Text(text.into()) });
                    }
                }
                Kind::PrintBegin => {
                    self.advance()?;
                    let line = self.token.line;
                    let value = self.tuple(true, false)?;
                    if self.token.kind != Kind::PrintEnd {
                        return Err(self.unexpected("'}}'"));
                    }
                    self.advance()?;
                    body.push(Stmt { line, kind: StmtKind::Print(value) });
                }
                Kind::TagBegin => {
                    self.advance()?;
                    if let Some(end) = ends.iter().find(|end| self.is_name(end)) {
                        self.advance()?;
                        return Ok((body, end));
                    }
                    self.node()?;
                    let line = self.token.line;
                    self.tag(line, &mut body, ends)?;
                    self.expect_end_of_tag()?;
                }
                Kind::End if ends.is_empty() => return Ok((body, "")),
                Kind::End => {
                    let ends = ends.join("' or '");
                    return Err(self.error(format!("the template ends without '{ends}'")));
                }
                _ => return Err(self.unexpected("text or a tag")),
            }
        }
    }

    /// The body of a tag, after the rest of the tag itself.
    fn block(&mut self, ends: &[&'static str]) -> Result<(Body, &'static str)> {
        self.skip(":")?;
        self.expect_end_of_tag()?;
        self.nested(|parser| parser.body(ends))
    }

    /// A tag, up to the `%}` of its end.
    fn tag(&mut self, line: u32, body: &mut Body, ends: &[&'static str]) -> Result<()> {
        let Kind::Name(name) = &self.token.kind else {
            return Err(self.unexpected("the name of a tag"));
        };
        let kind = match name.as_str() {
            "if" => self.if_tag()?,
            "for" => self.for_tag()?,
            "set" => self.set_tag()?,
            "with" => self.with_tag()?,
            "macro" => self.macro_tag()?,
            "call" => self.call_tag()?,
            "filter" => self.filter_tag()?,
            "generation" => {
                self.advance()?;
                let loops = mem::take(&mut self.loops);
                let (inner, _) = self.block(&["endgeneration"])?;
                self.loops = loops;
                StmtKind::Scope(inner)
            }
            "print" => return self.print_tag(line, body),
            "break" | "continue" => {
                if self.loops == 0 {
                    return Err(self.error(format!("'{name}' outside of a loop")));
                }
                let is_break = name == "break";
                self.advance()?;
                if is_break { StmtKind::Break } else { StmtKind::Continue }
            }
            "include" | "import" | "from" | "extends" | "block" | "autoescape" => {
                return Err(self.error(format!("the tag '{name}' is not supported")));
            }
            _ => {
                let mut why = format!("unknown tag {}", self.token.kind.describe());
                if !ends.is_empty() {
                    why += &format!("; expected '{}'", ends.join("' or '"));
                }
                return Err(self.error(why));
            }
        };
        body.push(Stmt { line, kind });
        Ok(())
    }

    fn print_tag(&mut self, line: u32, body: &mut Body) -> Result<()> {
        self.advance()?;
        while self.token.kind != Kind::TagEnd {
            let value = self.expression()?;
            body.push(Stmt { line, kind: StmtKind::Print(value) });
            if self.token.kind != Kind::TagEnd {
                self.expect(",")?;
            }
        }
        Ok(())
    }

    fn if_tag(&mut self) -> Result<StmtKind> {
        let mut arms = Vec::new();
        self.advance()?;
        loop {
            let test = self.tuple(false, false)?;
            let (body, end) = self.block(&["elif", "else", "endif"])?;
            self.node()?;
            arms.push((test, body));
            match end {
                "elif" => {}
                "else" => {
                    let (otherwise, _) = self.block(&["endif"])?;
                    return Ok(StmtKind::If { arms, otherwise });
                }
                _ => return Ok(StmtKind::If { arms, otherwise: Vec::new() }),
            }
        }
    }

    fn for_tag(&mut self) -> Result<StmtKind> {
        self.advance()?;
        let target = self.target(false)?;
        if mentions_loop(&target) {
            return Err(self.error("'loop' cannot be a variable of a for loop"));
        }
        if !self.skip_name("in")? {
            return Err(self.unexpected("'in'"));
        }
        let iterable = self.tuple(false, false)?;
        let filter = match self.skip_name("if")? {
            true => Some(self.expression()?),
            false => None,
        };
        let recursive = self.skip_name("recursive")?;
        self.loops += 1;
        let (body, end) = self.block(&["endfor", "else"])?;
        self.loops -= 1;
        let otherwise = match end {
            "else" => self.block(&["endfor"])?.0,
            _ => Vec::new(),
        };
        let parsed = For { target, iterable, filter, recursive, body, otherwise };
        Ok(StmtKind::For(Arc::new(parsed)))
    }

    fn set_tag(&mut self) -> Result<StmtKind> {
        self.advance()?;
        let target = self.target(true)?;
        if self.skip("=")? {
            let value = self.tuple(true, false)?;
            return Ok(StmtKind::Set { target, value });
        }
        let filters = self.filters()?;
        let (body, _) = self.block(&["endset"])?;
        Ok(StmtKind::SetBlock { target, filters, body })
    }

    /// Filters, each after a `|`.
    fn filters(&mut self) -> Result<Vec<Op>> {
        let mut filters = Vec::new();
        while self.is("|") {
            let line = self.token.line;
            self.node()?;
            self.advance()?;
            filters.push(Op { line, kind: self.filter()? });
        }
        Ok(filters)
    }

    fn with_tag(&mut self) -> Result<StmtKind> {
        self.advance()?;
        let mut values = Vec::new();
        while self.token.kind != Kind::TagEnd && !self.is(":") {
            if !values.is_empty() {
                self.expect(",")?;
            }
            let target = self.target(false)?;
            self.expect("=")?;
            values.push((target, self.expression()?));
        }
        let (body, _) = self.block(&["endwith"])?;
        Ok(StmtKind::With { values, body })
    }

    fn macro_tag(&mut self) -> Result<StmtKind> {
        self.advance()?;
        let name = self.expect_name()?;
        let symbol = self.symbol(&name);
        let parameters = self.parameters()?;
        let def = self.macro_body(name.into(), symbol, parameters, "endmacro")?;
        Ok(StmtKind::Macro(def))
    }

    fn macro_body(
        &mut self,
        name: Arc<str>,
        symbol: u32,
        parameters: Vec<Parameter>,
        end: &'static str,
    ) -> Result<Arc<MacroDef>> {
        self.macros.push(Uses::default());
        let loops = mem::take(&mut self.loops);
        let (body, _) = self.block(&[end])?;
        self.loops = loops;
        let uses = self.macros.pop().unwrap_or_default();
        Ok(Arc::new(MacroDef { name, symbol, parameters, body, uses }))
    }

    /// The parameters of a macro, in parentheses.
    fn parameters(&mut self) -> Result<Vec<Parameter>> {
        self.expect("(")?;
        let mut parameters: Vec<Parameter> = Vec::new();
        while !self.is(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            if parameters.len() > 255 {
                return Err(self.error("more than 255 parameters"));
            }
            self.node()?;
            let name = self.expect_name()?;
            let symbol = self.symbol(&name);
            let default = match self.skip("=")? {
                true => Some(self.expression()?),
                false if parameters.last().is_some_and(|last| last.default.is_some()) => {
                    return Err(
                        self.error(format!("'{name}' needs a default, as the one before it"))
                    );
                }
                false => None,
            };
            parameters.push(Parameter { name: name.into(), symbol, default });
        }
        self.expect(")")?;
        Ok(parameters)
    }

    fn call_tag(&mut self) -> Result<StmtKind> {
        self.advance()?;
        let parameters = if self.is("(") { self.parameters()? } else { Vec::new() };
        let call = self.expression()?;
        let is_call = match &call {
            Expr::Postfix(_, ops) => {
                matches!(ops.last(), Some(Op { kind: OpKind::Call(_), .. }))
            }
            _ => false,
        };
        if !is_call {
            return Err(self.error("'call' needs a call of a macro"));
        }
        let caller = self.macro_body("caller".into(), super::CALLER, parameters, "endcall")?;
        Ok(StmtKind::Call { call, caller })
    }

    fn filter_tag(&mut self) -> Result<StmtKind> {
        self.advance()?;
        let line = self.token.line;
        let mut filters = vec![Op { line, kind: self.filter()? }];
        filters.append(&mut self.filters()?);
        let (body, _) = self.block(&["endfilter"])?;
        Ok(StmtKind::Filter { filters, body })
    }

    /// What is assigned to: a name, several, or an attribute of a namespace.
    fn target(&mut self, attributes: bool) -> Result<Target> {
        self.nested(|parser| {
            let first = parser.single_target(attributes)?;
            if !parser.is(",") {
                return Ok(first);
            }
            let mut targets = vec![first];
            while parser.skip(",")? {
                if !matches!(parser.token.kind, Kind::Name(_)) && !parser.is("(")
                    || parser.is_name("in")
                {
                    break;
                }
                targets.push(parser.single_target(attributes)?);
            }
            Ok(Target::Tuple(targets))
        })
    }

    fn single_target(&mut self, attributes: bool) -> Result<Target> {
        self.node()?;
        if self.skip("(")? {
            let inside = self.target(attributes)?;
            self.expect(")")?;
            return Ok(inside);
        }
        let name = self.expect_name()?;
        if matches!(name.as_str(), "true" | "false" | "none" | "True" | "False" | "None") {
            return Err(self.error(format!("cannot assign to '{name}'")));
        }
        let symbol = self.symbol(&name);
        if attributes && self.skip(".")? {
            return Ok(Target::Attribute(symbol, self.expect_name()?.into()));
        }
        Ok(Target::Name(symbol))
    }
}

fn mentions_loop(target: &Target) -> bool {
    match target {
        Target::Name(symbol) => *symbol == super::LOOP,
        Target::Attribute(..) => false,
        Target::Tuple(targets) => targets.iter().any(mentions_loop),
    }
}
