//! Where models are kept and how they get there: a folder of files with names, and downloads that
//! resume, are checked, and appear whole or not at all.
//!
//! What is in a model file is of no concern here; `bessemer-llm` reads them.

mod error;
mod folder;
#[cfg(feature = "pull")]
mod pull;
mod resolve;
mod source;

pub use error::{Error, Result};
pub use folder::{Entry, Store};
#[cfg(feature = "pull")]
pub use pull::{Progress, Pulled};
pub use resolve::Resolved;
pub use source::Source;
