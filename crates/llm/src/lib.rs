//! Language models: their files, their tokenizers and their chat templates.
//!
//! What a model computes is in terms of ops and lives with the models; here nothing knows a
//! device.

mod error;
pub mod files;
#[doc(hidden)]
pub mod hostile;
pub mod inspect;
pub mod sampling;
pub mod template;
pub mod tokenizer;

pub use error::{Error, Result};
