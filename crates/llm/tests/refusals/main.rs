//! The text of every refusal of this crate, as a snapshot; a text in the source that is not reached from
//! here fails the test. Chat templates and the table of settings have tests of their own.

#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod files;
mod models;
mod pth;
mod rwkv;
mod sessions;
#[path = "../../../core/tests/texts/mod.rs"]
mod texts;
mod tokenizers;

use std::{fs, path::Path};

/// Files without errors of their own to tell, or whose texts others test.
const NOT_HERE: [&str; 8] = [
    "src/template",
    "src/llm/settings",
    "src/files/atomic.rs",
    "src/hostile.rs",
    "src/model/maps.rs",
    "src/model/mixer",
    "src/tokenizer/split/families.rs",
    "src/tokenizer/split/scan.rs",
];

/// Texts that no test can reach, and why.
const UNREACHED: [&str; 7] = [
    // Only the administrator can make one; other systems have files of other kinds.
    "is a block device",
    "is not a regular file",
    // It takes 4 GB of text, or 10 s.
    "is longer than 4 GB; pass it in smaller parts",
    "took longer than",
    // The next line makes it `None`.
    "cancelled",
    // As many added tokens as are allowed can be found.
    "has too many added tokens",
    // A recipe takes a dtype that fits the rows.
    "not whole blocks of {from} and {to}",
];

/// The text of an error, without the folder it was in.
fn text(error: impl std::fmt::Display, folder: &Path) -> String {
    error
        .to_string()
        .replace(&format!("{}/", folder.display()), "")
        .replace(&format!("{}", folder.display()), "folder")
}

/// The text without its checksums: they are of what was computed, whose last bits differ from one
/// instruction set to another.
fn without_checksums(text: &str) -> String {
    let is_checksum = |part: &&str| part.len() == 8 && u32::from_str_radix(part, 16).is_ok();
    let parts = text.split([' ', ',']).filter(is_checksum);
    match text.contains("CRC-32") {
        true => parts.fold(text.to_owned(), |text, part| text.replace(part, "CHECKSUM")),
        false => text.to_owned(),
    }
}

#[test]
fn every_refusal_says_what_is_wrong() {
    let groups = [
        ("files", files::said()),
        ("pth", pth::said()),
        ("rwkv", rwkv::said()),
        ("models", models::said()),
        ("tokenizers", tokenizers::said()),
        ("sessions", sessions::said()),
    ];
    let mut all = String::new();
    for (name, said) in &groups {
        let said: Vec<String> = said.iter().map(|text| without_checksums(text)).collect();
        texts::assert_form(said.iter().map(String::as_str));
        insta::assert_snapshot!(*name, said.join("\n"));
        all.push_str(&said.join("\n"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = sources(&root.join("src"));
    let names: Vec<String> =
        files.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect();
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !NOT_HERE.iter().any(|not| name.starts_with(not)))
        .filter(|name| !name.ends_with("tests.rs") && !name.ends_with("tiny.rs"))
        .collect();
    let missing: Vec<String> = texts::unsaid(env!("CARGO_MANIFEST_DIR"), &names, &all)
        .into_iter()
        .filter(|entry| is_refusal(root, entry))
        .filter(|entry| !UNREACHED.iter().any(|text| entry.contains(text)))
        .collect();
    assert!(missing.is_empty(), "never said:\n{}", missing.join("\n"));
}

fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Whether a literal that was found, `file:line: text`, can be part of an error: what panics say, how
/// things are shown, and what serde expects are not.
fn is_refusal(root: &Path, entry: &str) -> bool {
    let mut parts = entry.splitn(3, ':');
    let (file, line) = (parts.next().unwrap(), parts.next().unwrap());
    let source = fs::read_to_string(root.join(file)).unwrap();
    let lines: Vec<&str> = source.lines().collect();
    let line: usize = line.parse::<usize>().unwrap() - 1;
    let around = &lines[line.saturating_sub(1)..=line];
    let kinds = ["expect(", "unreachable!(", "write!(f", "write_str(", "panic!(", "#[error("];
    !around.iter().any(|line| kinds.iter().any(|kind| line.contains(kind)))
}
