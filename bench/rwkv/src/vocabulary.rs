//! A vocabulary in the manner of RWKV's: longest match over bytes and longer words.

use bessemer::llm::files::gguf::{Array, GgufWriter};

/// GGUF's numbers for kinds of tokens.
const NORMAL: i32 = 1;
const CONTROL: i32 = 3;
/// Two line breaks, the end of a turn.
const END_OF_TURN: usize = 261;

/// Puts so many tokens into a file, written as llama.cpp's converter does.
pub(crate) fn set(plan: &mut GgufWriter, count: usize) {
    let kinds = (0..count).map(|token| if token == 0 { CONTROL } else { NORMAL });
    plan.set("tokenizer.ggml.model", "rwkv");
    plan.set("tokenizer.ggml.tokens", Array::of_strings((0..count).map(text)));
    plan.set("tokenizer.ggml.token_type", Array::of_i32(kinds));
    plan.set("tokenizer.ggml.bos_token_id", 0u32).set("tokenizer.ggml.eos_token_id", 0u32);
    plan.set("tokenizer.ggml.eot_token_id", END_OF_TURN as u32);
}

/// A token, escaped: no text, all bytes, then words of letters.
fn text(token: usize) -> String {
    match token {
        0 => "<s>".to_owned(),
        1..=256 => escaped((token - 1) as u8),
        END_OF_TURN => "\\n\\n".to_owned(),
        _ => word(token),
    }
}

/// A byte as Python writes it.
fn escaped(byte: u8) -> String {
    match byte {
        b'\t' => "\\t".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

/// Another word for every number: its digits, as letters.
fn word(mut number: usize) -> String {
    let mut word = String::new();
    while number > 0 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::text;
    use std::collections::HashSet;

    #[test]
    fn tokens_differ_and_none_is_empty() {
        let all: HashSet<String> = (0..65_536).map(text).collect();
        assert_eq!(all.len(), 65_536);
        assert!(!all.contains(""));
        assert!(all.contains("\\x00") && all.contains("\\n") && all.contains("\\xff"));
    }
}
