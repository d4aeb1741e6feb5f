//! Short convolutions: each channel's last few tokens, weighted.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::{Check, dims};
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out[s, t, c] = Σ x[s, t + l - (L - 1), c] * weight[c, l]` over all `l`: a causal convolution along
/// the tokens, of each channel by itself. Tokens before the first are those of `state`, oldest first.
///
/// `x` and `out` are `[sequences, tokens, channels]` and `weight` is `[channels, L]`, of any float
/// dtypes; L is from 2 to 16. All sequences have the same number of tokens: a prompt is `[1, tokens,
/// channels]`, a step of many sequences `[sequences, 1, channels]`. Tokens in one op and the same tokens
/// in several give the same numbers, bit for bit.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::ShortConv;
///
/// let device = bessemer_cpu::Reference::new();
/// // Two tokens of one channel: half of the token itself, and an eighth of the one before.
/// let x = View::from_slice(&device, &[4.0f32, 8.0], &[1, 2, 1])?;
/// let weight = View::from_slice(&device, &[0.125f32, 0.5], &[1, 2])?;
/// let state = View::from_slice(&device, &[16.0f32], &[1, 1, 1])?;
/// let out = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// batch.push(ShortConv { x, weight, state: state.clone(), out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [2.0 + 2.0, 4.0 + 0.5]);
/// assert_eq!(state.to_vec::<f32>(&device)?, [8.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShortConv {
    /// The tokens.
    pub x: View,
    /// How much each of the last L tokens counts, oldest first.
    pub weight: View,
    /// `[sequences, L - 1, channels]`, `F32`: the tokens before the first, zeros if there are none. It
    /// becomes the last ones.
    pub state: View,
    /// The result.
    pub out: View,
}

/// The longest convolution: kernels keep as many tokens in registers.
const LONGEST: usize = 16;

impl Operation for ShortConv {
    fn name(&self) -> &'static str {
        "short_conv"
    }

    fn check(&self) -> Result<()> {
        let ShortConv { x, weight, state, out } = self;
        let operands = [("x", x), ("weight", weight), ("state", state), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.is(state, DType::F32)?;
        check.all_floats()?;
        check.rank(x, 3, "[sequences, tokens, channels]")?;
        check.rank(weight, 2, "[channels, length]")?;
        check.same_shape(out, x)?;
        let ([sequences, _, channels], length) = (dims(x.shape()), weight.shape()[1]);
        check.shape(weight, &[channels, length], "a row per channel of x")?;
        check.require((2..=LONGEST).contains(&length), || {
            format!("a convolution over {length} tokens is not from 2 to {LONGEST}")
        })?;
        check.shape(state, &[sequences, length - 1, channels], "the tokens before each sequence")
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x, &self.weight], &[&self.out, &self.state])
    }

    fn cost(&self) -> Cost {
        let flops = 2 * self.weight.shape()[1] as u64 * self.out.elements() as u64;
        let mut cost = Cost::of(&self.access(), flops);
        // Read as well as written.
        cost.bytes += self.state.stored_bytes() as u64;
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::short_conv(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::short_conv(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::short_conv(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
