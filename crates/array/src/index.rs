//! Indexing of each axis: single indices, ranges with steps, an ellipsis, new axes.

use crate::axis_map::{Axis, AxisMap};
use bessemer_core::Shape;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// What to take of one axis, or between axes. Usually written by [`s!`](crate::s).
///
/// Negative numbers count from the end. Ranges are cut to what is there, as in NumPy; a single
/// index that is not there is an error.
///
/// ```
/// # use bessemer_array::{Array, Error, s};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
/// use bessemer_array::Index;
///
/// let a = Array::arange(&device, 0, 10, 1);
/// let odd = Index::Range { start: Some(1), end: None, step: 2 };
/// assert_eq!(a.slice([odd]).to_vec::<i32>()?, a.slice(s![1..;2]).to_vec::<i32>()?);
/// // Ranges are cut to what is there; single indices are not.
/// assert_eq!(a.slice(s![8..100]).to_vec::<i32>()?, [8, 9]);
/// assert!(a.slice(s![100]).check().is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// One element; the axis is gone.
    At(isize),
    /// Elements from `start` to before `end`, `step` apart. With a negative step it runs
    /// backwards, and what is left out means from the last to the first.
    Range {
        /// The first element.
        start: Option<isize>,
        /// The element before which it stops.
        end: Option<isize>,
        /// How far apart.
        step: isize,
    },
    /// A new axis of size 1.
    NewAxis,
    /// All axes that the others leave over.
    Ellipsis,
}

impl Index {
    /// The same range, `step` apart.
    ///
    /// ```
    /// use bessemer_array::Index;
    ///
    /// let odd = Index::from(1..).step_by(2);
    /// assert_eq!(odd, Index::Range { start: Some(1), end: None, step: 2 });
    /// ```
    pub fn step_by(self, step: isize) -> Index {
        match self {
            Index::Range { start, end, .. } => Index::Range { start, end, step },
            other => other,
        }
    }
}

/// What to slice: one item per axis, as in NumPy, with `;` before a step.
///
/// | written | means | NumPy |
/// | --- | --- | --- |
/// | `2`, `-1` | one element; the axis is gone | `2`, `-1` |
/// | `..`, `1..`, `..-1`, `1..5`, `1..=5` | a range | `:`, `1:`, `:-1`, `1:5` |
/// | `..;2`, `1..9;3`, `..;-1` | a range in steps | `::2`, `1:9:3`, `::-1` |
/// | `...` | all axes left over | `...` |
/// | `NewAxis` | a new axis of size 1 | `None` |
///
/// ```
/// use bessemer_array::{Index, s};
///
/// assert_eq!(s![-1, ..;2, ...], [
///     Index::At(-1),
///     Index::Range { start: None, end: None, step: 2 },
///     Index::Ellipsis,
/// ]);
/// ```
#[macro_export]
macro_rules! s {
    (@ [$($done:expr,)*]) => { [$($done,)*] };
    (@ [$($done:expr,)*] ... $(, $($rest:tt)*)?) => {
        $crate::s!(@ [$($done,)* $crate::Index::Ellipsis,] $($($rest)*)?)
    };
    (@ [$($done:expr,)*] NewAxis $(, $($rest:tt)*)?) => {
        $crate::s!(@ [$($done,)* $crate::Index::NewAxis,] $($($rest)*)?)
    };
    (@ [$($done:expr,)*] $range:expr ; $step:expr $(, $($rest:tt)*)?) => {
        $crate::s!(@ [$($done,)* $crate::s!(= $range).step_by($step),] $($($rest)*)?)
    };
    (@ [$($done:expr,)*] $index:expr $(, $($rest:tt)*)?) => {
        $crate::s!(@ [$($done,)* $crate::s!(= $index),] $($($rest)*)?)
    };
    // Ranges such as `1..-1` are not empty here, whatever lints say.
    (= $index:expr) => {{
        #[allow(clippy::reversed_empty_ranges)]
        let index = $crate::Index::from($index);
        index
    }};
    ($($items:tt)*) => { $crate::s!(@ [] $($items)*) };
}

fn range(start: Option<isize>, end: Option<isize>) -> Index {
    Index::Range { start, end, step: 1 }
}

/// The end of a range whose last element is `last`; after -1 there is no end.
fn after(last: isize) -> Option<isize> {
    (last != -1).then(|| last.saturating_add(1))
}

macro_rules! indices {
    ($($type:ty)*) => {$(
        impl From<$type> for Index {
            fn from(index: $type) -> Index {
                Index::At(wide(index as i128))
            }
        }

        impl From<Range<$type>> for Index {
            fn from(r: Range<$type>) -> Index {
                range(Some(wide(r.start as i128)), Some(wide(r.end as i128)))
            }
        }

        impl From<RangeInclusive<$type>> for Index {
            fn from(r: RangeInclusive<$type>) -> Index {
                range(Some(wide(*r.start() as i128)), after(wide(*r.end() as i128)))
            }
        }

        impl From<RangeFrom<$type>> for Index {
            fn from(r: RangeFrom<$type>) -> Index {
                range(Some(wide(r.start as i128)), None)
            }
        }

        impl From<RangeTo<$type>> for Index {
            fn from(r: RangeTo<$type>) -> Index {
                range(None, Some(wide(r.end as i128)))
            }
        }

        impl From<RangeToInclusive<$type>> for Index {
            fn from(r: RangeToInclusive<$type>) -> Index {
                range(None, after(wide(r.end as i128)))
            }
        }
    )*};
}

indices!(i32 i64 isize u32 usize);

impl From<RangeFull> for Index {
    fn from(_: RangeFull) -> Index {
        range(None, None)
    }
}

/// The nearest `isize`; further out than any axis is long either way.
fn wide(index: i128) -> isize {
    index.clamp(isize::MIN as i128, isize::MAX as i128) as isize
}

/// The rule for taking `indices` of an array of `shape`, or what is wrong with them.
pub(crate) fn resolve(shape: &Shape, indices: &[Index]) -> Result<AxisMap, String> {
    let named = |index: &&Index| matches!(index, Index::At(_) | Index::Range { .. });
    let named = indices.iter().filter(named).count();
    if named > shape.rank() {
        return Err(format!("{named} indices are too many for an array of rank {}", shape.rank()));
    }
    let ellipses = indices.iter().filter(|&&i| i == Index::Ellipsis).count();
    if ellipses > 1 {
        return Err("`...` is given twice".into());
    }
    let (mut axes, mut fixed, mut axis) = (Vec::new(), Vec::new(), 0);
    let whole = |axis: usize| Axis::Along { source: axis, start: 0, step: 1, count: shape[axis] };
    for index in indices {
        match *index {
            Index::At(at) => {
                let size = shape[axis] as isize;
                let found = if at < 0 { at.saturating_add(size) } else { at };
                if !(0..size).contains(&found) {
                    return Err(format!(
                        "index {at} is out of bounds for dimension {axis} of size {size}"
                    ));
                }
                fixed.push((axis, found));
                axis += 1;
            }
            Index::Range { step: 0, .. } => return Err("the step is 0".into()),
            Index::Range { start, end, step } => {
                let (start, count) = cut(shape[axis] as isize, start, end, step);
                // The step to a second element that is not there could be of any size.
                let step = if count > 1 { step } else { 1 };
                axes.push(Axis::Along { source: axis, start, step, count });
                axis += 1;
            }
            Index::NewAxis => axes.push(Axis::New { count: 1 }),
            Index::Ellipsis => {
                let over = shape.rank() - named;
                axes.extend((axis..axis + over).map(whole));
                axis += over;
            }
        }
    }
    axes.extend((axis..shape.rank()).map(whole));
    AxisMap::new(&axes, &fixed).map_err(|error| error.to_string())
}

/// The first index and the number of elements of a range, cut to an axis of `size`.
fn cut(size: isize, start: Option<isize>, end: Option<isize>, step: isize) -> (isize, usize) {
    let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let place = |at: isize| {
        let at = if at < 0 { at.saturating_add(size) } else { at };
        at.clamp(low, high)
    };
    let (first, stop) = if step > 0 { (low, high) } else { (high, low) };
    let start = start.map_or(first, place);
    let end = end.map_or(stop, place);
    let length = if step > 0 { end - start } else { start - end };
    let count = length.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
    (if count == 0 { 0 } else { start }, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(size: isize, index: Index) -> Vec<isize> {
        let Index::Range { start, end, step } = index else {
            panic!("{index:?} is no range");
        };
        let (start, count) = cut(size, start, end, step);
        (0..count as isize).map(|i| start + i * step).collect()
    }

    #[test]
    fn ranges_are_cut_as_in_python() {
        let cut = |[index]: [Index; 1]| taken(5, index);
        assert_eq!(cut(s![1..3]), [1, 2]);
        assert_eq!(cut(s![-2..]), [3, 4]);
        assert_eq!(cut(s![..-3]), [0, 1]);
        assert_eq!(cut(s![1..-1]), [1, 2, 3]);
        assert_eq!(cut(s![1..=-1]), [1, 2, 3, 4]);
        assert_eq!(cut(s![..=1]), [0, 1]);
        assert_eq!(cut(s![-100..100]), [0, 1, 2, 3, 4]);
        assert_eq!(cut(s![..; -2]), [4, 2, 0]);
        assert_eq!(cut(s![3..0; -1]), [3, 2, 1]);
        assert_eq!(cut(s![100..; -3]), [4, 1]);
        assert_eq!(cut(s![..; isize::MIN]), [4]);
        assert_eq!(cut(s![4..2]), [0; 0]);
        assert_eq!(cut(s![usize::MAX..]), [0; 0]);
        assert_eq!(taken(0, Index::from(..).step_by(-1)), [0; 0]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let shape = Shape::new(&[2, 3]).unwrap();
        let wrong = |indices: &[Index]| resolve(&shape, indices).unwrap_err();
        assert!(wrong(&s![2]).contains("index 2 is out of bounds for dimension 0 of size 2"));
        assert!(wrong(&s![.., -4]).contains("index -4"));
        assert!(wrong(&s![0, 0, 0]).contains("too many"));
        assert!(wrong(&s![..., ...]).contains("given twice"));
        assert!(wrong(&s![..; 0]).contains("the step is 0"));
        assert!(wrong(&[Index::NewAxis; 7]).contains("dimensions"));
    }

    #[test]
    fn ellipses_and_new_axes_find_their_place() {
        let shape = Shape::new(&[2, 3, 4, 5]).unwrap();
        let found = |indices: &[Index]| *resolve(&shape, indices).unwrap().shape();
        assert_eq!(*found(&s![]), [2, 3, 4, 5]);
        assert_eq!(*found(&s![0, ..., 1]), [3, 4]);
        assert_eq!(*found(&s![NewAxis, ..., NewAxis]), [1, 2, 3, 4, 5, 1]);
        assert_eq!(*found(&s![..; 2, ..., 1..3; -1]), [1, 3, 4, 0]);
        assert_eq!(*found(&s![0, 0, 0, 0]), [0; 0]);
    }
}
