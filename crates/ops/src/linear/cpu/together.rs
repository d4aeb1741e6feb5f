//! A few rows of activations, as when a token is decoded: the weights of one or several layers are
//! streamed as they lie in memory, in one job. No thread waits between layers.

use super::{Layer, Linear, blocks::few, streams};
use bessemer_core::{DType, cpu::CpuContext};
use half::{bf16, f16};
use std::ops::Range;

/// Fewer bytes of weights than this are not worth another thread's while.
const LEAST: usize = 16 << 10;

/// A layer, ready to be computed by columns.
pub(super) trait Job: Sync {
    /// How many columns there are.
    fn columns(&self) -> usize;

    /// Bytes of weights that each of them takes.
    fn column_bytes(&self) -> usize;

    /// Computes some of the columns. They must be in no other call at the same time.
    fn compute(&self, columns: Range<usize>);

    /// What is left to do when all columns are computed.
    fn finish(&self, _cpu: &CpuContext<'_>) {}
}

/// Whether a layer can be computed by columns.
pub(super) fn fits(layer: &Layer<'_>) -> bool {
    let (rows, k, n) = layer.sizes();
    let weight = layer.weight;
    let gapless = weight.dtype().is_block() || k == 1 || weight.strides()[1] == 1;
    (1..=Linear::ALIKE).contains(&rows) && k > 0 && n > 0 && gapless
}

/// Layers that [`fits`] holds for.
pub(super) fn linears(layers: &[&Layer<'_>], cpu: &CpuContext<'_>) {
    let inputs = few::inputs(layers, cpu);
    let mut jobs: Vec<Box<dyn Job + '_>> = Vec::with_capacity(layers.len());
    for layer in layers {
        jobs.push(match layer.weight.dtype() {
            DType::F32 => Box::new(streams::Columns::<f32>::new(layer, cpu)),
            DType::F16 => Box::new(streams::Columns::<f16>::new(layer, cpu)),
            DType::BF16 => Box::new(streams::Columns::<bf16>::new(layer, cpu)),
            _ => Box::new(few::Columns::new(layers, layer, &inputs, cpu)),
        });
    }
    compute(&jobs, cpu);
}

/// All columns of all jobs.
pub(super) fn compute(jobs: &[Box<dyn Job + '_>], cpu: &CpuContext<'_>) {
    let bytes = |job: &dyn Job| job.columns() * job.column_bytes();
    let all: usize = jobs.iter().map(|job| bytes(&**job)).sum();
    // Two pieces per thread, of as many bytes each, whichever layers those are of: one that starts late
    // takes fewer, and each piece has its own start.
    let pieces = (all / LEAST).clamp(1, 2 * cpu.threads());
    cpu.run(pieces, |piece| {
        let (start, end) = (all * piece / pieces, all * (piece + 1) / pieces);
        let mut before = 0;
        for job in jobs {
            // A column belongs to the piece that its first byte is in.
            let from = |byte: usize| byte.saturating_sub(before).div_ceil(job.column_bytes());
            let columns = from(start).min(job.columns())..from(end).min(job.columns());
            if !columns.is_empty() {
                job.compute(columns);
            }
            before += bytes(&**job);
        }
    });
    jobs.iter().for_each(|job| job.finish(cpu));
}
