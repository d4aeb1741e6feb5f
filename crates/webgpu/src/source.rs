//! From the text of a kernel to the text that is compiled: names defined, access widened.

use std::borrow::Cow;

/// `text` with each whole word that `defines` names replaced.
pub(crate) fn define(text: &str, defines: &[(&'static str, Cow<'static, str>)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (between, tail) = rest.split_at(start);
        let end = tail.find(|c| !is_word(c)).unwrap_or(tail.len());
        let (word, tail) = tail.split_at(end);
        out.push_str(between);
        let defined = defines.iter().find(|(name, _)| *name == word);
        out.push_str(defined.map_or(word, |(_, text)| text));
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The same kernel with all its buffers writable: WebGPU does not let one dispatch bind a buffer
/// both for reading and for writing, but twice for writing it may be.
pub(crate) fn all_writable(text: &str) -> String {
    text.replace("var<storage, read>", "var<storage, read_write>")
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_replaced() {
        let defines = [("T", Cow::Borrowed("f32")), ("N", Cow::Borrowed("vec4<T>"))];
        let text = "var a: T; var T1: TT = T(N);";
        assert_eq!(define(text, &defines), "var a: f32; var T1: TT = f32(vec4<T>);");
        assert_eq!(define("", &defines), "");
    }

    #[test]
    fn reads_become_writes() {
        let text = "@group(0) @binding(0) var<storage, read> x: array<u32>;";
        assert!(all_writable(text).contains("var<storage, read_write> x"));
    }
}
