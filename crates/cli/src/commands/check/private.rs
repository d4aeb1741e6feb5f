//! What is nobody's business but the user's, taken out of a page that others are to read.

use std::env;

/// What stands in its place.
const GONE: &str = "…";

/// The names of this user and this machine.
pub(super) fn names() -> Vec<String> {
    let variables = ["USER", "LOGNAME", "USERNAME", "HOSTNAME", "COMPUTERNAME"];
    let mut names: Vec<String> = variables.iter().filter_map(|name| env::var(name).ok()).collect();
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    names.extend(files.iter().filter_map(|file| std::fs::read_to_string(file).ok()));
    let home = env::home_dir();
    let last = home.as_deref().and_then(|home| home.file_name());
    names.extend(last.map(|name| name.to_string_lossy().into_owned()));
    names.iter_mut().for_each(|name| *name = name.trim().to_owned());
    // Shorter ones are part of many words, and tell nothing.
    names.retain(|name| name.len() > 2);
    names
}

/// The text without paths of this machine and without `names`.
pub(super) fn without(text: &str, names: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // Names first: in a path, one with a space in it would not be whole.
        out.push_str(&without_paths(&without_names(line, names)));
    }
    out
}

/// How long the path is that `text` starts with, if it starts with one: what begins with `~/`, `C:\` or
/// `\\`, or with a slash if there is another.
fn path(text: &str) -> Option<usize> {
    let word = &text[..path_end(text)];
    let is_path = match word.as_bytes() {
        [b'~', b'/' | b'\\', ..] | [b'\\', b'\\', _, ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        [b'/', ..] => word.len() > 2 && word[1..].contains('/'),
        _ => false,
    };
    is_path.then_some(word.len())
}

/// Where a path ends in a message. A colon ends it, but not the one behind the letter of a drive.
fn path_end(text: &str) -> usize {
    let ends = |(at, c): &(usize, char)| match c {
        ':' => !text[at + 1..].starts_with(['/', '\\']),
        '"' | '\'' | '`' | ')' | ',' | ';' | '|' | '<' | '>' => true,
        c => c.is_whitespace(),
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
}

/// The line with something else for each path that starts a word.
fn without_paths(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let (mut rest, mut before) = (line, ' ');
    while let Some(c) = rest.chars().next() {
        let starts = before.is_whitespace() || "\"'`(=:<".contains(before);
        let taken = match path(rest).filter(|_| starts) {
            Some(path) => {
                out.push_str(GONE);
                path
            }
            None => {
                out.push(c);
                c.len_utf8()
            }
        };
        before = rest[..taken].chars().next_back().unwrap_or(' ');
        rest = &rest[taken..];
    }
    out
}

/// Names as whole words only: a user may be called as something that a page speaks of.
fn without_names(line: &str, names: &[String]) -> String {
    let mut out = line.to_owned();
    for name in names {
        let mut from = 0;
        while let Some(at) = out[from..].find(name.as_str()).map(|at| from + at) {
            let end = at + name.len();
            let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let inside = part_of_word(out[..at].chars().next_back())
                || part_of_word(out[end..].chars().next());
            if inside {
                from = end;
            } else {
                out.replace_range(at..end, GONE);
                from = at + GONE.len();
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names_are_gone_and_the_rest_stays() {
        let names = ["Ada Lovelace", "ada", "adas-mac.local"].map(str::to_owned);
        for (text, wanted) in [
            ("cannot read /Users/ada/models/x.gguf: gone", "cannot read …: gone"),
            ("in \"/private/tmp/a b\", twice (~/x/y)", "in \"… b\", twice (…)"),
            ("on adas-mac.local by ada, not by adagio", "on … by …, not by adagio"),
            ("120 GB/s, 8×8 and/or linear/few.metal", "120 GB/s, 8×8 and/or linear/few.metal"),
            ("a / b // c /d \u{2028}/", "a / b // c /d \u{2028}/"),
            (r"cannot read C:\Users\ada\x.gguf: gone", "cannot read …: gone"),
            (r#"in "\\?\C:\x", (D:/y) and "\\server\share", a:b"#, "in \"…\", (…) and \"…\", a:b"),
            (r#""\\?\C:\Users\x""#, "\"…\""),
            (r"~\models of C:\Users\Ada Lovelace\x", "… of …"),
            ("file=/a/b\nnext /Users/ada/c\n", "file=…\nnext …\n"),
        ] {
            assert_eq!(without(text, &names), wanted);
        }
    }
}
