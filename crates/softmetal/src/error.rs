//! The errors of the crate. Each says what was asked, of what, and which rule it broke.

use crate::check::Report;
use crate::diagnostic::Diagnostic;

/// What can go wrong.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no compiler to be found.
    #[error(
        "clang was not found (looked for {looked}); install it (Debian, Ubuntu: `apt-get install clang-19`; macOS: `brew install llvm`) or set SOFTMETAL_CLANG to its path"
    )]
    NoCompiler {
        /// The names that were tried.
        looked: String,
    },
    /// The source does not compile.
    #[error("{}", .0.iter().map(|d| d.to_string()).collect::<Vec<_>>().join("\n"))]
    Compile(Vec<Diagnostic>),
    /// The compiler itself failed: it could not be run, took too long, or crashed.
    #[error("clang failed: {0}")]
    Compiler(String),
    /// The library has no such function.
    #[error("the library has no kernel '{name}'{}", nearest(.known, .name))]
    NoFunction {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A call broke one of Metal's rules.
    #[error("{op}: {rule}")]
    Invalid {
        /// What was called.
        op: String,
        /// The rule that it broke.
        rule: String,
    },
    /// A kernel failed while it ran.
    #[error("kernel '{kernel}': {what}")]
    Fault {
        /// The kernel's name.
        kernel: String,
        /// What happened, and where.
        what: String,
    },
    /// The checker found errors.
    #[error("{}", .0.iter().map(|r| r.to_string()).collect::<Vec<_>>().join("\n"))]
    Checked(Vec<Report>),
    /// A file or the system failed.
    #[error("{what}: {why}")]
    Io {
        /// What was being done.
        what: String,
        /// The system's own words.
        why: String,
    },
}

fn nearest(known: &[String], name: &str) -> String {
    let close = known
        .iter()
        .find(|k| k.eq_ignore_ascii_case(name) || k.contains(name) || name.contains(k.as_str()));
    match (close, known.len()) {
        (Some(k), _) => format!("; there is '{k}'"),
        (None, 0) => "; it has none".into(),
        (None, n) if n <= 8 => format!("; it has {}", known.join(", ")),
        (None, n) => format!("; it has {n} others"),
    }
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

pub(crate) fn invalid<T>(op: impl Into<String>, rule: impl Into<String>) -> Result<T> {
    Err(Error::Invalid { op: op.into(), rule: rule.into() })
}

pub(crate) fn io(what: impl Into<String>, why: impl std::fmt::Display) -> Error {
    Error::Io { what: what.into(), why: why.to_string() }
}
