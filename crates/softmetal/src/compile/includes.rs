//! Includes that would never end: what is no regular file is refused before clang opens it.

use super::Options;
use crate::diagnostic::{Diagnostic, Severity};
use std::path::{Path, PathBuf};

/// Looks at every `#include` that names its file directly.
pub(super) fn check(source: &str, options: &Options) -> Result<(), Vec<Diagnostic>> {
    let here = Path::new(&options.name).parent().map(Path::to_path_buf);
    let folders: Vec<&PathBuf> = here.iter().chain(&options.include).collect();
    for (number, line) in source.lines().enumerate() {
        let Some(name) = included(line) else {
            continue;
        };
        let places = folders.iter().map(|f| f.join(name)).chain([PathBuf::from(name)]);
        let found = places.filter_map(|p| std::fs::metadata(p).ok()).next();
        if found.is_some_and(|m| !m.is_file()) {
            return Err(vec![Diagnostic {
                file: options.name.clone(),
                line: number + 1,
                column: line.find(name).map_or(1, |at| line[..at].chars().count() + 1),
                severity: Severity::Error,
                message: format!("'{name}' cannot be included: it is no regular file"),
                source_line: Some(line.to_string()),
            }]);
        }
    }
    Ok(())
}

/// The same of names that only the preprocessor knew.
pub(super) fn check_files(files: &[String], options: &Options) -> Result<(), Vec<Diagnostic>> {
    let odd = |f: &&String| std::fs::metadata(f).is_ok_and(|m| !m.is_file());
    match files.iter().filter(|f| **f != options.name).find(odd) {
        None => Ok(()),
        Some(name) => Err(vec![Diagnostic {
            file: options.name.clone(),
            line: 0,
            column: 0,
            severity: Severity::Error,
            message: format!("'{name}' cannot be included: it is no regular file"),
            source_line: None,
        }]),
    }
}

/// The name in an `#include` line.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let rest = rest.trim_start();
    let end = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    rest[1..].split_once(end).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_includes() {
        assert_eq!(included("#include \"a.h\" // x"), Some("a.h"));
        assert_eq!(included("  # include <b/c>"), Some("b/c"));
        assert_eq!(included("#include NAME"), None);
        assert_eq!(included("int include;"), None);
    }
}
