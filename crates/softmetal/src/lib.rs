//! A software Metal compute device: it compiles MSL with clang, runs it on any CPU, and checks
//! it for the errors a GPU would never tell you.
//!
//! [`Device`] is the way in; the objects behind it are shaped like Metal's own.

#[cfg(not(unix))]
compile_error!("softmetal needs a Unix system: it catches the faults of kernels by signals");

mod api;
mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod compile;
mod diagnostic;
mod error;
mod exec;
mod files;
mod front;
mod language;
mod platform;
mod registers;

pub use api::*;
pub use check::{Counters, Kind as ReportKind, Report, Side, Traffic};
pub use compile::Optimization;
pub use diagnostic::{Diagnostic, Severity};
pub use error::{Error, Result};
