//! The ops of bessemer: one folder per family.
//!
//! A folder has everything about its op: its checks, the views it accesses, its cost
//! (`mod.rs`), the reference implementation (`reference.rs`), the fast CPU code (`cpu.rs`) and the conformance
//! cases for every device (`cases.rs`). Kernels for Metal and WebGPU are next to them.
//! Devices, queues and threads are not here.
//!
//! ```
//! use bessemer_core::{Batch, Device, View};
//! use bessemer_ops::{RmsNorm, Softmax};
//!
//! let device = bessemer_cpu::Cpu::open(Default::default())?;
//! let x = View::from_slice(&device, &[3.0f32, 3.0, -2.0, -2.0], &[2, 2])?;
//! let weight = View::from_slice(&device, &[1.0f32, 1.0], &[2])?;
//! let out = View::alloc(&device, x.dtype(), x.shape())?;
//! // Ops run in order: the softmax works on the norm, in place.
//! let mut batch = Batch::new();
//! batch.push(RmsNorm { x, weight, epsilon: 0.0, out: out.clone() })?;
//! batch.push(Softmax { x: out.clone(), scale: 1.0, mask: None, log: false, out: out.clone() })?;
//! device.wait(device.submit(&batch)?)?;
//! assert_eq!(out.to_vec::<f32>(&device)?, [0.5; 4]);
//! # Ok::<(), bessemer_core::Error>(())
//! ```

mod add_layer_norm;
mod add_rms_norm;
mod attention;
mod bind;
pub mod case;
mod check;
mod compact;
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
mod random;
mod reduce;
mod rms_norm;
mod rope;
mod scan;
mod scatter;
mod search;
mod short_conv;
mod softmax;
mod sort;
mod take_along;
mod time_mix7;
mod token_shift;
mod top_k;
mod variance;
mod walk;
mod wgsl;
mod wkv;
mod wkv4;
mod wkv6;
mod wkv7;

pub use add_layer_norm::AddLayerNorm;
pub use add_rms_norm::AddRmsNorm;
pub use attention::{Attention, Pages};
pub use bind::Input;
pub use compact::Compact;
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
pub use linear::{ActivatedLinears, Linear, Linears};
pub use map::Map;
pub use matmul::{Dot, Matmul};
pub use quantize::{Dequantize, Quantize};
pub use random::{Random, RandomKind};
pub use reduce::{Reduce, ReduceKind};
pub use rms_norm::RmsNorm;
pub use rope::{Rope, RopeFrequencies, RopePairs, RopeScaling};
pub use scan::{Scan, ScanKind};
pub use scatter::Scatter;
pub use search::Search;
pub use short_conv::ShortConv;
pub use softmax::Softmax;
pub use sort::{Sort, Sorted};
pub use take_along::TakeAlong;
pub use time_mix7::TimeMix7;
pub use token_shift::TokenShift;
pub use top_k::TopK;
pub use variance::Variance;
pub use wkv4::Wkv4;
pub use wkv6::Wkv6;
pub use wkv7::Wkv7;

use case::Case;

/// Every case of every op: the one list that tests, `bessemer check` and the table of supported
/// ops are made of.
pub fn cases() -> Vec<Case> {
    let families: &[fn() -> Vec<Case>] = &[
        add_layer_norm::cases,
        add_rms_norm::cases,
        attention::cases,
        compact::cases,
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
        random::cases,
        reduce::cases,
        linear::cases,
        expert_linear::cases,
        matmul::cases,
        quantize::cases,
        rms_norm::cases,
        rope::cases,
        scan::cases,
        scatter::cases,
        search::cases,
        short_conv::cases,
        softmax::cases,
        sort::cases,
        take_along::cases,
        time_mix7::cases,
        token_shift::cases,
        top_k::cases,
        variance::cases,
        wkv4::cases,
        wkv6::cases,
        wkv7::cases,
    ];
    families.iter().flat_map(|cases| cases()).collect()
}
