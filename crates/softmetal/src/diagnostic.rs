//! Messages about source: where, what, and the line they speak of.

use std::fmt;

/// How serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The source cannot be used.
    Error,
    /// More about the error before it.
    Note,
}

/// One message about one place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as it was named when the library was made.
    pub file: String,
    /// Line, from 1; 0 when the message is about no line.
    pub line: usize,
    /// Column, from 1; 0 when unknown.
    pub column: usize,
    /// Error or note.
    pub severity: Severity,
    /// What is wrong, in MSL's terms.
    pub message: String,
    /// The source line, if it is at hand.
    pub source_line: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Note => "note",
        };
        if self.line == 0 {
            return write!(f, "{}: {severity}: {}", self.file, self.message);
        }
        write!(f, "{}:{}:{}: {severity}: {}", self.file, self.line, self.column, self.message)?;
        if let Some(line) = &self.source_line {
            write!(f, "\n{line}\n{}^", " ".repeat(self.column.saturating_sub(1)))?;
        }
        Ok(())
    }
}

/// Finds where a token of a rewritten line stands in the line the user wrote.
///
/// Preprocessing squeezes blanks and rewriting renames, so the column is found again by the
/// token: the nth occurrence there is the nth occurrence here.
pub(crate) fn original_column(original: &str, rewritten: &str, offset: usize) -> usize {
    let first = original.find(|c: char| !c.is_whitespace()).unwrap_or(0) + 1;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let Some(tail) = rewritten.get(offset..) else {
        return first;
    };
    let mut token: String = tail.chars().take_while(|&c| word(c)).collect();
    if token.is_empty() {
        token = tail.chars().take(1).collect();
    }
    let token = token.strip_prefix("__sm_").unwrap_or(&token).to_string();
    if token.trim().is_empty() {
        return first;
    }
    let starts = |line: &str| -> Vec<usize> {
        line.match_indices(&token)
            .filter(|(at, _)| {
                let before = line[..*at].trim_end_matches("__sm_").chars().next_back();
                let after = line[at + token.len()..].chars().next();
                !token.starts_with(word) || !(before.is_some_and(word) || after.is_some_and(word))
            })
            .map(|(at, _)| at)
            .collect()
    };
    let nth = starts(rewritten).iter().filter(|&&at| at < offset).count();
    let here = starts(original);
    here.get(nth).or(here.last()).map_or(first, |&at| original[..at].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_survive_squeezed_blanks() {
        let original = "    device   float *p = q + p;";
        let rewritten = "    __sm_device float *p = q + p;";
        let at = rewritten.rfind('p').unwrap();
        assert_eq!(original_column(original, rewritten, at), original.rfind('p').unwrap() + 1);
        assert_eq!(original_column(original, rewritten, 4), 5);
        assert_eq!(original_column("  X(1)", "  foo(1)", 2), 3);
        assert_eq!(original_column("", "abc", 99), 1);
    }
}
