//! Running one op many times and taking the best.

use super::{limits::Limits, operands::Operands, share::Share, work::Work};
use bessemer::{Batch, Cost, Device, Result};
use serde::Serialize;
use std::time::{Duration, Instant};

/// How fast an op was.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurement {
    pub(crate) op: &'static str,
    /// Dtypes and shapes.
    pub(crate) work: String,
    /// The best time of one run.
    pub(crate) seconds: f64,
    /// What it must move and compute at the least.
    pub(crate) bytes: u64,
    pub(crate) flops: u64,
    /// Which roof is over it.
    pub(crate) integer: bool,
    /// The least time the limits allow over the time it took. Above 1 the operands were in the caches, or
    /// the machine was busy while its limits were measured.
    pub(crate) share_of_limit: f64,
    /// Whether that is memory's limit, and not that of arithmetic.
    pub(crate) bound_by_memory: bool,
}

/// How much is done to measure an op.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// What all copies of the operands should take together.
    spread: u64,
    /// Runs of one op: at least this many rounds and this long.
    rounds: usize,
    time: Duration,
    /// How long making operands and running may take together, if one run is not longer.
    most: Duration,
}

impl Effort {
    /// Figures that mean something: too much memory for caches to keep, and the best of some runs.
    pub(crate) const FULL: Effort = Effort {
        spread: 384 << 20,
        rounds: 3,
        time: Duration::from_millis(300),
        most: Duration::from_secs(10),
    };
    /// One run after one that prepares, for devices of which no figure means anything.
    pub(crate) const BRIEF: Effort =
        Effort { spread: 0, rounds: 0, time: Duration::ZERO, most: Duration::ZERO };

    /// The same in less time.
    pub(crate) fn within(self, most: Duration) -> Effort {
        Effort { most, ..self }
    }
}

/// What they may take at most: of some operands only a part is touched.
const MOST: u64 = 2 << 30;

impl Measurement {
    /// Of an op that costs so much and took so long.
    pub(crate) fn new(work: &Work, cost: Cost, seconds: f64, limits: &Limits) -> Measurement {
        Measurement {
            op: work.op,
            work: work.name.clone(),
            seconds,
            bytes: cost.bytes,
            flops: cost.flops,
            integer: work.integer,
            share_of_limit: limits.least_seconds(cost, work.integer) / seconds,
            bound_by_memory: limits.is_memory(cost, work.integer),
        }
    }

    pub(crate) fn flops_per_second(&self) -> f64 {
        self.flops as f64 / self.seconds
    }

    pub(crate) fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.seconds
    }

    /// How near it came to its limit, for people.
    pub(crate) fn share(&self) -> Share {
        Share::new(self.share_of_limit, self.bound_by_memory)
    }

    /// Operations per byte: where it stands under the roofs.
    pub(crate) fn intensity(&self) -> f64 {
        self.flops as f64 / self.bytes.max(1) as f64
    }
}

/// What one run of an op costs, and the seconds it takes.
pub(crate) fn time(work: &Work, device: &Device, effort: Effort) -> Result<(Cost, f64)> {
    let begin = Instant::now();
    let mut operands = Operands::new(device);
    let first = work.make(&mut operands)?;
    let making = begin.elapsed();
    let cost: Cost = first.cost();
    let held: u64 = first.access().views().map(|view| view.stored_bytes() as u64).sum();
    let mut batch = Batch::new();
    batch.push_shared(first)?;
    let run = |batch: &Batch| -> Result<Duration> {
        let start = Instant::now();
        let ticket = device.submit(batch)?;
        device.wait(ticket)?;
        Ok(start.elapsed())
    };
    // The first run also prepares: pages, packed weights, threads that sleep.
    run(&batch)?;
    let once = run(&batch)?;

    // Real work meets operands that are not in the caches: other layers' weights, say. What takes long
    // with one of them is bound by arithmetic, and needs fewer.
    let each = making + once * (effort.rounds as u32 + 1);
    let left = effort.most.saturating_sub(begin.elapsed());
    let affordable = (left.as_secs_f64() / each.as_secs_f64().max(1e-9)) as u64;
    let most = (MOST / held.max(1)).clamp(1, 64).min(affordable.max(1));
    let copies = effort.spread.div_ceil(cost.bytes.max(1)).clamp(1, most);
    let mut best = once;
    if copies > 1 {
        for _ in 1..copies {
            batch.push_shared(work.make(&mut operands)?)?;
        }
        run(&batch)?;
        best = run(&batch)?;
    }
    let start = Instant::now();
    let mut rounds = 1;
    while (rounds < effort.rounds || start.elapsed() < effort.time) && begin.elapsed() < effort.most
    {
        best = best.min(run(&batch)?);
        rounds += 1;
    }
    Ok((cost, best.as_secs_f64().max(1e-9) / copies as f64))
}
