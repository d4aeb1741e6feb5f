//! Token shift: RWKV's mixes of each token with the one before it.

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

/// `out[n, s, t] = x[s, t] + (before - x[s, t]) * mu[n, s, t]`, where `before` is `x[s, t - 1]`, or
/// `state[s]` for the first token.
///
/// `x` is `[sequences, tokens, channels]` and `out` is `[mixes, sequences, tokens, channels]`, of any
/// float dtypes. All sequences have the same number of tokens: a prompt is `[1, tokens, channels]`, a
/// step of many sequences `[sequences, 1, channels]`, and prompts of several lengths are an op each.
/// Tokens in one op and the same tokens in several give the same numbers, bit for bit.
///
/// `mu` is any float and broadcasts to the shape of `out`: `[mixes, 1, 1, channels]` for the constant
/// mixes of RWKV 4, 5 and 7. RWKV 6 mixes twice: first with one constant `mu`, to compute from the
/// result a `mu` per token, and then with that. Both must see the same state, so the first has
/// `update: false`.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::TokenShift;
///
/// let device = bessemer_cpu::Reference::new();
/// // Two tokens of one channel, mixed in two ways.
/// let x = View::from_slice(&device, &[4.0f32, 8.0], &[1, 2, 1])?;
/// let state = View::from_slice(&device, &[2.0f32], &[1, 1])?;
/// let mu = View::from_slice(&device, &[0.5f32, 1.0], &[2, 1, 1, 1])?;
/// let out = View::from_slice(&device, &[0.0f32; 4], &[2, 1, 2, 1])?;
/// let mut batch = Batch::new();
/// batch.push(TokenShift { x, state: state.clone(), mu, update: true, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [3.0, 6.0, 2.0, 4.0]);
/// assert_eq!(state.to_vec::<f32>(&device)?, [8.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TokenShift {
    /// The tokens.
    pub x: View,
    /// `[sequences, channels]`, `F32`: the token before the first of each sequence, zeros if there is
    /// none.
    pub state: View,
    /// How much of the token before is in each mix.
    pub mu: View,
    /// Whether the state becomes the last token of each sequence. Without tokens it stays.
    pub update: bool,
    /// The mixes.
    pub out: View,
}

impl TokenShift {
    /// `mu` in the shape of `out`.
    fn full_mu(&self) -> Result<View> {
        self.mu.broadcast_to(*self.out.shape())
    }
}

impl Operation for TokenShift {
    fn name(&self) -> &'static str {
        "token_shift"
    }

    fn check(&self) -> Result<()> {
        let TokenShift { x, state, mu, out, .. } = self;
        let operands = [("x", x), ("state", state), ("mu", mu), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.is(state, DType::F32)?;
        check.all_floats()?;
        check.rank(x, 3, "[sequences, tokens, channels]")?;
        check.rank(out, 4, "[mixes, sequences, tokens, channels]")?;
        let ([sequences, tokens, channels], mixes) = (dims(x.shape()), out.shape()[0]);
        check.shape(out, &[mixes, sequences, tokens, channels], "mixes of each token of x")?;
        check.require(mixes > 0, || "out has no mixes, but must have at least 1".to_owned())?;
        check.shape(state, &[sequences, channels], "one token per sequence of x")?;
        check.require(self.full_mu().is_ok(), || {
            let (mu, out) = (mu.shape(), out.shape());
            format!("mu has shape {mu}, which does not broadcast to that of out, {out}")
        })
    }

    fn access(&self) -> Access {
        match self.update {
            true => Access::new(&[&self.x, &self.mu], &[&self.out, &self.state]),
            false => Access::new(&[&self.x, &self.mu, &self.state], &[&self.out]),
        }
    }

    fn cost(&self) -> Cost {
        let mut cost = Cost::of(&self.access(), 3 * self.out.elements() as u64);
        if self.update {
            // Read as well as written.
            cost.bytes += self.state.stored_bytes() as u64;
        }
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::token_shift(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::token_shift(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::token_shift(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
