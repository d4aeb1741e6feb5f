//! The vocabulary of RWKV's World models: a line for each token with its number, its text as Python
//! writes it, and its length.

use super::{CONTROL, NORMAL, Tokens, special::Special, too_many};
use crate::{Error, Result, files::read};
use std::path::Path;

/// The published one has 1 MB.
const MOST_BYTES: u64 = 64 << 20;

/// The token that ends a turn, by the text it is for.
const END_OF_TURN: (u32, &[u8]) = (261, b"\\n\\n");

/// How turns look if nothing else is stated: `User: …` and `Assistant: …`, with an empty line after each.
const TEMPLATE: &str = include_str!("world.jinja");

/// Reads a vocabulary with at most so many tokens. Numbers that no line has are left unused.
pub(super) fn read(path: &Path, size: usize) -> Result<Tokens> {
    let text = read::text(path, MOST_BYTES)?;
    // No line has the first number: it ends texts.
    let mut tokens = Tokens { list: vec![(b"<s>".to_vec(), CONTROL)] };
    for (number, line) in text.lines().enumerate() {
        let damaged = |why: String| Error::damaged(path, format!("line {}", number + 1), why);
        let (id, token) = parse(line).map_err(damaged)?;
        if id < tokens.list.len() {
            return Err(damaged(format!("has the token {id}, not greater than the one before it")));
        }
        if id >= size {
            return Err(too_many(path, id, size));
        }
        tokens.fill(id);
        tokens.list.push((escaped(&token).into_bytes(), NORMAL));
    }
    Ok(tokens)
}

pub(super) fn set(keys: &mut super::Keys, tokens: Tokens, special: &Special) -> Result<()> {
    keys.set("tokenizer.ggml.model", "rwkv")?;
    tokens.set(keys)?;
    keys.set("tokenizer.ggml.bos_token_id", 0u32)?;
    keys.set("tokenizer.ggml.eos_token_id", 0u32)?;
    let (turn, text) = END_OF_TURN;
    if tokens.list.get(turn as usize).is_some_and(|(token, _)| token == text) {
        keys.set("tokenizer.ggml.eot_token_id", turn)?;
    }
    let template = special.template.as_deref().unwrap_or(TEMPLATE);
    keys.set("tokenizer.chat_template", template)
}

/// A line: the number of a token and its bytes.
fn parse(line: &str) -> Result<(usize, Vec<u8>), String> {
    let parts = line.split_once(' ').and_then(|(id, rest)| {
        let (text, len) = rest.trim_end().rsplit_once(' ')?;
        Some((id.parse().ok()?, text, len.parse::<usize>().ok()?))
    });
    let Some((id, text, len)) = parts else {
        return Err("is not a number, a text and a length".to_owned());
    };
    let token = literal(text)
        .ok_or_else(|| format!("has the text {text}, which Python would not write"))?;
    match token.len() == len {
        true => Ok((id, token)),
        false => Err(format!("has a text of {} bytes, not {len}", token.len())),
    }
}

/// The bytes of a Python literal: a string, as UTF-8, or bytes.
fn literal(text: &str) -> Option<Vec<u8>> {
    let (is_bytes, text) = match text.strip_prefix('b') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut out = Vec::with_capacity(inner.len());
    let mut put = |code: u32| -> Option<()> {
        match is_bytes {
            true => out.push(u8::try_from(code).ok()?),
            false => {
                let mut buffer = [0; 4];
                out.extend(char::from_u32(code)?.encode_utf8(&mut buffer).bytes());
            }
        }
        Some(())
    };
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == quote || is_bytes && !c.is_ascii() {
            return None;
        }
        if c != '\\' {
            put(c.into())?;
            continue;
        }
        let code = match chars.next()? {
            c @ ('\\' | '\'' | '"') => c.into(),
            'n' => 10,
            'r' => 13,
            't' => 9,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            '0' => 0,
            'x' => hex(&mut chars, 2)?,
            'u' if !is_bytes => hex(&mut chars, 4)?,
            'U' if !is_bytes => hex(&mut chars, 8)?,
            _ => return None,
        };
        put(code)?;
    }
    Some(out)
}

fn hex(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<u32> {
    let (number, rest) = chars.as_str().split_at_checked(digits)?;
    *chars = rest.chars();
    number.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(number, 16).ok())?
}

/// Bytes as Python writes them between quotes, which is how GGUF files have these tokens.
fn escaped(bytes: &[u8]) -> String {
    // Python prefers quotes that need no escape.
    let escapes_quote = bytes.contains(&b'\'') && bytes.contains(&b'"');
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'\'' if escapes_quote => out.push_str("\\'"),
            b' '..=b'~' => out.push(byte.into()),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read_as_python_does() {
        for (text, bytes) in [
            (r"'abc'", &b"abc"[..]),
            (r#""it's""#, b"it's"),
            (r#"'it\'s "it"'"#, b"it's \"it\""),
            (r"'\n\t\\\x7f'", b"\n\t\\\x7f"),
            (r"'\xe9'", "é".as_bytes()),
            (r"b'\xe9'", b"\xe9"),
            (r"'\u4e2d\U0001f600'", "中😀".as_bytes()),
            ("'é'", "é".as_bytes()),
            (r"' '", b" "),
            ("''", b""),
        ] {
            assert_eq!(literal(text).as_deref(), Some(bytes), "{text}");
        }
        for text in
            ["abc", "'abc", "'a'b'", r"'\q'", r"'\x1'", r"b'\u1234'", "b'é'", r"'\ud800'", ""]
        {
            assert_eq!(literal(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_are_written_as_python_does() {
        for (bytes, text) in [
            (&b"abc"[..], "abc"),
            (b"it's", "it's"),
            (b"\"", "\""),
            (b"'\"", "\\'\""),
            (b"\n\r\t\\", "\\n\\r\\t\\\\"),
            (b"\x00\x7f\xff", "\\x00\\x7f\\xff"),
        ] {
            assert_eq!(escaped(bytes), text);
        }
    }

    #[test]
    fn lines_are_checked() {
        assert_eq!(parse("257 '\\t\\t' 2"), Ok((257, b"\t\t".to_vec())));
        assert_eq!(parse("300 ' a b' 4"), Ok((300, b" a b".to_vec())));
        for line in ["", "7", "x 'a' 1", "7 'a'", "7 'a' x", "7 'a' 2", "7 a 1"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
