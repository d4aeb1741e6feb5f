//! Where benches write what they found: between two marks of a page, beside what people wrote.

use anyhow::{Context, Result};
use std::{fs, path::Path};

/// Replaces what stands between the marks of `command` on a page.
///
/// # Errors
/// If the page can't be read or written, or has lost its marks.
pub fn rewrite(page: &Path, command: &str, text: &str) -> Result<()> {
    let old = fs::read_to_string(page).with_context(|| page.display().to_string())?;
    let new = replaced(&old, command, text)
        .with_context(|| format!("{} has lost the marks of {command}", page.display()))?;
    fs::write(page, new).with_context(|| page.display().to_string())
}

/// A page with other text between the marks of `command`; `None` if it has lost them.
pub fn replaced(page: &str, command: &str, text: &str) -> Option<String> {
    let mark = |which: &str| format!("<!-- made by {command}: {which} -->");
    let (start, end) = (mark("start"), mark("end"));
    let (before, rest) = page.split_once(&start)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{start}\n{text}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = "a\n<!-- made by x: start -->\nold\n<!-- made by x: end -->\nz\n";
        let new = "a\n<!-- made by x: start -->\nnew\n<!-- made by x: end -->\nz\n";
        assert_eq!(replaced(page, "x", "new\n").as_deref(), Some(new));
        assert_eq!(replaced(page, "y", "new\n"), None);
    }
}
