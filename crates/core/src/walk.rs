//! Walking over the elements of a strided view in order.

use crate::{MAX_RANK, Shape, Strides};

/// The offset of each element from the first, in elements, in row-major order.
pub(crate) struct Walk {
    shape: Shape,
    strides: Strides,
    index: [usize; MAX_RANK],
    offset: isize,
    left: usize,
}

impl Walk {
    pub(crate) fn new(shape: &Shape, strides: &Strides) -> Walk {
        let left = shape.elements();
        Walk { shape: *shape, strides: *strides, index: [0; MAX_RANK], offset: 0, left }
    }
}

impl Iterator for Walk {
    type Item = isize;

    fn next(&mut self) -> Option<isize> {
        self.left = self.left.checked_sub(1)?;
        let offset = self.offset;
        for axis in (0..self.shape.rank()).rev() {
            self.index[axis] += 1;
            self.offset += self.strides[axis];
            if self.index[axis] < self.shape[axis] {
                break;
            }
            self.index[axis] = 0;
            self.offset -= self.strides[axis] * self.shape[axis] as isize;
        }
        Some(offset)
    }
}

/// The offset of row `row`, in elements.
pub(crate) fn row_offset(shape: &Shape, strides: &Strides, row: usize) -> isize {
    let (mut rest, mut offset) = (row, 0);
    for axis in (0..shape.rank().saturating_sub(1)).rev() {
        offset += (rest % shape[axis]) as isize * strides[axis];
        rest /= shape[axis];
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_row_major() {
        let (shape, strides) = (Shape::new(&[2, 3]).unwrap(), Strides::new(&[1, 2]).unwrap());
        assert_eq!(Walk::new(&shape, &strides).collect::<Vec<_>>(), [0, 2, 4, 1, 3, 5]);
        assert_eq!(row_offset(&shape, &strides, 1), 1);
        assert_eq!(Walk::new(&Shape::SCALAR, &Shape::SCALAR.strides()).count(), 1);
        let empty = Shape::new(&[2, 0]).unwrap();
        assert_eq!(Walk::new(&empty, &empty.strides()).count(), 0);
    }
}
