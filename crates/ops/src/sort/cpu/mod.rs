//! On the CPU: elements become signed integers in the same order (`keys`), which a quicksort on all
//! threads (`quick`) sorts by vectors (`avx512`) or one by one (`portable`). Indices are sorted along
//! with their keys, which makes the order stable.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod keys;
mod portable;
mod quick;

use super::{Sort, Sorted};
use bessemer_core::{
    DType, Element, Layout, View,
    cpu::{CpuContext, OutRows, Output, Rows},
};
use keys::{Code, Word};
use quick::Sortable;

/// Rows of at least this many elements are sorted by all threads together.
const TOGETHER: usize = 2048;

pub(super) fn sort(op: &Sort, cpu: &CpuContext<'_>) {
    if op.x.elements() == 0 {
        return;
    }
    match (&op.out, op.x.dtype().block_bytes()) {
        (Sorted::Elements(out), 8) => elements::<u64>(op, out, cpu),
        (Sorted::Elements(out), _) => elements::<u32>(op, out, cpu),
        (Sorted::Indices(out), bytes) => match (out.dtype(), bytes) {
            (DType::I64, 8) => indices::<u64, i64>(op, out, cpu, |place| place as i64),
            (DType::I64, _) => indices::<u32, i64>(op, out, cpu, |place| place as i64),
            (_, 8) => indices::<u64, u32>(op, out, cpu, |place| place as u32),
            _ => indices::<u32, u32>(op, out, cpu, |place| place as u32),
        },
    }
}

/// Writes sorted elements.
fn elements<W: Word<Key: Sortable> + Narrow>(op: &Sort, out: &View, cpu: &CpuContext<'_>) {
    let (code, isa, width) =
        (Code::new(op.x.dtype(), op.descending), cpu.isa(), op.x.shape().width());
    let (source, target) = (Source::<W>::new(&op.x, cpu), Target::<W>::new(out, cpu));
    // A copy, the keys, and room for as many.
    each_row::<W>(&op.x, cpu, 3 * width, |row, memory, team| {
        let (copy, rest) = memory.split_at_mut(width);
        let (sorted, room) = rest.split_at_mut(width);
        let x = source.row(row, copy);
        // SAFETY: each row is in one task only.
        let direct = unsafe { target.row(row, width) };
        let stored = direct.is_some();
        let to = direct.unwrap_or(&mut *sorted);
        quick::sort(x, signed::<W>(to), signed::<W>(room), code, isa, team);
        if code.changes() {
            quick::share(team, Output::of(to), |_, to| {
                to.iter_mut().for_each(|word| *word = W::element(word.as_key(), code));
            });
        }
        if !stored {
            // SAFETY: as above.
            unsafe { target.store(row, sorted) };
        }
    });
}

/// Writes the indices that sort.
fn indices<W: Word<Pair: Sortable> + Narrow, I: Element>(
    op: &Sort,
    out: &View,
    cpu: &CpuContext<'_>,
    index: impl Fn(usize) -> I + Sync,
) {
    let (code, isa, width) =
        (Code::new(op.x.dtype(), op.descending), cpu.isa(), op.x.shape().width());
    let (source, all, lines) = (Source::<W>::new(&op.x, cpu), cpu.output::<I>(out), Lines::of(out));
    // A copy; then pairs of two words each, and room for as many.
    let even = width.next_multiple_of(4);
    each_row::<W>(&op.x, cpu, 5 * even, |row, memory, team| {
        let (copy, rest) = memory.split_at_mut(even);
        let (sorted, room) = pairs::<W>(rest).split_at_mut(even);
        let (sorted, x) = (&mut sorted[..width], source.row(row, &mut copy[..width]));
        quick::sort_pairs(x, sorted, &mut room[..width], code, isa, team);
        if lines.step == 1 {
            let start = lines.place(row, 0);
            // SAFETY: each row is in one task only.
            let to = unsafe { all.range(start..start + width) };
            return quick::share(team, Output::of(to), |start, to| {
                for (to, &pair) in to.iter_mut().zip(&sorted[start..]) {
                    *to = index(W::place(pair));
                }
            });
        }
        for (i, &pair) in sorted.iter().enumerate() {
            let place = lines.place(row, i);
            // SAFETY: as above.
            let to = unsafe { all.range(place..place + 1) };
            to[0] = index(W::place(pair));
        }
    });
}

/// Calls `work` with each row and `memory` words: with all threads for a row, or a thread for each.
fn each_row<W: Element>(
    x: &View,
    cpu: &CpuContext<'_>,
    memory: usize,
    work: impl Fn(usize, &mut [W], Option<&CpuContext<'_>>) + Sync,
) {
    let (rows, width) = (x.shape().rows(), x.shape().width());
    if width >= TOGETHER && rows < 2 * cpu.threads() {
        let memory = cpu.scratch::<W>(memory);
        return (0..rows).for_each(|row| work(row, memory, Some(cpu)));
    }
    cpu.split_with(rows, 4096 / width + 1, memory, |rows, memory| {
        rows.into_iter().for_each(|row| work(row, memory, None));
    });
}

/// Words that hold elements narrower than themselves as `f32`, if they can.
trait Narrow: Word {
    fn floats(words: &mut [Self]) -> &mut [f32];
    fn as_key(self) -> Self::Key;
}

impl Narrow for u32 {
    fn floats(words: &mut [u32]) -> &mut [f32] {
        // SAFETY: any 32 bits are a float, of the same size and alignment.
        unsafe { &mut *(std::ptr::from_mut(words) as *mut [f32]) }
    }

    #[inline(always)]
    fn as_key(self) -> i32 {
        self as i32
    }
}

impl Narrow for u64 {
    fn floats(_: &mut [u64]) -> &mut [f32] {
        unreachable!("elements of 64 bits are not narrow")
    }

    #[inline(always)]
    fn as_key(self) -> i64 {
        self as i64
    }
}

/// Words as keys.
fn signed<W: Word>(words: &mut [W]) -> &mut [W::Key] {
    debug_assert_eq!(size_of::<W>(), size_of::<W::Key>());
    // SAFETY: a signed integer of as many bits; any bits are one.
    unsafe { &mut *(std::ptr::from_mut(words) as *mut [W::Key]) }
}

/// Words as pairs, each of two.
fn pairs<W: Word>(words: &mut [W]) -> &mut [W::Pair] {
    // SAFETY: any bits are integers.
    let (before, pairs, _) = unsafe { words.align_to_mut::<W::Pair>() };
    debug_assert!(before.is_empty(), "memory starts at cache lines");
    pairs
}

/// The rows of `x`, as the bits that [`Code`] knows.
enum Source<'a, W> {
    /// Elements of as many bits.
    Words { all: &'a [W], lines: Lines },
    /// Narrower ones, as the `f32` that each of them is.
    Narrow(Rows<'a>),
}

impl<'a, W: Narrow> Source<'a, W> {
    fn new(x: &View, cpu: &'a CpuContext<'_>) -> Source<'a, W> {
        match x.dtype().block_bytes() {
            4 | 8 => Source::Words { all: cpu.slice::<W>(x), lines: Lines::of(x) },
            _ => Source::Narrow(cpu.rows(x)),
        }
    }

    /// A row, in place or in `copy`.
    fn row<'b>(&'b self, row: usize, copy: &'b mut [W]) -> &'b [W] {
        match self {
            Source::Words { all, lines } => {
                if lines.step == 1 {
                    return &all[lines.place(row, 0)..][..copy.len()];
                }
                for (i, to) in copy.iter_mut().enumerate() {
                    *to = all[lines.place(row, i)];
                }
            }
            Source::Narrow(rows) => rows.load(row, W::floats(copy)),
        }
        copy
    }
}

/// The rows that are written.
enum Target<'a, W> {
    Words { all: Output<'a, W>, lines: Lines },
    Narrow(OutRows<'a>),
}

impl<'a, W: Narrow> Target<'a, W> {
    fn new(out: &View, cpu: &'a CpuContext<'_>) -> Target<'a, W> {
        match out.dtype().block_bytes() {
            4 | 8 => Target::Words { all: cpu.output(out), lines: Lines::of(out) },
            _ => Target::Narrow(cpu.out_rows(out)),
        }
    }

    /// A row, if it can be written in place.
    ///
    /// # Safety
    /// No other task may have this row at the same time.
    #[allow(clippy::mut_from_ref)]
    unsafe fn row(&self, row: usize, width: usize) -> Option<&mut [W]> {
        match self {
            Target::Words { all, lines } if lines.step == 1 => {
                let start = lines.place(row, 0);
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
    unsafe fn store(&self, row: usize, words: &mut [W]) {
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
            Target::Narrow(rows) => unsafe { rows.row(row) }.store(W::floats(words)),
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

    fn place(&self, row: usize, i: usize) -> usize {
        (self.first + self.rows.offsets(row)[0] + i as isize * self.step) as usize
    }
}
