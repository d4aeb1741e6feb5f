//! The tokens of a template.

/// One token, and where it begins.
#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) line: u32,
    pub(crate) at: usize,
}

#[derive(Clone, PartialEq)]
pub(crate) enum Kind {
    /// Text between tags.
    Data(String),
    /// `{{`.
    PrintBegin,
    /// `}}`.
    PrintEnd,
    /// `{%`.
    TagBegin,
    /// `%}`.
    TagEnd,
    Name(String),
    Text(String),
    Int(i128),
    Float(f64),
    /// An operator or bracket.
    Symbol(&'static str),
    End,
}

impl Kind {
    /// How an error names it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Kind::Data(_) => "text".to_owned(),
            Kind::PrintBegin => "'{{'".to_owned(),
            Kind::PrintEnd => "'}}'".to_owned(),
            Kind::TagBegin => "'{%'".to_owned(),
            Kind::TagEnd => "'%}'".to_owned(),
            Kind::Name(name) => format!("'{}'", crate::error::clip(name, 80)),
            Kind::Text(_) => "a string".to_owned(),
            Kind::Int(x) => x.to_string(),
            Kind::Float(x) => x.to_string(),
            Kind::Symbol(symbol) => format!("'{symbol}'"),
            Kind::End => "the end of the template".to_owned(),
        }
    }

    pub(crate) fn is_name(&self, name: &str) -> bool {
        matches!(self, Kind::Name(found) if found == name)
    }

    pub(crate) fn is(&self, symbol: &str) -> bool {
        matches!(self, Kind::Symbol(found) if *found == symbol)
    }
}

/// All operators, the longest first.
pub(crate) const SYMBOLS: [&str; 26] = [
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}",
    ">", "<", "=", ".", ":", "|", ",", ";",
];
