//! Map-form programs over the elements of a domain, box by box.

use super::{
    LANES,
    axes::{Axes, Steps, Window},
    code::Code,
    grid::BufferAt,
    is_plain,
    lanes::{File, Src, Yielded},
    machine::Machine,
};
use crate::{Literal, ParamKind, Program};
use bessemer_core::{DType, Deadline, MAX_RANK, Shape};
use bessemer_simd::Isa;
use smallvec::SmallVec;
use std::{cell::RefCell, ops::Range, sync::OnceLock};

/// What a parameter of a launch is bound to.
#[derive(Clone, Copy, Debug)]
pub enum Binding {
    /// A view.
    View(ViewAt),
    /// A buffer.
    Buffer(BufferAt),
    /// A uniform's value.
    Uniform(Literal),
}

/// A view of a map: where its first element is and how far apart neighbours along each dimension
/// of the domain are.
#[derive(Clone, Copy, Debug)]
pub struct ViewAt {
    /// The address of the first element.
    pub first: *mut u8,
    /// How elements are stored.
    pub dtype: DType,
    /// Steps along the domain's dimensions, in elements; 0 where it repeats.
    pub steps: Steps,
    /// Whether another view of the same launch is at the same place.
    pub shared: bool,
}

/// A view at one box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    pub(super) first: *mut u8,
    pub(super) dtype: DType,
    pub(super) row_step: isize,
    pub(super) column_step: isize,
    pub(super) shared: bool,
    /// Whether elements are stored as registers hold them.
    pub(super) plain: bool,
}

/// How the lanes of a box lie in a view.
pub(super) struct Spread {
    row: bool,
    point: bool,
}

impl Spread {
    /// One after another.
    pub(super) fn is_row(&self) -> bool {
        self.row
    }

    /// All at one place.
    pub(super) fn is_point(&self) -> bool {
        self.point
    }
}

impl Here {
    pub(super) fn spread(&self, (rows, columns): (usize, usize)) -> Spread {
        Spread {
            row: (columns == 1 || self.column_step == 1)
                && (rows == 1 || self.row_step == columns as isize),
            point: (columns == 1 || self.column_step == 0) && (rows == 1 || self.row_step == 0),
        }
    }
}

/// A map-form program bound to its operands, ready to run.
pub struct Domain<'p> {
    code: &'p Code,
    axes: Axes,
    window: Window,
    /// By parameter; what is no view is nowhere.
    views: SmallVec<[ViewAt; 4]>,
    buffers: Vec<BufferAt>,
    uniforms: SmallVec<[u64; 4]>,
    /// What went wrong first.
    failed: OnceLock<String>,
    deadline: &'p Deadline,
}

// SAFETY: addresses with their layout; what may be done with them is said where they are used.
unsafe impl Sync for Domain<'_> {}
// SAFETY: as above.
unsafe impl Send for Domain<'_> {}

/// A part of the domain that runs at once: rows × columns of the window's axes.
#[derive(Clone, Copy, Debug)]
pub struct Box2 {
    /// Its first element, as a position on each axis.
    pub origin: [usize; MAX_RANK],
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

/// Elements of a box where no register is ever filled.
const STREAM: usize = 1 << 15;

thread_local! {
    static FILE: RefCell<File> = const { RefCell::new(File::new()) };
}

impl<'p> Domain<'p> {
    /// Binds `program` to operands, one per parameter. `reduced` marks dimensions of `shape` that
    /// a reduction folds, and `extras` are the steps of what else walks along: outputs of a
    /// reduction and counters.
    ///
    /// # Panics
    /// If a binding is not of its parameter's kind: callers check that.
    pub fn new(
        program: &'p Program,
        isa: Isa,
        shape: &Shape,
        bindings: &[Binding],
        reduced: &[bool],
        extras: &[Steps],
    ) -> Domain<'p> {
        let code = program.code(isa);
        let params = program.params();
        assert_eq!(params.len(), bindings.len(), "one binding per parameter");
        let nowhere = ViewAt {
            first: std::ptr::null_mut(),
            dtype: DType::U32,
            steps: [0; MAX_RANK],
            shared: false,
        };
        let mut views: SmallVec<[ViewAt; 4]> = SmallVec::with_capacity(params.len());
        let mut uniforms: SmallVec<[u64; 4]> = SmallVec::with_capacity(params.len());
        let mut buffers = Vec::new();
        let mut leader = None;
        for (i, (param, binding)) in params.iter().zip(bindings).enumerate() {
            let (mut view, mut uniform) = (nowhere, 0);
            match (param.kind, binding) {
                (ParamKind::View(direction), Binding::View(at)) => {
                    view = *at;
                    // Outputs lead; without one the first view does.
                    if direction.writes() || leader.is_none() {
                        leader = Some(i);
                    }
                }
                (ParamKind::Buffer(_), Binding::Buffer(at)) => {
                    buffers.resize(i + 1, BufferAt::NOWHERE);
                    buffers[i] = *at;
                }
                (ParamKind::Uniform, Binding::Uniform(value)) => uniform = value.bits(),
                _ => panic!("parameter {} is bound to {binding:?}", param.name),
            }
            views.push(view);
            uniforms.push(uniform);
        }
        // The number of an element walks along too.
        let mut numbers = [0; MAX_RANK];
        numbers[..shape.rank()].copy_from_slice(&shape.strides());
        let mut steps: SmallVec<[Steps; 6]> = SmallVec::new();
        steps.extend(views.iter().map(|view| view.steps));
        steps.push(if code.numbers { numbers } else { [0; MAX_RANK] });
        steps.extend_from_slice(extras);
        let axes = Axes::new(shape, &steps, reduced, leader);
        let mut domain = Domain {
            code,
            window: axes.window(params.len(), LANES),
            axes,
            views,
            buffers,
            uniforms,
            failed: OnceLock::new(),
            deadline: Deadline::none(),
        };
        if code.streams && domain.is_flat() {
            // No register is ever filled: larger boxes only mean fewer of them. Two are enough
            // for another thread to have one.
            let half = domain.axes.sizes()[0].div_ceil(2).next_multiple_of(64);
            domain.window.columns = half.clamp(LANES, STREAM);
        }
        domain
    }

    /// The same program, to be stopped when `deadline` is over.
    #[must_use]
    pub fn until(self, deadline: &'p Deadline) -> Domain<'p> {
        Domain { deadline, ..self }
    }

    /// Whether every view is one row or one point of plain numbers, and none is at the place of
    /// another.
    fn is_flat(&self) -> bool {
        let flat = |(i, view): (usize, &ViewAt)| {
            let step = self.axes.steps(i)[0];
            !view.shared && is_plain(view.dtype) && matches!(step, 0 | 1)
                || view.first.is_null()
                || step == 0 && !view.shared
        };
        self.axes.rank() == 1 && self.views.iter().enumerate().all(flat)
    }

    /// The axes of the domain.
    pub fn axes(&self) -> &Axes {
        &self.axes
    }

    /// How it is cut into boxes.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The steps of an extra walker.
    pub fn extra(&self, i: usize) -> &[isize] {
        self.axes.steps(self.views.len() + 1 + i)
    }

    /// How many boxes there are along each axis.
    pub fn boxes_along(&self) -> [usize; MAX_RANK] {
        let mut counts = [1; MAX_RANK];
        let Window { row_axis, column_axis, rows, columns } = self.window;
        for (axis, (count, &size)) in counts.iter_mut().zip(self.axes.sizes()).enumerate() {
            *count = match axis {
                axis if axis == column_axis => size.div_ceil(columns),
                axis if axis == row_axis => size.div_ceil(rows),
                _ => size,
            };
        }
        counts
    }

    /// How many boxes there are.
    pub fn boxes(&self) -> usize {
        self.boxes_along()[..self.axes.rank()].iter().product()
    }

    /// The box at these numbers along each axis.
    pub fn box_at(&self, mut at: [usize; MAX_RANK]) -> Box2 {
        let Window { row_axis, column_axis, rows, columns } = self.window;
        let sizes = self.axes.sizes();
        let mut found = Box2 { origin: at, rows: 1, columns };
        if row_axis != column_axis {
            at[row_axis] *= rows;
            found.rows = rows.min(sizes[row_axis] - at[row_axis]);
        }
        at[column_axis] *= columns;
        found.columns = columns.min(sizes[column_axis] - at[column_axis]);
        found.origin = at;
        found
    }

    /// Runs boxes `range`, in order.
    ///
    /// # Safety
    /// Every view must be where it is said to be for all elements of the domain and every buffer
    /// for all its own; nobody else may write to what is read, and no other thread touch what
    /// these boxes write.
    pub unsafe fn run(&self, range: Range<usize>) -> Result<(), String> {
        let counts = self.boxes_along();
        let rank = self.axes.rank();
        self.work(|worker| {
            for number in range {
                if let Some(why) = self.failed.get() {
                    return Err(why.clone());
                }
                let (mut rest, mut at) = (number, [0; MAX_RANK]);
                for axis in (0..rank).rev() {
                    at[axis] = rest % counts[axis];
                    rest /= counts[axis];
                }
                // SAFETY: the caller's promise.
                unsafe { worker.run(&self.box_at(at))? };
            }
            Ok(())
        })
    }

    /// Calls `work` with what boxes are run by on this thread.
    pub fn work<T>(&self, work: impl FnOnce(&mut Worker<'_, '_>) -> T) -> T {
        FILE.with_borrow_mut(|file| {
            let (uniforms, buffers) = (&self.uniforms, &self.buffers);
            let (failed, deadline) = (&self.failed, self.deadline);
            let machine =
                Machine::new(self.code, file, uniforms, buffers, &mut [], failed, deadline);
            work(&mut Worker { domain: self, machine })
        })
    }
}

/// Runs boxes of a domain on one thread.
pub struct Worker<'w, 'd> {
    domain: &'w Domain<'d>,
    machine: Machine<'w>,
}

impl Worker<'_, '_> {
    /// Runs a box and gives what it yields, or the same zero for all if it yields nothing.
    ///
    /// # Safety
    /// As for [`Domain::run`].
    pub unsafe fn run(&mut self, at: &Box2) -> Result<Yielded<'_>, String> {
        let Domain { axes, window, views, .. } = self.domain;
        let here = |walker: usize, view: &ViewAt| {
            let steps = axes.steps(walker);
            let offset = steps.iter().zip(&at.origin).map(|(step, i)| step * *i as isize);
            let offset = offset.sum::<isize>() * view.dtype.block_bytes() as isize;
            Here {
                first: view.first.wrapping_offset(offset),
                dtype: view.dtype,
                row_step: steps[window.row_axis],
                column_step: steps[window.column_axis],
                shared: view.shared,
                plain: is_plain(view.dtype),
            }
        };
        self.machine.views.clear();
        let places = views.iter().enumerate().map(|(i, view)| here(i, view));
        self.machine.views.extend(places);
        if self.domain.code.numbers {
            let steps = axes.steps(views.len());
            let number = steps.iter().zip(&at.origin).map(|(step, i)| step * *i as isize);
            self.machine.first_number = number.sum::<isize>() as u32;
            self.machine.number_steps =
                (steps[window.row_axis] as u32, steps[window.column_axis] as u32);
        }
        self.machine.window = (at.rows, at.columns);
        self.machine.lanes = at.rows * at.columns;
        // SAFETY: the caller's promise.
        unsafe { self.machine.run()? };
        Ok(match self.machine.yielded {
            Some(Src::At(first)) => {
                let lanes = self.machine.lanes;
                // SAFETY: lanes of a register or of a view that the caller keeps as it is.
                unsafe {
                    match self.domain.code.yields_wide {
                        true => Yielded::Wide(std::slice::from_raw_parts(first.cast(), lanes)),
                        false => Yielded::Many(std::slice::from_raw_parts(first, lanes)),
                    }
                }
            }
            Some(Src::One(value)) => Yielded::One(value),
            None => Yielded::One(0),
        })
    }
}
