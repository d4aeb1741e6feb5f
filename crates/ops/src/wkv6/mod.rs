//! The recurrence of RWKV 5 and 6: a matrix per head that fades and takes in each token.

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

/// For each token, with a state `s` per head of a sequence:
/// `out[j] = Σ r[i] * (s[i, j] + u[i] * k[i] * v[j])` over all keys `i`, and then
/// `s[i, j] = decay[i] * s[i, j] + k[i] * v[j]`.
///
/// `r`, `k`, `v`, `decay` and `out` are `[sequences, tokens, heads, size]` of any float dtypes. All
/// sequences have the same number of tokens: a prompt is `[1, tokens, ..]`, a step of many sequences
/// `[sequences, 1, ..]`, and prompts of several lengths are an op each. Heads have at most 256
/// elements. Tokens in one op and the same tokens in several give the same numbers, bit for bit.
///
/// The decay of RWKV 6 depends on the token. RWKV 5 has one per channel (5.0 and 5.1: per head), which
/// is broadcast: a [`View`] with steps of 0 takes no memory.
///
/// The state is `F32` and `[sequences, heads, key, value]`, as the `rwkv` package and llama.cpp keep it
/// too for these versions. It is fastest if it is gapless in that order. A new sequence starts with
/// zeros.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Wkv6;
///
/// let device = bessemer_cpu::Reference::new();
/// // Two tokens of one head of one element: r = 1, u = 3, half of the state stays.
/// let head = |values: &[f32]| View::from_slice(&device, values, &[1, 2, 1, 1]);
/// let (r, k, v, decay) =
///     (head(&[1.0, 1.0])?, head(&[1.0, 2.0])?, head(&[5.0, 7.0])?, head(&[0.5, 0.5])?);
/// let u = View::from_slice(&device, &[3.0f32], &[1, 1])?;
/// let state = View::from_slice(&device, &[4.0f32], &[1, 1, 1, 1])?;
/// let out = head(&[0.0, 0.0])?;
/// let mut batch = Batch::new();
/// batch.push(Wkv6 { r, k, v, decay, u, state: state.clone(), out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// // 4 + 3 * 5, which leaves 4 / 2 + 5; then 7 + 3 * 14, which leaves 7 / 2 + 14.
/// assert_eq!(out.to_vec::<f32>(&device)?, [19.0, 49.0]);
/// assert_eq!(state.to_vec::<f32>(&device)?, [17.5]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wkv6 {
    /// The receptance: how much of each key is read.
    pub r: View,
    /// The keys.
    pub k: View,
    /// The values.
    pub v: View,
    /// What of each row of the state stays, 0 to 1: not its logarithm.
    pub decay: View,
    /// The bonus of the token itself, `[heads, size]`, floats.
    pub u: View,
    /// `[sequences, heads, key, value]`, `F32`: read, and replaced by what the last token leaves.
    pub state: View,
    /// The result.
    pub out: View,
}

impl Operation for Wkv6 {
    fn name(&self) -> &'static str {
        "wkv6"
    }

    fn check(&self) -> Result<()> {
        let Wkv6 { r, k, v, decay, u, state, out } = self;
        let operands = [
            ("r", r),
            ("k", k),
            ("v", v),
            ("decay", decay),
            ("u", u),
            ("state", state),
            ("out", out),
        ];
        let check = Check::new(self.name(), operands);
        check.is(state, DType::F32)?;
        check.all_floats()?;
        check.rank(v, 4, "[sequences, tokens, heads, size]")?;
        for view in [r, k, decay, out] {
            check.same_shape(view, v)?;
        }
        let [sequences, _, heads, size] = dims(v.shape());
        check.require(size <= wkv::MOST, || wkv::too_wide(size))?;
        check.shape(u, &[heads, size], "one element per element of a head")?;
        let why = "a matrix per head of each sequence";
        check.shape(state, &[sequences, heads, size, size], why)
    }

    fn access(&self) -> Access {
        let reads = [&self.r, &self.k, &self.v, &self.decay, &self.u];
        Access::new(&reads, &[&self.out, &self.state])
    }

    fn cost(&self) -> Cost {
        wkv::cost(&self.access(), &self.state, self.v.shape()[1], 5)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::wkv6(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::wkv6(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::wkv6(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
