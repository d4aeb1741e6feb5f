//! Cuts a template into tokens, with the whitespace rules of `trim_blocks` and `lstrip_blocks`.
//! Tokens are made one at a time; none is kept.

use crate::{
    error::{Error, Result},
    literal,
    token::{Kind, SYMBOLS, Token},
    value::is_space,
};

/// The longest name, in bytes: names are compared and hashed for little.
const LONGEST_NAME: usize = 1000;

pub(crate) struct Lexer {
    source: String,
    at: usize,
    state: State,
    /// Brackets that are open in the tag.
    open: Vec<&'static str>,
    /// Where lines were last counted, and the line there.
    counted: (usize, u32),
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Data,
    /// Inside of `{{ }}`.
    Print,
    /// Inside of `{% %}`.
    Tag,
    /// After `{% raw %}`.
    Raw,
    /// At a tag, once the text before it is done.
    Begin(Opens, usize),
}

/// What begins at a tag.
#[derive(Clone, Copy, PartialEq)]
enum Opens {
    Print,
    Tag,
    Raw,
}

impl Lexer {
    pub(crate) fn new(source: &str) -> Lexer {
        let mut source = source.replace("\r\n", "\n").replace('\r', "\n");
        if source.ends_with('\n') {
            source.pop();
        }
        Lexer { source, at: 0, state: State::Data, open: Vec::new(), counted: (0, 1) }
    }

    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    /// The line of a place that is not before the last one asked for.
    fn line(&mut self, at: usize) -> u32 {
        let (from, line) = self.counted;
        if at > from {
            let more = self.source[from..at].bytes().filter(|&byte| byte == b'\n').count();
            self.counted = (at, line + more as u32);
        }
        self.counted.1
    }

    /// An error at a place.
    pub(crate) fn error(&self, at: usize, message: impl Into<String>) -> Error {
        let before = &self.source[..at];
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before[before.rfind('\n').map_or(0, |at| at + 1)..].chars().count() + 1;
        Error::syntax(line as u32, column as u32, message)
    }

    pub(crate) fn next(&mut self) -> Result<Token> {
        loop {
            let at = self.at;
            let kind = match self.state {
                State::Data => self.data()?,
                State::Raw => self.raw()?,
                State::Begin(what, end) => Some(self.begin(what, end)),
                State::Print | State::Tag => self.inside()?,
            };
            if let Some(kind) = kind {
                return Ok(Token { kind, line: self.line(at), at });
            }
        }
    }

    /// Text up to the next tag.
    fn data(&mut self) -> Result<Option<Kind>> {
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(Some(Kind::End));
        }
        let mut from = 0;
        let found = loop {
            match rest[from..].find('{') {
                None => break None,
                Some(offset) => {
                    let at = from + offset;
                    match rest.as_bytes().get(at + 1) {
                        Some(kind @ (b'{' | b'%' | b'#')) => break Some((at, *kind)),
                        _ => from = at + 1,
                    }
                }
            }
        };
        let Some((offset, kind)) = found else {
            let text = rest.to_owned();
            self.at = self.source.len();
            return Ok(Some(Kind::Data(text)));
        };
        let tag = self.at + offset;
        let sign = self.source.as_bytes().get(tag + 2).copied();
        let signed = usize::from(matches!(sign, Some(b'-' | b'+')));
        let text = self.before_tag(tag, sign, kind != b'{');
        let after = tag + 2 + signed;
        let raw = if kind == b'%' { raw_tag(&self.source, after, "raw") } else { None };
        self.state = match (kind, raw) {
            (b'{', _) => State::Begin(Opens::Print, after),
            (b'%', Some(end)) => State::Begin(Opens::Raw, end),
            (b'%', None) => State::Begin(Opens::Tag, after),
            _ => {
                self.at = self.after_comment(tag, after)?;
                State::Data
            }
        };
        if self.state != State::Data {
            self.at = tag;
        }
        Ok((!text.is_empty()).then_some(Kind::Data(text)))
    }

    /// The text from here to a tag, stripped as the tag asks for.
    fn before_tag(&self, tag: usize, sign: Option<u8>, strips: bool) -> String {
        let text = &self.source[self.at..tag];
        let text = match sign {
            Some(b'-') => text.trim_end_matches(is_space),
            Some(b'+') => text,
            _ if !strips => text,
            _ => {
                let line = text.rfind('\n').map_or(0, |at| at + 1);
                let starts = line > 0 || self.at == 0 || self.source[..self.at].ends_with('\n');
                let blank = text[line..].chars().all(is_space);
                if starts && blank { &text[..line] } else { text }
            }
        };
        text.to_owned()
    }

    fn after_comment(&self, tag: usize, from: usize) -> Result<usize> {
        // At the very end there is nothing to close, as in Jinja.
        if from == self.source.len() {
            return Ok(from);
        }
        let Some(offset) = self.source[from..].find("#}") else {
            return Err(self.error(tag, "the comment is not closed; add #}"));
        };
        let end = from + offset;
        let sign = if end > from { self.source.as_bytes()[end - 1] } else { b'#' };
        Ok(after_end(&self.source, end + 2, sign))
    }

    /// Everything up to `{% endraw %}`.
    fn raw(&mut self) -> Result<Option<Kind>> {
        if self.rest().is_empty() {
            return Ok(Some(Kind::End));
        }
        let mut from = self.at;
        while let Some(offset) = self.source[from..].find("{%") {
            let tag = from + offset;
            let sign = self.source.as_bytes().get(tag + 2).copied();
            let after = tag + 2 + usize::from(matches!(sign, Some(b'-' | b'+')));
            if let Some(end) = raw_tag(&self.source, after, "endraw") {
                let text = self.before_tag(tag, sign, true);
                (self.at, self.state) = (end, State::Data);
                return Ok((!text.is_empty()).then_some(Kind::Data(text)));
            }
            from = tag + 2;
        }
        Err(self.error(self.at, "'raw' is not closed; add {% endraw %}"))
    }

    fn begin(&mut self, what: Opens, end: usize) -> Kind {
        self.at = end;
        let (state, kind) = match what {
            Opens::Print => (State::Print, Kind::PrintBegin),
            Opens::Tag => (State::Tag, Kind::TagBegin),
            // No token of its own: an empty text.
            Opens::Raw => (State::Raw, Kind::Data(String::new())),
        };
        self.state = state;
        kind
    }

    /// A token inside of a tag; nothing if it was whitespace.
    fn inside(&mut self) -> Result<Option<Kind>> {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            let what = if self.state == State::Print { "'{{'" } else { "'{%'" };
            return Err(self.error(self.at, format!("{what} is not closed")));
        };
        if is_space(c) {
            self.at += rest.len() - trimmed(rest).len();
            return Ok(None);
        }
        if self.open.is_empty()
            && let Some(kind) = self.end_of_tag()
        {
            return Ok(Some(kind));
        }
        let rest = self.rest();
        if c.is_ascii_digit() {
            let (kind, len) = literal::number(rest, self.source[..self.at].ends_with('.'))
                .map_err(|why| self.error(self.at, why))?;
            self.at += len;
            return Ok(Some(kind));
        }
        if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if end > LONGEST_NAME {
                let why = format!("a name of {end} bytes is longer than {LONGEST_NAME}");
                return Err(self.error(self.at, why));
            }
            let name = rest[..end].to_owned();
            self.at += end;
            return Ok(Some(Kind::Name(name)));
        }
        if c == '"' || c == '\'' {
            let (text, len) = literal::string(rest).map_err(|why| self.error(self.at, why))?;
            self.at += len;
            return Ok(Some(Kind::Text(text)));
        }
        self.symbol(c).map(Some)
    }

    fn end_of_tag(&mut self) -> Option<Kind> {
        let bytes = self.rest().as_bytes();
        let sign = bytes.first().copied()?;
        let signed = usize::from(sign == b'-' || sign == b'+' && self.state == State::Tag);
        let (end, kind) = match self.state {
            State::Print => (&b"}}"[..], Kind::PrintEnd),
            _ => (&b"%}"[..], Kind::TagEnd),
        };
        if !bytes[signed..].starts_with(end) {
            return None;
        }
        let after = self.at + signed + 2;
        let sign = if signed == 1 { sign } else { b' ' };
        self.at = match self.state {
            State::Print if sign != b'-' => after,
            _ => after_end(&self.source, after, sign),
        };
        self.state = State::Data;
        Some(kind)
    }

    fn symbol(&mut self, c: char) -> Result<Kind> {
        let rest = self.rest();
        let Some(&symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) else {
            return Err(self.error(self.at, format!("unexpected character {c:?}")));
        };
        match symbol {
            "(" => self.open.push(")"),
            "[" => self.open.push("]"),
            "{" => self.open.push("}"),
            ")" | "]" | "}" => match self.open.pop() {
                Some(expected) if expected == symbol => {}
                Some(expected) => {
                    let why = format!("unexpected '{symbol}', expected '{expected}'");
                    return Err(self.error(self.at, why));
                }
                None => return Err(self.error(self.at, format!("unexpected '{symbol}'"))),
            },
            _ => {}
        }
        self.at += symbol.len();
        Ok(Kind::Symbol(symbol))
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Where text goes on after the end of a tag: `-` strips whitespace, otherwise one newline goes.
fn after_end(source: &str, at: usize, sign: u8) -> usize {
    let rest = &source[at..];
    match sign {
        b'-' => at + (rest.len() - trimmed(rest).len()),
        b'+' => at,
        _ => at + usize::from(rest.starts_with('\n')),
    }
}

/// Where text goes on if `raw` or `endraw` and the end of the tag follow here.
fn raw_tag(source: &str, at: usize, name: &str) -> Option<usize> {
    let rest = trimmed(trimmed(&source[at..]).strip_prefix(name)?);
    let here = source.len() - rest.len();
    let sign = rest.bytes().next()?;
    let ends = |offset: usize| rest[offset..].starts_with("%}");
    match (sign, name) {
        (b'-', _) if ends(1) => Some(after_end(source, here + 3, b'-')),
        (b'+', "endraw") if ends(1) => Some(here + 3),
        (_, "endraw") if ends(0) => Some(after_end(source, here + 2, b' ')),
        // What begins keeps its newline.
        (_, _) if ends(0) => Some(here + 2),
        _ => None,
    }
}
