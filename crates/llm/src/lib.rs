//! Language models: their files, their tokenizers and their chat templates.
//!
//! What a model computes is in terms of ops and lives with the models; here nothing knows a
//! device.

mod error;
pub mod files;
pub mod sampling;

pub use error::{Error, Result};
