//! The axes a reduction runs over.

use crate::{Array, Error, Result};
use std::ops::RangeFull;

mod sealed {
    pub trait Sealed {}
}

/// Axes of an array: one (`0`, `-1`), several (`[0, 2]`), or all of them (`..`). Negative numbers
/// count from the end.
///
/// ```
/// use bessemer_array::{Array, Error};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
/// let a = Array::ones(&device, &[2, 3, 4], bessemer_core::DType::F32);
/// assert_eq!(a.sum(0).dims(), [3, 4]);
/// assert_eq!(a.sum([0, -1]).dims(), [3]);
/// assert_eq!(a.sum(..).dims(), []);
/// assert_eq!(a.sum_keepdim([0, 1]).dims(), [1, 1, 4]);
/// # Ok::<(), Error>(())
/// ```
pub trait Axes: sealed::Sealed {
    /// The axes as written, or `None` for all.
    #[doc(hidden)]
    fn listed(&self) -> Option<&[isize]>;
}

impl sealed::Sealed for RangeFull {}

impl Axes for RangeFull {
    fn listed(&self) -> Option<&[isize]> {
        None
    }
}

macro_rules! axes {
    ($($({$($generics:tt)*})? $type:ty => $it:ident $listed:expr;)*) => {$(
        impl $(<$($generics)*>)? sealed::Sealed for $type {}

        impl $(<$($generics)*>)? Axes for $type {
            fn listed(&self) -> Option<&[isize]> {
                let $it = self;
                Some($listed)
            }
        }
    )*};
}

axes! {
    isize => it std::slice::from_ref(it);
    &[isize] => it it;
    {const N: usize} [isize; N] => it it;
    {const N: usize} &[isize; N] => it *it;
    Vec<isize> => it it;
    &Vec<isize> => it it;
}

/// One bit for each of `axes` of `array`.
pub(crate) fn mask(op: &'static str, array: &Array, axes: &impl Axes) -> Result<u8> {
    let Some(listed) = axes.listed() else {
        return Ok(u8::MAX);
    };
    let mut mask = 0;
    for &axis in listed {
        let bit = 1 << array.axis(op, axis)?;
        if mask & bit != 0 {
            return Err(Error::rule(
                op,
                format!("axis {axis} is given twice"),
                &[("array", array)],
            ));
        }
        mask |= bit;
    }
    Ok(mask)
}
