//! bessemer: arrays and language models on Metal, WebGPU and the CPU, behind one contract.
//!
//! This is the crate to depend on. It opens devices ([`Device::open`]) and re-exports the other
//! crates, with one [`Error`] for all.
//!
//! # Arrays
//!
//! ```
//! use bessemer::prelude::*;
//!
//! let device = Device::open("auto")?;
//! let a = Array::new(&device, [[1.0f32, 2.0], [3.0, 4.0]])?;
//! let total: f32 = (&a * 2.0 + 1.0).relu().sum_all().item()?;
//! assert_eq!(total, 24.0);
//! assert_eq!(a.slice(s![.., -1]).dims(), [2]);
//! # Ok::<(), bessemer::Error>(())
//! ```
//!
//! # Ops
//!
//! Arrays and models are made of [`ops`], which also can be used directly:
//!
//! ```
//! use bessemer::{Batch, Element, Shape, View, ops::RmsNorm, prelude::*};
//!
//! let device = Device::open("auto")?;
//! // out = x / sqrt(mean(x²)) * weight, row by row.
//! let floats = |values: &[f32], dims: &[usize]| -> Result<View> {
//!     let view = View::new(&device.alloc(4 * values.len())?, DType::F32, Shape::new(dims)?)?;
//!     device.write(&view.slice()?, f32::as_bytes(values))?;
//!     Ok(view)
//! };
//! let x = floats(&[3.0, 3.0, -2.0, -2.0], &[2, 2])?;
//! let (weight, out) = (floats(&[1.0, 10.0], &[2])?, floats(&[0.0; 4], &[2, 2])?);
//! let mut batch = Batch::new();
//! batch.push(RmsNorm { x, weight, epsilon: 0.0, out: out.clone() })?;
//! let ticket = device.submit(&batch)?;
//! device.wait(ticket)?;
//!
//! let mut result = [0.0; 4];
//! device.read(&out.slice()?, f32::as_bytes_mut(&mut result))?;
//! assert_eq!(result, [1.0, 10.0, -1.0, -10.0]);
//! # Ok::<(), bessemer::Error>(())
//! ```
//!
//! # Language models
//!
#![cfg_attr(feature = "models", doc = "```")]
#![cfg_attr(not(feature = "models"), doc = "```ignore")]
//! use bessemer::{llm::{GenerateOptions, SessionOptions}, prelude::*};
//!
//! # let folder = std::env::temp_dir();
//! # let path = folder.join(format!("bessemer-{}.gguf", std::process::id()));
//! # std::fs::write(&path, bessemer::llm::tiny::gguf())?;
//! let device = Device::open("cpu")?;
//! let llm = Llm::open(&path, &device)?;
//! # std::fs::remove_file(&path)?;
//! let mut session = llm.session(SessionOptions::default())?;
//! let options = GenerateOptions { max_tokens: Some(16), ..Default::default() };
//! for piece in llm.generate(&mut session, "Once upon a time", &options)? {
//!     print!("{}", piece?);
//! }
//! # Ok::<(), bessemer::Error>(())
//! ```
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `metal` | yes | the Metal device, on Apple's systems |
//! | `webgpu` | yes | the WebGPU device, through wgpu |
//! | `models` | yes | language models: `Llm`, tokenizers, templates |
//! | `softmetal` | no | the Metal device in software, to test kernels without a Mac |
//!
//! Arrays on the CPU alone: `bessemer = { version = "…", default-features = false }`.

mod candidates;
mod choice;
mod device;
mod error;
mod executor;
#[cfg(feature = "webgpu")]
mod hardware;
#[cfg(feature = "models")]
mod model;
mod options;
mod survey;

pub use bessemer_array as array;
pub use bessemer_array::{Array, s};
pub use bessemer_conformance as conformance;
pub use bessemer_core as core;
pub use bessemer_core::{
    Batch, Buffer, Capabilities, Cost, DType, DeviceInfo, DeviceKind, Element, HostMemory,
    Operation, Shape, Slice, Stats, Strides, Ticket, View, estimate,
};
pub use bessemer_formats as formats;
#[cfg(feature = "models")]
pub use bessemer_llm as llm;
#[cfg(feature = "models")]
pub use bessemer_llm::Llm;
pub use bessemer_ops as ops;
pub use bessemer_program as program;
pub use bessemer_simd::Isa;
#[cfg(feature = "models")]
pub use bessemer_store as store;
pub use choice::DeviceChoice;
pub use device::Device;
pub use error::{Error, Result};
pub use executor::{Argument, Executor, Handle};
#[cfg(feature = "models")]
pub use model::{LlmOptions, open_llm};
pub use options::{DeviceOptions, SoftMetal};
pub use survey::{Finding, QuickCheck, Refusal, Survey};

/// What most programs need: `use bessemer::prelude::*`.
///
/// It shadows none of Rust's own names; ops are in [`ops`].
///
/// ```
/// use bessemer::prelude::*;
///
/// // `Copy` and `Option` are still Rust's.
/// fn first<T: Copy>(items: &[T]) -> Option<T> {
///     items.first().copied()
/// }
/// let device = Device::open("cpu")?;
/// let a = Array::arange(&device, 0, 10, 1);
/// assert_eq!(first(&a.slice(s![..;3]).to_vec::<i32>()?), Some(0));
/// # Ok::<(), bessemer::Error>(())
/// ```
pub mod prelude {
    #[cfg(feature = "models")]
    pub use crate::Llm;
    pub use crate::{Array, DType, Device, Result, s};
}

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
