//! Functions that put elements together along axes, as a table.

use crate::{
    array::Out,
    dtype::DTypeArg,
    errors::OrRaise,
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

/// What `function` makes of `x`, from and to the dtype that is asked for. Sums of narrow integers are wider.
pub(crate) fn in_dtype(
    x: Array,
    dtype: Option<DTypeArg>,
    function: impl FnOnce(&Array) -> Array,
) -> Array {
    match dtype {
        Some(DTypeArg(dtype)) => function(&x.astype(dtype)).astype(dtype),
        None => function(&x),
    }
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
            Out(in_dtype(x.0, dtype, |x| of::$name(x, axis, keepdims)))
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
    /// array([1, 2])
    min;
    /// The greatest along axes, or of all elements; NaN if there is one.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.max(bm.array([[1, 5], [3, 2]]), axis=1)
    /// array([5, 3])
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

macro_rules! spreads {
    ($($(#[$doc:meta])* $function:ident $python:literal $name:ident $kept:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(name = $python, signature = (x, /, *, axis = None, correction = 0.0, keepdims = false))]
        fn $function(x: ArrayArg, axis: Option<AxesArg>, correction: f64, keepdims: bool) -> Out {
            Out(match (axis, keepdims) {
                (None, false) => x.0.$name(.., correction),
                (None, true) => x.0.$kept(.., correction),
                (Some(axes), false) => x.0.$name(axes.0, correction),
                (Some(axes), true) => x.0.$kept(axes.0, correction),
            })
        }
    )*};
}

spreads! {
    /// The variance along axes, or of all elements: squares divided by their number less `correction`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.var(bm.array([1.0, 2.0, 3.0]), correction=1).item()
    /// 1.0
    variance "var" var var_keepdim;
    /// The standard deviation along axes, or of all elements.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.std(bm.array([1.0, 3.0])).item()
    /// 1.0
    deviation "std" std std_keepdim;
}

/// How many elements are not 0, along axes or in all.
///
/// >>> import bessemer as bm
/// >>> bm.count_nonzero(bm.array([0, 3, 4])).item()
/// 2
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = None, keepdims = false))]
fn count_nonzero(x: ArrayArg, axis: Option<AxesArg>, keepdims: bool) -> Out {
    Out(of::sum(&x.0.astype(bessemer::DType::Bool), axis, keepdims))
}

macro_rules! running {
    ($($(#[$doc:meta])* $name:ident $initial:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, /, *, axis = None, dtype = None, include_initial = false))]
        fn $name(
            x: ArrayArg,
            axis: Option<isize>,
            dtype: Option<DTypeArg>,
            include_initial: bool,
        ) -> PyResult<Out> {
            let axis = match axis {
                Some(axis) => axis,
                None if x.0.rank() == 1 => 0,
                None => {
                    return Err(crate::errors::value_error(format!(
                        "{}: an axis is needed for an array of rank {}",
                        stringify!($name),
                        x.0.rank()
                    )));
                }
            };
            let scan = |x: &Array| if include_initial { x.$initial(axis) } else { x.$name(axis) };
            Ok(Out(in_dtype(x.0, dtype, scan)))
        }
    )*};
}

running! {
    /// The sums of all elements up to each along an axis.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.cumulative_sum(bm.array([1.0, 2.0, 3.0]), include_initial=True)
    /// array([0., 1., 3., 6.], dtype=float32)
    cumulative_sum cumulative_sum_from_0;
    /// The products of all elements up to each along an axis.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.cumulative_prod(bm.array([1.0, 2.0, 3.0]))
    /// array([1., 2., 6.], dtype=float32)
    cumulative_prod cumulative_prod_from_1;
}

/// The differences of neighbours along an axis, `n` times over.
///
/// >>> import bessemer as bm
/// >>> bm.diff(bm.array([1, 4, 9]))
/// array([3, 5])
#[pyfunction]
#[pyo3(
    signature = (x, /, *, axis = -1, n = 1, prepend = None, append = None),
    text_signature = "(x, /, *, axis=-1, n=1, prepend=None, append=None)"
)]
fn diff(
    x: ArrayArg,
    axis: isize,
    n: usize,
    prepend: Option<ArrayArg>,
    append: Option<ArrayArg>,
) -> PyResult<Out> {
    let parts = [prepend, Some(x), append].into_iter().flatten().collect::<Vec<_>>();
    let whole = match parts.as_slice() {
        [one] => one.0.clone(),
        several => Array::concat(&super::manipulation::handles(several), axis).or_raise()?,
    };
    Ok(Out(whole.diff(n, axis)))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    super::add!(module: sum prod mean min max any all argmin argmax variance deviation count_nonzero cumulative_sum
        cumulative_prod diff)
}
