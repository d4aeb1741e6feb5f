//! What bessemer can compute: one folder per family of ops.
//!
//! A folder holds all there is to know of its op: the rule, what it touches and costs
//! (`mod.rs`), the meaning (`reference.rs`), the fast CPU code (`cpu.rs`) and the cases that hold
//! every device to the meaning (`cases.rs`). Kernels for Metal and WebGPU lie beside them.
//! Devices, queues and threads do not live here.

mod add_rms_norm;
mod attention;
mod bind;
pub mod case;
mod check;
mod concat;
mod copy;
mod expert_linear;
mod gated;
mod gated_linears;
mod gather;
mod gpu;
mod group_norm;
mod indices;
mod into_cache;
mod kernel;
mod layer_norm;
mod linear;
mod map;
mod matmul;
mod quantize;
mod reduce;
mod rms_norm;
mod rope;
mod scatter;
mod softmax;
mod top_k;
mod walk;
mod wgsl;

pub use add_rms_norm::AddRmsNorm;
pub use attention::Attention;
pub use bind::Input;
pub use concat::Concat;
pub use copy::Copy;
pub use expert_linear::ExpertLinear;
pub use gated::{Activation, Gated};
pub use gated_linears::GatedLinears;
pub use gather::Gather;
pub use group_norm::GroupNorm;
pub use into_cache::{HeadNorms, IntoCache};
pub use kernel::Kernel;
pub use layer_norm::LayerNorm;
pub use linear::{Linear, Linears};
pub use map::Map;
pub use matmul::{Dot, Matmul};
pub use quantize::{Dequantize, Quantize};
pub use reduce::{Reduce, ReduceKind};
pub use rms_norm::RmsNorm;
pub use rope::{Rope, RopeFrequencies, RopePairs, RopeScaling};
pub use scatter::Scatter;
pub use softmax::Softmax;
pub use top_k::TopK;

use case::Case;

/// Every case of every op: the one list that tests, `bessemer check` and the table of supported
/// ops are made of.
pub fn cases() -> Vec<Case> {
    let families: &[fn() -> Vec<Case>] = &[
        add_rms_norm::cases,
        attention::cases,
        concat::cases,
        copy::cases,
        gated::cases,
        gated_linears::cases,
        gather::cases,
        group_norm::cases,
        into_cache::cases,
        kernel::cases,
        layer_norm::cases,
        map::cases,
        reduce::cases,
        linear::cases,
        expert_linear::cases,
        matmul::cases,
        quantize::cases,
        rms_norm::cases,
        rope::cases,
        scatter::cases,
        softmax::cases,
        top_k::cases,
    ];
    families.iter().flat_map(|cases| cases()).collect()
}
