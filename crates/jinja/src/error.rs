//! The one error type: where in the template, and what is wrong. No message is longer than
//! [`LONGEST`] bytes, whatever the template put into it.

use std::fmt;

/// The longest message, in bytes.
const LONGEST: usize = 1000;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a template could not be read or rendered.
///
/// ```
/// use bessemer_jinja::{ErrorKind, Template};
///
/// let error = Template::new("a\n{{ 1 + }}").unwrap_err();
/// assert_eq!((error.kind(), error.line()), (ErrorKind::Syntax, Some(2)));
/// assert_eq!(error.to_string(), "line 2, column 8: expected an expression, found '}}'");
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", place(.0), .0.message)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    /// 0 if not known.
    line: u32,
    column: u32,
    message: String,
}

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The template does not parse.
    Syntax,
    /// An operation failed: a wrong type, something undefined, a division by zero.
    Runtime,
    /// The template called `raise_exception`; the message is its own.
    Raised,
    /// One of the [`Limits`](crate::Limits) was reached.
    Limit,
    /// The cancel flag was set.
    Cancelled,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let message = clip(&message.into(), LONGEST);
        Error(Box::new(Inner { kind, line: 0, column: 0, message }))
    }

    pub(crate) fn runtime(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Runtime, message)
    }

    pub(crate) fn limit(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Limit, message)
    }

    pub(crate) fn syntax(line: u32, column: u32, message: impl Into<String>) -> Error {
        let mut error = Error::new(ErrorKind::Syntax, message);
        (error.0.line, error.0.column) = (line, column);
        error
    }

    /// Sets the line, unless one is known: the innermost place is the one to name.
    pub(crate) fn at(mut self, line: u32) -> Error {
        if self.0.line == 0 {
            self.0.line = line;
        }
        self
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The line of the template, from 1, if it is known.
    pub fn line(&self) -> Option<u32> {
        (self.0.line > 0).then_some(self.0.line)
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())
    }
}

fn place(inner: &Inner) -> String {
    match (inner.line, inner.column) {
        (0, _) => String::new(),
        (line, 0) => format!("line {line}: "),
        (line, column) => format!("line {line}, column {column}: "),
    }
}

/// The text, cut off at `longest` bytes or a little before.
pub(crate) fn clip(text: &str, longest: usize) -> String {
    match text.len() > longest {
        true => format!("{}…", &text[..text.floor_char_boundary(longest)]),
        false => text.to_owned(),
    }
}

pub(crate) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::runtime(message))
}
