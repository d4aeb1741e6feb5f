//! bessemer: arrays and language models on Metal, WebGPU and the CPU, behind one contract.
//!
//! This is the crate to depend on. It opens devices ([`Device::open`]) and gathers what the other
//! crates offer under one name; nothing is computed here.
//!
//! ```
//! use bessemer::prelude::*;
//!
//! let device = Device::open("auto")?;
//! println!("{} on {} threads", device.info().name, device.info().threads);
//!
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
//! Language models are in [`llm`]:
//!
//! ```
//! use bessemer::{Device, llm::{GenerateOptions, Llm, SessionOptions}};
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
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod candidates;
mod choice;
mod device;
mod executor;
mod model;
mod survey;

pub use bessemer_array as array;
pub use bessemer_array::Array;
pub use bessemer_conformance as conformance;
pub use bessemer_core as core;
pub use bessemer_core::{
    Batch, Buffer, Cost, DType, DeviceInfo, DeviceKind, Element, Error, HostMemory, Operation,
    Result, Shape, Slice, Stats, Strides, Ticket, View, estimate,
};
pub use bessemer_formats as formats;
pub use bessemer_llm as llm;
pub use bessemer_ops as ops;
pub use bessemer_program as program;
pub use bessemer_store as store;
pub use choice::DeviceChoice;
pub use device::{Device, DeviceOptions};
pub use executor::{Argument, Executor, Handle};
pub use model::{LlmOptions, ModelError, open_llm};
pub use survey::{Finding, QuickCheck, Refusal, Survey};

/// All that most programs need: `use bessemer::prelude::*`.
pub mod prelude {
    pub use crate::{
        Array, Batch, Buffer, DType, Device, DeviceChoice, Element, Result, Shape, Slice, View,
        ops::*,
    };
    // The methods of ops; those of devices need no import.
    pub use bessemer_core::Operation as _;
}

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
