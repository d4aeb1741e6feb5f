//! What the tests of refusals share: the form every text has, and which texts of the source no
//! test has seen. Test binaries of other crates include this file by its path.
#![allow(dead_code, unreachable_pub)]

use std::{fs, path::Path};

/// Fails unless each text has the form of an error: `<what was asked>: <what is wrong>`.
pub fn assert_form<'a>(texts: impl IntoIterator<Item = &'a str>) {
    for text in texts {
        assert!(text.contains(": "), "it does not say what was asked: {text}");
        assert!(!text.ends_with(['.', ' ', ':', ';']), "it ends badly: {text}");
        assert!(
            !text.contains('\n') && !text.contains("error:"),
            "it is not one plain line: {text}"
        );
        assert!(text.chars().count() <= 400, "it is too long: {text}");
        assert!(!text.contains("  "), "it has two spaces in a row: {text}");
    }
}

/// The texts in `files` of the package at `root` that `said` lacks. A text is a string literal of
/// several words; what stands in braces is left out, and so are comments and tests.
pub fn unsaid(root: &str, files: &[&str], said: &str) -> Vec<String> {
    let mut missing = Vec::new();
    for file in files {
        let source = fs::read_to_string(Path::new(root).join(file)).unwrap();
        let source = source.split("#[cfg(test)]\nmod").next().unwrap();
        for (line, literal) in literals(source) {
            let longest = fragments(&literal).into_iter().max_by_key(|part| part.len());
            let longest = longest.unwrap_or_default();
            if longest.contains(' ') && longest.len() > 7 && !said.contains(&longest) {
                missing.push(format!("{file}:{line}: {literal}"));
            }
        }
    }
    missing
}

/// The string literals of a source with their lines.
fn literals(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in source.lines().enumerate() {
        let line = if open.is_some() { line.trim_start() } else { line };
        if open.is_none() && line.trim_start().starts_with("//") {
            continue;
        }
        let mut chars = line.chars().peekable();
        let mut before = ' ';
        while let Some(c) = chars.next() {
            match (&mut open, c) {
                (None, '/') if before == '/' => break,
                // A quote as a character is no string.
                (None, '"') if before != '\'' => open = Some((number + 1, String::new())),
                (Some(_), '"') => found.extend(open.take()),
                // A backslash at the end of a line joins it to the next.
                (Some((_, text)), '\\') => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some(escaped) => text.push(escaped),
                    None => {}
                },
                (Some((_, text)), c) => text.push(c),
                (None, _) => {}
            }
            before = c;
        }
    }
    found
}

/// What stands outside of the braces of a format string.
fn fragments(literal: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in literal.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                parts.push(String::new());
            }
            c if depth == 0 => parts.last_mut().unwrap().push(c),
            _ => {}
        }
    }
    parts
}
