//! Language models over HTTP: the OpenAI, Anthropic and ollama APIs, metrics, and a chat page. Batching
//! and pages of keys and values are in `bessemer-engine`; which models there are is for the caller to say.
//!
//! ```
//! use bessemer_server::{Catalogue, Listing, ModelOptions, Options, Server};
//! # use std::{sync::Arc, time::SystemTime};
//!
//! struct Tiny;
//!
//! impl Catalogue for Tiny {
//!     fn list(&self) -> Vec<Listing> {
//!         vec![Listing { name: "tiny".into(), bytes: 1 << 20, since: SystemTime::now() }]
//!     }
//!
//!     fn open(&self, _: &str) -> Result<bessemer_llm::Llm, Box<dyn std::error::Error + Send + Sync>> {
//!         let device = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
//!         let device: Arc<dyn bessemer_core::Device> = device;
//!         Ok(bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?)
//!     }
//! }
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let options = Options { port: 0, ..Options::default() };
//! let server = Server::bind(options, Arc::new(Tiny), ModelOptions::default()).await?;
//! println!("http://{}", server.address());
//! // It ends when this future is ready.
//! server.run(async {}).await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anthropic;
mod api;
mod app;
mod around;
mod ask;
mod body;
mod health;
mod keys;
mod log;
mod metrics;
mod models;
mod native;
mod net;
mod ollama;
mod openai;
mod openapi;
mod options;
mod page;
mod refusal;
mod server;
mod stream;

use api::Api;
use app::App;
pub use keys::{Allowance, BadKey, Keys, hashed_key};
pub use log::{LogOptions, log_to_stderr};
pub use models::{Catalogue, Listing, ModelOptions};
pub use net::BadCertificate;
pub use options::{Limits, Options, Tls};
use refusal::{Kind, Refusal};
pub use server::{Error, Server};
