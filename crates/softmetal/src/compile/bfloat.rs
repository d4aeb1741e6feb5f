//! `bfloat` where the GPU has none.

use crate::diagnostic::{Diagnostic, Severity};
use crate::front::{Lines, Source};

const NAMES: [&str; 5] = ["bfloat", "bfloat2", "bfloat3", "bfloat4", "packed_bfloat4"];

/// Refuses the first use.
pub(super) fn refuse(source: &Source, lines: &dyn Lines) -> Result<(), Vec<Diagnostic>> {
    let Some(at) = (0..source.tokens.len()).find(|&i| NAMES.contains(&source.text(i))) else {
        return Ok(());
    };
    let token = &source.tokens[at];
    let file = source.files.get(token.file).cloned().unwrap_or_default();
    let source_line = lines.line(&file, token.line);
    let column = source_line.as_ref().and_then(|l| l.find(source.text(at))).map_or(1, |c| c + 1);
    Err(vec![Diagnostic {
        line: token.line,
        column,
        severity: Severity::Error,
        message: format!("'{}' is not there on this GPU", source.text(at)),
        source_line,
        file,
    }])
}
