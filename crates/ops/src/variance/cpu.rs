//! On the CPU: sums of distances from the first element and of their squares, in double precision, in
//! one pass. Doubles take two: the first finds the mean, which the second takes distances from.

use super::Variance;
use bessemer_core::{
    DType, Layout, Real,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Arch, Isa, Kernel};

/// Elements of a piece of a long sum. It does not depend on the number of threads, so neither do results.
const PIECE: usize = 1 << 15;
/// Results that are computed at once where their elements lie side by side.
const BESIDE: usize = 64;

pub(super) fn variance(op: &Variance, cpu: &CpuContext<'_>) {
    match op.x.dtype() {
        DType::F32 => of::<f32>(op, cpu, false),
        _ => of::<f64>(op, cpu, true),
    }
}

/// Sums of distances and of their squares.
#[derive(Clone, Copy, Default)]
struct Sums {
    distances: f64,
    squares: f64,
}

impl Sums {
    fn and(self, other: Sums) -> Sums {
        Sums { distances: self.distances + other.distances, squares: self.squares + other.squares }
    }
}

/// What elements become: where the sums were taken from, and the sums.
struct Found {
    from: f64,
    sums: Sums,
}

struct All<'a, T: Real> {
    x: &'a [T],
    out: Output<'a, T>,
    isa: Isa,
    count: f64,
    divisor: f64,
    twice: bool,
    /// The elements of one result, row by row.
    rows: Layout<1>,
    width: usize,
    step: isize,
}

fn of<T: Real>(op: &Variance, cpu: &CpuContext<'_>, twice: bool) {
    let (mean, variance) = (op.part(0), op.part(1));
    let (mean, variance) = (mean.expect("checked"), variance.expect("checked"));
    let shape = op.x.shape();
    let is_kept = |axis: &usize| !op.axes.contains(axis);
    let kept: Vec<usize> = (0..shape.rank()).filter(is_kept).collect();
    let gone: Vec<usize> = (0..shape.rank()).filter(|axis| !is_kept(axis)).collect();
    let sizes = |axes: &[usize]| axes.iter().map(|&axis| shape[axis]).collect::<Vec<_>>();
    let steps = |strides: &[isize], axes: &[usize]| {
        axes.iter().map(|&axis| strides[axis]).collect::<Vec<_>>()
    };
    let results = Layout::new(
        &sizes(&kept),
        [
            &steps(op.x.strides(), &kept),
            &steps(mean.strides(), &kept),
            &steps(variance.strides(), &kept),
        ],
    );
    let elements = Layout::new(&sizes(&gone), [&steps(op.x.strides(), &gone)]).sorted_for(0);
    let (rows, width, [step]) = elements.split_last();
    let all = All {
        x: cpu.slice::<T>(&op.x),
        out: cpu.output::<T>(&op.out),
        isa: cpu.isa(),
        count: op.count() as f64,
        divisor: op.divisor(),
        twice,
        rows,
        width,
        step,
    };
    let places = |view: &bessemer_core::View| {
        let bytes = view.offset() - op.out.range().start;
        (bytes / T::DTYPE.block_bytes()) as isize
    };
    let leads = [op.x.lead() as isize, places(&mean), places(&variance)];
    let count = results.elements();
    let each = elements.elements();
    if count == 0 {
        return;
    }
    let (outer, size, beside) = results.sorted_for(0).split_last();
    if step.unsigned_abs() != 1 && beside[0] == 1 && size > 1 {
        let groups = size.div_ceil(BESIDE);
        return cpu.split(outer.elements() * groups, 4096 / (each * BESIDE + 1) + 1, |tasks| {
            for task in tasks {
                let (row, first) = (task / groups, task % groups * BESIDE);
                let offsets = outer.offsets(row);
                let at =
                    |view: usize, i: usize| leads[view] + offsets[view] + i as isize * beside[view];
                all.columns(at(0, first), BESIDE.min(size - first), |i, found| {
                    all.put(found, at(1, first + i), at(2, first + i));
                });
            }
        });
    }
    if count < 2 * cpu.threads() && each > PIECE {
        for result in 0..count {
            let offsets = results.offsets(result);
            let found = all.together(cpu, leads[0] + offsets[0]);
            all.put(found, leads[1] + offsets[1], leads[2] + offsets[2]);
        }
        return;
    }
    cpu.split(count, 8192 / (each + 1) + 1, |range| {
        for result in range {
            let offsets = results.offsets(result);
            let found = all.alone(leads[0] + offsets[0]);
            all.put(found, leads[1] + offsets[1], leads[2] + offsets[2]);
        }
    });
}

impl<T: Real> All<'_, T> {
    /// Writes a mean and a variance.
    fn put(&self, Found { from, sums }: Found, mean: isize, variance: isize) {
        let about = sums.distances / self.count;
        let put = |place: isize, value: f64| {
            // SAFETY: each result is in one task only.
            let out = unsafe { self.out.range(place as usize..place as usize + 1) };
            out[0] = T::from_f64(value);
        };
        put(mean, from + about);
        // What rounding makes of equal elements is no less than nothing.
        let squares = sums.squares - sums.distances * about;
        put(variance, if squares < 0.0 { 0.0 } else { squares } / self.divisor);
    }

    /// The first element of a result.
    fn first(&self, start: isize) -> f64 {
        self.x.get(start as usize).map_or(0.0, |x| x.to_f64())
    }

    /// The elements of a result by one thread, in the same pieces as by many.
    fn alone(&self, start: isize) -> Found {
        let pieces = self.pieces();
        self.found(start, |from| {
            (0..pieces).map(|piece| self.piece(start, piece, from)).fold(Sums::default(), Sums::and)
        })
    }

    /// The elements of a result by all threads.
    fn together(&self, cpu: &CpuContext<'_>, start: isize) -> Found {
        let mut parts = vec![Sums::default(); self.pieces()];
        self.found(start, |from| {
            let count = parts.len();
            let all = Output::of(&mut parts);
            cpu.share(count, true, |piece| {
                // SAFETY: each part is in one task only.
                let part = unsafe { all.range(piece..piece + 1) };
                part[0] = self.piece(start, piece, from);
            });
            parts.iter().copied().fold(Sums::default(), Sums::and)
        })
    }

    fn found(&self, start: isize, mut sums: impl FnMut(f64) -> Sums) -> Found {
        if self.count == 0.0 {
            return Found { from: f64::NAN, sums: Sums::default() };
        }
        let mut from = self.first(start);
        if self.twice {
            from += sums(from).distances / self.count;
        }
        Found { from, sums: sums(from) }
    }

    /// Pieces of a result: rows, or parts of long ones.
    fn pieces(&self) -> usize {
        self.rows.elements().div_ceil(self.rows_of_piece()) * self.parts_of_row()
    }

    fn parts_of_row(&self) -> usize {
        self.width.div_ceil(PIECE).max(1)
    }

    fn rows_of_piece(&self) -> usize {
        (PIECE / self.width.max(1)).max(1)
    }

    /// The sums of a piece.
    fn piece(&self, start: isize, piece: usize, from: f64) -> Sums {
        let (parts, rows) = (self.parts_of_row(), self.rows_of_piece());
        let (first, part) = (piece / parts * rows, piece % parts);
        let columns = part * PIECE..self.width.min((part + 1) * PIECE);
        let mut sums = Sums::default();
        for row in first..self.rows.elements().min(first + rows) {
            let at = start + self.rows.offsets(row)[0] + columns.start as isize * self.step;
            sums = sums.and(self.run(at, columns.len(), from));
        }
        sums
    }

    /// The sums of elements that lie `step` apart.
    fn run(&self, at: isize, len: usize, from: f64) -> Sums {
        match self.step {
            1 => self.isa.run(Run { x: &self.x[at as usize..at as usize + len], from }),
            // The same backwards.
            -1 => {
                let first = (at + 1) as usize - len;
                self.isa.run(Run { x: &self.x[first..first + len], from })
            }
            step => {
                let mut sums = Sums::default();
                for i in 0..len as isize {
                    let distance = self.x[(at + i * step) as usize].to_f64() - from;
                    sums.distances += distance;
                    sums.squares += distance * distance;
                }
                sums
            }
        }
    }

    /// Several results, whose elements lie side by side.
    fn columns(&self, start: isize, count: usize, put: impl Fn(usize, Found)) {
        let mut from = [0.0; BESIDE];
        for (i, from) in from[..count].iter_mut().enumerate() {
            *from = if self.count == 0.0 { f64::NAN } else { self.first(start + i as isize) };
        }
        for pass in [true, false] {
            if pass && !self.twice {
                continue;
            }
            let (mut distances, mut squares) = ([0.0; BESIDE], [0.0; BESIDE]);
            for row in 0..self.rows.elements() {
                let mut at = start + self.rows.offsets(row)[0];
                for _ in 0..self.width {
                    let x = &self.x[at as usize..at as usize + count];
                    self.isa.run(Line {
                        x,
                        from: &from[..count],
                        distances: &mut distances[..count],
                        squares: &mut squares[..count],
                    });
                    at += self.step;
                }
            }
            for i in 0..count {
                match pass {
                    true => from[i] += distances[i] / self.count,
                    false => {
                        let sums = Sums { distances: distances[i], squares: squares[i] };
                        put(i, Found { from: from[i], sums });
                    }
                }
            }
        }
    }
}

/// The sums of a run without gaps.
struct Run<'a, T> {
    x: &'a [T],
    from: f64,
}

impl<T: Real> Kernel for Run<'_, T> {
    type Output = Sums;

    #[inline(always)]
    fn run<A: Arch>(self) -> Sums {
        const LANES: usize = 32;
        let (mut distances, mut squares) = ([0.0; LANES], [0.0; LANES]);
        let (groups, rest) = self.x.as_chunks::<LANES>();
        for group in groups {
            for i in 0..LANES {
                let distance = group[i].to_f64() - self.from;
                distances[i] += distance;
                squares[i] += distance * distance;
            }
        }
        for x in rest {
            let distance = x.to_f64() - self.from;
            distances[0] += distance;
            squares[0] += distance * distance;
        }
        Sums { distances: distances.iter().sum(), squares: squares.iter().sum() }
    }
}

/// One element more of results side by side.
struct Line<'a, T> {
    x: &'a [T],
    from: &'a [f64],
    distances: &'a mut [f64],
    squares: &'a mut [f64],
}

impl<T: Real> Kernel for Line<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let sums = self.distances.iter_mut().zip(self.squares);
        for ((x, from), (distances, squares)) in self.x.iter().zip(self.from).zip(sums) {
            let distance = x.to_f64() - from;
            *distances += distance;
            *squares += distance * distance;
        }
    }
}
