//! How GGUF files spell the tokens of a world vocabulary: as Python spells bytes.

use std::fmt::Write;

/// A token as files have it: ASCII, with escapes for all else, and for the quote that Python would
/// put around it.
pub(crate) fn escape(token: &[u8]) -> String {
    let has_both_quotes = token.contains(&b'\'') && token.contains(&b'"');
    let mut text = String::with_capacity(token.len());
    for &byte in token {
        match byte {
            b'\t' => text.push_str(r"\t"),
            b'\n' => text.push_str(r"\n"),
            b'\r' => text.push_str(r"\r"),
            b'\\' => text.push_str(r"\\"),
            b'\'' if has_both_quotes => text.push_str(r"\'"),
            b' '..=b'~' => text.push(byte.into()),
            _ => {
                let _ = write!(text, r"\x{byte:02x}");
            }
        }
    }
    text
}

/// The bytes of a token from what files have; the error says what is wrong with it.
///
/// A backslash before anything but `t`, `n`, `r` and `x` stands for what follows it.
pub(crate) fn unescape(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut token = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            token.push(byte);
            continue;
        }
        let Some((&escaped, after)) = rest.split_first() else {
            return Err("ends with a backslash that escapes nothing");
        };
        rest = after;
        token.push(match escaped {
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            b'x' => {
                let digits = rest.first_chunk::<2>().map(|digits| digits.map(hex));
                let Some([Some(high), Some(low)]) = digits else {
                    return Err("has an escape without its two hexadecimal digits");
                };
                rest = &rest[2..];
                high << 4 | low
            }
            other => other,
        });
    }
    Ok(token)
}

/// The value of a hexadecimal digit.
fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_are_spelled_as_python_spells_bytes() {
        for (token, text) in [
            (&b"plain ~"[..], "plain ~"),
            (b"\t\n\r\\", r"\t\n\r\\"),
            (b"\0\x0b\x1f\x7f\x80\xff", r"\x00\x0b\x1f\x7f\x80\xff"),
            (b"it's", "it's"),
            (b"\"", "\""),
            (b"'\"", r#"\'""#),
            ("é".as_bytes(), r"\xc3\xa9"),
            (br"\x41", r"\\x41"),
        ] {
            assert_eq!(escape(token), text);
            assert_eq!(unescape(text.as_bytes()).unwrap(), token);
        }
        // What others may write is taken too.
        assert_eq!(unescape(b"\xC3\xA9\\q\\xAf").unwrap(), b"\xC3\xA9q\xAF");
    }

    #[test]
    fn broken_escapes_are_refused() {
        assert!(unescape(br"a\").unwrap_err().contains("backslash"));
        for broken in [r"\x", r"\x4", r"\x4g", r"\x-1"] {
            assert!(unescape(broken.as_bytes()).unwrap_err().contains("hexadecimal"), "{broken}");
        }
    }

    proptest! {
        #[test]
        fn all_tokens_come_back(token: Vec<u8>) {
            let text = escape(&token);
            prop_assert!(text.is_ascii());
            prop_assert_eq!(unescape(text.as_bytes()).unwrap(), token);
        }

        #[test]
        fn any_text_is_read_or_refused(text: Vec<u8>) {
            let _ = unescape(&text);
        }
    }
}
