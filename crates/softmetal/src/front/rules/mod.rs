//! What MSL forbids and clang's OpenCL mode would let through, or would explain badly: one family of
//! rules per file. `docs/rules.md` says where each rule is known from, and `tests/rules` has a pair
//! of kernels for each.

mod buffers;
mod constants;
mod functions;
mod kernel;
mod names;
mod positions;
mod recursion;
mod scope;
mod spaces;
mod types;
mod unsupported;
mod versions;
mod words;

use super::Complaints;
use super::items::Item;
use super::token::Source;

/// Which language is meant, and how strictly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// As `__METAL_VERSION__` has it.
    pub(crate) version: u32,
    /// Leaves out what MSL forbids and softmetal could run.
    pub(crate) lenient: bool,
}

/// What every family looks at.
struct Look<'a> {
    source: &'a Source,
    items: &'a [Item],
    version: u32,
}

/// Complains of every rule that is broken.
pub(super) fn check(
    source: &Source,
    items: &[Item],
    settings: Settings,
    complaints: &mut Complaints<'_>,
) {
    unsupported::check(source, complaints);
    if settings.lenient {
        return;
    }
    let look = Look { source, items, version: settings.version };
    let kernels = kernel::kernels(&look);
    words::check(&look, complaints);
    names::check(&look, complaints);
    functions::check(&look, &kernels, complaints);
    positions::check(&look, &kernels, complaints);
    buffers::check(&look, &kernels, complaints);
    scope::check(&look, complaints);
    constants::check(&look, &kernels, complaints);
    spaces::check(&look, complaints);
    versions::check(&look, &kernels, complaints);
    if settings.version < 240 {
        recursion::check(&look, complaints);
    }
    complaints.order();
}

/// Whether a token names a part of something: `a.b`, `a->b`.
fn is_member(source: &Source, i: usize) -> bool {
    i > 0 && matches!(source.text(i - 1), "." | "->")
}

/// Address spaces, those of graphics included.
fn is_space(word: &str) -> bool {
    matches!(
        word,
        "device"
            | "constant"
            | "threadgroup"
            | "thread"
            | "threadgroup_imageblock"
            | "ray_data"
            | "object_data"
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Lines, items};
    use super::*;

    struct Nothing;
    impl Lines for Nothing {
        fn line(&self, _: &str, _: usize) -> Option<String> {
            None
        }
    }

    fn complaints(text: &str, version: u32) -> usize {
        let source = Source::new(text.to_string());
        let items = items::items(&source);
        let mut complaints = Complaints { source: &source, lines: &Nothing, list: Vec::new() };
        check(&source, &items, Settings { version, lenient: false }, &mut complaints);
        complaints.list.len()
    }

    /// Every kernel of the rules with tokens missing, repeated or cut off: anything but a panic.
    #[test]
    fn broken_source_never_panics() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
        let mut found = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let plain: String = text
                .lines()
                .map(|l| l.split("//").next().unwrap_or_default().to_string() + "\n")
                .collect();
            let source = Source::new(plain.clone());
            for (n, token) in source.tokens.iter().enumerate() {
                found += match n % 3 {
                    0 => complaints(&plain[..token.end], 320),
                    1 => complaints(
                        &format!("{}{}", &plain[..token.start], &plain[token.end..]),
                        110,
                    ),
                    _ => complaints(
                        &format!("{}{}", &plain[..token.end], &plain[token.start..]),
                        230,
                    ),
                };
            }
        }
        assert!(found > 1000, "{found}");
    }
}
