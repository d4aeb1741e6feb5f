//! On the CPU: elements become signed integers in the same order (`keys`), which a quicksort on all
//! threads (`quick`) sorts by vectors (`avx512`) or one by one (`portable`). Indices are sorted along
//! with their keys as numbers of 64 bits, which makes the order stable.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod keys;
mod portable;
mod quick;

use super::{Sort, Sorted};
use bessemer_core::{
    Layout, View,
    cpu::{CpuContext, OutRows, Output, Rows},
};
use keys::Code;

/// Rows of at least this many elements are sorted by all threads together.
const TOGETHER: usize = 2048;

pub(super) fn sort(op: &Sort, cpu: &CpuContext<'_>) {
    if op.x.elements() == 0 {
        return;
    }
    let (source, width) = (Source::new(&op.x, cpu), op.x.shape().width());
    let target = Target::new(op.out.view(), cpu);
    let (code, isa) = (Code::new(op.x.dtype(), op.descending), cpu.isa());
    match op.out {
        Sorted::Elements(_) => {
            each_row(&op.x, cpu, 3 * width, |row, memory, team| {
                let (copy, rest) = memory.split_at_mut(width);
                let (sorted, room) = rest.split_at_mut(width);
                let x = source.row(row, copy);
                // SAFETY: each row is in one task only.
                match unsafe { target.row(row, width) } {
                    Some(to) => quick::sort(x, to, room, code, isa, team),
                    None => {
                        quick::sort(x, sorted, room, code, isa, team);
                        // SAFETY: as above.
                        unsafe { target.store(row, sorted) };
                    }
                }
            });
        }
        Sorted::Indices(_) => {
            let even = width.next_multiple_of(2);
            each_row(&op.x, cpu, 6 * even, |row, memory, team| {
                let (copy, rest) = memory.split_at_mut(2 * even);
                let (copy, indices) = copy.split_at_mut(even);
                let (pairs, room) = pairs(rest).split_at_mut(even);
                let (pairs, x) = (&mut pairs[..width], source.row(row, &mut copy[..width]));
                quick::sort_pairs(x, pairs, &mut room[..width], code, isa, team);
                // SAFETY: each row is in one task only.
                let direct = unsafe { target.row(row, width) };
                let stored = direct.is_some();
                let to = direct.unwrap_or(&mut indices[..width]);
                quick::low_halves(pairs, to, team);
                if !stored {
                    // SAFETY: as above.
                    unsafe { target.store(row, &mut indices[..width]) };
                }
            });
        }
    }
}

/// Calls `work` with each row and `memory` words: with all threads for a row, or a thread for each.
fn each_row(
    x: &View,
    cpu: &CpuContext<'_>,
    memory: usize,
    work: impl Fn(usize, &mut [u32], Option<&CpuContext<'_>>) + Sync,
) {
    let (rows, width) = (x.shape().rows(), x.shape().width());
    if width >= TOGETHER && rows < 2 * cpu.threads() {
        let memory = cpu.scratch::<u32>(memory);
        return (0..rows).for_each(|row| work(row, memory, Some(cpu)));
    }
    cpu.split_with(rows, 4096 / width + 1, memory, |rows, memory| {
        rows.into_iter().for_each(|row| work(row, memory, None));
    });
}

/// Words as numbers of 64 bits.
fn pairs(words: &mut [u32]) -> &mut [i64] {
    // SAFETY: any 64 bits are a number.
    let (before, pairs, _) = unsafe { words.align_to_mut::<i64>() };
    debug_assert!(before.is_empty(), "memory starts at cache lines");
    pairs
}

/// The rows of `x`, as the bits that [`Code`] knows.
enum Source<'a> {
    /// Elements of 32 bits.
    Words { all: &'a [u32], lines: Lines },
    /// Narrower ones, as the `f32` that each of them is.
    Narrow(Rows<'a>),
}

impl<'a> Source<'a> {
    fn new(x: &View, cpu: &'a CpuContext<'_>) -> Source<'a> {
        match x.dtype().block_bytes() {
            4 => Source::Words { all: cpu.slice::<u32>(x), lines: Lines::of(x) },
            _ => Source::Narrow(cpu.rows(x)),
        }
    }

    /// A row, in place or in `copy`.
    fn row<'b>(&'b self, row: usize, copy: &'b mut [u32]) -> &'b [u32] {
        match self {
            Source::Words { all, lines } => {
                if lines.step == 1 {
                    return &all[lines.start(row)..][..copy.len()];
                }
                for (i, to) in copy.iter_mut().enumerate() {
                    *to = all[lines.place(row, i)];
                }
            }
            Source::Narrow(rows) => rows.load(row, floats(copy)),
        }
        copy
    }
}

/// The rows that are written.
enum Target<'a> {
    Words { all: Output<'a, u32>, lines: Lines },
    Narrow(OutRows<'a>),
}

impl<'a> Target<'a> {
    fn new(out: &View, cpu: &'a CpuContext<'_>) -> Target<'a> {
        match out.dtype().block_bytes() {
            4 => Target::Words { all: cpu.output(out), lines: Lines::of(out) },
            _ => Target::Narrow(cpu.out_rows(out)),
        }
    }

    /// A row, if it can be written in place.
    ///
    /// # Safety
    /// No other task may have this row at the same time.
    unsafe fn row(&self, row: usize, width: usize) -> Option<&mut [u32]> {
        match self {
            Target::Words { all, lines } if lines.step == 1 => {
                let start = lines.start(row);
                // SAFETY: as the caller promises.
                Some(unsafe { all.range(start..start + width) })
            }
            _ => None,
        }
    }

    /// Writes a row.
    ///
    /// # Safety
    /// No other task may have this row at the same time.
    unsafe fn store(&self, row: usize, words: &mut [u32]) {
        match self {
            Target::Words { all, lines } => {
                for (i, &word) in words.iter().enumerate() {
                    let place = lines.place(row, i);
                    // SAFETY: an element of the row.
                    let target = unsafe { all.range(place..place + 1) };
                    target[0] = word;
                }
            }
            // SAFETY: as the caller promises.
            Target::Narrow(rows) => unsafe { rows.row(row) }.store(floats(words)),
        }
    }
}

/// Where the rows of a view lie among its elements.
struct Lines {
    first: isize,
    rows: Layout<1>,
    step: isize,
}

impl Lines {
    fn of(view: &View) -> Lines {
        let last = view.shape().rank() - 1;
        Lines {
            first: view.lead() as isize,
            rows: Layout::new(&view.shape()[..last], [&view.strides()[..last]]),
            step: if view.has_contiguous_rows() { 1 } else { view.strides()[last] },
        }
    }

    fn start(&self, row: usize) -> usize {
        self.place(row, 0)
    }

    fn place(&self, row: usize, i: usize) -> usize {
        (self.first + self.rows.offsets(row)[0] + i as isize * self.step) as usize
    }
}

/// Words as the floats that they are the bits of.
fn floats(words: &mut [u32]) -> &mut [f32] {
    // SAFETY: any 32 bits are a float, of the same size and alignment.
    unsafe { &mut *(std::ptr::from_mut(words) as *mut [f32]) }
}
