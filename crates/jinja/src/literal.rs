//! Numbers and strings in the source.

use crate::token::Kind;

/// A number at the start of `text`, and its length. After a dot there are only integers.
pub(crate) fn number(text: &str, after_dot: bool) -> Result<(Kind, usize), String> {
    if let Some(len) = float_len(text).filter(|_| !after_dot) {
        let digits = text[..len].replace('_', "");
        let number: f64 = digits.parse().map_err(|_| format!("{digits} is not a number"))?;
        return Ok((Kind::Float(number), len));
    }
    let lower = text.get(..2).unwrap_or("").to_ascii_lowercase();
    let (prefix, radix) = match lower.as_str() {
        "0b" => (2, 2),
        "0o" => (2, 8),
        "0x" => (2, 16),
        _ => (0, 10),
    };
    let zero = radix == 10 && text.starts_with('0');
    // A zero in front is a number by itself, as in Python.
    let is_digit = |c: char| if zero { c == '0' } else { c.is_digit(radix) };
    let len = prefix + digits_len(&text[prefix..], prefix > 0, is_digit);
    if len == prefix {
        return Ok((Kind::Int(0), 1));
    }
    let digits = text[prefix..len].replace('_', "");
    match i128::from_str_radix(&digits, radix) {
        Ok(number) => Ok((Kind::Int(number), len)),
        Err(_) => Err(format!("the integer has {} digits and is too large", digits.len())),
    }
}

/// Digits with single underscores between them.
fn digits_len(text: &str, underscore_first: bool, is_digit: impl Fn(char) -> bool) -> usize {
    let mut len = 0;
    let mut allowed = underscore_first;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_digit(c) {
            len += 1;
            allowed = true;
        } else if c == '_' && allowed && chars.peek().is_some_and(|&next| is_digit(next)) {
            len += 1;
            allowed = false;
        } else {
            break;
        }
    }
    len
}

/// The length of a float, which has a fraction or an exponent.
fn float_len(text: &str) -> Option<usize> {
    let digits =
        |at: usize| digits_len(text.get(at..)?, false, |c| c.is_ascii_digit()).checked_sub(0);
    let mut len = digits(0).filter(|&n| n > 0)?;
    let mut is_float = false;
    if text[len..].starts_with('.')
        && let Some(fraction) = digits(len + 1).filter(|&n| n > 0)
    {
        len += 1 + fraction;
        is_float = true;
    }
    if text[len..].starts_with(['e', 'E']) {
        let signed = usize::from(text[len + 1..].starts_with(['+', '-']));
        if let Some(exponent) = digits(len + 1 + signed).filter(|&n| n > 0) {
            len += 1 + signed + exponent;
            is_float = true;
        }
    }
    is_float.then_some(len)
}

/// A string at the start of `text`, and its length with the quotes.
pub(crate) fn string(text: &str) -> Result<(String, usize), String> {
    let mut chars = text.char_indices();
    let quote = chars.next().map_or('"', |(_, c)| c);
    let mut out = String::new();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Ok((out, at + c.len_utf8()));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some((_, c)) = chars.next() else { break };
        match c {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'a' => out.push('\x07'),
            'b' => out.push('\x08'),
            'f' => out.push('\x0c'),
            'v' => out.push('\x0b'),
            '\\' | '\'' | '"' => out.push(c),
            '\n' => {}
            'x' => out.push(code(&mut chars, 2)?),
            'u' => out.push(code(&mut chars, 4)?),
            'U' => out.push(code(&mut chars, 8)?),
            'N' => return Err("characters by name, \\N{...}, are not supported".to_owned()),
            '0'..='7' => {
                let mut number = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let mut ahead = chars.clone();
                    match ahead.next().and_then(|(_, c)| c.to_digit(8)) {
                        Some(digit) => {
                            number = number * 8 + digit;
                            chars = ahead;
                        }
                        None => break,
                    }
                }
                out.push(char::from_u32(number).unwrap_or('\0'));
            }
            // What means nothing stays as it is.
            c => out.extend(['\\', c]),
        }
    }
    Err("the string is not closed".to_owned())
}

fn code(chars: &mut std::str::CharIndices<'_>, digits: usize) -> Result<char, String> {
    let mut number = 0u32;
    for _ in 0..digits {
        let digit = chars.next().and_then(|(_, c)| c.to_digit(16));
        let digit = digit.ok_or_else(|| format!("an escape needs {digits} hexadecimal digits"))?;
        number = number.wrapping_mul(16).wrapping_add(digit);
    }
    char::from_u32(number).ok_or_else(|| format!("U+{number:04X} is not a character"))
}
