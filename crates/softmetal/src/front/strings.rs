//! Strings in expressions: MSL has them in `constant` memory, OpenCL in an address space of its own.

use super::items::{Item, ItemKind};
use super::rewrite::Edits;
use super::token::{Kind, Source};

/// Wraps every string that is passed on as a pointer. An array's initializer is a string as it is.
pub(crate) fn rewrite(source: &Source, items: &[Item], edits: &mut Edits) {
    for item in items {
        let ItemKind::Function { body: Some(body), .. } = &item.kind else {
            continue;
        };
        let is_string = |i: usize| body.contains(&i) && source.tokens[i].kind == Kind::Str;
        for i in body.clone().filter(|&i| is_string(i) && !is_string(i - 1)) {
            let last = (i..body.end).take_while(|&k| is_string(k)).last().unwrap_or(i);
            let before = source.text(i - 1);
            let pointer = before == "=" && source.is_ident(i - 2);
            if (matches!(before, "(" | "," | "return" | "?" | ":") || pointer)
                && !is_for_the_compiler(source, i, body.start)
            {
                edits.insert(source.tokens[i].start, "__sm_string(");
                edits.insert(source.tokens[last].end, ")");
            }
        }
    }
}

/// `static_assert(x, "…")`, `__attribute__((annotate("…")))`, `[[deprecated("…")]]`, `sizeof("…")`
fn is_for_the_compiler(source: &Source, at: usize, start: usize) -> bool {
    let mut k = at;
    while k > start {
        k -= 1;
        match source.text(k) {
            ")" | "]" | "}" => k = source.mate(k).unwrap_or(k),
            ";" | "{" => return false,
            "[" if source.is_attribute(k) => return true,
            "(" => {
                let callee = source.text(k - 1);
                let words = ["static_assert", "asm", "__asm", "__asm__", "__attribute__", "sizeof"];
                if words.contains(&callee) || callee.starts_with("__builtin") {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
