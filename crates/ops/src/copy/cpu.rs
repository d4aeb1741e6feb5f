//! On the CPU: the longest runs there are, in tiles where one side is transposed.

use bessemer_core::{
    Element, Layout, MAX_RANK, Shape, Strides, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Arch, Kernel};
use half::f16;
use std::ops::Range;

/// Longer runs than this are cut, so that threads can share them.
const RUN: usize = 1 << 16;

/// Copies and casts `x` to `out`, of the same shape.
pub(crate) fn copy(cpu: &CpuContext<'_>, x: &View, out: &View) {
    if out.elements() == 0 {
        return;
    }
    if out.dtype().is_block() {
        return by_rows(cpu, x, out);
    }
    let layout = Layout::new(out.shape(), [out.strides(), x.strides()]).sorted_for(0);
    if let Some(across) = crossing(&layout)
        && x.dtype() == out.dtype()
    {
        return match out.dtype().block_bytes() {
            1 => by_tiles::<u8>(cpu, x, out, &layout, across),
            2 => by_tiles::<f16>(cpu, x, out, &layout, across),
            4 => by_tiles::<u32>(cpu, x, out, &layout, across),
            _ => by_tiles::<u64>(cpu, x, out, &layout, across),
        };
    }
    in_runs(x, out, &layout, RUN, |x, out| by_rows(cpu, x, out));
}

/// Calls `work` with views whose rows are the runs of elements that lie alike in `x` and `out`, as
/// `layout` has them (`out` first), cut to pieces of `len` where they are at least twice as long.
pub(crate) fn in_runs(
    x: &View,
    out: &View,
    layout: &Layout<2>,
    len: usize,
    work: impl Fn(&View, &View),
) {
    let (x, out) = (with_layout(x, layout, 1), with_layout(out, layout, 0));
    let (last, width) = (out.shape().rank() - 1, out.shape().width());
    if width < 2 * len || last + 1 == MAX_RANK {
        return work(&x, &out);
    }
    // Long runs: whole pieces of them as rows, then what is left over.
    let whole = width / len * len;
    let part = |view: &View| {
        let mut sizes = view.shape().to_vec();
        let mut strides = view.strides().to_vec();
        sizes[last] = len;
        sizes.insert(last, width / len);
        strides.insert(last, strides[last] * len as isize);
        rebuild(view, &sizes, &strides)
    };
    work(&part(&x), &part(&out));
    let rest = |view: &View| view.narrow(last, whole..width).expect("a part of the last dimension");
    work(&rest(&x), &rest(&out));
}

fn by_rows(cpu: &CpuContext<'_>, x: &View, out: &View) {
    let rows = cpu.rows(x);
    let grain = 16384 / rows.width().max(1) + 1;
    cpu.for_each_row(out, grain, |i, row| row.copy(&rows, i, &mut []));
}

/// The dimension that `x` is gapless along, where it is not the one that `out` is.
fn crossing(layout: &Layout<2>) -> Option<usize> {
    let last = layout.rank().checked_sub(1)?;
    let crosses = layout.stride(0, last) == 1 && layout.stride(1, last) != 1;
    let mut others = 0..last;
    others.find(|&axis| crosses && layout.stride(1, axis) == 1)
}

/// The elements of a view in the order of a layout that it is number `number` of.
fn with_layout(view: &View, layout: &Layout<2>, number: usize) -> View {
    if layout.rank() == 0 {
        return rebuild(view, &[1], &[1]);
    }
    let strides: Vec<isize> = (0..layout.rank()).map(|axis| layout.stride(number, axis)).collect();
    rebuild(view, layout.sizes(), &strides)
}

fn rebuild(view: &View, sizes: &[usize], strides: &[isize]) -> View {
    let shape = Shape::new(sizes);
    let strides = Strides::new(strides);
    shape
        .and_then(|shape| View::at(view.buffer(), view.dtype(), shape, strides?, view.offset()))
        .expect("the same elements, in no more dimensions than there can be")
}

/// Elements of a tile each way: a cache line of `f32`, so that each line is touched once.
const TILE: usize = 16;
/// Elements of a task each way: pages are touched by few tasks.
const BLOCK: usize = 128;

/// Copies where `x` is gapless along dimension `across` and `out` along the last one.
fn by_tiles<T: Element>(
    cpu: &CpuContext<'_>,
    x: &View,
    out: &View,
    layout: &Layout<2>,
    across: usize,
) {
    let (source, target) = (cpu.slice::<T>(x), cpu.output::<T>(out));
    let first = |view: &View| ((view.offset() - view.range().start) / size_of::<T>()) as isize;
    let (x_first, out_first) = (first(x), first(out));
    let last = layout.rank() - 1;
    let others: Vec<usize> = (0..last).filter(|&axis| axis != across).collect();
    let pick = |number: usize| -> Vec<isize> {
        let strides = others.iter().map(|&axis| layout.stride(number, axis));
        strides.collect()
    };
    let sizes: Vec<usize> = others.iter().map(|&axis| layout.sizes()[axis]).collect();
    let outer = Layout::new(&sizes, [&pick(0), &pick(1)]);
    let (height, width) = (layout.sizes()[across], layout.sizes()[last]);
    let (down, right) = (layout.stride(0, across), layout.stride(1, last));
    let blocks = [height.div_ceil(BLOCK), width.div_ceil(BLOCK)];
    let isa = cpu.isa();
    cpu.split(outer.elements() * blocks[0] * blocks[1], 1, |tasks| {
        for task in tasks {
            let (rest, column) = (task / blocks[1], task % blocks[1] * BLOCK);
            let [out_start, x_start] = outer.offsets(rest / blocks[0]);
            let row = rest % blocks[0] * BLOCK;
            isa.run(Block {
                source,
                from: x_first + x_start,
                right,
                target: &target,
                to: out_first + out_start,
                down,
                rows: row..height.min(row + BLOCK),
                columns: column..width.min(column + BLOCK),
            });
        }
    });
}

/// Some rows and columns of `target`, which are columns and rows of `source`: row `i` of the
/// target starts at `to + i * down`, column `j` of it in the source at `from + j * right`. No
/// other task has any of them.
struct Block<'a, T> {
    source: &'a [T],
    from: isize,
    right: isize,
    target: &'a Output<'a, T>,
    to: isize,
    down: isize,
    rows: Range<usize>,
    columns: Range<usize>,
}

impl<T: Element> Kernel for Block<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for row in self.rows.clone().step_by(TILE) {
            for column in self.columns.clone().step_by(TILE) {
                let tall = TILE.min(self.rows.end - row);
                let wide = TILE.min(self.columns.end - column);
                let mut tile = [[T::default(); TILE]; TILE];
                let from = self.from + row as isize;
                for (j, run) in tile[..wide].iter_mut().enumerate() {
                    let from = (from + (column + j) as isize * self.right) as usize;
                    match self.source[from..].first_chunk() {
                        // A length that is known takes no call; what is behind the rows is not
                        // looked at.
                        Some(whole) => *run = *whole,
                        None => run[..tall].copy_from_slice(&self.source[from..from + tall]),
                    }
                }
                let to = self.to + column as isize;
                for i in 0..tall {
                    let to = (to + (row + i) as isize * self.down) as usize;
                    // SAFETY: elements of this tile, which only this task has.
                    let out = unsafe { self.target.range(to..to + wide) };
                    let mut turned = [T::default(); TILE];
                    for (turned, run) in turned.iter_mut().zip(&tile) {
                        *turned = run[i];
                    }
                    match out.first_chunk_mut::<TILE>() {
                        Some(out) => *out = turned,
                        None => out.copy_from_slice(&turned[..wide]),
                    }
                }
            }
        }
    }
}
