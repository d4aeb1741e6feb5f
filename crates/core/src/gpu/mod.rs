//! How an op runs on a GPU, as data: the same types for Metal and WebGPU.
//!
//! MSL is compiled without fast maths, so that NaN and infinities are handled correctly; a kernel that
//! wants the fast form of a function requests it (`fast::exp`).
//!
//! Nothing here touches a GPU. An op describes its launches from what [`GpuTraits`] says; the
//! device compiles the kernels, puts barriers between launches that overlap in memory, and runs them.

mod compiled;
mod kernel;
mod launch;
mod msl;
mod span;
mod traits;

pub use compiled::{CompiledKernel, KernelLimits};
pub use kernel::{Constant, Kernel, Source};
pub use launch::{Binding, Launch, Launches, Params};
pub use span::Span;
pub use traits::GpuTraits;
