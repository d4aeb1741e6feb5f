//! Text into words. A word is a name, a register, a number or a sign.

/// A word and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `add`, `thread.x`, `true`.
    Name,
    /// `%x`; the text is without the sign.
    Register,
    /// `1`, `-2.5e3`, `7u`, `-inf`.
    Number,
    /// One of `( ) { } [ ] , : = @`.
    Sign,
    /// Something that can't be.
    Stray,
    /// `// …`, up to the end of its line.
    Comment,
    /// The end of a line: instructions end there.
    NewLine,
    /// The end of the text.
    End,
}

/// The words of a text, one by one.
pub(super) struct Lexer<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { rest: text, line: 1, column: 1 }
    }

    /// The next word that is no comment.
    pub(super) fn next(&mut self) -> Token<'t> {
        loop {
            let token = self.next_or_comment();
            if token.kind != Kind::Comment {
                return token;
            }
        }
    }

    pub(super) fn next_or_comment(&mut self) -> Token<'t> {
        let blank = |c: char| c == ' ' || c == '\t' || c == '\r';
        self.take(|c, _| blank(c));
        let (line, column) = (self.line, self.column);
        let mut chars = self.rest.chars();
        let (first, second) = (chars.next(), chars.next());
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let (kind, text) = match first {
            None => (Kind::End, ""),
            Some('/') if second == Some('/') => (Kind::Comment, self.take(|c, _| c != '\n')),
            Some('\n') => {
                let text = self.take(|_, i| i == 0);
                self.line += 1;
                self.column = 1;
                (Kind::NewLine, text)
            }
            Some('%') => (Kind::Register, &self.take(|c, i| i == 0 || word(c))[1..]),
            Some('-') | Some('0'..='9') if digit(first) || digit(second) => {
                (Kind::Number, self.take(number()))
            }
            Some('-') => (Kind::Number, self.take(|c, i| i == 0 || word(c))),
            Some('(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=' | '@') => {
                (Kind::Sign, self.take(|_, i| i == 0))
            }
            Some(c) if word(c) => (Kind::Name, self.take(|c, _| word(c) || c == '.')),
            Some(_) => (Kind::Stray, self.take(|_, i| i == 0)),
        };
        Token { kind, text, line, column }
    }

    /// Takes characters while `go` says so; it is given each with its number.
    fn take(&mut self, mut go: impl FnMut(char, usize) -> bool) -> &'t str {
        let mut count = 0;
        let end = self.rest.char_indices().find(|&(_, c)| {
            let stop = !go(c, count);
            count += usize::from(!stop);
            stop
        });
        let end = end.map_or(self.rest.len(), |(at, _)| at);
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.column += count;
        text
    }
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The characters of a number: a sign may follow an `e`.
fn number() -> impl FnMut(char, usize) -> bool {
    let mut last = ' ';
    move |c, i| {
        let sign = (c == '-' || c == '+') && (i == 0 || last == 'e' || last == 'E');
        last = c;
        sign || c.is_ascii_alphanumeric() || c == '.'
    }
}
