//! The recurrence of RWKV 7: a matrix per head that fades, forgets along a direction and takes in
//! each token.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;
pub(crate) use cpu::Token7;

use crate::{
    check::{Check, dims},
    wkv,
};
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// For each token, with a state `s` per head of a sequence: with `sa[j] = Σ s[i, j] * a[i]` over all
/// keys `i`, first `s[i, j] = s[i, j] * decay[i] + sa[j] * b[i] + v[j] * k[i]`, and then
/// `out[j] = Σ s[i, j] * r[i]`.
///
/// `r`, `decay`, `k`, `v`, `a`, `b` and `out` are `[sequences, tokens, heads, size]` of any float
/// dtypes. All sequences have the same number of tokens: a prompt is `[1, tokens, ..]`, a step of many
/// sequences `[sequences, 1, ..]`, and prompts of several lengths are an op each. Heads have at most
/// 256 elements. Tokens in one op and the same tokens in several give the same numbers, bit for bit.
///
/// The state is `F32` and `[sequences, heads, key, value]`, and fastest if it is gapless in that order.
/// The `rwkv` package and llama.cpp keep it the other way round for this version, as `[.., value, key]`:
/// swap the last two axes of such a state ([`View::permute`]), and copy it if it is used often. A new
/// sequence starts with zeros.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::Wkv7;
///
/// let device = bessemer_cpu::Reference::new();
/// // Two tokens of one head of one element; the second takes the old state away.
/// let head = |values: &[f32]| View::from_slice(&device, values, &[1, 2, 1, 1]);
/// let (r, decay) = (head(&[2.0, 1.0])?, head(&[0.5, 1.0])?);
/// let (k, v) = (head(&[1.0, 1.0])?, head(&[5.0, 7.0])?);
/// let (a, b) = (head(&[0.0, -1.0])?, head(&[0.0, 1.0])?);
/// let state = View::from_slice(&device, &[4.0f32], &[1, 1, 1, 1])?;
/// let out = head(&[0.0, 0.0])?;
/// let mut batch = Batch::new();
/// batch.push(Wkv7 { r, decay, k, v, a, b, state: state.clone(), out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<f32>(&device)?, [2.0 * (4.0 / 2.0 + 5.0), 7.0]);
/// assert_eq!(state.to_vec::<f32>(&device)?, [7.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wkv7 {
    /// The receptance: how much of each key is read.
    pub r: View,
    /// What of each row of the state stays, 0 to 1: not its logarithm.
    pub decay: View,
    /// The keys.
    pub k: View,
    /// The values.
    pub v: View,
    /// The direction that is forgotten: in models, the normed key, negated.
    pub a: View,
    /// How much of it is forgotten: in models, the normed key times the learning rate.
    pub b: View,
    /// `[sequences, heads, key, value]`, `F32`: read, and replaced by what the last token leaves.
    pub state: View,
    /// The result.
    pub out: View,
}

impl Operation for Wkv7 {
    fn name(&self) -> &'static str {
        "wkv7"
    }

    fn check(&self) -> Result<()> {
        let Wkv7 { r, decay, k, v, a, b, state, out } = self;
        let operands = [
            ("r", r),
            ("decay", decay),
            ("k", k),
            ("v", v),
            ("a", a),
            ("b", b),
            ("state", state),
            ("out", out),
        ];
        let check = Check::new(self.name(), operands);
        check.is(state, DType::F32)?;
        check.all_floats()?;
        check.rank(v, 4, "[sequences, tokens, heads, size]")?;
        for view in [r, decay, k, a, b, out] {
            check.same_shape(view, v)?;
        }
        let [sequences, _, heads, size] = dims(v.shape());
        check.require(size <= wkv::MOST, || wkv::too_wide(size))?;
        let why = "a matrix per head of each sequence";
        check.shape(state, &[sequences, heads, size, size], why)
    }

    fn access(&self) -> Access {
        let reads = [&self.r, &self.decay, &self.k, &self.v, &self.a, &self.b];
        Access::new(&reads, &[&self.out, &self.state])
    }

    fn cost(&self) -> Cost {
        wkv::cost(&self.access(), &self.state, self.v.shape()[1], 9)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::wkv7(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::wkv7(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::wkv7(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
