//! Literals of Python: a string or bytes, as a vocabulary file has one on each line.

/// The bytes that a literal such as `'\n'`, `"it's"` or `b'\xff'` stands for; the error says what is
/// wrong with it.
pub(super) fn bytes(literal: &str) -> Result<Vec<u8>, String> {
    let (is_bytes, quoted) = match literal.strip_prefix('b') {
        Some(quoted) => (true, quoted),
        None => (false, literal),
    };
    let quote = quoted.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let inner = quote.and_then(|quote| quoted[1..].strip_suffix(quote));
    let (Some(quote), Some(inner)) = (quote, inner) else {
        return Err(format!("has {literal}, which is not a string in quotes"));
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == quote {
            return Err(format!("has {literal}, which ends before its last quote"));
        }
        let escaped = match c {
            '\\' => chars.next().ok_or_else(|| format!("has {literal}, which does not end"))?,
            _ if is_bytes && !c.is_ascii() => {
                return Err(format!("has {literal}, bytes that are not ASCII"));
            }
            _ => {
                push(&mut out, c);
                continue;
            }
        };
        let digits = match escaped {
            'x' => 2,
            'u' if !is_bytes => 4,
            'U' if !is_bytes => 8,
            _ => 0,
        };
        let code = match escaped {
            _ if digits > 0 => hex(&mut chars, digits),
            '\\' | '\'' | '"' => Some(escaped as u32),
            'n' => Some(0x0A),
            'r' => Some(0x0D),
            't' => Some(0x09),
            'a' => Some(0x07),
            'b' => Some(0x08),
            'f' => Some(0x0C),
            'v' => Some(0x0B),
            _ => None,
        };
        // In bytes `\xff` is a byte, in strings a character.
        match code {
            Some(code @ 0..=0xFF) if is_bytes => out.push(code as u8),
            code => match code.and_then(char::from_u32) {
                Some(c) => push(&mut out, c),
                None => return Err(format!("has {literal} with an unknown escape `\\{escaped}`")),
            },
        }
    }
    Ok(out)
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The number that so many hexadecimal digits make.
fn hex(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<u32> {
    let text = chars.as_str().get(..digits)?;
    *chars = chars.as_str()[digits..].chars();
    let plain = text.bytes().all(|digit| digit.is_ascii_hexdigit());
    plain.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn literals_are_what_python_makes_of_them() {
        for (literal, expected) in [
            (r"'a b'", &b"a b"[..]),
            (r#""it's""#, b"it's"),
            (r#"'it\'s \"so\"'"#, b"it's \"so\""),
            (r"'\t\n\r\\\a\b\f\v'", b"\t\n\r\\\x07\x08\x0C\x0B"),
            (r"'\x00\x7f'", b"\0\x7F"),
            (r"'\x80\xff'", "\u{80}\u{FF}".as_bytes()),
            (r"'\u2028\U0001F600'", "\u{2028}\u{1F600}".as_bytes()),
            (r"b'\x80\xffa\''", b"\x80\xFFa'"),
            ("'é漢😀'", "é漢😀".as_bytes()),
            ("''", b""),
        ] {
            assert_eq!(bytes(literal).unwrap(), expected, "{literal}");
        }
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for literal in [
            "",
            "a",
            "'",
            "b",
            "b'",
            "'a\"",
            "'a'b'",
            r"'a\'",
            r"'\x1'",
            r"'\x+1'",
            r"'\ud800'",
            r"'\U00110000'",
            r"'\q'",
            r"b'\u0041'",
            "b'é'",
            r"'\xé'",
            "r'a'",
            "'\\",
        ] {
            assert!(bytes(literal).is_err(), "{literal}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r#"b?['"]([\\xuU'"0-9a-fé]|.){0,12}['"]?"#) {
            let _ = bytes(&text);
        }
    }
}
