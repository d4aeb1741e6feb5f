//! On the CPU: results in groups that a box covers, and long reductions in pieces.
//!
//! How the work is split depends on sizes only, never on the number of threads, so results do not
//! either.

mod fold;

use super::{Reduce, ReduceKind};
use crate::bind;
use bessemer_core::{DType, MAX_RANK, cpu::CpuContext};
use bessemer_program::{
    Type,
    cpu::{Box2, Domain, LANES, Steps, Window, Worker, Yielded},
};
use bessemer_simd::{Isa, convert};
use fold::{
    All, Any, Best, BestAt, Fold, FoldEach, FoldRow, Lane, Mean, MeanWide, Number, Prod, Sum,
    SumWide, WideningProd, WideningSum, WrappingProd, WrappingSum,
};
use std::sync::OnceLock;

/// Groups of results from which on each is reduced in one piece.
const MANY_GROUPS: usize = 64;
/// The most pieces of a reduction.
const MOST_PIECES: usize = 64;
/// Boxes of a piece, at least.
const PIECE: usize = 8;
/// Boxes that are worth another thread.
const GRAIN: usize = 16;

pub(super) fn reduce(op: &Reduce, cpu: &CpuContext<'_>) {
    let ty = op.program.yields().unwrap_or(Type::F32);
    let widens = Type::of(op.output.dtype()).is_some_and(Type::is_wide) && !ty.is_wide();
    match (op.kind, ty) {
        (ReduceKind::Sum, Type::F32) => run::<Sum>(op, cpu),
        (ReduceKind::Sum, Type::F64) => run::<SumWide>(op, cpu),
        (ReduceKind::Sum, Type::I32) if widens => run::<WideningSum<i32>>(op, cpu),
        (ReduceKind::Sum, _) if widens => run::<WideningSum<u32>>(op, cpu),
        (ReduceKind::Sum, ty) if ty.is_wide() => run::<WrappingSum<u64>>(op, cpu),
        (ReduceKind::Sum, _) => run::<WrappingSum<u32>>(op, cpu),
        (ReduceKind::Mean, Type::F32) => run::<Mean<f32>>(op, cpu),
        (ReduceKind::Mean, Type::I32) => run::<Mean<i32>>(op, cpu),
        (ReduceKind::Mean, Type::F64) => run::<MeanWide>(op, cpu),
        (ReduceKind::Mean, Type::I64) => run::<Mean<i64>>(op, cpu),
        (ReduceKind::Mean, Type::U64) => run::<Mean<u64>>(op, cpu),
        (ReduceKind::Mean, _) => run::<Mean<u32>>(op, cpu),
        (ReduceKind::Prod, Type::F32) => run::<Prod<f32>>(op, cpu),
        (ReduceKind::Prod, Type::F64) => run::<Prod<f64>>(op, cpu),
        (ReduceKind::Prod, Type::I32) if widens => run::<WideningProd<i32>>(op, cpu),
        (ReduceKind::Prod, _) if widens => run::<WideningProd<u32>>(op, cpu),
        (ReduceKind::Prod, ty) if ty.is_wide() => run::<WrappingProd<u64>>(op, cpu),
        (ReduceKind::Prod, _) => run::<WrappingProd<u32>>(op, cpu),
        (ReduceKind::Min | ReduceKind::ArgMin, _) => extreme::<false>(op, ty, cpu),
        (ReduceKind::Max | ReduceKind::ArgMax, _) => extreme::<true>(op, ty, cpu),
        (ReduceKind::Any, _) => run::<Any>(op, cpu),
        (ReduceKind::All, _) => run::<All>(op, cpu),
    }
}

fn extreme<const LARGEST: bool>(op: &Reduce, ty: Type, cpu: &CpuContext<'_>) {
    fn of<T: Number, const LARGEST: bool>(op: &Reduce, cpu: &CpuContext<'_>)
    where
        T::Lane: Lanes,
    {
        match op.kind {
            ReduceKind::Min | ReduceKind::Max => run::<Best<T, LARGEST>>(op, cpu),
            _ => run::<BestAt<T, LARGEST>>(op, cpu),
        }
    }
    match ty {
        Type::F32 => of::<f32, LARGEST>(op, cpu),
        Type::I32 => of::<i32, LARGEST>(op, cpu),
        Type::F64 => of::<f64, LARGEST>(op, cpu),
        Type::I64 => of::<i64, LARGEST>(op, cpu),
        Type::U64 => of::<u64, LARGEST>(op, cpu),
        Type::U32 | Type::Bool => of::<u32, LARGEST>(op, cpu),
    }
}

/// Lanes as a program yields them.
trait Lanes: Lane {
    /// The values of a box; those that are the same for all are put in `same`.
    fn all<'a>(yielded: Yielded<'a>, same: &'a mut [Self]) -> &'a [Self];
}

impl Lanes for u32 {
    fn all<'a>(yielded: Yielded<'a>, same: &'a mut [u32]) -> &'a [u32] {
        match yielded {
            Yielded::Many(lanes) => lanes,
            Yielded::Wide(_) => unreachable!("the program yields 32 bits"),
            Yielded::One(bits) => filled(same, bits),
        }
    }
}

impl Lanes for u64 {
    fn all<'a>(yielded: Yielded<'a>, same: &'a mut [u64]) -> &'a [u64] {
        match yielded {
            Yielded::Wide(lanes) => lanes,
            Yielded::Many(_) => unreachable!("the program yields 64 bits"),
            Yielded::One(bits) => filled(same, bits),
        }
    }
}

fn filled<L: Lane>(same: &mut [L], bits: u64) -> &[L] {
    same.fill(L::of(bits));
    same
}

fn run<F: Fold<Lane: Lanes>>(op: &Reduce, cpu: &CpuContext<'_>) {
    if op.output.elements() == 0 {
        return;
    }
    let shape = op.domain().expect("checked");
    let reduced = op.reduced();
    // Two walkers along with the inputs: the result, and the number among those reduced.
    let (mut result, mut number) = ([0; MAX_RANK], [0; MAX_RANK]);
    let (mut count, mut axis) = (1usize, op.output.shape().rank());
    for dim in (0..shape.rank()).rev() {
        if !reduced[dim] || op.keepdim {
            axis -= 1;
        }
        if reduced[dim] {
            number[dim] = count as isize;
            count *= shape[dim];
        } else {
            result[dim] = op.output.strides()[axis];
        }
    }
    let bindings = bind::bindings(&op.program, &op.inputs, &[], &shape);
    let walkers: [Steps; 2] = [result, number];
    let domain = Domain::new(&op.program, cpu.isa(), &shape, &bindings, &reduced, &walkers);
    let domain = domain.until(cpu.deadline());
    let plan = Plan::new(op, &domain, cpu.isa(), count);
    if count == 0 {
        // The result is that of nothing, everywhere; no box is run.
        let nothing = F::finish(F::NOTHING, 0);
        for at in 0..op.output.elements() {
            plan.put_nth(at, nothing);
        }
    } else if plan.pieces == 1 {
        let grain = (GRAIN / plan.reduced_boxes.max(1)).max(1);
        cpu.split(plan.groups, grain, |groups| {
            domain.work(|worker| {
                let mut known = Vec::new();
                for group in groups {
                    plan.fold::<F>(worker, group, 0, &mut known);
                    plan.finish::<F>(group, &mut known);
                }
            });
        });
    } else {
        let parts: Vec<OnceLock<Vec<F::Known>>> =
            (0..plan.groups * plan.pieces).map(|_| OnceLock::new()).collect();
        cpu.share(parts.len(), true, |task| {
            let mut known = Vec::new();
            domain.work(|worker| {
                plan.fold::<F>(worker, task / plan.pieces, task % plan.pieces, &mut known);
            });
            // Each task has its own place, so it is empty.
            let _ = parts[task].set(known);
        });
        for (group, parts) in parts.chunks(plan.pieces).enumerate() {
            let mut parts = parts.iter().filter_map(OnceLock::get);
            let mut known = parts.next().cloned().unwrap_or_default();
            for part in parts {
                for (known, part) in known.iter_mut().zip(part) {
                    *known = F::merge(*known, *part);
                }
            }
            plan.finish::<F>(group, &mut known);
        }
    }
}

/// How a reduction is cut: the boxes of kept dimensions are groups of results, those of reduced
/// ones are what each group goes through, in pieces.
struct Plan<'a> {
    op: &'a Reduce,
    domain: &'a Domain<'a>,
    isa: Isa,
    window: Window,
    /// Boxes along each axis.
    along: [usize; MAX_RANK],
    groups: usize,
    reduced_boxes: usize,
    pieces: usize,
    /// How many values each result is made of.
    count: usize,
    /// Whether the rows and the columns of a box are different results.
    rows_kept: bool,
    columns_kept: bool,
    first: usize,
}

impl<'a> Plan<'a> {
    fn new(op: &'a Reduce, domain: &'a Domain<'a>, isa: Isa, count: usize) -> Plan<'a> {
        let (window, along) = (domain.window(), domain.boxes_along());
        let reduced = domain.axes().reduced();
        let product = |which: bool| {
            let axes = reduced.iter().zip(along).filter(|(reduced, _)| **reduced == which);
            axes.map(|(_, boxes)| boxes).product::<usize>()
        };
        let (groups, reduced_boxes) = (product(false), product(true));
        let pieces = match groups < MANY_GROUPS {
            true => reduced_boxes.div_ceil(PIECE).clamp(1, MOST_PIECES),
            false => 1,
        };
        Plan {
            op,
            domain,
            isa,
            window,
            along,
            groups,
            reduced_boxes,
            pieces,
            count,
            rows_kept: window.row_axis != window.column_axis && !reduced[window.row_axis],
            columns_kept: !reduced[window.column_axis],
            first: bind::first(&op.output) as usize,
        }
    }

    /// The place of group `group` and reduced box `part` along each axis.
    fn at(&self, group: usize, part: usize) -> [usize; MAX_RANK] {
        let (mut group, mut part, mut at) = (group, part, [0; MAX_RANK]);
        let reduced = self.domain.axes().reduced();
        for axis in (0..reduced.len()).rev() {
            let rest = if reduced[axis] { &mut part } else { &mut group };
            at[axis] = *rest % self.along[axis];
            *rest /= self.along[axis];
        }
        at
    }

    /// What there is to know of a piece of a group, into `known`.
    fn fold<F: Fold<Lane: Lanes>>(
        &self,
        worker: &mut Worker<'_, '_>,
        group: usize,
        piece: usize,
        known: &mut Vec<F::Known>,
    ) {
        let Window { rows, columns, .. } = self.window;
        known.clear();
        known.resize(
            match (self.columns_kept, self.rows_kept) {
                (true, _) => rows * columns,
                (false, true) => rows,
                (false, false) => 1,
            },
            F::NOTHING,
        );
        let share = |piece: usize| self.reduced_boxes * piece / self.pieces;
        let mut same = [F::Lane::default(); LANES];
        for part in share(piece)..share(piece + 1) {
            let at = self.domain.box_at(self.at(group, part));
            // SAFETY: the views are those of `access`, which this context keeps for us alone.
            let lanes = match unsafe { worker.run(&at) } {
                Ok(yielded) => F::Lane::all(yielded, &mut same[..at.rows * at.columns]),
                Err(why) => bind::fail(why),
            };
            self.fold_box::<F>(&at, lanes, known);
        }
    }

    fn fold_box<F: Fold>(&self, at: &Box2, lanes: &[F::Lane], known: &mut [F::Known]) {
        let steps = self.domain.extra(1);
        let number = steps.iter().zip(&at.origin).map(|(step, i)| step * *i as isize);
        let number = number.sum::<isize>() as u32;
        let row_step = steps[self.window.row_axis] as u32;
        let step = steps[self.window.column_axis] as u32;
        let isa = self.isa;
        // A gapless box of numbers is one long row.
        let one_row = at.rows == 1 || row_step == step.wrapping_mul(at.columns as u32);
        if !self.columns_kept && !self.rows_kept && one_row {
            known[0] = isa.run(FoldRow::<F> { known: known[0], lanes, number, step });
            return;
        }
        if self.columns_kept && at.columns == self.window.columns && (row_step == 0 || at.rows == 1)
        {
            let known = &mut known[..lanes.len()];
            isa.run(FoldEach::<F> { known, lanes, number });
            return;
        }
        for (row, lanes) in lanes.chunks_exact(at.columns).enumerate() {
            let number = number.wrapping_add(row_step.wrapping_mul(row as u32));
            if self.columns_kept {
                let known = &mut known[row * self.window.columns..][..at.columns];
                isa.run(FoldEach::<F> { known, lanes, number });
            } else {
                let known = &mut known[if self.rows_kept { row } else { 0 }];
                *known = isa.run(FoldRow::<F> { known: *known, lanes, number, step });
            }
        }
    }

    /// Writes the results of a group.
    fn finish<F: Fold>(&self, group: usize, known: &mut [F::Known]) {
        let Window { row_axis, column_axis, columns, .. } = self.window;
        let at = self.domain.box_at(self.at(group, 0));
        let steps = self.domain.extra(0);
        let first = steps.iter().zip(&at.origin).map(|(step, i)| step * *i as isize);
        let first = first.sum::<isize>();
        // Rows that are not results of their own are folded into the first.
        let rows = if self.rows_kept { at.rows } else { 1 };
        if self.columns_kept && !self.rows_kept {
            let (top, below) = known.split_at_mut(columns);
            for row in below.chunks(columns) {
                for (known, more) in top.iter_mut().zip(row) {
                    *known = F::merge(*known, *more);
                }
            }
        }
        let width = if self.columns_kept { columns } else { 1 };
        let wide = if self.columns_kept { at.columns } else { 1 };
        for row in 0..rows {
            for column in 0..wide {
                let bits = F::finish(known[row * width + column], self.count);
                let row = row as isize * steps[row_axis];
                self.put(first + row + column as isize * steps[column_axis], bits);
            }
        }
    }

    /// Stores the result at an offset from the first, in elements.
    fn put(&self, offset: isize, bits: u64) {
        let dtype = self.op.output.dtype();
        let first = self.first as *mut u8;
        let place = first.wrapping_offset(offset * dtype.block_bytes() as isize);
        let lane = bits as u32;
        // SAFETY: an element of the output, which this context keeps for us alone; each is
        // written by the one task that has its group.
        unsafe {
            match (dtype, dtype.block_bytes()) {
                (DType::F16, _) => {
                    place.cast::<u16>().write(convert::f16_bits_from_f32(f32::from_bits(lane)));
                }
                (DType::BF16, _) => {
                    place.cast::<u16>().write(convert::bf16_bits_from_f32(f32::from_bits(lane)));
                }
                (DType::Bool, _) => place.write((lane & 1) as u8),
                (_, 1) => place.write(lane as u8),
                (_, 2) => place.cast::<u16>().write(lane as u16),
                (_, 4) => place.cast::<u32>().write(lane),
                _ => place.cast::<u64>().write(bits),
            }
        }
    }

    /// Stores a result by its number in row-major order.
    fn put_nth(&self, number: usize, bits: u64) {
        let (shape, strides) = (self.op.output.shape(), self.op.output.strides());
        let (mut rest, mut offset) = (number, 0);
        for axis in (0..shape.rank()).rev() {
            offset += (rest % shape[axis]) as isize * strides[axis];
            rest /= shape[axis];
        }
        self.put(offset, bits);
    }
}
