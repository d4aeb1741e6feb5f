//! The store of downloaded models: a folder of named files, and downloads that resume, are verified, and
//! appear only when complete.
//!
//! `bessemer-llm` reads the model files.
//!
//! ```
//! use bessemer_store::{Source, Store};
//!
//! let folder = tempfile::tempdir()?;
//! let store = Store::at(folder.path());
//! assert!(store.list()?.is_empty());
//! let source: Source = "hf:someone/models/tiny.gguf".parse()?;
//! assert_eq!(source.place(), std::path::Path::new("someone/models/tiny.gguf"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod choose;
mod digest;
mod error;
mod folder;
mod part;
#[cfg(feature = "pull")]
mod pull;
mod record;
mod resolve;
mod source;

pub use catalogue::{CATALOGUE, Listed};
pub use error::{Error, Result};
pub use folder::{Entry, Store, Verdict};
pub use part::Partial;
#[cfg(feature = "pull")]
pub use pull::{Outcome, Patience, Progress, PullOptions, Pulled};
pub use record::Record;
pub use resolve::Resolved;
pub use source::Source;
