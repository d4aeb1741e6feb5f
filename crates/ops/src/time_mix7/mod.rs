//! The heads of RWKV 7, from the projections of a token to what the heads say of it.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::{
    check::{Check, dims},
    wkv,
};
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// Everything of RWKV 7's time mix between its projections and the output's: for each token and head,
/// with `[r, w, k, v, a, g, f]` its parts of `x` and `[k_k, k_a, r_k, scale, shift]` those of `weights`,
///
/// * `v += (first - v) * sigmoid(f)`, unless this is the first layer, whose `v` is kept in `first`;
/// * `d = k * k_k`, scaled to a length of 1, and `rate = sigmoid(a)`;
/// * `k *= 1 + (rate - 1) * k_a`, and `decay = exp(-exp(-0.5) * sigmoid(w))`;
/// * `y` is what [`Wkv7`](crate::Wkv7) makes of `r`, `decay`, `k`, `v`, `-d` and `d * rate`;
/// * if there is a norm, `y` is brought to mean 0 and variance 1, times `scale`, plus `shift`;
/// * `out = y + Σ (r * k * r_k) * v`, times `g` if there is a gate.
///
/// All sequences have the same number of tokens: a prompt is `[1, tokens, ..]`, a step of many sequences
/// `[sequences, 1, ..]`, and prompts of several lengths are an op each. Heads have at most 256 elements.
/// Tokens in one op and the same tokens in several give the same numbers, bit for bit.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::TimeMix7;
///
/// let device = bessemer_cpu::Reference::new();
/// // One token of one head of one element: r = 2, k = 3 and v = 5.
/// let x = View::from_slice(&device, &[2.0f32, 0.0, 3.0, 5.0, 0.0, 10.0, 0.0], &[7, 1, 1, 1, 1])?;
/// let weights = View::from_slice(&device, &[1.0f32, 0.0, 1.0, 1.0, 0.0], &[5, 1, 1])?;
/// let first = View::alloc(&device, DType::F32, &[1, 1, 1, 1])?;
/// let state = View::from_slice(&device, &[0.0f32], &[1, 1, 1, 1])?;
/// let out = View::alloc(&device, DType::F32, &[1, 1, 1, 1])?;
/// let (norm, gate) = (None, true);
/// let mut batch = Batch::new();
/// batch.push(TimeMix7 {
///     x, weights, first: first.clone(), is_first: true, norm, gate, state: state.clone(), out: out.clone(),
/// })?;
/// device.wait(device.submit(&batch)?)?;
/// // The state is k · v; it is read by r, and the bonus is r · k · v.
/// assert_eq!(state.to_vec::<f32>(&device)?, [15.0]);
/// assert_eq!(out.to_vec::<f32>(&device)?, [10.0 * (2.0 * 15.0 + 2.0 * 3.0 * 5.0)]);
/// assert_eq!(first.to_vec::<f32>(&device)?, [5.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TimeMix7 {
    /// `[7, sequences, tokens, heads, size]`, floats: receptance, decay, keys, values, learning rate, gate,
    /// and the part of the first layer's values.
    pub x: View,
    /// `[5, heads, size]`, `F32`: what keys are multiplied by before they are normed, how much the learning
    /// rate counts in keys, the bonus of the token itself, and the weight and bias of the norm.
    pub weights: View,
    /// `[sequences, tokens, heads, size]`, `F32`: the values of the first layer.
    pub first: View,
    /// Whether this is the first layer.
    pub is_first: bool,
    /// What is added to the variance, if results are normed.
    pub norm: Option<f32>,
    /// Whether results are multiplied by the gate.
    pub gate: bool,
    /// `[sequences, heads, key, value]`, `F32`: read, and replaced by what the last token leaves.
    pub state: View,
    /// `[sequences, tokens, heads, size]`, floats: the result.
    pub out: View,
}

/// The parts of `x`.
const PARTS: usize = 7;
/// The parts of `weights`.
const WEIGHTS: usize = 5;
/// The logarithm of the fastest decay, `-exp(-0.5)`.
const FASTEST: f64 = -0.606_530_659_712_633_4;
/// Directions are divided by their length, or by this if they are shorter.
const SHORTEST: f32 = 1e-12;

impl Operation for TimeMix7 {
    fn name(&self) -> &'static str {
        "time_mix7"
    }

    fn check(&self) -> Result<()> {
        let TimeMix7 { x, weights, first, norm, state, out, .. } = self;
        let operands =
            [("x", x), ("weights", weights), ("first", first), ("state", state), ("out", out)];
        let check = Check::new(self.name(), operands);
        for view in [weights, first, state] {
            check.is(view, DType::F32)?;
        }
        check.all_floats()?;
        check.rank(out, 4, "[sequences, tokens, heads, size]")?;
        let [sequences, tokens, heads, size] = dims(out.shape());
        check.require(size <= wkv::MOST, || wkv::too_wide(size))?;
        let each = [PARTS, sequences, tokens, heads, size];
        check.shape(x, &each, "7 numbers for each element of out")?;
        check.shape(weights, &[WEIGHTS, heads, size], "5 numbers for each element of a token")?;
        check.same_shape(first, out)?;
        check.shape(
            state,
            &[sequences, heads, size, size],
            "a matrix per head of each sequence",
        )?;
        check.epsilon(norm.unwrap_or(0.0))
    }

    fn access(&self) -> Access {
        let TimeMix7 { x, weights, first, is_first, state, out, .. } = self;
        match is_first {
            true => Access::new(&[x, weights], &[out, state, first]),
            false => Access::new(&[x, weights, first], &[out, state]),
        }
    }

    fn cost(&self) -> Cost {
        let mut cost = wkv::cost(&self.access(), &self.state, self.out.shape()[1], 9);
        cost.flops = cost.flops.saturating_add(64 * self.out.elements() as u64);
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::time_mix7(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::time_mix7(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::time_mix7(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
