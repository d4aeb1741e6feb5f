//! Rows of several views of one shape, as `Rows` of `types.metal`.

use bessemer_core::{Layout, MAX_RANK, View, gpu::Params};

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

    /// The members of `Rows<N>`, and whether all of them fit.
    pub(super) fn params(&self, mut params: Params, mut fits: bool) -> (Params, bool) {
        let rank = self.0.rank();
        params = params.u32(rank.max(1) as u32);
        for axis in 0..MAX_RANK {
            let size = self.0.sizes().get(axis).copied().unwrap_or(1);
            fits &= size <= i32::MAX as usize;
            params = params.u32(size as u32);
        }
        for view in 0..N {
            for axis in 0..MAX_RANK {
                let stride = if axis < rank { self.0.stride(view, axis) } else { 0 };
                fits &= i32::try_from(stride).is_ok();
                params = params.i32(stride as i32);
            }
        }
        (params, fits)
    }
}
