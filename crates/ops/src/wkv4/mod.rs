//! The recurrence of RWKV 4: per channel, an average of all values so far that fades.

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

/// For each token, `out = (a + exp(u + k) * v) / (b + exp(u + k))`, and then
/// `a = exp(w) * a + exp(k) * v` and `b = exp(w) * b + exp(k)`, channel by channel.
///
/// `k`, `v` and `out` are `[sequences, tokens, channels]` of any float dtypes, `w` and `u` are
/// `[channels]`. All sequences have the same number of tokens: a prompt is `[1, tokens, channels]`, a
/// step of many sequences `[sequences, 1, channels]`, and prompts of several lengths are an op each.
/// Tokens in one op and the same tokens in several give the same numbers, bit for bit.
///
/// The state is `F32` and `[sequences, 3, channels]`: `a` and `b`, both divided by `exp(p)`, and `p`, the
/// largest exponent so far. Exponentials of large keys do not overflow that way. These are rows 1 to 3
/// of the five that the `rwkv` package keeps for a layer. A new sequence starts with 0, 0 and -1e30.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Wkv4;
///
/// let device = bessemer_cpu::Reference::new();
/// // Two tokens of one channel, of which nothing fades: the second result is the mean of both values.
/// let k = View::from_slice(&device, &[0.0f32, 0.0], &[1, 2, 1])?;
/// let v = View::from_slice(&device, &[4.0f32, 6.0], &[1, 2, 1])?;
/// let (w, u) = (View::from_slice(&device, &[0.0f32], &[1])?, View::from_slice(&device, &[0.0f32], &[1])?);
/// let state = View::from_slice(&device, &[0.0f32, 0.0, -1e30], &[1, 3, 1])?;
/// let out = View::from_slice(&device, &[0.0f32; 2], &[1, 2, 1])?;
/// let mut batch = Batch::new();
/// batch.push(Wkv4 { k, v, w, u, state: state.clone(), out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [4.0, 5.0]);
/// assert_eq!(state.to_vec::<f32>(&device)?, [10.0, 2.0, 0.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wkv4 {
    /// The keys.
    pub k: View,
    /// The values.
    pub v: View,
    /// The logarithm of what stays of each channel, at most 0: `-exp(time_decay)` of a model file.
    pub w: View,
    /// The bonus of the token itself: `time_first` of a model file.
    pub u: View,
    /// Read, and replaced by what the last token leaves.
    pub state: View,
    /// The result.
    pub out: View,
}

impl Operation for Wkv4 {
    fn name(&self) -> &'static str {
        "wkv4"
    }

    fn check(&self) -> Result<()> {
        let Wkv4 { k, v, w, u, state, out } = self;
        let operands = [("k", k), ("v", v), ("w", w), ("u", u), ("state", state), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.is(state, DType::F32)?;
        check.all_floats()?;
        check.rank(v, 3, "[sequences, tokens, channels]")?;
        for view in [k, out] {
            check.same_shape(view, v)?;
        }
        let [sequences, _, channels] = dims(v.shape());
        for view in [w, u] {
            check.shape(view, &[channels], "one element per channel of v")?;
        }
        check.shape(state, &[sequences, 3, channels], "three rows per sequence of v")
    }

    fn access(&self) -> Access {
        Access::new(&[&self.k, &self.v, &self.w, &self.u], &[&self.out, &self.state])
    }

    fn cost(&self) -> Cost {
        // Four exponentials and a division, each of which is many operations.
        let mut cost = Cost::of(&self.access(), 80 * self.v.elements() as u64);
        cost.bytes += self.state.stored_bytes() as u64;
        cost
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::wkv4(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::wkv4(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::wkv4(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
