//! Dense weights for some rows of activations: tiles of sums are in registers. The first rows widen
//! the weights on their way from memory, and the others find them in the cache.

use super::{
    Layer,
    out::Out,
    streams::{Weight, WeightRows},
};
use bessemer_core::cpu::{CpuContext, Output};
use bessemer_simd::{Arch, Isa, Kernel, Lanes, prefetch};
use std::{
    array,
    ops::Range,
    slice::{from_raw_parts, from_raw_parts_mut},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Elements that are multiplied at once: rows are padded with zeros to a multiple of them.
const STEP: usize = 16;
/// Columns of a tile: the rows of weights whose sums are in registers.
const COLUMNS: usize = 4;
/// The most columns that are widened before they are used again.
const PANEL: usize = 16;
/// The most weights that are: as `f32` they stay in the second-level cache.
const WEIGHTS: usize = 1 << 15;
/// The most elements of a row that a tile goes through before the next: what it reads of both sides
/// stays in the first-level cache.
const DEPTH: usize = 768;

/// Some rows of `x`, of which there are at least one, times all weights, whose rows must be gapless.
pub(super) fn linear<W: Weight>(
    op: &Layer<'_>,
    cpu: &CpuContext<'_>,
    part: Range<usize>,
    out: &Out<'_>,
) {
    let ((_, k, n), rows, isa) = (op.sizes(), part.len(), cpu.isa());
    let width = k.next_multiple_of(STEP);
    let x = load(op, cpu, part.clone(), width);
    let weights = WeightRows::<W>::new(op, cpu);
    let panel = (WEIGHTS / width.max(1) / COLUMNS * COLUMNS).clamp(COLUMNS, PANEL);
    let workers = cpu.threads().min(n.div_ceil(panel));
    let room = panel * (width + rows);
    let rooms = Output::of(cpu.scratch::<f32>(workers * room));
    let next = AtomicUsize::new(0);
    cpu.run(workers, |worker| {
        // SAFETY: each worker has its own piece.
        let room = unsafe { rooms.range(worker * room..(worker + 1) * room) };
        let (wide, sums) = room.split_at_mut(panel * width);
        let take = || next.fetch_add(1, Ordering::Relaxed) * panel;
        let mut first = take();
        while first < n {
            // Taken ahead, so that the one who asks memory for it is the one who needs it.
            let following = take();
            // Beyond the last column it is that one again, for nobody to see.
            let there: [&[W]; PANEL] = array::from_fn(|i| weights.row((first + i).min(n - 1)));
            let ahead = W::as_bytes(weights.together(following..n.min(following + panel)));
            sums.fill(0.0);
            multiply(isa, &mut Sides { x, weights: &there[..panel], wide, width }, sums, ahead);
            let count = panel.min(n - first);
            for (row, sums) in part.clone().zip(sums.chunks_exact(panel)) {
                // SAFETY: each panel of columns belongs to one worker.
                unsafe { out.store(row, first, &sums[..count]) };
            }
            first = following;
        }
    });
}

/// Some rows of the activations as `f32`, `width` apart, zeros in between.
pub(super) fn load<'a>(
    op: &Layer<'_>,
    cpu: &'a CpuContext<'_>,
    rows: Range<usize>,
    width: usize,
) -> &'a [f32] {
    let k = op.x.shape().width();
    let x = cpu.scratch::<f32>(rows.len() * width);
    let source = cpu.rows(op.x);
    let floats = Output::of(&mut *x);
    cpu.split(rows.len(), 16, |part| {
        for row in part {
            // SAFETY: each row belongs to one task.
            let (to, rest) =
                unsafe { floats.range(row * width..(row + 1) * width) }.split_at_mut(k);
            source.load(op.row(rows.start + row), to);
            rest.fill(0.0);
        }
    });
    x
}

/// What is multiplied: rows of activations, `width` apart, and a panel of weights.
struct Sides<'a, W> {
    x: &'a [f32],
    weights: &'a [&'a [W]],
    /// Room for the weights as `f32`, `width` apart.
    wide: &'a mut [f32],
    width: usize,
}

/// Adds all rows times the panel to `sums`, tile by tile, and asks for the bytes `ahead` meanwhile.
fn multiply<W: Weight>(isa: Isa, sides: &mut Sides<'_, W>, sums: &mut [f32], ahead: &[u8]) {
    let (panel, width) = (sides.weights.len(), sides.width);
    let rows = sums.len() / panel;
    // Of even heights: one row alone would take as long as several.
    let tiles = rows.div_ceil(height(isa));
    let (steps, passes) = (width / STEP, width.div_ceil(DEPTH));
    let ahead = Ahead::new(ahead, panel / COLUMNS * steps * tiles);
    for pass in 0..passes {
        let (start, end) = (steps * pass / passes, steps * (pass + 1) / passes);
        for tile in 0..tiles {
            let rows = rows * tile / tiles..rows * (tile + 1) / tiles;
            let x = &sides.x[rows.start * width..rows.end * width];
            let sums = &mut sums[rows.start * panel..rows.end * panel];
            let (weights, wide, is_wide) = (sides.weights, &mut *sides.wide, tile > 0);
            let depth = start * STEP..end * STEP;
            let ahead = ahead.after((start * tiles + (end - start) * tile) * (panel / COLUMNS));
            macro_rules! of_height {
                ($($height:literal)*) => {
                    match rows.len() {
                        $($height => isa.run(Tile::<W, $height> {
                            x, weights, wide, is_wide, width, depth, sums, ahead,
                        }),)*
                        _ => unreachable!("no tile is higher"),
                    }
                };
            }
            of_height!(1 2 3 4 5 6);
        }
    }
}

/// The most rows of a tile: with so many, sums and factors fill the registers.
const fn height(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 6,
        Isa::Portable => 2,
        _ => 3,
    }
}

/// Bytes that are asked for at even steps, by addresses that may be any.
#[derive(Clone, Copy)]
struct Ahead {
    next: *const u8,
    end: *const u8,
    step: usize,
}

impl Ahead {
    /// All of `bytes` in `steps`: a line each, or its neighbours come with it.
    fn new(bytes: &[u8], steps: usize) -> Ahead {
        let step = bytes.len().div_ceil(64 * steps.max(1)) * 64;
        Ahead { next: bytes.as_ptr(), end: bytes.as_ptr_range().end, step }
    }

    /// Without what the first steps ask for.
    fn after(self, steps: usize) -> Ahead {
        let next = self.next.wrapping_add(steps * self.step);
        // At the end it is the last line again and again, which takes no time.
        if next < self.end {
            Ahead { next, ..self }
        } else {
            Ahead { next: self.end, step: 0, ..self }
        }
    }

    #[inline(always)]
    fn ask(&mut self) {
        prefetch::read_later(self.next);
        self.next = self.next.wrapping_add(self.step);
    }
}

/// `R` rows of activations by a panel of weights, over part of their elements.
struct Tile<'a, W, const R: usize> {
    x: &'a [f32],
    weights: &'a [&'a [W]],
    wide: &'a mut [f32],
    /// Whether `wide` is filled already.
    is_wide: bool,
    width: usize,
    depth: Range<usize>,
    sums: &'a mut [f32],
    ahead: Ahead,
}

impl<W: Weight, const R: usize> Kernel for Tile<'_, W, R> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        if R > const { height(A::ISA) } {
            unreachable!("no tile is higher");
        }
        let Tile { x, weights, wide, is_wide, width, depth, sums, mut ahead } = self;
        let (panel, k) = (weights.len(), weights[0].len());
        // The elements that are there, in whole steps.
        let whole = if is_wide { depth.start } else { (k / STEP * STEP).min(depth.end) };
        assert!(x.len() >= R * width && wide.len() >= panel * width);
        assert!(depth.start <= whole && depth.end <= width && k <= width);
        assert!(weights.iter().all(|row| row.len() == k));
        if !is_wide && whole < depth.end {
            for (wide, weights) in wide.chunks_exact_mut(width).zip(weights) {
                wide[whole..].fill(0.0);
                let rest = weights[whole..].iter().map(|weight| weight.float());
                wide[whole..].iter_mut().zip(rest).for_each(|(to, from)| *to = from);
            }
        }
        let (x, wide) = (x.as_ptr(), wide.as_mut_ptr());
        let x: [*const f32; R] = array::from_fn(|row| x.wrapping_add(row * width));
        for first in (0..panel / COLUMNS * COLUMNS).step_by(COLUMNS) {
            let wide: [*mut f32; COLUMNS] =
                array::from_fn(|i| wide.wrapping_add((first + i) * width));
            let weights: [*const W; COLUMNS] = array::from_fn(|i| weights[first + i].as_ptr());
            let mut totals = [[A::F32::splat(0.0); COLUMNS]; R];
            for step in depth.start / STEP..whole / STEP {
                ahead.ask();
                for part in 0..STEP / A::F32::LEN {
                    let at = step * STEP + part * A::F32::LEN;
                    // SAFETY: within the rows, which are `k`, or `width`, long.
                    unsafe {
                        add_products(&mut totals, &x, at, |i| {
                            let numbers =
                                W::load::<A::F32>(vector::<A::F32, W>(weights[i].add(at)));
                            numbers.store(from_raw_parts_mut(wide[i].add(at), A::F32::LEN));
                            numbers
                        });
                    }
                }
            }
            for step in whole / STEP..depth.end / STEP {
                ahead.ask();
                for part in 0..STEP / A::F32::LEN {
                    let at = step * STEP + part * A::F32::LEN;
                    // SAFETY: within the rows, which are `width` long.
                    unsafe {
                        add_products(&mut totals, &x, at, |i| {
                            A::F32::load(vector::<A::F32, f32>(wide[i].add(at)))
                        });
                    }
                }
            }
            for (totals, sums) in totals.into_iter().zip(sums.chunks_exact_mut(panel)) {
                let sums = sums[first..first + COLUMNS].iter_mut();
                sums.zip(A::F32::sum4(totals)).for_each(|(sum, total)| *sum += total);
            }
        }
    }
}

/// As many elements as a vector has.
///
/// # Safety
/// They must be there.
#[inline(always)]
unsafe fn vector<'a, L: Lanes, T>(from: *const T) -> &'a [T] {
    // SAFETY: as the caller promises.
    unsafe { from_raw_parts(from, L::LEN) }
}

/// Adds the products of a vector of each row with one of each column, which `weights` gives.
///
/// # Safety
/// The rows must have as many elements from `at` on.
#[inline(always)]
unsafe fn add_products<L: Lanes, const R: usize>(
    totals: &mut [[L; COLUMNS]; R],
    x: &[*const f32; R],
    at: usize,
    mut weights: impl FnMut(usize) -> L,
) {
    let mut factors = [L::splat(0.0); R];
    for (factor, x) in factors.iter_mut().zip(x) {
        // SAFETY: as the caller promises.
        *factor = L::load(unsafe { vector::<L, f32>(x.add(at)) });
    }
    for column in 0..COLUMNS {
        let weights = weights(column);
        for (totals, x) in totals.iter_mut().zip(factors) {
            totals[column] = weights.fma(x, totals[column]);
        }
    }
}
