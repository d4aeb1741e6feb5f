//! `uint4 v = {a, b, c}`: the elements that are left out are zero. A class has no way to tell this
//! from `uint4(a, b, c)`, which is refused, so it becomes a call.

use super::rewrite::Edits;
use super::token::{Kind, Source};

pub(crate) fn rewrite(source: &Source, edits: &mut Edits) {
    for i in 0..source.tokens.len() {
        let Some(width) = width(source.text(i)) else { continue };
        let opens = source.is_ident(i + 1) && source.is(i + 2, "=") && source.is(i + 3, "{");
        let Some(close) = opens.then(|| source.mate(i + 3)).flatten() else { continue };
        let Some(count) = elements(source, i + 4, close).filter(|n| *n > 1 && *n < width) else {
            continue;
        };
        // Numbers stay a list, as tables of constants have them.
        let plain =
            |k| matches!(source.text(k), "," | "-") || source.tokens[k].kind == Kind::Number;
        if (i + 4..close).all(plain) {
            edits.insert(source.tokens[close].start, ", 0".repeat(width - count));
        } else {
            let call = format!("metal::__sm_braced<{}>(", source.text(i));
            edits.replace(source.span(i + 3..i + 4), call);
            edits.replace(source.span(close..close + 1), ")");
        }
    }
}

/// How many elements a vector has, by its name.
fn width(name: &str) -> Option<usize> {
    let (stem, digit) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let scalar = matches!(
        stem,
        "float"
            | "half"
            | "bfloat"
            | "int"
            | "uint"
            | "short"
            | "ushort"
            | "char"
            | "uchar"
            | "long"
            | "ulong"
            | "bool"
    );
    digit.parse().ok().filter(|n| scalar && (2..=4).contains(n))
}

/// How many initialisers there are; `None` if some are lists of their own.
fn elements(source: &Source, from: usize, to: usize) -> Option<usize> {
    let (mut count, mut i) = (1, from);
    while i < to {
        match source.text(i) {
            "{" => return None,
            "(" | "[" => i = source.mate(i)?,
            "," => count += 1,
            _ => {}
        }
        i += 1;
    }
    Some(count)
}
