//! The vocabulary of RWKV's world models: a text file such as `rwkv_vocab_v20230424.txt`, and the
//! metadata that says the same in a GGUF file.

mod escape;
mod literal;

pub(crate) use escape::{escape, unescape};

use super::limits::{MOST_PIECE_BYTES, MOST_TOKENS, MOST_VOCAB_BYTES};
use crate::{
    Error, Result,
    error::grouped,
    files::gguf::{Array, Value},
    template,
};
use std::path::Path;

/// A token of a world vocabulary: its bytes, and its id, which is never 0. Token 0 ends a text, and
/// no file lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) id: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Token {
    /// What a GGUF file has for it.
    pub(crate) fn escaped(&self) -> String {
        escape(&self.bytes)
    }
}

/// The name that GGUF files give to token 0.
const END: &str = "<s>";

/// The types of tokens, as GGUF files number them.
const NORMAL: i32 = 1;
const CONTROL: i32 = 3;
const UNUSED: i32 = 5;

/// Reads the text of a vocabulary file that was found at `path`. Each line is a token: its id, its
/// bytes as a literal of Python, and how many bytes those are. Ids ascend; some may be missing.
pub(crate) fn parse_vocabulary(path: &Path, file: &[u8]) -> Result<Vec<Token>> {
    let text = std::str::from_utf8(file)
        .map_err(|e| Error::damaged(path, "the vocabulary", format!("is not UTF-8: {e}")))?;
    let mut tokens: Vec<Token> = Vec::new();
    let mut total = 0;
    // Python's own lines: other characters that end lines elsewhere may stand in tokens.
    for (number, line) in text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let last = tokens.last().map_or(0, |token| token.id);
        let token = parse_line(line, last)
            .map_err(|why| Error::damaged(path, format!("line {}", number + 1), why))?;
        total += token.bytes.len();
        if total > MOST_VOCAB_BYTES {
            let why = format!("has tokens of more than {} bytes in all", grouped(MOST_VOCAB_BYTES));
            return Err(Error::damaged(path, "the vocabulary", why));
        }
        tokens.push(token);
    }
    if tokens.is_empty() {
        return Err(Error::damaged(path, "the vocabulary", "has no tokens"));
    }
    Ok(tokens)
}

/// The token of a line, which comes after the one with the id `last`.
fn parse_line(line: &str, last: u32) -> Result<Token, String> {
    let parts = line.split_once(' ').and_then(|(id, rest)| {
        let (literal, len) = rest.rsplit_once(' ')?;
        Some((id.parse::<u32>().ok()?, literal, len.parse::<usize>().ok()?))
    });
    let (id, literal, len) =
        parts.ok_or("is not an id, a string and its length, with spaces between them")?;
    if id == 0 {
        return Err("has the id 0, which is that of the end of a text".into());
    }
    if id <= last {
        return Err(format!("has the id {id}, which does not come after {last}"));
    }
    if id as usize >= MOST_TOKENS {
        return Err(format!("has the id {id}, {} or more", grouped(MOST_TOKENS)));
    }
    let bytes = literal::bytes(literal)?;
    if bytes.len() != len {
        return Err(format!("has a token of {} bytes and says that it has {len}", bytes.len()));
    }
    if len > MOST_PIECE_BYTES {
        let (len, most) = (grouped(len), grouped(MOST_PIECE_BYTES));
        return Err(format!("has a token of {len} bytes, more than {most}"));
    }
    Ok(Token { id, bytes })
}

/// What a GGUF file says of a vocabulary, for a model with weights for `rows` tokens: keys and values as
/// other engines write and read them, with the chat template of world models. Rows without a token are padding.
pub(crate) fn metadata(tokens: &[Token], rows: usize) -> Vec<(&'static str, Value)> {
    let count = tokens.last().map_or(1, |token| token.id as usize + 1).max(rows);
    let mut names: Vec<String> = (0..count).map(|id| format!("[PAD{id}]")).collect();
    let mut types = vec![UNUSED; count];
    (names[0], types[0]) = (END.into(), CONTROL);
    for token in tokens {
        let id = token.id as usize;
        (names[id], types[id]) = (token.escaped(), NORMAL);
    }
    let mut entries: Vec<(&'static str, Value)> = vec![
        ("tokenizer.ggml.model", "rwkv".into()),
        ("tokenizer.ggml.tokens", Array::of_strings(names).into()),
        ("tokenizer.ggml.token_type", Array::of_i32(types).into()),
        ("tokenizer.ggml.bos_token_id", 0u32.into()),
        ("tokenizer.ggml.eos_token_id", 0u32.into()),
        ("tokenizer.chat_template", template::world::SOURCE.into()),
    ];
    // In a chat an empty line ends a turn.
    if let Some(turn) = tokens.iter().find(|token| token.bytes == b"\n\n") {
        entries.push(("tokenizer.ggml.eot_token_id", turn.id.into()));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Gguf;

    fn parse(text: &str) -> Result<Vec<Token>> {
        parse_vocabulary("vocab.txt".as_ref(), text.as_bytes())
    }

    #[test]
    fn lines_are_tokens() {
        let tokens = parse("1 ' ' 1\r\n2 '\\n\\n' 2\n5 \"' '\" 3\n6 b'\\xff' 1\n7 'a\u{2028}' 4\n");
        let expected: [(u32, &[u8]); 5] =
            [(1, b" "), (2, b"\n\n"), (5, b"' '"), (6, b"\xFF"), (7, "a\u{2028}".as_bytes())];
        let expected = expected.map(|(id, bytes)| Token { id, bytes: bytes.to_vec() });
        assert_eq!(tokens.unwrap(), expected);
    }

    #[test]
    fn broken_lines_are_named() {
        for (text, why) in [
            ("", "the vocabulary has no tokens"),
            ("1 'a' 1\n2 'b'\n", "line 2 is not an id, a string and its length"),
            ("x 'a' 1", "line 1 is not an id"),
            ("1 'a' -1", "line 1 is not an id"),
            ("0 'a' 1", "line 1 has the id 0, which is that of the end"),
            ("1 'a' 1\n1 'b' 1", "line 2 has the id 1, which does not come after 1"),
            ("9999999 'a' 1", "line 1 has the id 9999999, 2,097,152 or more"),
            ("1 'é' 1", "line 1 has a token of 2 bytes and says that it has 1"),
            ("1 a 1", "line 1 has a, which is not a string in quotes"),
            (&format!("1 '{}' 5000", "a".repeat(5000)), "has a token of 5,000 bytes"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with("vocab.txt: ") && error.contains(why), "{error}");
        }
        let error = parse_vocabulary("vocab.txt".as_ref(), b"1 '\xFF' 1").unwrap_err().to_string();
        assert!(error.contains("is not UTF-8"), "{error}");
    }

    /// A file that was written as llama.cpp's converter writes it.
    #[test]
    fn metadata_is_what_others_write() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tokenizers");
        let theirs = Gguf::open(format!("{folder}/world_gguf.gguf")).unwrap();
        let tokens = theirs.metadata().require::<&Array>("tokenizer.ggml.tokens").unwrap();
        let path = Path::new(folder).join("world.txt");
        let vocabulary = parse_vocabulary(&path, &std::fs::read(&path).unwrap()).unwrap();
        for (key, value) in metadata(&vocabulary, tokens.len()) {
            match value {
                Value::Array(ours) => {
                    let theirs = theirs.metadata().require::<&Array>(key).unwrap();
                    assert!(
                        ours.kind() == theirs.kind() && ours.bytes() == theirs.bytes(),
                        "{key}"
                    );
                }
                Value::U32(ours) => assert_eq!(theirs.metadata().get(key).unwrap(), Some(ours)),
                _ => {}
            }
        }
    }

    #[test]
    fn metadata_names_all_rows() {
        let tokens = parse("1 '\\n' 1\n3 '\\n\\n' 2").unwrap();
        let entries = metadata(&tokens, 6);
        let value = |key: &str| &entries.iter().find(|(k, _)| k.ends_with(key)).unwrap().1;
        let Value::Array(names) = value(".tokens") else { panic!() };
        let names: Vec<&[u8]> = names.strings().unwrap().collect();
        let expected: [&[u8]; 6] = [b"<s>", br"\n", b"[PAD2]", br"\n\n", b"[PAD4]", b"[PAD5]"];
        assert_eq!(names, expected);
        let Value::Array(types) = value(".token_type") else { panic!() };
        let types: Vec<i128> = types.scalars().unwrap().filter_map(|x| x.as_integer()).collect();
        assert_eq!(types, [3, 1, 5, 1, 5, 5]);
        assert_eq!(value(".eot_token_id").as_integer(), Some(3));
    }
}
