//! Integers that have names: enumerators, and constants outside of functions. An attribute such as
//! `[[buffer(kInput)]]` may use them.

use super::attributes::evaluate;
use super::token::Source;
use std::collections::HashMap;
use std::ops::Range;

/// Names and their values. A name that means two things is left out.
pub(crate) type Integers = HashMap<String, i64>;

/// Whether a word is an integer type, or part of the name of one.
pub(super) fn is_integer_type(word: &str) -> bool {
    let plain = word.strip_suffix("_t").unwrap_or(word);
    let plain = plain.strip_prefix('u').unwrap_or(plain);
    matches!(plain, "int8" | "int16" | "int32" | "int64" | "int" | "short" | "char" | "long")
        || matches!(word, "unsigned" | "signed" | "size_t")
}

/// Reads all of them, in order: a value may use what is declared above it.
pub(super) fn named(source: &Source) -> Integers {
    let mut out = Found::default();
    for i in 0..source.tokens.len() {
        match source.text(i) {
            "enum" => enumerators(source, i + 1, &mut out),
            "constant" | "constexpr" => constant(source, i + 1, &mut out),
            _ => {}
        }
    }
    out.known
}

#[derive(Default)]
struct Found {
    known: Integers,
    /// Names with more than one meaning.
    twice: Vec<String>,
}

impl Found {
    fn add(&mut self, name: &str, value: i64) {
        if self.twice.iter().any(|t| t == name) {
            return;
        }
        if self.known.insert(name.into(), value).is_some_and(|old| old != value) {
            self.known.remove(name);
            self.twice.push(name.into());
        }
    }
}

/// `enum name : type { a, b = 4 }`. Those of `enum class` do not become integers by themselves.
fn enumerators(source: &Source, at: usize, out: &mut Found) {
    if matches!(source.text(at), "class" | "struct") {
        return;
    }
    let open = (at..source.tokens.len()).find(|&k| matches!(source.text(k), "{" | ";" | "(" | ")"));
    let Some(open) = open.filter(|&k| source.is(k, "{")) else {
        return;
    };
    let Some(close) = source.mate(open) else {
        return;
    };
    let mut next = Some(0);
    let mut k = open + 1;
    while k < close {
        let name = k;
        let end = end_of_value(source, name + 1, close);
        if source.is(name + 1, "=") {
            next = evaluate(source, name + 2..end, &out.known);
        }
        if let (Some(value), true) = (next, source.is_ident(name)) {
            out.add(source.text(name), value);
        }
        next = next.and_then(|n| n.checked_add(1));
        k = end + 1;
    }
}

/// `constant int name = 4;`
fn constant(source: &Source, mut at: usize, out: &mut Found) {
    let mut integer = false;
    while source.is_ident(at) && source.is_ident(at + 1) {
        integer |= is_integer_type(source.text(at));
        at += 1;
    }
    if !integer || !source.is_ident(at) || !source.is(at + 1, "=") {
        return;
    }
    let end = end_of_value(source, at + 2, source.tokens.len());
    if let Some(value) = evaluate(source, at + 2..end, &out.known) {
        out.add(source.text(at), value);
    }
}

/// The comma or semicolon after a value, or `end`.
fn end_of_value(source: &Source, at: usize, end: usize) -> usize {
    let mut k = at;
    while k < end && !matches!(source.text(k), "," | ";") {
        k = match source.text(k) {
            "(" | "[" | "{" => source.mate(k).map_or(end, |m| m + 1),
            _ => k + 1,
        };
    }
    k.min(end)
}

/// Where a type in parentheses or angles that is an integer's ends: `(int)`, `<uint>`.
pub(super) fn is_integer(source: &Source, tokens: Range<usize>) -> bool {
    !tokens.is_empty() && tokens.clone().all(|k| is_integer_type(source.text(k)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerators_and_constants_have_values() {
        let s = Source::new(
            "enum A { a, b = 4, c, d = b | 8, }; enum : uint { e = A::c + 1 }; enum class B { f };\n\
             constant int g = (int)d; constexpr constant uint16_t h = static_cast<uint>(g) * 2;\n\
             constant float i = 1; constant int twice = 1; constant int twice = 2; enum Q;\n\
             constant int j [[function_constant(0)]]; enum { k = unknown(), l };"
                .into(),
        );
        let mut all: Vec<_> = s.integers.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        all.sort();
        let want = [("a", 0), ("b", 4), ("c", 5), ("d", 12), ("e", 6), ("g", 12), ("h", 24)];
        assert_eq!(all, want);
    }

    #[test]
    fn broken_text_never_panics() {
        for text in [
            "enum",
            "enum {",
            "enum { a = }",
            "constant",
            "constant int",
            "enum { a = (",
            "constant int a = ",
        ] {
            Source::new(text.into());
        }
    }
}
