//! A software Metal compute device: it compiles MSL with clang, runs it on any CPU, and checks
//! it for the errors a GPU would never tell you.
//!
//! [`Device`] is the way in; the objects behind it are shaped like Metal's own.
//!
//! ```
//! use softmetal::{CompileOptions, Device};
//!
//! let device = Device::open()?;
//! let source = "kernel void fill(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 1; }";
//! let library = device.new_library_with_source(source, &CompileOptions::default())?;
//! assert_eq!(library.function_names(), ["fill"]);
//! # Ok::<(), softmetal::Error>(())
//! ```

// Kernels are ELF objects, and signals catch their faults: without them there is nothing here, so that
// the workspace builds everywhere.
#![cfg(unix)]

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
#[doc(hidden)]
pub mod hostile;
mod language;
mod platform;
mod registers;

pub use api::*;
pub use check::{Counters, Kind as ReportKind, Report, Side, Traffic};
pub use compile::Optimization;
pub use diagnostic::{Diagnostic, Severity};
pub use error::{Error, Result};
