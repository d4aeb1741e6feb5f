//! Language models: files, tokenizers, chat templates, the models themselves in terms of ops,
//! sampling, and sessions. No kernel and no device lives here.

mod error;
pub mod files;
#[doc(hidden)]
pub mod hostile;
pub mod inspect;
pub mod model;
pub mod sampling;
pub mod session;
pub mod template;
pub mod tokenizer;

pub use error::{Error, Result};
pub use model::Model;
pub use session::{Session, SessionOptions};
