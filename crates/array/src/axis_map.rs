//! How the axes of one array are taken from those of another: slices, permutations, new axes and
//! broadcasts, all as one type that can be composed.

use bessemer_core::{MAX_RANK, Result, Shape, Strides, View};

/// A view of an array as a rule, to be applied to whatever memory the array will lie in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisMap {
    /// The shape of the result.
    shape: Shape,
    /// For each axis of the source, the index at which the result starts.
    start: [isize; MAX_RANK],
    /// For each axis of the result, the axis of the source it runs along; `NEW` for none.
    source: [u8; MAX_RANK],
    /// For each axis of the result, the steps it takes along the source.
    step: [isize; MAX_RANK],
}

const NEW: u8 = u8::MAX;

/// One axis of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Axis {
    /// `count` elements of an axis of the source, from `start` on, `step` apart.
    Along { source: usize, start: isize, step: isize, count: usize },
    /// The same elements again, `count` times.
    New { count: usize },
}

impl AxisMap {
    /// A result with `axes`, where source axes that are left out are taken at index `fixed`.
    pub(crate) fn new(axes: &[Axis], fixed: &[(usize, isize)]) -> Result<AxisMap> {
        let mut dims = [1; MAX_RANK];
        let rank = axes.len().min(MAX_RANK);
        let mut map = AxisMap {
            shape: Shape::SCALAR,
            start: [0; MAX_RANK],
            source: [NEW; MAX_RANK],
            step: [0; MAX_RANK],
        };
        for (i, axis) in axes.iter().take(rank).enumerate() {
            match *axis {
                Axis::Along { source, start, step, count } => {
                    map.source[i] = source as u8;
                    map.start[source] = start;
                    map.step[i] = step;
                    dims[i] = count;
                }
                Axis::New { count } => dims[i] = count,
            }
        }
        for &(source, index) in fixed {
            map.start[source] = index;
        }
        // Too many axes are refused here.
        map.shape = if axes.len() == rank {
            Shape::new(&dims[..rank])?
        } else {
            Shape::new(&vec![1; axes.len()])?
        };
        Ok(map)
    }

    /// `from` repeated to `to`, which it must broadcast to.
    pub(crate) fn broadcast(from: &Shape, to: &Shape) -> AxisMap {
        let mut map = AxisMap {
            shape: *to,
            start: [0; MAX_RANK],
            source: [NEW; MAX_RANK],
            step: [0; MAX_RANK],
        };
        let added = to.rank() - from.rank();
        for axis in 0..from.rank() {
            if from[axis] == to[axis + added] {
                map.source[axis + added] = axis as u8;
                map.step[axis + added] = 1;
            }
        }
        map
    }

    /// The shape of the result.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// This, and then `next` of its result.
    pub(crate) fn then(&self, next: &AxisMap) -> AxisMap {
        let mut map = AxisMap {
            shape: next.shape,
            start: self.start,
            source: [NEW; MAX_RANK],
            step: [0; MAX_RANK],
        };
        for middle in 0..self.shape.rank() {
            if self.source[middle] != NEW {
                let source = usize::from(self.source[middle]);
                // Within the source, unless there are no elements at all.
                let skipped = next.start[middle].wrapping_mul(self.step[middle]);
                map.start[source] = map.start[source].wrapping_add(skipped);
            }
        }
        for axis in 0..next.shape.rank() {
            if next.source[axis] != NEW {
                let middle = usize::from(next.source[axis]);
                map.source[axis] = self.source[middle];
                map.step[axis] = next.step[axis].wrapping_mul(self.step[middle]);
            }
        }
        map
    }

    /// The elements of `view`, which has the shape of the source, in this way.
    pub(crate) fn apply(&self, view: &View) -> Result<View> {
        let mut steps = [0; MAX_RANK];
        for (axis, step) in steps.iter_mut().enumerate().take(self.shape.rank()) {
            if self.source[axis] != NEW && self.shape[axis] > 1 {
                *step = self.step[axis] * view.strides()[usize::from(self.source[axis])];
            }
        }
        let mut offset = view.offset();
        if self.shape.elements() > 0 {
            let starts = self.start.iter().zip(&**view.strides());
            let skipped: isize = starts.map(|(start, stride)| start * stride).sum();
            let bytes = view.dtype().block_bytes() as isize;
            offset = offset.wrapping_add_signed(skipped * bytes);
        }
        let strides = Strides::new(&steps[..self.shape.rank()])?;
        View::at(view.buffer(), view.dtype(), self.shape, strides, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dims: &[usize]) -> Shape {
        Shape::new(dims).unwrap()
    }

    #[test]
    fn one_after_another_is_both() {
        // Rows 1.. of a [4, 6], every second column backwards; then transposed; then row 1.
        let first = [
            Axis::Along { source: 0, start: 1, step: 1, count: 3 },
            Axis::Along { source: 1, start: 5, step: -2, count: 3 },
        ];
        let along = |source| Axis::Along { source, start: 0, step: 1, count: 3 };
        let first = AxisMap::new(&first, &[]).unwrap();
        let swap = AxisMap::new(&[along(1), along(0)], &[]).unwrap();
        let row = AxisMap::new(&[along(1)], &[(0, 1)]).unwrap();
        let all = first.then(&swap).then(&row);
        assert_eq!(*all.shape(), shape(&[3]));
        assert_eq!((all.start[0], all.start[1]), (1, 3));
        assert_eq!((all.source[0], all.step[0]), (0, 1));
        let same = AxisMap::broadcast(&shape(&[4, 6]), &shape(&[4, 6]));
        assert_eq!(same.then(&first), first);
    }

    #[test]
    fn broadcasts_have_no_source() {
        let map = AxisMap::broadcast(&shape(&[3, 1]), &shape(&[2, 3, 4]));
        assert_eq!(map.source[..3], [NEW, 0, NEW]);
        let map = AxisMap::broadcast(&shape(&[1]), &shape(&[1, 1]));
        assert_eq!(map.source[..2], [NEW, 0]);
    }
}
