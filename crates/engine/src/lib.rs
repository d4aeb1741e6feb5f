//! Many texts at once on one model: continuous batching. What a text is, and how one is computed, is in
//! [`bessemer_llm`]; HTTP is not here.
//!
//! An [`Engine`] has a thread that drives the device in steps. A step takes rows of many texts: the last
//! token of each that is being generated, and parts of prompts. Texts join and leave between steps.
//!
//! **An answer is bit for bit that of its request alone**, whatever shares the steps with it, also with
//! prefix sharing, prompt lookup or pauses: what is summed for a row, and in which order, depends on the
//! row's own text and position only.
//!
//! ```
//! # use std::sync::Arc;
//! # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
//! # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
//! use bessemer_engine::{Engine, Request};
//! use bessemer_llm::{GenerateOptions, Prompt, sampling::Sampling};
//!
//! let engine = Engine::new(llm, Default::default())?;
//! let options = GenerateOptions {
//!     max_tokens: Some(8),
//!     sampling: Sampling::greedy(),
//!     ..Default::default()
//! };
//! let ask = |text: &str| -> Result<_, Box<dyn std::error::Error>> {
//!     let prompt = engine.llm().tokens(&Prompt::Text(text))?;
//!     Ok(engine.submit(Request::new(prompt, options.clone()))?)
//! };
//! let (first, second) = (ask("Once upon a time")?, ask("In a hole")?);
//! println!("{}\n{}", first.finish()?.text, second.finish()?.text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answering;
mod backend;
mod channel;
mod constraint;
mod engine;
mod error;
mod options;
mod queue;
mod request;
mod stats;
mod worker;

pub use answering::{Answer, Answering, End, Event, Pending, Piece, Timings, Token, Usage};
pub use constraint::{Constraint, Mask};
pub use engine::Engine;
pub use error::{Error, Result};
pub use options::EngineOptions;
pub use request::{Priority, Refused, Request};
pub use stats::{Pages, Stats, Totals};
