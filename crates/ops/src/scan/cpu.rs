//! On the CPU: elements in groups of eight, rows in pieces whose totals are known first, and several
//! rows at once where they lie side by side.

use super::{Scan, ScanKind};
use bessemer_core::{
    DType, Layout, Real, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Arch, Isa, Kernel};
use std::ops::Range;

/// Elements of a piece of a row. It does not depend on the number of threads, so neither do results.
const PIECE: usize = 1 << 14;
/// Rows that are walked through at once where they lie side by side.
const BESIDE: usize = 128;

pub(super) fn scan(op: &Scan, cpu: &CpuContext<'_>) {
    if op.out.elements() == 0 {
        return;
    }
    match op.x.dtype() {
        DType::F32 => by_kind::<f32>(op, cpu),
        DType::I32 => by_kind::<i32>(op, cpu),
        DType::U32 => by_kind::<u32>(op, cpu),
        DType::F64 => by_kind::<f64>(op, cpu),
        DType::I64 => by_kind::<i64>(op, cpu),
        DType::U64 => by_kind::<u64>(op, cpu),
        _ => narrow(op, cpu),
    }
}

/// An element, and what it is accumulated as.
trait Number: Real {
    type Total: Copy + Send + Sync;

    fn total(self) -> Self::Total;
    fn element(total: Self::Total) -> Self;
    fn sum(a: Self::Total, b: Self::Total) -> Self::Total;
    fn product(a: Self::Total, b: Self::Total) -> Self::Total;
    fn least(a: Self::Total, b: Self::Total) -> Self::Total;
    fn most(a: Self::Total, b: Self::Total) -> Self::Total;
}

macro_rules! number {
    ($type:ty, $total:ty, $sum:expr, $product:expr, $least:expr, $most:expr) => {
        impl Number for $type {
            type Total = $total;

            #[inline(always)]
            fn total(self) -> $total {
                self as $total
            }

            #[inline(always)]
            fn element(total: $total) -> $type {
                total as $type
            }

            #[inline(always)]
            fn sum(a: $total, b: $total) -> $total {
                $sum(a, b)
            }

            #[inline(always)]
            fn product(a: $total, b: $total) -> $total {
                $product(a, b)
            }

            #[inline(always)]
            fn least(a: $total, b: $total) -> $total {
                $least(a, b)
            }

            #[inline(always)]
            fn most(a: $total, b: $total) -> $total {
                $most(a, b)
            }
        }
    };
}

macro_rules! numbers {
    ($($float:ty)*; $($integer:ty)*) => {
        $(number!(
            $float,
            f64,
            |a, b| a + b,
            |a, b| a * b,
            |a: f64, b: f64| if a < b || a.is_nan() { a } else { b },
            |a: f64, b: f64| if a > b || a.is_nan() { a } else { b }
        );)*
        $(number!(
            $integer,
            $integer,
            <$integer>::wrapping_add,
            <$integer>::wrapping_mul,
            Ord::min,
            Ord::max
        );)*
    };
}

numbers!(f32 f64; i32 u32 i64 u64);

/// How elements are put together, as a type.
trait Fold<T: Number>: Copy + Send + Sync {
    fn both(self, a: T::Total, b: T::Total) -> T::Total;
}

macro_rules! fold {
    ($($name:ident: $method:ident;)*) => {$(
        #[derive(Clone, Copy)]
        struct $name;

        impl<T: Number> Fold<T> for $name {
            #[inline(always)]
            fn both(self, a: T::Total, b: T::Total) -> T::Total {
                T::$method(a, b)
            }
        }
    )*};
}

fold! {
    Sum: sum;
    Product: product;
    Least: least;
    Most: most;
}

fn by_kind<T: Number>(op: &Scan, cpu: &CpuContext<'_>) {
    match op.kind {
        ScanKind::Sum => rows::<T, _>(op, cpu, Sum),
        ScanKind::Prod => rows::<T, _>(op, cpu, Product),
        ScanKind::Min => rows::<T, _>(op, cpu, Least),
        ScanKind::Max => rows::<T, _>(op, cpu, Most),
    }
}

/// Where the rows of input and output lie.
struct Lines {
    rows: Layout<2>,
    leads: [isize; 2],
    steps: [isize; 2],
}

impl Lines {
    fn start(&self, row: usize) -> [isize; 2] {
        let offsets = self.rows.offsets(row);
        [self.leads[0] + offsets[0], self.leads[1] + offsets[1]]
    }
}

fn rows<T: Number, F: Fold<T>>(op: &Scan, cpu: &CpuContext<'_>, fold: F) {
    let (x, out) = (&op.x, &op.out);
    let neutral = T::from_number(op.kind.neutral(T::DTYPE)).total();
    let last = x.shape().rank() - 1;
    let step = |view: &View| if view.shape()[last] <= 1 { 1 } else { view.strides()[last] };
    let lines = Lines {
        rows: Layout::new(&x.shape()[..last], [&x.strides()[..last], &out.strides()[..last]]),
        leads: [x.lead() as isize, out.lead() as isize],
        steps: [step(x), step(out)],
    };
    let all = All {
        width: x.shape().width(),
        initial: op.initial,
        neutral,
        fold,
        isa: cpu.isa(),
        x: cpu.slice::<T>(x),
        out: cpu.output::<T>(out),
        lines,
    };
    let count = x.shape().rows();
    let (outer, size, beside) = all.lines.rows.sorted_for(0).split_last();
    if all.lines.steps != [1, 1] && beside == [1, 1] && size > 1 {
        return all.beside(cpu, &outer, size);
    }
    if all.lines.steps == [1, 1] && all.width > PIECE && count < 4 * cpu.threads() {
        return (0..count).for_each(|row| all.in_pieces(cpu, row));
    }
    cpu.split(count, 8192 / all.width.max(1) + 1, |rows| rows.for_each(|row| all.row(row)));
}

/// All that a task needs.
struct All<'a, T: Number, F> {
    width: usize,
    initial: bool,
    neutral: T::Total,
    fold: F,
    isa: Isa,
    x: &'a [T],
    out: Output<'a, T>,
    lines: Lines,
}

impl<T: Number, F: Fold<T>> All<'_, T, F> {
    /// Elements of a row that has no gaps, and where they go.
    ///
    /// # Safety
    /// No other task may have that part of the row.
    #[allow(clippy::mut_from_ref)]
    unsafe fn parts(&self, row: usize, range: Range<usize>) -> (&[T], &mut [T]) {
        let [from, to] = self.lines.start(row);
        let (from, to) = (from as usize, to as usize + usize::from(self.initial));
        // SAFETY: as the caller promises.
        let out = unsafe { self.out.range(to + range.start..to + range.end) };
        (&self.x[from + range.start..from + range.end], out)
    }

    fn put_neutral(&self, row: usize) {
        if self.initial {
            let at = self.lines.start(row)[1] as usize;
            // SAFETY: each row is in one task only.
            let first = unsafe { self.out.range(at..at + 1) };
            first[0] = T::element(self.neutral);
        }
    }

    /// One row by one thread.
    fn row(&self, row: usize) {
        self.put_neutral(row);
        let mut total = self.neutral;
        if self.lines.steps == [1, 1] {
            // In the same pieces as by many threads, for the same results.
            for start in (0..self.width).step_by(PIECE) {
                let range = start..self.width.min(start + PIECE);
                // SAFETY: each row is in one task only.
                let (x, out) = unsafe { self.parts(row, range) };
                let next = match out.len() < PIECE {
                    true => total,
                    false => self.fold.both(total, self.total(x)),
                };
                self.isa.run(Walk { x, out, total, fold: self.fold });
                total = next;
            }
            return;
        }
        let [mut from, mut to] = self.lines.start(row);
        to += if self.initial { self.lines.steps[1] } else { 0 };
        for _ in 0..self.width {
            total = self.fold.both(total, self.x[from as usize].total());
            // SAFETY: as above.
            let out = unsafe { self.out.range(to as usize..to as usize + 1) };
            out[0] = T::element(total);
            from += self.lines.steps[0];
            to += self.lines.steps[1];
        }
    }

    /// The total of a piece.
    fn total(&self, x: &[T]) -> T::Total {
        self.isa.run(Total { x, neutral: self.neutral, fold: self.fold })
    }

    /// One row by all threads: first the totals of its pieces.
    fn in_pieces(&self, cpu: &CpuContext<'_>, row: usize) {
        self.put_neutral(row);
        let pieces = self.width.div_ceil(PIECE);
        let range = |piece: usize| piece * PIECE..self.width.min((piece + 1) * PIECE);
        let mut totals = vec![self.neutral; pieces];
        let each = Output::of(&mut totals);
        // Nobody needs the last one.
        cpu.share(pieces - 1, true, |piece| {
            let [from, _] = self.lines.start(row);
            let x = &self.x[from as usize..][range(piece)];
            // SAFETY: each total is in one task only.
            let total = unsafe { each.range(piece..piece + 1) };
            total[0] = self.total(x);
        });
        let mut total = self.neutral;
        for each in &mut totals {
            let next = self.fold.both(total, *each);
            *each = total;
            total = next;
        }
        cpu.share(pieces, true, |piece| {
            // SAFETY: each piece is in one task only.
            let (x, out) = unsafe { self.parts(row, range(piece)) };
            self.isa.run(Walk { x, out, total: totals[piece], fold: self.fold });
        });
    }

    /// Rows that lie side by side, `size` of them after each other.
    fn beside(&self, cpu: &CpuContext<'_>, outer: &Layout<2>, size: usize) {
        let groups = size.div_ceil(BESIDE);
        cpu.split(outer.elements() * groups, 1, |tasks| {
            for task in tasks {
                let (first, group) = (task / groups * size, task % groups * BESIDE);
                let count = BESIDE.min(size - group);
                let offsets = outer.offsets(first / size);
                let from = self.lines.leads[0] + offsets[0] + group as isize;
                let to = self.lines.leads[1] + offsets[1] + group as isize;
                self.columns(from, to, count);
            }
        });
    }

    fn columns(&self, mut from: isize, mut to: isize, count: usize) {
        let mut totals = [self.neutral; BESIDE];
        // SAFETY: these rows are in this task only.
        let line = |to: isize| unsafe { self.out.range(to as usize..to as usize + count) };
        if self.initial {
            line(to).fill(T::element(self.neutral));
            to += self.lines.steps[1];
        }
        for _ in 0..self.width {
            let x = &self.x[from as usize..][..count];
            self.isa.run(Line { x, out: line(to), totals: &mut totals, fold: self.fold });
            from += self.lines.steps[0];
            to += self.lines.steps[1];
        }
    }
}

/// A gapless run of elements, from a total on.
struct Walk<'a, T: Number, F> {
    x: &'a [T],
    out: &'a mut [T],
    total: T::Total,
    fold: F,
}

impl<T: Number, F: Fold<T>> Kernel for Walk<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Walk { x, out, mut total, fold } = self;
        let (groups, rest) = x.as_chunks::<8>();
        let (outs, out_rest) = out.as_chunks_mut::<8>();
        for (x, out) in groups.iter().zip(outs) {
            // Each with those before it in the group, so that groups wait for one step only.
            let a = x.map(T::total);
            let mut b = a;
            (1..8).for_each(|i| b[i] = fold.both(a[i - 1], a[i]));
            let mut c = b;
            (2..8).for_each(|i| c[i] = fold.both(b[i - 2], b[i]));
            let mut d = c;
            (4..8).for_each(|i| d[i] = fold.both(c[i - 4], c[i]));
            let sums = d.map(|x| fold.both(total, x));
            total = sums[7];
            *out = sums.map(T::element);
        }
        for (x, out) in rest.iter().zip(out_rest) {
            total = fold.both(total, x.total());
            *out = T::element(total);
        }
    }
}

/// All elements put together.
struct Total<'a, T: Number, F> {
    x: &'a [T],
    neutral: T::Total,
    fold: F,
}

impl<T: Number, F: Fold<T>> Kernel for Total<'_, T, F> {
    type Output = T::Total;

    #[inline(always)]
    fn run<A: Arch>(self) -> T::Total {
        let Total { x, neutral, fold } = self;
        let mut lanes = [neutral; 32];
        let (groups, rest) = x.as_chunks::<32>();
        for group in groups {
            for (lane, x) in lanes.iter_mut().zip(group) {
                *lane = fold.both(*lane, x.total());
            }
        }
        let rest = rest.iter().map(|x| x.total());
        lanes.into_iter().chain(rest).fold(neutral, |total, x| fold.both(total, x))
    }
}

/// The next element of rows side by side.
struct Line<'a, T: Number, F> {
    x: &'a [T],
    out: &'a mut [T],
    totals: &'a mut [T::Total; BESIDE],
    fold: F,
}

impl<T: Number, F: Fold<T>> Kernel for Line<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        for ((x, out), total) in self.x.iter().zip(self.out).zip(self.totals) {
            *total = self.fold.both(*total, x.total());
            *out = T::element(*total);
        }
    }
}

/// 16-bit floats, as `f32`.
fn narrow(op: &Scan, cpu: &CpuContext<'_>) {
    let (x, width) = (cpu.rows(&op.x), op.x.shape().width());
    let first = usize::from(op.initial);
    let neutral = op.kind.neutral(op.x.dtype()).to_f64() as f32;
    let isa = cpu.isa();
    cpu.for_each_row_with(&op.out, 4096 / (width + 1) + 1, 2 * width + 1, |row, out, buffer| {
        let (from, to) = buffer.split_at_mut(width);
        let to = &mut to[..width + first];
        x.load(row, from);
        to[0] = neutral;
        let (from, sums) = (&*from, &mut to[first..]);
        let total = f64::from(neutral);
        match op.kind {
            ScanKind::Sum => isa.run(Walk { x: from, out: sums, total, fold: Sum }),
            ScanKind::Prod => isa.run(Walk { x: from, out: sums, total, fold: Product }),
            ScanKind::Min => isa.run(Walk { x: from, out: sums, total, fold: Least }),
            ScanKind::Max => isa.run(Walk { x: from, out: sums, total, fold: Most }),
        }
        out.store(to);
    });
}
