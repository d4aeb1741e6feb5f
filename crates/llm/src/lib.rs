//! Language models: files, tokenizers, chat templates, the models themselves in terms of ops,
//! sampling, and sessions. No kernel and no device lives here.

mod error;
pub mod files;
#[doc(hidden)]
pub mod hostile;
pub mod inspect;
mod llm;
pub mod model;
pub mod perplexity;
pub mod quantize;
pub mod sampling;
pub mod session;
pub mod template;
#[doc(hidden)]
pub mod tiny;
pub mod tokenizer;

pub use error::{Error, Result};
pub use llm::{Answer, GenerateOptions, Generation, Llm, Prompt, StopReason, Timings, WhenFull};
pub use model::Model;
pub use session::{Cancel, Session, SessionOptions};
