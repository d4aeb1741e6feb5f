//! Many rows of activations: panels of weights are unpacked once and used by all of them.

use super::{
    super::{Layer, out::Out},
    Tiles, WeightRows,
    activations::{Activations, Detail},
    panel::{self, PanelRoom, WIDTH},
};
use bessemer_core::cpu::{CpuContext, Output};
use bessemer_formats::{GROUP, Grouped};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows that pass over the weights together: what is quantised of them stays in the second-level
/// cache. A multiple of all heights of tiles, and even.
const ROWS: usize = 528;

/// Parts of the rows of a narrow layer are multiples of this, as [`ROWS`] is of all heights of tiles.
const PART: usize = 24;

/// Tasks for each thread that end at about the same time together.
const TASKS: usize = 4;

/// So few rows are multiplied with two bytes per activation: unpacking the weights takes most of the
/// time anyway.
const FINE: usize = 16;

/// Returns the activations, and for dense weights which columns are not finite.
pub(super) fn linear<'a, F: Grouped>(
    op: &Layer<'_>,
    cpu: &'a CpuContext<'_>,
    kernels: &Tiles,
    weights: &WeightRows<'_>,
    out: &Out<'_>,
) -> (Activations<'a>, &'a [u8]) {
    let (rows, k, n) = op.sizes();
    let groups = k / GROUP;
    let depth = panel::depth::<F>(groups);
    let fine = F::LEVEL == 1 && (rows <= FINE || cpu.precise());
    let detail = if fine { Detail::TwoBytes } else { Detail::Bytes };
    let (rule, height) = (kernels.rule, kernels.height);
    let x = Activations::new::<F>(cpu, op, rule, detail, height, depth, kernels.quantise);
    let rows = x.laid_out;
    let (panels, isa) = (n.div_ceil(WIDTH), cpu.isa());
    // Each part of the rows unpacks the weights anew, so there is one unless threads would be idle.
    let parts = (TASKS * cpu.threads() / panels).clamp(1, rows.min(ROWS).div_ceil(2 * PART));
    let part_rows = rows.min(ROWS).div_ceil(parts).next_multiple_of(PART);
    let workers = cpu.threads().min(panels * parts);
    let room = PanelRoom::new(cpu, workers);
    let sums = Output::of(cpu.scratch::<f32>(workers * ROWS * WIDTH));
    let columns_to_check = if F::LEVEL > 1 { n } else { 0 };
    let spoilt = cpu.scratch::<u8>(columns_to_check);
    spoilt.fill(0);
    let spoilt_columns = Output::of(&mut *spoilt);
    for block in (0..rows).step_by(ROWS).map(|first| first..rows.min(first + ROWS)) {
        let next = AtomicUsize::new(0);
        cpu.run(workers, |worker| {
            let size = ROWS * WIDTH;
            // SAFETY: each worker has its own piece.
            let sums = unsafe { sums.range(worker * size..(worker + 1) * size) };
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                let (panel, part) = (task / parts, task % parts);
                if panel >= panels {
                    break;
                }
                let first_row = block.start + part * part_rows;
                if first_row >= block.end {
                    continue;
                }
                let count = part_rows.min(block.end - first_row);
                let columns = panel * WIDTH..n.min((panel + 1) * WIDTH);
                for group in (0..groups).step_by(depth) {
                    let here = group..groups.min(group + depth);
                    let (fresh, last) = (group == 0, here.end == groups);
                    // SAFETY: each worker has its own memory, and uses one panel at a time.
                    let panel = unsafe {
                        room.pack::<F>(worker, weights, columns.start, here, kernels, isa)
                    };
                    if F::LEVEL > 1 && part == 0 {
                        // SAFETY: the first part of each panel of columns belongs to one worker.
                        let spoilt = unsafe { spoilt_columns.range(columns.clone()) };
                        for scales in panel.scales[..panel.groups * WIDTH].chunks(WIDTH) {
                            let nan = scales.iter().map(|scale| u8::from(scale.is_nan()));
                            spoilt.iter_mut().zip(nan).for_each(|(spoilt, nan)| *spoilt |= nan);
                        }
                    }
                    let following = if last {
                        (next.load(Ordering::Relaxed) / parts * WIDTH, 0)
                    } else {
                        (columns.start, group + depth)
                    };
                    let tiles = sums[..count * WIDTH].chunks_mut(kernels.height * WIDTH);
                    for (tile, sums) in tiles.enumerate() {
                        let first = first_row + tile * kernels.height;
                        let height = sums.len() / WIDTH;
                        // What is unpacked next, a row with each tile.
                        if tile < WIDTH {
                            weights.fetch::<F>(following.0 + tile, following.1, depth);
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
                            // SAFETY: these rows of a panel of columns belong to one worker.
                            unsafe { out.store(first + i, columns.start, &sums[..columns.len()]) };
                        }
                    }
                }
                if detail == Detail::TwoBytes {
                    for (i, sums) in sums[..count * WIDTH].chunks_mut(2 * WIDTH).enumerate() {
                        let (sums, rest) = sums.split_at_mut(WIDTH);
                        sums.iter_mut().zip(rest).for_each(|(sum, rest)| *sum += *rest);
                        let row = first_row / 2 + i;
                        // SAFETY: as above.
                        unsafe { out.store(row, columns.start, &sums[..columns.len()]) };
                    }
                }
            }
        });
    }
    (x, spoilt)
}
