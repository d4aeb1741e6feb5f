//! Random numbers: each a function of a seed and its place alone.

mod cases;
mod cpu;
mod metal;
mod philox;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, DType, Host, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// Random numbers by Philox 4×32-10, the same on every device.
///
/// Element `i` of the output, in row-major order, is made of word `i`, or of words `2 i` and `2 i + 1`, of the
/// sequence that the seed and the stream give. Bits, integers and uniform numbers from 0 to 1 are
/// the same bit for bit; others within the rounding of a few operations.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::{Random, RandomKind};
///
/// let device = bessemer_cpu::Reference::new();
/// let out = View::alloc(&device, DType::U32, &[4])?;
/// let mut batch = Batch::new();
/// batch.push(Random { seed: 0, stream: 0, kind: RandomKind::Bits, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<u32>(&device)?, [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    /// Which sequence.
    pub seed: u64,
    /// Which of the 2³² independent sequences of a seed.
    pub stream: u32,
    /// What is made of it.
    pub kind: RandomKind,
    /// The output, without gaps.
    pub out: View,
}

/// What random numbers are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RandomKind {
    /// All bits are random; `U32` or `U64`.
    Bits,
    /// Evenly distributed floats from `low` up to but without `high`, in steps of 2⁻²⁴ of the range, of
    /// doubles 2⁻⁵³.
    Uniform {
        /// The least.
        low: f64,
        /// What all are below.
        high: f64,
    },
    /// Normally distributed floats, by Box and Muller, up to 5.8 deviations from the mean, of doubles
    /// 8.6.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
    /// Evenly distributed integers from `low` on, `count` of them; `I32` or `U32`. Each is made of 64
    /// random bits, so no two have shares that differ by more than 2⁻³².
    Integers {
        /// The least, as the bits of the output's dtype.
        low: u32,
        /// How many there are, less one.
        last: u32,
    },
}

impl Operation for Random {
    fn name(&self) -> &'static str {
        match self.kind {
            RandomKind::Bits => "random_bits",
            RandomKind::Uniform { .. } => "random_uniform",
            RandomKind::Normal { .. } => "random_normal",
            RandomKind::Integers { .. } => "random_integers",
        }
    }

    fn check(&self) -> Result<()> {
        let out = &self.out;
        let check = Check::new(self.name(), [("out", out)]);
        match self.kind {
            RandomKind::Bits => {
                check.dtype(out, matches!(out.dtype(), DType::U32 | DType::U64), "u32 or u64")?;
            }
            RandomKind::Integers { .. } => check.index(out)?,
            RandomKind::Uniform { low, high } => {
                check.dtype(out, out.dtype().is_float(), "a float")?;
                check.finite("high - low", (high - low) as f32)?;
                check.require(low < high, || {
                    format!("low is {low}, but must be less than high, {high}")
                })?;
            }
            RandomKind::Normal { mean, deviation } => {
                check.dtype(out, out.dtype().is_float(), "a float")?;
                check.finite("mean", mean as f32)?;
                check.finite("deviation", deviation as f32)?;
            }
        }
        check.require(out.is_contiguous(), || "out has gaps, but must be contiguous".into())
    }

    fn access(&self) -> Access {
        Access::new(&[], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 20 * self.out.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::random(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::random(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::random(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}

impl Random {
    /// Elements that one counter gives.
    fn each(&self) -> usize {
        match self.kind {
            RandomKind::Integers { .. } => philox::WORDS / 2,
            _ if self.out.dtype().block_bytes() == 8 => philox::WORDS / 2,
            _ => philox::WORDS,
        }
    }

    /// The largest value of the output's dtype below the end of a uniform range: rounding stays below.
    fn most(low: f64, high: f64, dtype: DType) -> f64 {
        // Bits that the dtype does not have.
        let lost = match dtype {
            DType::F64 => 0,
            DType::F32 => 29,
            DType::F16 => 42,
            _ => 45,
        };
        let kept = f64::from_bits(high.to_bits() >> lost << lost);
        let below = match high {
            0.0 => -f64::from(f32::MIN_POSITIVE),
            _ if kept < high => kept,
            _ if high > 0.0 => f64::from_bits(kept.to_bits() - (1 << lost)),
            _ => f64::from_bits(kept.to_bits() + (1 << lost)),
        };
        below.max(low)
    }
}
