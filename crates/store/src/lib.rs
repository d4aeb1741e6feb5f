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
