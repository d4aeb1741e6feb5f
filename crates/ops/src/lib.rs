//! What bessemer can compute: one folder per family of ops.
//!
//! A folder holds all there is to know of its op: the rule, what it touches and costs
//! (`mod.rs`), the meaning (`reference.rs`), the fast CPU code (`cpu.rs`) and the cases that hold
//! every device to the meaning (`cases.rs`). Kernels for Metal and WebGPU lie beside them.
//! Devices, queues and threads do not live here.

pub mod case;
mod concat;
mod copy;
mod gather;
mod indices;
mod rms_norm;
mod scatter;

pub use concat::Concat;
pub use copy::Copy;
pub use gather::Gather;
pub use rms_norm::RmsNorm;
pub use scatter::Scatter;

use case::Case;

/// Every case of every op: the one list that tests, `bessemer check` and the table of supported
/// ops are made of.
pub fn cases() -> Vec<Case> {
    let families: &[fn() -> Vec<Case>] =
        &[concat::cases, copy::cases, gather::cases, rms_norm::cases, scatter::cases];
    families.iter().flat_map(|cases| cases()).collect()
}
