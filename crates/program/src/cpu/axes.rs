//! The shape of a domain as loops: dimensions that can be walked as one are merged, and the order
//! is that of memory.

use bessemer_core::{MAX_RANK, Shape};
use smallvec::{SmallVec, smallvec};

/// Steps along each dimension, in elements.
pub type Steps = [isize; MAX_RANK];

/// The dimensions of a domain, slowest first; never none.
#[derive(Clone, Debug)]
pub struct Axes {
    sizes: [usize; MAX_RANK],
    reduced: [bool; MAX_RANK],
    rank: usize,
    /// The steps of each walker (a view, an output, a counter) along the axes.
    steps: SmallVec<[Steps; 6]>,
}

/// How a domain is cut into boxes: `rows` of `row_axis` by `columns` of `column_axis`.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The axis that rows of a box lie along; the column axis itself if there is one row only.
    pub row_axis: usize,
    /// The axis that columns lie along: the last.
    pub column_axis: usize,
    /// Rows of a box, at most.
    pub rows: usize,
    /// Columns of a box, at most.
    pub columns: usize,
}

impl Axes {
    /// The axes of `shape` for walkers with these `steps` (one per dimension); `reduced` marks
    /// dimensions that are never merged with others. The order is that of walker `leader`.
    pub fn new(shape: &Shape, steps: &[Steps], reduced: &[bool], leader: Option<usize>) -> Axes {
        let mut order = [0; MAX_RANK];
        let mut rank = 0;
        for axis in (0..shape.rank()).filter(|&axis| shape[axis] != 1) {
            order[rank] = axis;
            rank += 1;
        }
        let order = &mut order[..rank];
        if let Some(leader) = leader {
            // What the leader repeats says nothing: it stays where it is, which is outermost.
            order.sort_by_key(|&axis| match steps[leader][axis].unsigned_abs() {
                0 => 0,
                step => usize::MAX - step,
            });
        }
        let mut axes = Axes {
            sizes: [1; MAX_RANK],
            reduced: [false; MAX_RANK],
            rank: 0,
            steps: smallvec![[0; MAX_RANK]; steps.len()],
        };
        for &axis in order.iter() {
            let is_reduced = reduced.get(axis).copied().unwrap_or(false);
            let size = shape[axis];
            let follows = |last: usize| {
                let same = |(new, old): (&Steps, &Steps)| old[last] == new[axis] * size as isize;
                axes.reduced[last] == is_reduced && steps.iter().zip(&axes.steps).all(same)
            };
            let merge = axes.rank > 0 && follows(axes.rank - 1);
            let at = if merge { axes.rank - 1 } else { axes.rank };
            axes.rank = at + 1;
            axes.sizes[at] *= size;
            axes.reduced[at] = is_reduced;
            for (new, old) in steps.iter().zip(&mut axes.steps) {
                old[at] = new[axis];
            }
        }
        axes.rank = axes.rank.max(1);
        axes
    }

    /// How many there are.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The size of each.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes[..self.rank]
    }

    /// Whether each is reduced.
    pub fn reduced(&self) -> &[bool] {
        &self.reduced[..self.rank]
    }

    /// The steps of a walker.
    pub fn steps(&self, walker: usize) -> &[isize] {
        &self.steps[walker][..self.rank]
    }

    /// Boxes of at most `lanes` elements that suit the walkers numbered below `views`.
    pub fn window(&self, views: usize, lanes: usize) -> Window {
        const TILE: usize = 32;
        let column_axis = self.rank - 1;
        let width = self.sizes[column_axis].max(1);
        let mut window =
            Window { row_axis: column_axis, column_axis, rows: 1, columns: even(width, lanes) };
        if self.rank == 1 {
            return window;
        }
        // A walker whose neighbours lie along another axis: tiles use all of a cache line
        // either way.
        let other = self.steps[..views].iter().find_map(|steps| {
            let along = |axis: &usize| steps[*axis].unsigned_abs() == 1;
            (0..column_axis).find(along).filter(|_| steps[column_axis].unsigned_abs() > 1)
        });
        if let Some(row_axis) = other {
            window.row_axis = row_axis;
            window.columns = width.min(TILE);
            window.rows = self.sizes[row_axis].clamp(1, lanes / window.columns);
        } else if width < lanes / 2 {
            window.row_axis = column_axis - 1;
            window.rows = even(self.sizes[window.row_axis], lanes / width);
            window.columns = width;
        }
        window
    }
}

/// Pieces of `size` that are at most `most` long, and all about as long, in whole vectors.
fn even(size: usize, most: usize) -> usize {
    let pieces = size.div_ceil(most.max(1)).max(1);
    let piece = size.div_ceil(pieces);
    if pieces == 1 { piece.max(1) } else { piece.next_multiple_of(16).min(most.max(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(steps: &[isize]) -> Steps {
        let mut padded = [0; MAX_RANK];
        padded[..steps.len()].copy_from_slice(steps);
        padded
    }

    #[test]
    fn gapless_views_become_one_axis() {
        let shape = Shape::new(&[4, 1, 5, 6]).unwrap();
        let a = steps(&[30, 7, 6, 1]);
        let axes = Axes::new(&shape, &[a, a], &[], Some(0));
        assert_eq!((axes.sizes(), axes.steps(0)), (&[120][..], &[1][..]));
    }

    #[test]
    fn transposed_views_are_tiled_and_orders_follow_the_leader() {
        let shape = Shape::new(&[100, 200]).unwrap();
        let (plain, turned) = (steps(&[200, 1]), steps(&[1, 100]));
        let axes = Axes::new(&shape, &[plain, turned], &[], Some(0));
        let window = axes.window(2, 1024);
        assert_eq!((window.row_axis, window.rows, window.columns), (0, 32, 32));
        let axes = Axes::new(&shape, &[turned, turned], &[], Some(0));
        assert_eq!(axes.sizes(), &[20000]);
    }

    #[test]
    fn reduced_axes_stay_apart() {
        let shape = Shape::new(&[3, 4]).unwrap();
        let axes = Axes::new(&shape, &[steps(&[4, 1])], &[false, true], Some(0));
        assert_eq!((axes.sizes(), axes.reduced()), (&[3, 4][..], &[false, true][..]));
    }

    #[test]
    fn scalars_and_nothing() {
        let axes = Axes::new(&Shape::SCALAR, &[steps(&[])], &[], None);
        assert_eq!(axes.sizes(), &[1]);
        let empty = Shape::new(&[3, 0]).unwrap();
        let axes = Axes::new(&empty, &[steps(&[0, 1])], &[], None);
        assert_eq!(axes.sizes().iter().product::<usize>(), 0);
    }
}
