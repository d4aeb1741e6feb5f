//! What `wkv6` and `wkv7` share: the layout of the state, and how the tokens of a head are gone
//! through on each kind of device.
//!
//! # Sequences
//!
//! Operands of the RWKV ops are `[sequences, tokens, ..]`: all sequences of one op have as many
//! tokens. That is a prompt (`[1, tokens, ..]`), and it is one step of many sequences
//! (`[sequences, 1, ..]`); both are views of what a linear layer returns. Prompts of several lengths
//! are an op each, on parts of the same arrays. So kernels need no table of where sequences start, and
//! 8 buffers are enough for each of them, which is all that portable WebGPU devices bind.
//!
//! # The state
//!
//! A head's state is a matrix of `f32`, `[key, value]`: element `[i, j]` is what key `i` says of value
//! `j`. Each value is a column of its own, which depends on no other column. Columns are neighbours in
//! memory, so a vector (on a GPU, the threads of a group) reads neighbouring numbers.

pub(crate) mod cpu;
pub(crate) mod metal;
pub(crate) mod webgpu;

use bessemer_core::{Access, Cost, View};

/// The most elements of a head: a thread of a GPU's threadgroup has one column of the state.
pub(crate) const MOST: usize = 256;

/// The size of heads whose state GPU kernels keep in registers: that of all published models.
const HELD: usize = 64;

/// Why heads of `size` elements are refused.
pub(crate) fn too_wide(size: usize) -> String {
    format!("heads have {size} elements, but at most {MOST} are supported")
}

/// The cost of an op that reads and writes its state once, and does `flops` operations with each of
/// its elements for each token.
pub(crate) fn cost(access: &Access, state: &View, tokens: usize, flops: u64) -> Cost {
    let mut cost = Cost::of(access, flops * tokens as u64 * state.elements() as u64);
    cost.bytes += state.stored_bytes() as u64;
    cost
}
