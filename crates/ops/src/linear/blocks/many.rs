//! Many rows of activations: panels of weights are unpacked once and used by all of them.

use super::{
    super::{Layer, out::Out},
    Kernels, WeightRows,
    activations::{Activations, Detail, TILE},
    format::{Format, GROUP},
    panel::{DEPTH, PanelRoom, WIDTH},
};
use bessemer_core::cpu::{CpuContext, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows that pass over the weights together: what is quantised of them stays in the second-level
/// cache. A multiple of [`TILE`].
const ROWS: usize = 516;

/// So few rows are multiplied with two bytes per activation: unpacking the weights takes most of the
/// time anyway.
const FINE: usize = 16;

pub(super) fn linear<'a, F: Format>(
    op: &Layer<'_>,
    cpu: &'a CpuContext<'_>,
    kernels: &Kernels,
    weights: &WeightRows<'_>,
    out: &Out<'_>,
) -> Activations<'a> {
    let (rows, k, n) = op.sizes();
    let groups = k / GROUP;
    let detail = if rows <= FINE { Detail::TwoBytes } else { Detail::Bytes };
    let x = Activations::new::<F>(cpu, op, kernels.rule, detail, TILE, DEPTH, kernels.quantise);
    let rows = x.laid_out;
    let (panels, isa) = (n.div_ceil(WIDTH), cpu.isa());
    let workers = cpu.threads().min(panels);
    let room = PanelRoom::new(cpu, workers);
    let sums = Output::of(cpu.scratch::<f32>(workers * ROWS * WIDTH));
    for first_row in (0..rows).step_by(ROWS) {
        let count = ROWS.min(rows - first_row);
        let next = AtomicUsize::new(0);
        cpu.run(workers, |worker| {
            let size = ROWS * WIDTH;
            // SAFETY: each worker has its own piece.
            let sums = unsafe { sums.range(worker * size..(worker + 1) * size) };
            loop {
                let panel = next.fetch_add(1, Ordering::Relaxed);
                if panel >= panels {
                    break;
                }
                let columns = panel * WIDTH..n.min((panel + 1) * WIDTH);
                for group in (0..groups).step_by(DEPTH) {
                    let depth = group..groups.min(group + DEPTH);
                    let (fresh, last) = (group == 0, depth.end == groups);
                    // SAFETY: each worker has its own memory, and uses one panel at a time.
                    let panel = unsafe {
                        room.pack::<F>(worker, weights, columns.start, depth, kernels, isa)
                    };
                    let following = if last {
                        (next.load(Ordering::Relaxed) * WIDTH, 0)
                    } else {
                        (columns.start, group + DEPTH)
                    };
                    let tiles = sums[..count * WIDTH].chunks_mut(TILE * WIDTH);
                    for (tile, sums) in tiles.enumerate() {
                        let (first, height) = (first_row + tile * TILE, sums.len() / WIDTH);
                        // What is unpacked next, a row with each tile.
                        if tile < WIDTH {
                            weights.fetch::<F>(following.0 + tile, following.1);
                        }
                        if last && detail == Detail::Bytes {
                            (first..first + height).for_each(|row| out.fetch(row, &columns));
                        }
                        (kernels.multiply)(panel, x.tile(first, height, group), sums, fresh);
                        if !last || detail == Detail::TwoBytes {
                            continue;
                        }
                        // At once: what is stored finds its way out while the next is computed.
                        for (i, sums) in sums.chunks(WIDTH).enumerate() {
                            // SAFETY: each panel of columns belongs to one worker.
                            unsafe { out.store(first + i, columns.start, &sums[..columns.len()]) };
                        }
                    }
                }
                if detail == Detail::TwoBytes {
                    let (sums, rest) = sums[..count * WIDTH].split_at_mut(count / 2 * WIDTH);
                    sums.iter_mut().zip(rest).for_each(|(sum, rest)| *sum += *rest);
                    for (row, sums) in sums.chunks(WIDTH).enumerate() {
                        // SAFETY: as above.
                        unsafe { out.store(row, columns.start, &sums[..columns.len()]) };
                    }
                }
            }
        });
    }
    x
}
