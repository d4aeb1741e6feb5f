//! The layout of texts. It works on words and comments, not on programs: names and comments stay.

use super::{
    lexer::{Kind, Lexer, Token},
    parser::{self, MAX_TEXT},
};
use crate::{Error, Result};

/// The widest first line before each parameter gets a line of its own.
const WIDTH: usize = 100;

pub(super) fn format(file: &str, text: &str) -> Result<String> {
    // Only sound programs are formatted, so the layout below may rely on their grammar.
    parser::parse(file, text)?;
    let mut lexer = Lexer::new(text);
    let tokens: Vec<Token<'_>> = std::iter::from_fn(|| Some(lexer.next_or_comment()))
        .take_while(|token| token.kind != Kind::End)
        .filter(|token| token.kind != Kind::NewLine)
        .collect();
    let formatted = Layout::default().program(&tokens);
    if formatted.len() > MAX_TEXT {
        let what = format!(
            "the text has {} bytes when it is formatted; at most {MAX_TEXT} are supported",
            formatted.len()
        );
        return Err(Error::Text { file: file.to_owned(), line: 1, column: 1, what });
    }
    Ok(formatted)
}

/// The text so far, and the line that is being made.
#[derive(Default)]
struct Layout<'t> {
    out: String,
    depth: usize,
    line: String,
    comment: Option<&'t str>,
    /// Whether a blank line comes before this one.
    blank: bool,
    /// Whether the line before this one opened a block.
    opened: bool,
    /// The last two words, the last one first.
    last: [Option<Token<'t>>; 2],
}

impl<'t> Layout<'t> {
    fn program(mut self, tokens: &[Token<'t>]) -> String {
        let sign = |sign| tokens.iter().position(|token| is(Some(token), sign));
        // Every program has a list of parameters, even if it is empty.
        let (open, close) = (sign("(").unwrap_or(0), sign(")").unwrap_or(0));
        for token in &tokens[..=open] {
            self.add(*token);
        }
        self.params(&tokens[open + 1..close]);
        for token in &tokens[close..] {
            self.add(*token);
        }
        self.end_line();
        self.out
    }

    /// Adds a word or a comment, on a new line where one is due.
    fn add(&mut self, token: Token<'t>) {
        let last = self.last[0];
        let comment = token.kind == Kind::Comment;
        let same_line = last.is_some_and(|last| last.line == token.line);
        let goes_on = match last {
            _ if is(Some(&token), "}") => false,
            last if is(last.as_ref(), "{") => comment && same_line,
            last if is(last.as_ref(), "}") => same_line && (comment || token.text == "else"),
            // The list of parameters may have ended on another line than it began.
            _ if is(Some(&token), ")") => true,
            _ => same_line,
        };
        if !goes_on {
            self.end_line();
            let gap = last.is_some_and(|last| token.line > last.line + 1);
            self.blank = gap && !self.opened && !is(Some(&token), "}");
        }
        if is(Some(&token), "}") {
            self.depth -= 1;
        }
        self.put(token);
    }

    /// Adds a word or a comment to the line.
    fn put(&mut self, token: Token<'t>) {
        if token.kind == Kind::Comment {
            self.comment = Some(token.text.trim_end());
        } else {
            if !self.line.is_empty() && self.spaced(&token) {
                self.line.push(' ');
            }
            if token.kind == Kind::Register {
                self.line.push('%');
            }
            self.line.push_str(token.text);
        }
        self.last = [Some(token), self.last[0]];
    }

    /// Whether a space comes between the last word and `next`.
    fn spaced(&self, next: &Token<'_>) -> bool {
        let [last, before] = &self.last;
        let tight = |token: Option<&Token<'_>>, signs: &[&str]| {
            token.is_some_and(|t| t.kind == Kind::Sign && signs.contains(&t.text))
        };
        // `nan:7fc00001` is one number.
        let nan = before
            .is_some_and(|token| token.kind == Kind::Name && matches!(token.text, "nan" | "nan64"));
        let joined = tight(Some(next), &[",", ":", "[", "]", "(", ")"])
            || tight(last.as_ref(), &["[", "("])
            || nan && tight(last.as_ref(), &[":"]);
        !joined
    }

    fn end_line(&mut self) {
        if self.line.is_empty() && self.comment.is_none() {
            return;
        }
        if self.blank {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', 4 * self.depth));
        self.out.push_str(&self.line);
        if let Some(comment) = self.comment.take() {
            self.out.push_str(if self.line.is_empty() { "" } else { " " });
            self.out.push_str(comment);
        }
        self.out.push('\n');
        self.blank = false;
        self.opened = self.line.ends_with(['{', '(']);
        self.depth += usize::from(self.opened);
        self.line.clear();
    }

    /// Adds the parameters: to the first line if they fit there and have no comments, else one per line.
    fn params(&mut self, tokens: &[Token<'t>]) {
        let comments = tokens.iter().any(|token| token.kind == Kind::Comment);
        let words = match tokens {
            [words @ .., last] if is(Some(last), ",") => words,
            words => words,
        };
        let before = (self.line.len(), self.last);
        if !comments {
            words.iter().for_each(|token| self.put(*token));
            if self.line.chars().count() + ") {".len() <= WIDTH {
                return;
            }
            self.line.truncate(before.0);
            self.last = before.1;
        }
        for (i, token) in tokens.iter().enumerate() {
            if is(Some(token), ",") {
                continue;
            }
            let last = if i == 0 { before.1[0] } else { Some(tokens[i - 1]) };
            let gap = last.map_or(0, |last| token.line - last.line);
            let starts = match token.kind {
                Kind::Comment => gap > 0 || self.comment.is_some(),
                _ => last.is_none_or(|last| {
                    last.kind == Kind::Comment || is(Some(&last), ",") || is(Some(&last), "(")
                }),
            };
            if starts {
                self.end_param();
                self.blank = gap > 1 && !self.opened;
            }
            self.put(*token);
        }
        self.end_param();
        self.depth -= 1;
    }

    /// Ends the line of a parameter, or that of the parenthesis before the first one.
    fn end_param(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with('(') {
            self.line.push(',');
        }
        self.end_line();
    }
}

fn is(token: Option<&Token<'_>>, sign: &str) -> bool {
    token.is_some_and(|token| token.kind == Kind::Sign && token.text == sign)
}
