//! The WebGPU device, through wgpu: Vulkan, DX12 and Metal behind one interface.
//!
//! Mechanics only: adapters, memory, pipelines, submissions. What an op launches is said by the op
//! ([`bessemer_core::Operation::webgpu`]); no op is known here.
//!
//! * **Memory** comes from [`bessemer_core::Pool`]. Everything that touches it goes through one
//!   queue, which keeps its order, so memory may be handed out again while the GPU still works on
//!   what its last owner asked for.
//! * **A batch** is one command buffer with one compute pass. WebGPU orders dispatches of a pass
//!   that touch the same buffer, so no barriers are ours to place.
//! * **An op that is submitted again** finds its pipelines, bind groups and parameters as it left
//!   them: a token after the first creates nothing.
//! * **Weights** that are longer than any buffer of the adapter lie in several, which overlap, so
//!   that every part an op asks for is whole in one of them.
//! * **Copies** to the GPU go through a ring of staging memory; copies from it are waited for
//!   without holding up who submits.
//! * **Errors** of the driver, a lost device and memory that is not there come back from the call
//!   that finds them, with the name of the adapter.

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
