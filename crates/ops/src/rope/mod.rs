//! Rotary position embedding (RoPE): pairs of elements rotated by angles that grow with the position.

mod cases;
mod cpu;
mod metal;
mod reference;
mod scaling;
pub(crate) mod webgpu;

pub(crate) use cases::cases;
pub(crate) use cpu::{Angles, Turn};
pub use scaling::{RopeFrequencies, RopeScaling};

use crate::check::{Check, dims};
use bessemer_core::{
    Access, Cost, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// Each pair `(a, b)` of a head becomes `(a cos t - b sin t, b cos t + a sin t) * magnitude`, where
/// `t` is the position of the row times the frequency of the pair.
///
/// `x` and `out` are `[rows, heads, head size]` of any float dtypes, and may be the same view.
/// There are as many pairs as frequencies; what lies behind them in a head is copied.
///
/// ```
/// use bessemer_core::{Batch, Device, View};
/// use bessemer_ops::{Rope, RopePairs};
///
/// let device = bessemer_cpu::Reference::new();
/// // A quarter turn per position.
/// let x = View::from_slice(&device, &[1.0f32, 2.0, 1.0, 2.0], &[2, 1, 2])?;
/// let positions = View::from_slice(&device, &[0u32, 1], &[2])?;
/// let frequencies = View::from_slice(&device, &[std::f32::consts::FRAC_PI_2], &[1])?;
/// let out = View::alloc(&device, x.dtype(), x.shape())?;
/// let mut batch = Batch::new();
/// let pairs = RopePairs::Halves;
/// batch.push(Rope { x, positions, frequencies, magnitude: 1.0, pairs, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// let turned: Vec<f32> = out.to_vec::<f32>(&device)?.iter().map(|x| x.round()).collect();
/// assert_eq!(turned, [1.0, 2.0, -2.0, 1.0]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rope {
    /// Queries or keys.
    pub x: View,
    /// The position of each row, `I32` or `U32`.
    pub positions: View,
    /// Radians per position of each pair, `F32`: see [`RopeScaling::frequencies`].
    pub frequencies: View,
    /// What turned pairs are multiplied by: 1 but for some scalings.
    pub magnitude: f32,
    /// Which elements make a pair.
    pub pairs: RopePairs,
    /// The result.
    pub out: View,
}

/// Which elements of a head make a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RopePairs {
    /// Element `i` of the first half of what is turned, and element `i` of the second.
    Halves,
    /// Neighbours: elements `2i` and `2i + 1`.
    Neighbours,
}

impl RopePairs {
    /// The two elements of pair `i` of `pairs`.
    pub(crate) fn elements(self, i: usize, pairs: usize) -> (usize, usize) {
        match self {
            RopePairs::Halves => (i, i + pairs),
            RopePairs::Neighbours => (2 * i, 2 * i + 1),
        }
    }
}

impl Operation for Rope {
    fn name(&self) -> &'static str {
        "rope"
    }

    fn check(&self) -> Result<()> {
        let Rope { x, positions, frequencies, magnitude, out, .. } = self;
        let operands =
            [("x", x), ("positions", positions), ("frequencies", frequencies), ("out", out)];
        let check = Check::new(self.name(), operands);
        check.float(x)?;
        check.float(out)?;
        check.index(positions)?;
        check.rank(x, 3, "[rows, heads, head_size]")?;
        check.same_shape(out, x)?;
        let [rows, _, size] = dims(x.shape());
        check.shape(positions, &[rows], "one position per row of x")?;
        check.frequencies(frequencies, size)?;
        check.finite("magnitude", *magnitude)
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x, &self.positions, &self.frequencies], &[&self.out]).in_place()
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 3 * self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::rope(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::rope(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::rope(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
