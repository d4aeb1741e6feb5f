//! One value formatted: sign, width, precision and type, as `%5.1f` and `{:>10}` ask for.

use crate::{
    error::{Result, fail},
    value::{TextBuilder, Value, write_str},
};
use std::rc::Rc;

/// What a format asks for.
#[derive(Clone, Default)]
pub(super) struct Spec {
    pub(super) fill: Option<char>,
    /// `<`, `>`, `^` or `=`.
    pub(super) align: Option<char>,
    /// `+`, `-` or a space.
    pub(super) sign: Option<char>,
    pub(super) alternate: bool,
    pub(super) zero: bool,
    pub(super) width: usize,
    /// `,` or `_`.
    pub(super) grouping: Option<char>,
    pub(super) precision: Option<usize>,
    pub(super) kind: Option<char>,
}

/// The most digits of a number; a float has no more than 1,100 that are not zero.
const DIGITS: usize = 10_000;

impl Spec {
    /// Writes a value.
    pub(super) fn write(&self, out: &mut TextBuilder, value: &Value) -> Result<()> {
        match (self.kind, value) {
            (Some('s') | None, Value::Text(_)) => {
                if self.sign.is_some() || self.grouping.is_some() || self.align == Some('=') {
                    return fail("a format with a sign, '=' or ',' cannot take a str");
                }
                self.text(out, value)
            }
            (Some('s'), _) => fail(format!("the format 's' cannot take a {}", value.kind())),
            (_, Value::Float(x)) => self.float(out, *x),
            (Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%'), _) => match value.as_float() {
                Some(x) => self.float(out, x),
                None => self.refuse(value),
            },
            _ => match value.as_int() {
                Some(_) if self.precision.is_some() => fail("a precision cannot take an int"),
                Some(x) => self.integer(out, x),
                None => self.refuse(value),
            },
        }
    }

    fn refuse(&self, value: &Value) -> Result<()> {
        let kind = self.kind.unwrap_or('s');
        fail(format!("the format '{kind}' cannot take a {}", value.kind()))
    }

    /// Writes what `str()` gives, cut off at the precision.
    pub(super) fn text(&self, out: &mut TextBuilder, value: &Value) -> Result<()> {
        let mut whole = TextBuilder::new(&Rc::clone(out.meter()))?;
        write_str(&mut whole, value)?;
        self.cut(out, whole.as_str())
    }

    /// Writes a text, cut off at the precision.
    pub(super) fn cut(&self, out: &mut TextBuilder, text: &str) -> Result<()> {
        out.meter().scan(text.len())?;
        let cut = self.precision.and_then(|chars| text.char_indices().nth(chars));
        self.padded(out, "", cut.map_or(text, |(end, _)| &text[..end]), '<')
    }

    pub(super) fn integer(&self, out: &mut TextBuilder, number: i128) -> Result<()> {
        let size = number.unsigned_abs();
        let (digits, prefix) = match self.kind {
            None | Some('d' | 'i' | 'u' | 'n') => (size.to_string(), ""),
            Some('x') => (format!("{size:x}"), "0x"),
            Some('X') => (format!("{size:X}"), "0X"),
            Some('o') => (format!("{size:o}"), "0o"),
            Some('b') => (format!("{size:b}"), "0b"),
            Some('c') => {
                let c = u32::try_from(number).ok().and_then(char::from_u32);
                return match c {
                    Some(c) => self.padded(out, "", &c.to_string(), '<'),
                    None => fail(format!("{number} is not a character")),
                };
            }
            Some(kind) => return fail(format!("unknown format '{kind}'")),
        };
        let prefix = if self.alternate { prefix } else { "" };
        let front = format!("{}{prefix}", self.sign_of(number < 0));
        self.padded(out, &front, &self.grouped(digits), '>')
    }

    fn sign_of(&self, negative: bool) -> &'static str {
        match (negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        }
    }

    pub(super) fn float(&self, out: &mut TextBuilder, number: f64) -> Result<()> {
        out.meter().scan(self.precision.unwrap_or(6).min(DIGITS) + 100)?;
        let size = number.abs();
        let precision = self.precision.unwrap_or(6);
        if precision > DIGITS {
            return fail(format!("a precision of {precision} is more than {DIGITS}"));
        }
        let percent = self.kind == Some('%');
        let mut digits = match self.kind {
            _ if !size.is_finite() => if size.is_nan() { "nan" } else { "inf" }.to_owned(),
            Some('f' | 'F') => format!("{size:.precision$}"),
            Some('%') => format!("{:.precision$}", size * 100.0),
            Some('e' | 'E') => exponent(&format!("{size:.precision$e}")),
            Some('g' | 'G' | 'n') => general(size, precision, self.alternate),
            None if self.precision.is_none() => crate::value::float(size),
            None => {
                let digits = general(size, precision, false);
                match digits.contains(['.', 'e']) {
                    true => digits,
                    false => digits + ".0",
                }
            }
            Some(kind) => return fail(format!("the format '{kind}' cannot take a float")),
        };
        if percent {
            digits.push('%');
        }
        if matches!(self.kind, Some('E' | 'G' | 'F')) {
            digits = digits.to_uppercase();
        }
        let negative = number.is_sign_negative() && !number.is_nan();
        self.padded(out, self.sign_of(negative), &self.grouped(digits), '>')
    }

    /// Digits with a mark between every three.
    fn grouped(&self, digits: String) -> String {
        let Some(mark) = self.grouping else { return digits };
        let end = digits.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(digits.len());
        let every = if matches!(self.kind, Some('x' | 'X' | 'o' | 'b')) { 4 } else { 3 };
        let mut out = String::with_capacity(2 * digits.len());
        for (at, c) in digits.char_indices() {
            if at > 0 && at < end && (end - at).is_multiple_of(every) {
                out.push(mark);
            }
            out.push(c);
        }
        out
    }

    /// Writes a text with padding; what is in `front` stays in front of zeros.
    fn padded(&self, out: &mut TextBuilder, front: &str, text: &str, align: char) -> Result<()> {
        let chars = front.len() + text.chars().count();
        let pad = self.width.saturating_sub(chars);
        let numeric = align == '>';
        let zeros = self.zero && self.align.is_none();
        let fill = self.fill.unwrap_or(if zeros { '0' } else { ' ' });
        let align = self.align.unwrap_or(if zeros && numeric { '=' } else { align });
        let mut buffer = [0; 4];
        let fill: &str = fill.encode_utf8(&mut buffer);
        let (left, middle, right) = match align {
            '<' => (0, 0, pad),
            '^' => (pad / 2, 0, pad - pad / 2),
            '=' => (0, pad, 0),
            _ => (pad, 0, 0),
        };
        out.repeat(fill, left)?;
        out.push_str(front)?;
        out.repeat(fill, middle)?;
        out.push_str(text)?;
        out.repeat(fill, right)
    }
}

/// Rust's exponent as Python has it: a sign and at least two digits.
fn exponent(text: &str) -> String {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let number: i32 = exponent.parse().unwrap_or(0);
    let sign = if number < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", number.abs())
}

/// `%g`: this many digits, in the shorter of both forms.
fn general(number: f64, precision: usize, alternate: bool) -> String {
    let precision = precision.max(1);
    let scientific = format!("{number:.*e}", precision - 1);
    let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| match text.contains('.') && !alternate {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if power < -4 || power >= precision as i32 {
        let (digits, rest) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        return exponent(&format!("{}e{rest}", trim(digits)));
    }
    let decimals = (precision as i32 - 1 - power).max(0) as usize;
    trim(&format!("{number:.decimals$}"))
}
