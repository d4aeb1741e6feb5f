//! Several strided views of one shape, walked together over as few dimensions as possible.

use crate::MAX_RANK;

/// The sizes and strides that `N` views share, without dimensions of size 1, and with those that
/// follow each other without a gap in all views made one.
///
/// ```
/// use bessemer_core::Layout;
///
/// let layout = Layout::new(&[2, 1, 3, 4], [&[12, 0, 4, 1], &[24, 7, 8, 2]]);
/// assert_eq!(layout.sizes(), [24]);
/// assert_eq!((layout.stride(0, 0), layout.stride(1, 0)), (1, 2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Layout<const N: usize> {
    rank: usize,
    sizes: [usize; MAX_RANK],
    /// By dimension, then by view.
    strides: [[isize; N]; MAX_RANK],
}

impl<const N: usize> Layout<N> {
    /// The layout of views of one shape, slowest dimension first.
    ///
    /// # Panics
    /// If there are more than [`MAX_RANK`] sizes or other than as many strides.
    pub fn new(sizes: &[usize], strides: [&[isize]; N]) -> Layout<N> {
        let mut layout = Layout { rank: 0, sizes: [1; MAX_RANK], strides: [[0; N]; MAX_RANK] };
        for (axis, &size) in sizes.iter().enumerate() {
            layout.append(size, strides.map(|strides| strides[axis]));
        }
        layout
    }

    /// The same elements in an order that is good for view `view`: its smallest steps last.
    pub fn sorted_for(&self, view: usize) -> Layout<N> {
        let mut axes = [0, 1, 2, 3, 4, 5, 6, 7];
        let axes = &mut axes[..self.rank];
        axes.sort_by_key(|&axis| std::cmp::Reverse(self.strides[axis][view].unsigned_abs()));
        let mut sorted = Layout { rank: 0, ..*self };
        for &axis in axes.iter() {
            sorted.append(self.sizes[axis], self.strides[axis]);
        }
        sorted
    }

    fn append(&mut self, size: usize, strides: [isize; N]) {
        if size == 1 {
            return;
        }
        if let Some(last) = self.rank.checked_sub(1) {
            let joins = (0..N).all(|n| self.strides[last][n] == strides[n] * size as isize);
            if joins {
                self.sizes[last] *= size;
                self.strides[last] = strides;
                return;
            }
        }
        self.sizes[self.rank] = size;
        self.strides[self.rank] = strides;
        self.rank += 1;
    }

    /// The number of dimensions left.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The sizes, slowest first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes[..self.rank]
    }

    /// The step of a view along dimension `axis`.
    ///
    /// # Panics
    /// If there is no such view or dimension.
    pub fn stride(&self, view: usize, axis: usize) -> isize {
        self.strides[..self.rank][axis][view]
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.sizes().iter().product()
    }

    /// Where element `index` in row-major order lies in each view, from its first.
    #[inline]
    pub fn offsets(&self, index: usize) -> [isize; N] {
        let (mut rest, mut offsets) = (index, [0; N]);
        for axis in (1..self.rank).rev() {
            let at = (rest % self.sizes[axis]) as isize;
            rest /= self.sizes[axis];
            for (offset, stride) in offsets.iter_mut().zip(&self.strides[axis]) {
                *offset += at * stride;
            }
        }
        for (offset, stride) in offsets.iter_mut().zip(&self.strides[0]) {
            *offset += rest as isize * stride;
        }
        offsets
    }

    /// The last dimension (size and steps), and the layout of the others. All that is left of no
    /// dimension is one element.
    pub fn split_last(&self) -> (Layout<N>, usize, [isize; N]) {
        let last = self.rank.saturating_sub(1);
        let mut outer = *self;
        outer.rank = last;
        if last == 0 {
            outer.strides[0] = [0; N];
        }
        (outer, self.sizes[last], self.strides[last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gapless_dimensions_become_one() {
        let layout = Layout::new(&[4, 5, 6], [&[30, 6, 1]]);
        assert_eq!((layout.sizes(), layout.stride(0, 0)), (&[120][..], 1));
        let layout = Layout::new(&[4, 5, 6], [&[60, 6, 1], &[30, 6, 1]]);
        assert_eq!(layout.sizes(), [4, 30]);
        assert_eq!(layout.offsets(31), [61, 31]);
        assert_eq!(Layout::new(&[], [&[]]).elements(), 1);
        assert_eq!(Layout::new(&[3, 0], [&[0, 1]]).elements(), 0);
    }

    #[test]
    fn sorting_brings_a_transposed_view_into_its_order() {
        let layout = Layout::new(&[7, 3], [&[1, 7], &[3, 1]]);
        assert_eq!(layout.sorted_for(0).sizes(), [3, 7]);
        let alone = Layout::new(&[7, 3], [&[1, 7]]).sorted_for(0);
        assert_eq!(alone.sizes(), [21]);
    }

    #[test]
    fn splitting_leaves_one_element_of_nothing() {
        let (outer, size, [step]) = Layout::new(&[9], [&[2]]).split_last();
        assert_eq!((outer.elements(), size, step), (1, 9, 2));
        assert_eq!(outer.offsets(0), [0]);
        let (outer, size, _) = Layout::<1>::new(&[], [&[]]).split_last();
        assert_eq!((outer.elements(), size), (1, 1));
    }
}
