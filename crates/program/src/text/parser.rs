//! Text into programs.

use super::lexer::{Kind, Lexer, Token};
use crate::{
    Atomic, Binary, Builder, Compare, Direction, Error, Fold, Index, Inst, Literal, Operand,
    ParamKind, Place, Program, Reg, Result, Scope, Type, Unary,
};
use bessemer_core::DType;
use std::collections::HashMap;

/// The longest text that is read.
pub(super) const MAX_TEXT: usize = 4 << 20;

pub(super) fn parse(file: &str, text: &str) -> Result<Program> {
    let mut lexer = Lexer::new(text);
    let parser = Parser {
        file,
        token: lexer.next(),
        lexer,
        builder: Builder::new(""),
        registers: HashMap::new(),
        places: Vec::new(),
    };
    if text.len() > MAX_TEXT {
        return Err(parser.error(format!(
            "the text has {} bytes; at most {MAX_TEXT} are supported",
            text.len()
        )));
    }
    parser.program()
}

struct Parser<'t> {
    file: &'t str,
    lexer: Lexer<'t>,
    token: Token<'t>,
    builder: Builder,
    registers: HashMap<&'t str, Reg>,
    /// Line and column of each instruction, by number.
    places: Vec<(usize, usize)>,
}

impl<'t> Parser<'t> {
    fn program(mut self) -> Result<Program> {
        self.skip_lines();
        self.keyword("program")?;
        let name = self.name("the program's name")?;
        self.builder = Builder::new(name);
        self.sign("(")?;
        self.skip_lines();
        while !self.at(")") {
            self.param()?;
            self.skip_lines();
            if !self.at(")") {
                self.sign(",")?;
                self.skip_lines();
            }
        }
        self.sign(")")?;
        self.block(0)?;
        self.skip_lines();
        if self.token.kind != Kind::End {
            return Err(self.expected("the end of the text"));
        }
        let (file, places) = (self.file, self.places);
        self.builder.finish().map_err(|error| match error {
            // Where it stands says more than its number.
            Error::Instruction { number, instruction, rule, .. } => {
                let (line, column) = places.get(number).copied().unwrap_or((1, 1));
                Error::Text {
                    file: file.to_owned(),
                    line,
                    column,
                    what: format!("`{instruction}`: {rule}"),
                }
            }
            Error::Program { rule: what, .. } => {
                Error::Text { file: file.to_owned(), line: 1, column: 1, what }
            }
            other => other,
        })
    }

    fn param(&mut self) -> Result<()> {
        let first = self.token;
        let word = self.name("in, out, inout or uniform")?;
        let direction = match word {
            "in" => Some(Direction::In),
            "out" => Some(Direction::Out),
            "inout" => Some(Direction::InOut),
            "uniform" => None,
            _ => return Err(self.unexpected(first, "in, out, inout or uniform")),
        };
        let kind = match direction {
            None => ParamKind::Uniform,
            Some(direction) => {
                let word = self.token;
                match self.name("view or buffer")? {
                    "view" => ParamKind::View(direction),
                    "buffer" => ParamKind::Buffer(direction),
                    _ => return Err(self.unexpected(word, "view or buffer")),
                }
            }
        };
        let name = self.new_name()?;
        self.sign(":")?;
        let word = self.token;
        let dtype: DType = self
            .name("a dtype")?
            .parse()
            .map_err(|error| self.error_at(word, format!("{error}")))?;
        self.builder.param(name, kind, dtype);
        self.check_limits()
    }

    fn block(&mut self, depth: usize) -> Result<()> {
        if depth > crate::builder::MAX_DEPTH {
            return Err(self.error(format!(
                "blocks are nested too deep; at most {} are supported",
                crate::builder::MAX_DEPTH
            )));
        }
        self.sign("{")?;
        loop {
            self.skip_lines();
            if self.at("}") {
                return self.sign("}");
            }
            self.statement(depth)?;
            if !self.at("}") && self.token.kind != Kind::NewLine {
                return Err(self.expected("the end of the line"));
            }
            self.check_limits()?;
        }
    }

    fn statement(&mut self, depth: usize) -> Result<()> {
        let start = (self.token.line, self.token.column);
        if self.token.kind == Kind::Name && self.token.text == "shared" {
            self.advance();
            return self.shared(depth);
        }
        self.places.push(start);
        if self.token.kind == Kind::Register {
            let name = self.advance().text;
            self.sign("=")?;
            return self.assignment(name);
        }
        let first = self.token;
        match self.name("an instruction")? {
            "store" => {
                let to = self.place()?;
                self.sign(",")?;
                let value = self.operand()?;
                self.builder.push(Inst::Store { to, value });
            }
            "barrier" => self.builder.push(Inst::Barrier),
            "break" => {
                let cond = self.operand()?;
                self.builder.push(Inst::Break { cond });
            }
            "continue" => {
                let cond = self.operand()?;
                self.builder.push(Inst::Continue { cond });
            }
            "yield" => {
                let value = self.operand()?;
                self.builder.push(Inst::Yield { value });
            }
            "if" => {
                let cond = self.operand()?;
                let then = self.inner(depth)?;
                let has_else = self.token.kind == Kind::Name && self.token.text == "else";
                let other = if has_else {
                    self.advance();
                    self.inner(depth)?
                } else {
                    Vec::new()
                };
                self.builder.push(Inst::If { cond, then, other });
            }
            "loop" => {
                let body = self.inner(depth)?;
                self.builder.push(Inst::Loop { body });
            }
            other => {
                return Err(self.error_at(first, format!("unknown instruction `{other}`")));
            }
        }
        Ok(())
    }

    fn inner(&mut self, depth: usize) -> Result<Vec<Inst>> {
        self.builder.open();
        self.block(depth + 1)?;
        Ok(self.builder.close())
    }

    fn shared(&mut self, depth: usize) -> Result<()> {
        if depth > 0 || !self.places.is_empty() {
            return Err(
                self.error("`shared` comes after an instruction; declare threadgroup memory first")
            );
        }
        let name = self.new_name()?;
        self.sign(":")?;
        let word = self.token;
        let ty = self.name("a type")?;
        let ty = self.type_named(word, ty)?;
        self.sign("[")?;
        let len = self.advance();
        let len: u32 =
            len.text.parse().map_err(|_| self.unexpected(len, "a number of elements"))?;
        self.sign("]")?;
        self.builder.shared(name, ty, len);
        Ok(())
    }

    /// What stands right of `%name =`.
    fn assignment(&mut self, name: &'t str) -> Result<()> {
        let word = self.token;
        let op = self.name("an instruction")?;
        let make = self.instruction(word, op)?;
        let dst = match self.registers.get(name) {
            Some(&reg) => reg,
            None => {
                let ty = self.builder.result_type(&make(Reg(0)));
                let reg = self.builder.register(ty);
                self.registers.insert(name, reg);
                reg
            }
        };
        self.builder.push(make(dst));
        Ok(())
    }

    /// The instruction `op` with the operands that follow, but for its register.
    fn instruction(&mut self, word: Token<'t>, op: &str) -> Result<Box<dyn Fn(Reg) -> Inst>> {
        if let Some(op) = Unary::from_name(op) {
            let [a] = self.operands()?;
            return Ok(Box::new(move |dst| Inst::Unary { op, dst, a }));
        }
        if let Some(op) = Binary::from_name(op) {
            let [a, b] = self.operands()?;
            return Ok(Box::new(move |dst| Inst::Binary { op, dst, a, b }));
        }
        if let Some(op) = Compare::from_name(op) {
            let [a, b] = self.operands()?;
            return Ok(Box::new(move |dst| Inst::Compare { op, dst, a, b }));
        }
        if let Some(index) = Index::from_name(op) {
            return Ok(Box::new(move |dst| Inst::Index { index, dst }));
        }
        if let Some(to) = Type::ALL.into_iter().find(|ty| ty.name() == op) {
            let [a] = self.operands()?;
            return Ok(Box::new(move |dst| Inst::Convert { to, dst, a }));
        }
        if let Some(to) = op.strip_prefix("bits_") {
            let to = self.type_named(word, to)?;
            let [a] = self.operands()?;
            return Ok(Box::new(move |dst| Inst::Bits { to, dst, a }));
        }
        if let Some(op) = op.strip_prefix("atomic_").and_then(Atomic::from_name) {
            let at = self.place()?;
            self.sign(",")?;
            let value = self.operand()?;
            return Ok(Box::new(move |dst| Inst::Atomic { op, dst, at, value }));
        }
        for &scope in Scope::ALL {
            let fold = op.strip_prefix(scope.name()).and_then(|op| op.strip_prefix('_'));
            if let Some(op) = fold.and_then(Fold::from_name) {
                let [a] = self.operands()?;
                return Ok(Box::new(move |dst| Inst::Reduce { op, scope, dst, a }));
            }
        }
        match op {
            "mov" => {
                let [a] = self.operands()?;
                Ok(Box::new(move |dst| Inst::Mov { dst, a }))
            }
            "fma" => {
                let [a, b, c] = self.operands()?;
                Ok(Box::new(move |dst| Inst::Fma { dst, a, b, c }))
            }
            "select" => {
                let [cond, a, b] = self.operands()?;
                Ok(Box::new(move |dst| Inst::Select { dst, cond, a, b }))
            }
            "load" => {
                let from = self.place()?;
                Ok(Box::new(move |dst| Inst::Load { dst, from }))
            }
            other => Err(self.error_at(word, format!("unknown instruction `{other}`"))),
        }
    }

    fn place(&mut self) -> Result<Place> {
        let word = self.token;
        let name = self.name("a parameter or threadgroup memory")?;
        self.sign("[")?;
        let index = if self.at("@") {
            self.advance();
            None
        } else {
            Some(self.operand()?)
        };
        self.sign("]")?;
        let shared = self.builder.shared_memory();
        if let (Some(id), Some(index)) = (shared.iter().position(|s| s.name == name), index) {
            return Ok(Place::Shared(crate::SharedId(id as u8), index));
        }
        let id = self.param_named(word)?;
        Ok(index.map_or(Place::Here(id), |index| Place::Buffer(id, index)))
    }

    fn operands<const N: usize>(&mut self) -> Result<[Operand; N]> {
        let mut operands = [Operand::from(0); N];
        for (i, operand) in operands.iter_mut().enumerate() {
            if i > 0 {
                self.sign(",")?;
            }
            *operand = self.operand()?;
        }
        Ok(operands)
    }

    fn operand(&mut self) -> Result<Operand> {
        let token = self.token;
        match token.kind {
            Kind::Register => {
                self.advance();
                match self.registers.get(token.text) {
                    Some(&reg) => Ok(reg.into()),
                    None => {
                        Err(self.error_at(token, format!("`%{}` has no value yet", token.text)))
                    }
                }
            }
            Kind::Number => {
                self.advance();
                literal(token.text).map(Operand::from).ok_or_else(|| {
                    self.error_at(
                        token,
                        format!("`{}` is not a number, or too large for its type", token.text),
                    )
                })
            }
            Kind::Name => {
                self.advance();
                if matches!(token.text, "nan" | "nan64") && self.at(":") {
                    self.advance();
                    return self.nan(token);
                }
                if let Some(literal) = literal(token.text) {
                    return Ok(literal.into());
                }
                let id = self.param_named(token)?;
                match self.builder.params()[id.index()].kind {
                    ParamKind::Uniform => Ok(Operand::Uniform(id)),
                    _ => Err(self.error_at(
                        token,
                        format!("`{}` is memory, not a value; load from it first", token.text),
                    )),
                }
            }
            _ => Err(self.expected("an operand")),
        }
    }

    /// `nan:7fc00001`, `nan64:7ff8000000000001`: one of the other NaNs.
    fn nan(&mut self, start: Token<'t>) -> Result<Operand> {
        let wide = start.text == "nan64";
        let bits = u64::from_str_radix(self.advance().text, 16).ok();
        let literal = match (wide, bits) {
            (true, Some(bits)) => {
                Some(f64::from_bits(bits)).filter(|x| x.is_nan()).map(Literal::f64)
            }
            (false, Some(bits)) => u32::try_from(bits)
                .ok()
                .map(f32::from_bits)
                .filter(|x| x.is_nan())
                .map(Literal::from),
            _ => None,
        };
        let digits = if wide { 16 } else { 8 };
        literal.map(Operand::from).ok_or_else(|| {
            let name = start.text;
            self.error_at(
                start,
                format!("expected the {digits} hex digits of a NaN after `{name}:`"),
            )
        })
    }

    fn type_named(&self, word: Token<'t>, name: &str) -> Result<Type> {
        let found = Type::ALL.into_iter().find(|ty| ty.name() == name);
        let names = Type::ALL.map(Type::name).join(", ");
        let wrong = || self.error_at(word, format!("expected one of {names}, found `{name}`"));
        found.ok_or_else(wrong)
    }

    fn param_named(&self, word: Token<'t>) -> Result<crate::ParamId> {
        let name = word.text;
        let found = self.builder.params().iter().position(|p| p.name == name);
        found
            .map(|id| crate::ParamId(id as u8))
            .ok_or_else(|| self.error_at(word, format!("the program has no parameter `{name}`")))
    }

    fn new_name(&mut self) -> Result<&'t str> {
        let token = self.token;
        let name = self.name("a name")?;
        let known = self.builder.params().iter().any(|p| p.name == name)
            || self.builder.shared_memory().iter().any(|s| s.name == name);
        if known || literal(name).is_some() {
            return Err(
                self.error_at(token, format!("`{name}` is already declared, or is a literal"))
            );
        }
        Ok(name)
    }

    fn name(&mut self, what: &str) -> Result<&'t str> {
        if self.token.kind != Kind::Name {
            return Err(self.expected(what));
        }
        Ok(self.advance().text)
    }

    fn keyword(&mut self, word: &str) -> Result<()> {
        if self.token.kind != Kind::Name || self.token.text != word {
            return Err(self.expected(&format!("`{word}`")));
        }
        self.advance();
        Ok(())
    }

    fn at(&self, sign: &str) -> bool {
        self.token.kind == Kind::Sign && self.token.text == sign
    }

    fn sign(&mut self, sign: &str) -> Result<()> {
        if !self.at(sign) {
            return Err(self.expected(&format!("`{sign}`")));
        }
        self.advance();
        Ok(())
    }

    fn skip_lines(&mut self) {
        while self.token.kind == Kind::NewLine {
            self.advance();
        }
    }

    /// The present word; the next one becomes present.
    fn advance(&mut self) -> Token<'t> {
        std::mem::replace(&mut self.token, self.lexer.next())
    }

    /// Stops at the first limit, so that a hostile text costs no more than its length.
    fn check_limits(&self) -> Result<()> {
        if self.places.len() > crate::builder::MAX_INSTRUCTIONS {
            let most = crate::builder::MAX_INSTRUCTIONS;
            return Err(self.error(format!("more than {most} instructions are not supported")));
        }
        Ok(())
    }

    fn expected(&self, what: &str) -> Error {
        self.unexpected(self.token, what)
    }

    fn unexpected(&self, token: Token<'_>, what: &str) -> Error {
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::NewLine => "the end of the line".to_owned(),
            Kind::Register => format!("`%{}`", token.text),
            _ => format!("`{}`", token.text),
        };
        self.error_at(token, format!("expected {what}, found {found}"))
    }

    fn error(&self, what: impl Into<String>) -> Error {
        self.error_at(self.token, what)
    }

    fn error_at(&self, token: Token<'_>, what: impl Into<String>) -> Error {
        Error::Text {
            file: self.file.to_owned(),
            line: token.line,
            column: token.column,
            what: what.into(),
        }
    }
}

/// `true`, `1.5`, `3`, `3u`, `inf`, `nan`; of 64 bits `1.5f64`, `3i64`, `3u64`, `inf64`, `nan64`.
fn literal(text: &str) -> Option<Literal> {
    match text {
        "true" => return Some(true.into()),
        "false" => return Some(false.into()),
        "inf" => return Some(f32::INFINITY.into()),
        "-inf" => return Some(f32::NEG_INFINITY.into()),
        "nan" => return Some(f32::from_bits(0x7fc0_0000).into()),
        "inf64" => return Some(Literal::f64(f64::INFINITY)),
        "-inf64" => return Some(Literal::f64(f64::NEG_INFINITY)),
        "nan64" => return Some(Literal::f64(f64::from_bits(0x7ff8_0000_0000_0000))),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return None;
    }
    if let Some(digits) = text.strip_suffix("f64") {
        return digits.parse::<f64>().ok().map(Literal::f64);
    }
    if let Some(digits) = text.strip_suffix("i64") {
        return digits.parse::<i64>().ok().map(Literal::from);
    }
    if let Some(digits) = text.strip_suffix("u64") {
        return digits.parse::<u64>().ok().map(Literal::from);
    }
    if let Some(digits) = text.strip_suffix('u') {
        return digits.parse::<u32>().ok().map(Literal::from);
    }
    if text.contains(['.', 'e', 'E']) {
        return text.parse::<f32>().ok().map(Literal::from);
    }
    text.parse::<i32>().ok().map(Literal::from)
}
