//! Running nextest while keeping count of the tests that passed.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

/// Runs a nextest command, passes on what it prints, and returns how many tests passed.
pub(crate) fn count_tests(nextest: &mut Command) -> Result<usize> {
    shell::show(nextest);
    let mut child =
        nextest.stderr(Stdio::piped()).spawn().with_context(|| shell::cannot_start(nextest))?;
    let mut passed = None;
    for text in BufReader::new(child.stderr.take().expect("it was piped")).lines() {
        let text = text.context("reading what nextest prints")?;
        eprintln!("{text}");
        passed = tests_passed(&text).or(passed);
    }
    let status = child.wait().context("waiting for nextest")?;
    match passed {
        _ if !status.success() => bail!("`{}` failed: {status}", shell::line(nextest)),
        Some(passed) if passed > 0 => Ok(passed),
        _ => bail!("`{}` ran no test", shell::line(nextest)),
    }
}

/// Runs a pytest command, passes on what it prints, and returns how many tests passed.
pub(crate) fn count_python_tests(pytest: &mut Command) -> Result<usize> {
    shell::show(pytest);
    let mut child =
        pytest.stdout(Stdio::piped()).spawn().with_context(|| shell::cannot_start(pytest))?;
    let mut passed = None;
    for text in BufReader::new(child.stdout.take().expect("it was piped")).lines() {
        let text = text.context("reading what pytest prints")?;
        eprintln!("{text}");
        passed = python_tests_passed(&text).or(passed);
    }
    let status = child.wait().context("waiting for pytest")?;
    match passed {
        _ if !status.success() => bail!("`{}` failed: {status}", shell::line(pytest)),
        Some(passed) if passed > 0 => Ok(passed),
        _ => bail!("`{}` ran no test", shell::line(pytest)),
    }
}

/// The same for a line of pytest.
fn python_tests_passed(text: &str) -> Option<usize> {
    let (counts, _) = text.trim_matches('=').trim().split_once(" in ")?;
    let (count, _) = counts.split_once(" passed")?;
    count.rsplit(", ").next()?.trim().parse().ok()
}

/// The tests that passed, if `text` is the line that sums up a run.
fn tests_passed(text: &str) -> Option<usize> {
    let text = without_colours(text);
    let (_, counts) = text.trim_start().strip_prefix("Summary [")?.split_once("run: ")?;
    let (count, _) = counts.split_once(" passed")?;
    count.trim().parse().ok()
}

/// A line as it is where colours are off: they are on where `CARGO_TERM_COLOR` says so.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, text)| text));
    [first].into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_sums_up_in_python() {
        assert_eq!(python_tests_passed("463 passed, 2 warnings in 4.42s"), Some(463));
        assert_eq!(python_tests_passed("===== 5 failed, 463 passed in 4.42s ====="), Some(463));
        assert_eq!(python_tests_passed("5 failed in 4.42s"), None);
        assert_eq!(python_tests_passed("tests/test_llm.py ..... [ 20%]"), None);
    }

    #[test]
    fn the_line_that_sums_up() {
        let line = "     Summary [   0.316s] 1207 tests run: 1207 passed (3 slow), 2 skipped";
        assert_eq!(tests_passed(line), Some(1207));
        assert_eq!(tests_passed("     Summary [   0.1s] 1 test run: 1 passed, 0 skipped"), Some(1));
        let coloured = "\x1b[32;1m     Summary\x1b[0m [   0.020s] \x1b[1m6\x1b[0m tests run: \
            \x1b[1m6\x1b[0m \x1b[32;1mpassed\x1b[0m, \x1b[1m0\x1b[0m \x1b[33;1mskipped\x1b[0m";
        assert_eq!(tests_passed(coloured), Some(6));
        assert_eq!(tests_passed("     Summary [   0.1s] 2 tests run: 2 failed"), None);
        assert_eq!(tests_passed("        PASS [   0.0s] xtask summary::it_passed"), None);
    }
}
