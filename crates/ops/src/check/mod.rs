//! Validation of operands: one place for the messages, so that every error says what was given and
//! what is required.
//!
//! A message reads `op: x is i32, but must be f32, f16 or bf16 (x: i32 [2], out: f32 [2])`.

#[cfg(test)]
mod refusals;

use bessemer_core::{DType, Error, Result, Shape, View};
use smallvec::SmallVec;
use std::fmt;

/// The operands of an op that is being checked. Each method refuses with an error that names the
/// operand; the list of all operands follows in brackets.
pub(crate) struct Check<'a> {
    op: &'static str,
    operands: SmallVec<[(&'static str, &'a View); 8]>,
}

impl<'a> Check<'a> {
    pub(crate) fn new(
        op: &'static str,
        operands: impl IntoIterator<Item = (&'static str, &'a View)>,
    ) -> Check<'a> {
        Check { op, operands: operands.into_iter().collect() }
    }

    /// An operand that an op may have or not.
    pub(crate) fn and(mut self, name: &'static str, view: Option<&'a View>) -> Check<'a> {
        self.operands.extend(view.map(|view| (name, view)));
        self
    }

    /// The error itself, for what no other method says.
    #[track_caller]
    pub(crate) fn error(&self, why: impl Into<String>) -> Error {
        #[cfg(test)]
        refusals::note(std::panic::Location::caller());
        Error::rule(self.op, why, &self.operands)
    }

    /// Refuses with `why` unless it holds.
    #[track_caller]
    pub(crate) fn require(&self, holds: bool, why: impl FnOnce() -> String) -> Result<()> {
        if holds { Ok(()) } else { Err(self.error(why())) }
    }

    /// All operands are floats.
    #[track_caller]
    pub(crate) fn all_floats(&self) -> Result<()> {
        for (_, view) in &self.operands {
            self.float(view)?;
        }
        Ok(())
    }

    #[track_caller]
    pub(crate) fn float(&self, view: &View) -> Result<()> {
        self.dtype(view, view.dtype().fits_f32(), "f32, f16 or bf16")
    }

    #[track_caller]
    pub(crate) fn float_or_quantised(&self, view: &View) -> Result<()> {
        let (dtype, wanted) = (view.dtype(), "f32, f16, bf16 or a quantised format");
        self.dtype(view, dtype.fits_f32() || dtype.is_block(), wanted)
    }

    #[track_caller]
    pub(crate) fn quantised(&self, view: &View) -> Result<()> {
        self.dtype(view, view.dtype().is_block(), "a quantised format, such as q4_0")
    }

    #[track_caller]
    pub(crate) fn index(&self, view: &View) -> Result<()> {
        self.dtype(view, matches!(view.dtype(), DType::I32 | DType::U32), "i32 or u32")
    }

    /// As [`Check::index`], for ops that take indices of 64 bits too.
    #[track_caller]
    pub(crate) fn any_index(&self, view: &View) -> Result<()> {
        let fits = matches!(view.dtype(), DType::I32 | DType::U32 | DType::I64);
        self.dtype(view, fits, "i32, u32 or i64")
    }

    #[track_caller]
    pub(crate) fn is(&self, view: &View, dtype: DType) -> Result<()> {
        self.dtype(view, view.dtype() == dtype, dtype)
    }

    #[track_caller]
    pub(crate) fn same_dtype(&self, view: &View, as_that: &View) -> Result<()> {
        let (dtype, name) = (as_that.dtype(), self.name(as_that));
        self.dtype(view, view.dtype() == dtype, format_args!("{dtype}, like {name}"))
    }

    /// A dtype that `fits`, or `wanted` in words.
    #[track_caller]
    pub(crate) fn dtype(&self, view: &View, fits: bool, wanted: impl fmt::Display) -> Result<()> {
        self.require(fits, || {
            format!("{} is {}, but must be {wanted}", self.name(view), view.dtype())
        })
    }

    #[track_caller]
    pub(crate) fn rank(&self, view: &View, rank: usize, axes: &str) -> Result<()> {
        self.require(view.shape().rank() == rank, || {
            let (name, shape) = (self.name(view), view.shape());
            format!("{name} has shape {shape}, but must have rank {rank}: {axes}")
        })
    }

    #[track_caller]
    pub(crate) fn rank_at_least(&self, view: &View, rank: usize) -> Result<()> {
        self.require(view.shape().rank() >= rank, || {
            let (name, given) = (self.name(view), view.shape().rank());
            format!("{name} has rank {given}, but must have at least {rank}")
        })
    }

    /// The shape `dims`, which is what `why` says.
    #[track_caller]
    pub(crate) fn shape(&self, view: &View, dims: &[usize], why: &str) -> Result<()> {
        self.require(**view.shape() == *dims, || {
            let (name, shape) = (self.name(view), view.shape());
            format!("{name} has shape {shape}, but must have {dims:?}: {why}")
        })
    }

    #[track_caller]
    pub(crate) fn same_shape(&self, view: &View, as_that: &View) -> Result<()> {
        self.require(view.shape() == as_that.shape(), || {
            format!(
                "{} has shape {}, but must have that of {}, {}",
                self.name(view),
                view.shape(),
                self.name(as_that),
                as_that.shape()
            )
        })
    }

    /// An axis of `view`, which is `what`, such as "a table".
    #[track_caller]
    pub(crate) fn axis(&self, what: &str, view: &View, axis: usize) -> Result<()> {
        let rank = view.shape().rank();
        self.require(axis < rank, || {
            format!("axis {axis} is out of range for {what} of rank {rank}")
        })
    }

    /// Elements of a row lie side by side.
    #[track_caller]
    pub(crate) fn contiguous_rows(&self, view: &View) -> Result<()> {
        self.require(view.has_contiguous_rows(), || {
            let (name, strides) = (self.name(view), view.strides());
            format!("{name} has strides {strides:?}, but its rows must be contiguous")
        })
    }

    /// The frequencies of rotary embeddings for heads of `size` elements.
    #[track_caller]
    pub(crate) fn frequencies(&self, view: &View, size: usize) -> Result<()> {
        self.is(view, DType::F32)?;
        self.rank(view, 1, "one frequency per pair of elements")?;
        self.require(view.elements() <= size / 2, || {
            let (name, given) = (self.name(view), view.elements());
            format!("{name} has {given} elements, but heads of {size} have {} pairs", size / 2)
        })
    }

    /// A `name` that is a finite number.
    #[track_caller]
    pub(crate) fn finite(&self, name: &str, number: f32) -> Result<()> {
        self.require(number.is_finite(), || {
            format!("{name} is {number}, but must be a finite number")
        })
    }

    /// An epsilon, which keeps a division from being one by zero.
    #[track_caller]
    pub(crate) fn epsilon(&self, epsilon: f32) -> Result<()> {
        self.require(epsilon.is_finite() && epsilon >= 0.0, || {
            format!("epsilon is {epsilon}, but must be a finite number of at least 0")
        })
    }

    /// The name of an operand.
    fn name(&self, view: &View) -> &'static str {
        let known = self.operands.iter().find(|(_, operand)| std::ptr::eq(*operand, view));
        known.map_or("an operand", |(name, _)| name)
    }
}

/// The dimensions of a view of rank `N`, after its rank was checked.
pub(crate) fn dims<const N: usize>(shape: &Shape) -> [usize; N] {
    std::array::from_fn(|axis| shape[axis])
}
