//! Language models: files, tokenizers, chat templates, the models themselves in terms of ops,
//! sampling, and sessions. Kernels and devices are not here.
//!
//! [`Llm`] is a model ready to generate text; a [`Session`] is one text in progress, with its [`State`]. Several sessions
//! can share a model, also on several threads.
//!
//! ```
//! use bessemer_llm::{GenerateOptions, Llm, StopReason, sampling::Sampling};
//! # use std::sync::Arc;
//! # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
//! # let bytes = bessemer_llm::tiny::gguf();
//!
//! let llm = Llm::from_bytes(bytes, &device)?; // or Llm::open("model.gguf", &device)
//! let options = GenerateOptions {
//!     max_tokens: Some(20),
//!     sampling: Sampling::greedy(),
//!     stop: vec!["The End".into()],
//!     ..Default::default()
//! };
//! let answer = llm.complete("Once upon a time", &options)?;
//! println!("{}", answer.text);
//! # assert!(matches!(answer.stop, StopReason::Length | StopReason::End(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Text in this crate is made of tokens, and tokens are chosen from logits: see [`Llm::logits`],
//! [`Session::extend`] and [`sampling::Sampler`] for each step by itself.

pub mod embedding;
mod error;
pub mod files;
#[doc(hidden)]
pub mod hostile;
pub mod inspect;
mod llm;
pub mod model;
pub mod paged;
pub mod perplexity;
pub mod quantize;
pub mod sampling;
pub mod session;
pub mod state;
pub mod template;
#[doc(hidden)]
pub mod tiny;
pub mod tokenizer;

pub use error::{Error, Result};
pub use llm::{
    Answer, Fallback, GenerateOptions, Generation, Llm, Lookup, Prompt, SETTINGS, Setting,
    StopReason, Takes, Timings, WhenFull, Writer,
};
pub use model::Model;
pub use session::{Cancel, Session, SessionOptions};
pub use state::{SnapshotOptions, State};
