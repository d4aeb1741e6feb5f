//! `[[ … ]]` attributes: reading them into names and arguments.

use super::integers::{Integers, is_integer, is_integer_type};
use super::token::Source;
use std::ops::Range;

/// One attribute: `buffer(3)` is `("buffer", tokens of 3)`.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) args: Range<usize>,
    pub(crate) at: usize,
}

/// Reads the attribute list that starts at `i`; the second value is the index after it.
pub(crate) fn read(source: &Source, i: usize) -> (Vec<Attribute>, usize) {
    let mut out = Vec::new();
    let (Some(outer), Some(inner)) = (source.mate(i), source.mate(i + 1)) else {
        return (out, i + 1);
    };
    let mut k = i + 2;
    while k < inner {
        if source.is_ident(k) {
            let at = k;
            // `metal::buffer(0)`: the last part is the name.
            while source.is(k + 1, "::") && source.is_ident(k + 2) {
                k += 2;
            }
            let name = source.text(k).to_string();
            let mut args = k..k;
            if source.is(k + 1, "(")
                && let Some(close) = source.mate(k + 1)
            {
                args = k + 2..close;
                k = close;
            }
            out.push(Attribute { name, args, at });
        }
        k += 1;
    }
    (out, outer + 1)
}

/// Evaluates an integer expression of literals, names of constants, casts to integers,
/// `+ - * / % << >> | &` and parentheses.
pub(crate) fn integer(source: &Source, tokens: Range<usize>) -> Option<i64> {
    evaluate(source, tokens, &source.integers)
}

/// The same with other names.
pub(super) fn evaluate(source: &Source, tokens: Range<usize>, names: &Integers) -> Option<i64> {
    let mut e = Expression { source, names, at: tokens.start, end: tokens.end };
    let value = e.binary(0)?;
    (e.at == tokens.end && !tokens.is_empty()).then_some(value)
}

struct Expression<'a> {
    source: &'a Source,
    names: &'a Integers,
    at: usize,
    end: usize,
}

impl Expression<'_> {
    fn operator(&self) -> Option<(&'static str, usize, usize)> {
        if self.at >= self.end {
            return None;
        }
        let twice = self.source.is(self.at + 1, self.source.text(self.at));
        Some(match self.source.text(self.at) {
            "|" => ("|", 1, 1),
            "&" => ("&", 2, 1),
            "<" if twice => ("<<", 3, 2),
            ">" if twice => (">>", 3, 2),
            "+" => ("+", 4, 1),
            "-" => ("-", 4, 1),
            "*" => ("*", 5, 1),
            "/" => ("/", 5, 1),
            "%" => ("%", 5, 1),
            _ => return None,
        })
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let mut left = self.unary()?;
        while let Some((op, strength, width)) = self.operator() {
            if strength <= level {
                break;
            }
            self.at += width;
            let right = self.binary(strength)?;
            left = match op {
                "|" => left | right,
                "&" => left & right,
                "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
                ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        if self.at >= self.end {
            return None;
        }
        match self.source.text(self.at) {
            "-" => {
                self.at += 1;
                self.unary()?.checked_neg()
            }
            "(" => {
                let close = self.source.mate(self.at)?;
                let inside = self.at + 1..close;
                self.at = close + 1;
                if is_integer(self.source, inside.clone()) {
                    return self.unary();
                }
                evaluate(self.source, inside, self.names)
            }
            "static_cast" if self.source.is(self.at + 1, "<") => {
                self.at = self.source.after_angles(self.at + 1, self.end)?;
                self.unary()
            }
            word if is_integer_type(word) && self.source.is(self.at + 1, "(") => {
                self.at += 1;
                self.unary()
            }
            _ if self.source.is_ident(self.at) => {
                // `Index::input`: the last part is the name.
                while self.source.is(self.at + 1, "::") {
                    self.at += 2;
                }
                self.at += 1;
                self.names.get(self.source.text(self.at - 1)).copied()
            }
            text => {
                let digits = text.trim_end_matches(['u', 'U', 'l', 'L']).replace('\'', "");
                self.at += 1;
                let based = |prefix: &str| {
                    digits.to_ascii_lowercase().strip_prefix(prefix).map(str::to_string)
                };
                let (base, digits) = match (based("0x"), based("0b")) {
                    (Some(hex), _) => (16, hex),
                    (_, Some(binary)) => (2, binary),
                    _ if digits.starts_with('0') && digits.len() > 1 => (8, digits),
                    _ => (10, digits),
                };
                i64::from_str_radix(&digits, base).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_their_arguments() {
        let s = Source::new("[[buffer(300 + 4), function_constant(has_x)]] x".into());
        let (list, after) = read(&s, 0);
        assert_eq!(list[0].name, "buffer");
        assert_eq!(integer(&s, list[0].args.clone()), Some(304));
        assert_eq!(s.joined(list[1].args.clone()), "has_x");
        assert!(s.is(after, "x"));
    }

    #[test]
    fn integers() {
        for (text, want) in [
            ("1 + 2 * 3", Some(7)),
            ("(1 << 4) | 3", Some(19)),
            ("0x10u - 1", Some(15)),
            ("10 - 2 - 3", Some(5)),
            ("010 + 0b11", Some(11)),
            ("WM * 32", None),
            ("1 / 0", None),
            ("", None),
            ("1 +", None),
        ] {
            let s = Source::new(text.into());
            assert_eq!(integer(&s, 0..s.tokens.len()), want, "{text}");
        }
    }
}
