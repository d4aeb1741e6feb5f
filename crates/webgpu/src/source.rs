//! Preprocesses a kernel's source for the compiler: defines names, widens accesses.

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

/// Who reads a text: they agree on all but what has to be said at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// naga, inside of wgpu: it knows subgroups without being told, and does not know the words.
    Naga,
    /// Browsers, as WGSL is specified: whatever an adapter need not have is enabled first.
    Browser,
}

/// What stands before `text`: an extension is enabled where it is used, and nowhere else.
pub(crate) fn enables(text: &str, dialect: Dialect) -> String {
    let code = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    let (mut f16, mut subgroups) = (false, false);
    for word in code.flat_map(|line| line.split(|c| !is_word(c))) {
        f16 |= word == "f16";
        subgroups |= is_of_subgroups(word);
    }
    let f16 = if f16 { "enable f16;\n" } else { "" };
    let subgroups =
        if subgroups && dialect == Dialect::Browser { "enable subgroups;\n" } else { "" };
    format!("{f16}{subgroups}")
}

/// Whether WGSL has the word for subgroups: functions such as `subgroupAdd`, and built-in values.
fn is_of_subgroups(word: &str) -> bool {
    let function = word.strip_prefix("subgroup").or_else(|| word.strip_prefix("quad"));
    function.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        || matches!(
            word,
            "subgroup_id" | "num_subgroups" | "subgroup_invocation_id" | "subgroup_size"
        )
}

/// The same kernel with what is bound to be written declared so, by binding: a kernel that only reads
/// some memory finds it bound for writing if another binding writes to the same buffer.
pub(crate) fn writable(mut text: String, writes: &[bool]) -> String {
    for binding in (0..writes.len()).filter(|&binding| writes[binding]) {
        let place = format!("@group(0) @binding({binding}) var<storage, ");
        text = text.replace(&format!("{place}read>"), &format!("{place}read_write>"));
    }
    text
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
    fn reads_become_writes_where_they_are_bound_so() {
        let line =
            |i: usize| format!("@group(0) @binding({i}) var<storage, read> x{i}: array<u32>;\n");
        let text: String = [0, 1, 10].map(line).concat();
        let found = writable(text.clone(), &[false, true]);
        assert!(found.contains("@binding(1) var<storage, read_write> x1"), "{found}");
        assert_eq!(found.replace("read_write", "read"), text);
        assert_eq!(found.matches("read_write").count(), 1);
    }

    #[test]
    fn extensions_are_enabled_where_they_are_used() {
        let of = |text| enables(text, Dialect::Browser);
        assert_eq!(
            of("let f16_like = 1u; // f16 and subgroupAdd(x)\nlet subgroup = quad_x(1);"),
            ""
        );
        assert_eq!(of("var x: vec2<f16>;"), "enable f16;\n");
        assert_eq!(of("x = subgroupAdd(x);"), "enable subgroups;\n");
        assert_eq!(of("@builtin(subgroup_id) id: u32, h: f16"), "enable f16;\nenable subgroups;\n");
        assert_eq!(enables("x = subgroupAdd(f16(x));", Dialect::Naga), "enable f16;\n");
    }
}
