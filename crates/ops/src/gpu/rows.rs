//! Rows of several views of one shape, as `Rows` of `types.metal`.

use super::Members;
use bessemer_core::{Layout, MAX_RANK, View};
use std::fmt::Display;

/// Where the rows of `N` views lie. The views may differ in their last dimensions.
pub(crate) struct Rows<const N: usize>(Layout<N>);

impl<const N: usize> Rows<N> {
    /// All dimensions but the last `inner`.
    pub(crate) fn new(views: [&View; N], inner: usize) -> Rows<N> {
        let leading = views[0].shape().rank().saturating_sub(inner);
        let strides = views.map(|view| &view.strides()[..leading]);
        Rows::of(&views[0].shape()[..leading], strides)
    }

    /// These dimensions.
    pub(crate) fn of(sizes: &[usize], strides: [&[isize]; N]) -> Rows<N> {
        Rows(Layout::new(sizes, strides))
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.elements()
    }

    /// Whether sizes and strides are as small as kernels want them.
    pub(super) fn fit(&self) -> bool {
        self.0.sizes().iter().all(|&size| size <= i32::MAX as usize)
            && self.strides().all(|stride| i32::try_from(stride).is_ok())
    }

    /// `Rows<N> NAME;`, after `members`.
    pub(super) fn fill(&self, name: impl Display, members: Members) -> Members {
        let sizes =
            (0..MAX_RANK).map(|axis| self.0.sizes().get(axis).map_or(1, |&size| size as u32));
        members
            .uint(format_args!("{name}.rank"), self.0.rank().max(1) as u32)
            .uints(format_args!("{name}.sizes"), sizes)
            .ints(format_args!("{name}.strides"), self.strides().map(|stride| stride as i32))
    }

    /// As many for each view as a view can have.
    fn strides(&self) -> impl ExactSizeIterator<Item = isize> {
        (0..N * MAX_RANK).map(|place| {
            let (view, axis) = (place / MAX_RANK, place % MAX_RANK);
            if axis < self.0.rank() { self.0.stride(view, axis) } else { 0 }
        })
    }
}
