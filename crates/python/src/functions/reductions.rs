//! Functions that put elements together along axes, as a table.

use crate::{
    array::Out,
    dtype::DTypeArg,
    operand::{ArrayArg, AxesArg},
};
use bessemer::Array;
use pyo3::prelude::*;

macro_rules! reductions {
    ($($name:ident $kept:ident;)*) => {
        /// Each with axes and `keepdims` as arguments.
        pub(crate) mod of {
            use super::{Array, AxesArg};

            $(pub(crate) fn $name(x: &Array, axis: Option<AxesArg>, keepdims: bool) -> Array {
                match (axis, keepdims) {
                    (None, false) => x.$name(..),
                    (None, true) => x.$kept(..),
                    (Some(axes), false) => x.$name(axes.0),
                    (Some(axes), true) => x.$kept(axes.0),
                }
            })*
        }
    };
}

reductions! {
    sum sum_keepdim;
    prod prod_keepdim;
    mean mean_keepdim;
    min min_keepdim;
    max max_keepdim;
    any any_keepdim;
    all all_keepdim;
    argmin argmin_keepdim;
    argmax argmax_keepdim;
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis = None, keepdims = false))]
        fn $name(x: ArrayArg, axis: Option<AxesArg>, keepdims: bool) -> Out {
            Out(of::$name(&x.0, axis, keepdims))
        }
    )*};
}

macro_rules! functions_with_dtype {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis = None, dtype = None, keepdims = false))]
        fn $name(
            x: ArrayArg,
            axis: Option<AxesArg>,
            dtype: Option<DTypeArg>,
            keepdims: bool,
        ) -> Out {
            let x = dtype.map_or(x.0.clone(), |dtype| x.0.astype(dtype.0));
            Out(of::$name(&x, axis, keepdims))
        }
    )*};
}

functions_with_dtype! {
    /// The sum along axes, or of all elements.
    ///
    /// >>> import bessemer as bm
    /// >>> a = bm.array([[1, 2], [3, 4]])
    /// >>> bm.sum(a).item(), bm.sum(a, axis=0)
    /// (10, array([4, 6]))
    sum;
    /// The product along axes, or of all elements.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.prod(bm.array([2, 3, 4])).item()
    /// 24
    prod;
}

functions! {
    /// The mean along axes, or of all elements.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.mean(bm.array([1.0, 2.0, 6.0])).item()
    /// 3.0
    mean;
    /// The least along axes, or of all elements; NaN if there is one.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.min(bm.array([[1, 5], [3, 2]]), axis=1)
    /// array([1, 2], dtype=int32)
    min;
    /// The greatest along axes, or of all elements; NaN if there is one.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.max(bm.array([[1, 5], [3, 2]]), axis=1)
    /// array([5, 3], dtype=int32)
    max;
    /// Whether any is true: all but 0 is.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.any(bm.array([0, 0, 5])).item()
    /// True
    any;
    /// Whether all are true.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.all(bm.array([0, 0, 5])).item()
    /// False
    all;
    /// Where the least is: the first of equal ones, or of NaN.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.argmin(bm.array([3, 1, 2])).item()
    /// 1
    argmin;
    /// Where the greatest is: the first of equal ones, or of NaN.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.argmax(bm.array([3, 1, 2])).item()
    /// 0
    argmax;
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: sum prod mean min max any all argmin argmax)
}
