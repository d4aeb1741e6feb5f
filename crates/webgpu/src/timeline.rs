//! When ops ran: by the GPU's timestamps if it has them, else by the host's clock.

use crate::{engine::Step, readback::Readback};
use bessemer_core::{Trace, TraceEvent};
use std::time::Instant;

/// A timeline of all that a device runs. With one, every op has a pass of its own.
pub(crate) struct Timeline {
    trace: Trace,
    clock: Option<Clock>,
    opened: Instant,
}

/// The GPU's clock: timestamps at both ends of a pass.
pub(crate) struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds of a tick.
    tick: f64,
}

/// Ops that are timed with one submission.
const OPS: u32 = wgpu::QUERY_SET_MAX_QUERIES / 2;

impl Clock {
    pub(crate) fn new(gpu: &wgpu::Device, queue: &wgpu::Queue) -> Clock {
        let queries = gpu.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 2 * OPS,
        });
        let resolved = gpu.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(2 * OPS * wgpu::QUERY_SIZE),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Clock { queries, resolved, tick: f64::from(queue.get_timestamp_period()) * 1e-9 }
    }
}

impl Timeline {
    pub(crate) fn new(trace: Trace, clock: Option<Clock>) -> Timeline {
        Timeline { trace, clock, opened: Instant::now() }
    }

    /// Runs the ops and waits for them.
    pub(crate) fn run(
        &self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        readback: &mut Readback,
        steps: &[Step<'_>],
    ) -> Result<(), String> {
        match &self.clock {
            Some(clock) => steps
                .chunks(OPS as usize)
                .try_for_each(|steps| self.by_gpu(clock, gpu, queue, readback, steps)),
            None => steps.iter().try_for_each(|step| self.by_host(gpu, queue, step)),
        }
    }

    fn by_gpu(
        &self,
        clock: &Clock,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        readback: &mut Readback,
        steps: &[Step<'_>],
    ) -> Result<(), String> {
        let mut encoder = gpu.create_command_encoder(&Default::default());
        for (query, step) in (0..).step_by(2).zip(steps) {
            let writes = wgpu::ComputePassTimestampWrites {
                query_set: &clock.queries,
                beginning_of_pass_write_index: Some(query),
                end_of_pass_write_index: Some(query + 1),
            };
            let descriptor =
                wgpu::ComputePassDescriptor { label: None, timestamp_writes: Some(writes) };
            step.encode(&mut encoder.begin_compute_pass(&descriptor));
        }
        let queries = 2 * steps.len() as u32;
        encoder.resolve_query_set(&clock.queries, 0..queries, &clock.resolved, 0);
        queue.submit([encoder.finish()]);
        let size = u64::from(queries * wgpu::QUERY_SIZE);
        let mut bytes = vec![0; size as usize];
        readback.all(gpu, queue, &clock.resolved, &mut bytes)?;
        let (ticks, _) = bytes.as_chunks::<8>();
        let seconds = |ticks: &[u8; 8]| u64::from_le_bytes(*ticks) as f64 * clock.tick;
        for (step, times) in steps.iter().zip(ticks.chunks_exact(2)) {
            self.add(step, seconds(&times[0]), seconds(&times[1]));
        }
        Ok(())
    }

    fn by_host(
        &self,
        gpu: &wgpu::Device,
        queue: &wgpu::Queue,
        step: &Step<'_>,
    ) -> Result<(), String> {
        let mut encoder = gpu.create_command_encoder(&Default::default());
        step.encode(&mut encoder.begin_compute_pass(&Default::default()));
        let start = self.opened.elapsed().as_secs_f64();
        let index = queue.submit([encoder.finish()]);
        let until = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
        gpu.poll(until).map_err(|e| e.to_string())?;
        self.add(step, start, self.opened.elapsed().as_secs_f64());
        Ok(())
    }

    fn add(&self, step: &Step<'_>, start: f64, end: f64) {
        let kernels: Vec<&str> = step.dispatches.iter().map(|one| one.pipeline.name()).collect();
        self.trace.add(TraceEvent {
            op: step.op.name(),
            kernels: kernels.join(" "),
            cost: step.op.cost(),
            seconds: start..end,
        });
    }
}

/// Bytes that a copy inside the GPU's memory moves in a second: the best of a few.
pub(crate) fn bandwidth(gpu: &wgpu::Device, queue: &wgpu::Queue) -> Option<f64> {
    const BYTES: u64 = 64 << 20;
    const ROUNDS: usize = 4;
    let buffer = || {
        gpu.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: BYTES,
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    };
    let (from, to) = crate::fault::caught(gpu, || (buffer(), buffer())).ok()?;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut encoder = gpu.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&from, 0, &to, 0, BYTES);
        let start = Instant::now();
        let index = queue.submit([encoder.finish()]);
        let until = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
        gpu.poll(until).ok()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    // Each byte is read and written.
    Some(2.0 * BYTES as f64 / best.max(1e-9))
}
