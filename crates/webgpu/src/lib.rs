//! The WebGPU device, through wgpu: Vulkan, DX12 and Metal behind one interface.
//!
//! This crate has adapters, memory, pipelines and submissions, and no code for any particular op: ops
//! describe their launches ([`bessemer_core::Operation::webgpu`]).
//!
//! * **Memory** comes from [`bessemer_core::Pool`]. Everything that touches it goes through one
//!   queue, which keeps its order, so memory may be handed out again while the GPU still works on
//!   what its last owner asked for.
//! * **A batch** is one command buffer with one compute pass. WebGPU orders dispatches of a pass
//!   that touch the same buffer, so the device places no barriers.
//! * **An op that is submitted again** reuses its pipelines, bind groups and parameters:
//!   tokens after the first create nothing.
//! * **Weights** that are longer than any buffer of the adapter are split over several overlapping
//!   buffers, so that every part an op uses is entirely in one of them.
//! * **Copies** to the GPU go through a ring of staging memory; copies from it are waited for
//!   without blocking submissions.
//! * **Errors** of the driver, a lost device and out of memory are returned by the call that
//!   detects them, with the name of the adapter.

mod adapter;
mod device;
mod edges;
mod engine;
mod fault;
mod launch;
mod memory;
mod options;
mod pages;
mod pipelines;
mod readback;
mod recorder;
mod source;
mod timeline;
mod uploads;
mod watches;

pub use adapter::{AdapterSummary, Power, adapters};
pub use device::WebGpu;
pub use options::WebGpuOptions;
pub use recorder::{Module, Profile, Recorded, Recorder};
