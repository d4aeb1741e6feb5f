//! What the machine can do at most, measured: the roofs of the roofline.

use super::{
    operands::Operands,
    peaks::{DotPeak, FmaPeak, Sum},
};
use bessemer::{
    Batch, Cost, DType, Device, DeviceOptions, Operation, Result, View,
    core::{Access, Host, cpu::CpuContext},
};
use serde::Serialize;
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// The limits of this machine on some threads.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Limits {
    /// The threads they were measured on.
    pub(crate) threads: usize,
    /// Bytes read from memory per second.
    pub(crate) read_bytes: f64,
    /// `f32` operations per second: a fused multiply-add is two.
    pub(crate) f32_flops: f64,
    /// 8-bit integer operations per second, in dot products.
    pub(crate) int8_ops: f64,
}

/// Elements to read: more than caches hold.
const ELEMENTS: usize = 128 << 20;

/// Steps of arithmetic: some milliseconds.
const STEPS: usize = 1_000_000;

/// How often each is measured; the best counts.
const ROUNDS: usize = 9;

impl Limits {
    pub(crate) fn measure(threads: usize) -> Result<Limits> {
        let options = DeviceOptions { threads: Some(threads), ..Default::default() };
        let device = Device::open_with("cpu", &options)?;
        let x = Operands::new(&device).input(DType::F32, &[ELEMENTS])?;
        let speed = |what: What, work: f64| -> Result<f64> {
            Ok(work / best(&device, Probe { what, x: x.clone() })?.as_secs_f64())
        };
        let isa = bessemer_simd::Isa::best();
        Ok(Limits {
            threads,
            read_bytes: speed(What::Read, 4.0 * ELEMENTS as f64)?,
            f32_flops: speed(What::Fma, STEPS as f64 * FmaPeak::flops_per_step(isa))?,
            int8_ops: speed(What::Dot, STEPS as f64 * DotPeak::ops_per_step(isa))?,
        })
    }

    /// The higher of both: a busy machine measures less than there is.
    pub(crate) fn max(self, other: Limits) -> Limits {
        Limits {
            threads: self.threads,
            read_bytes: self.read_bytes.max(other.read_bytes),
            f32_flops: self.f32_flops.max(other.f32_flops),
            int8_ops: self.int8_ops.max(other.int8_ops),
        }
    }

    /// The shortest time in which so many bytes and operations are possible.
    pub(crate) fn least_seconds(&self, cost: Cost, integer: bool) -> f64 {
        let (moving, computing) = self.seconds(cost, integer);
        moving.max(computing)
    }

    /// Whether that time is memory's, and not that of arithmetic.
    pub(crate) fn is_memory(&self, cost: Cost, integer: bool) -> bool {
        let (moving, computing) = self.seconds(cost, integer);
        moving >= computing
    }

    fn seconds(&self, cost: Cost, integer: bool) -> (f64, f64) {
        let peak = if integer { self.int8_ops } else { self.f32_flops };
        (cost.bytes as f64 / self.read_bytes, cost.flops as f64 / peak)
    }
}

/// The best time of an op.
pub(super) fn best(device: &Device, op: impl Operation + 'static) -> Result<Duration> {
    let mut batch = Batch::new();
    batch.push(op)?;
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let ticket = device.submit(&batch)?;
        device.wait(ticket)?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// An op that only keeps the machine busy, on the threads and in the memory that real ops use.
#[derive(Debug)]
struct Probe {
    what: What,
    x: View,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Read,
    Fma,
    Dot,
}

impl Operation for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn check(&self) -> bessemer::core::Result<()> {
        Ok(())
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, _: &mut Host<'_>) {
        // It has no results that could mean anything.
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        let isa = cpu.isa();
        match self.what {
            What::Read => {
                let x = cpu.slice::<f32>(&self.x);
                cpu.split(x.len(), 1 << 16, |range| _ = black_box(isa.run(Sum(&x[range]))));
            }
            What::Fma => {
                cpu.split(STEPS, 1, |range| {
                    _ = black_box(isa.run(FmaPeak(black_box(range.len()))))
                });
            }
            What::Dot => {
                cpu.split(STEPS, 1, |range| {
                    _ = black_box(isa.run(DotPeak(black_box(range.len()))))
                });
            }
        }
    }
}
