//! `c ? a : b` with vectors in different address spaces: OpenCL finds no common type, so each
//! side is made a value first.

use super::rewrite::Edits;
use super::token::{Kind, Source};
use std::ops::Range;

/// Wraps the sides of every conditional expression.
pub(crate) fn rewrite(source: &Source, edits: &mut Edits) {
    for i in 0..source.tokens.len() {
        if !source.is(i, "?") || is_statement(source, i) {
            continue;
        }
        let Some(colon) = colon(source, i) else {
            continue;
        };
        for side in [i + 1..colon, colon + 1..end(source, colon + 1)] {
            wrap(source, side, edits);
        }
    }
}

fn wrap(source: &Source, side: Range<usize>, edits: &mut Edits) {
    let literal = side.len() == 1 && source.tokens[side.start].kind != Kind::Ident;
    if side.is_empty() || literal || source.is(side.start, "nullptr") || source.is(side.start, "{")
    {
        return;
    }
    let bytes = source.span(side);
    edits.insert(bytes.start, "__sm_val(");
    edits.insert(bytes.end, ")");
}

/// A conditional that is a whole statement may have sides of type void.
fn is_statement(source: &Source, question: usize) -> bool {
    let mut k = question;
    while k > 0 {
        k -= 1;
        match source.text(k) {
            ")" | "]" => k = source.mate(k).unwrap_or(k),
            ";" | "{" | "}" => return true,
            "=" | "return" | "(" | "[" | "," | ":" | "?" => return false,
            _ => {}
        }
    }
    true
}

/// The index after token `k`, brackets and template arguments taken whole.
fn step(source: &Source, k: usize) -> usize {
    match source.text(k) {
        "(" | "[" | "{" => source.mate(k).unwrap_or(k) + 1,
        "<" if k > 0 && source.is_ident(k - 1) => match source.after_angles(k, source.tokens.len())
        {
            Some(after) if matches!(source.text(after), "(" | "{" | "::") => after,
            _ => k + 1,
        },
        _ => k + 1,
    }
}

fn colon(source: &Source, question: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut k = question + 1;
    while k < source.tokens.len() {
        match source.text(k) {
            "?" => depth += 1,
            ":" if depth == 0 => return Some(k),
            ":" => depth -= 1,
            ";" | ")" | "]" | "}" => return None,
            _ => {}
        }
        k = step(source, k);
    }
    None
}

/// Where the third operand ends.
fn end(source: &Source, start: usize) -> usize {
    let mut depth = 0usize;
    let mut k = start;
    while k < source.tokens.len() {
        match source.text(k) {
            "?" => depth += 1,
            ":" if depth > 0 => depth -= 1,
            ":" | ";" | "," | ")" | "]" | "}" => break,
            // The end of template arguments: a comparison would go on with an operand.
            ">" if matches!(source.text(k + 1), ";" | "," | ">" | "::" | "{" | ")") => break,
            _ => {}
        }
        k = step(source, k);
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_sides_but_not_literals_or_statements() {
        let s = Source::new("x = c ? a[i] : f<2, 3>(b, c), y = d ? 0 : e ? g : 1; p ? h() : k(); return (q ? r : s);".into());
        let mut edits = Edits::default();
        rewrite(&s, &mut edits);
        assert_eq!(
            edits.apply(&s.text),
            "x = c ? __sm_val(a[i]) : __sm_val(f<2, 3>(b, c)), y = d ? 0 : __sm_val(e ? __sm_val(g) : 1); \
             p ? h() : k(); return (q ? __sm_val(r) : __sm_val(s));"
        );
    }
}
