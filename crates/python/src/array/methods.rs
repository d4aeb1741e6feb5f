//! Methods that have a function of the same name.

// In code of macros, the lint finds what PyO3 generates.
#![allow(unsafe_op_in_unsafe_fn)]

use super::{Out, PyArray};
use crate::{
    dtype::DTypeArg,
    errors::value_error,
    functions::reductions,
    operand::{AxesArg, SizesArg},
};
use pyo3::{prelude::*, types::PyTuple};

/// NumPy's reductions pass `out`, which arrays that do not change have no use for.
fn no_out(out: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match out.filter(|out| !out.is_none()) {
        Some(_) => Err(value_error("out: arrays do not change; use what is returned")),
        None => Ok(()),
    }
}

macro_rules! reductions {
    ($($name:ident)*) => {
        #[pymethods]
        impl PyArray {$(
            /// As the function of this name.
            #[pyo3(signature = (axis = None, dtype = None, out = None, *, keepdims = false))]
            fn $name(
                &self,
                axis: Option<AxesArg>,
                dtype: Option<DTypeArg>,
                out: Option<&Bound<'_, PyAny>>,
                keepdims: bool,
            ) -> PyResult<Out> {
                no_out(out)?;
                let sum = |x: &_| reductions::of::$name(x, axis, keepdims);
                Ok(Out(reductions::in_dtype(self.get(), dtype, sum)))
            }
        )*}
    };
}

reductions!(sum prod mean);

macro_rules! selections {
    ($($name:ident)*) => {
        #[pymethods]
        impl PyArray {$(
            /// As the function of this name.
            #[pyo3(signature = (axis = None, out = None, *, keepdims = false))]
            fn $name(
                &self,
                axis: Option<AxesArg>,
                out: Option<&Bound<'_, PyAny>>,
                keepdims: bool,
            ) -> PyResult<Out> {
                no_out(out)?;
                Ok(Out(crate::functions::reductions::of::$name(&self.get(), axis, keepdims)))
            }
        )*}
    };
}

selections!(min max any all argmin argmax);

macro_rules! spreads {
    ($($name:ident $kept:ident)*) => {
        #[pymethods]
        impl PyArray {$(
            /// As the function of this name.
            #[pyo3(signature = (axis = None, out = None, *, correction = 0.0, keepdims = false))]
            fn $name(
                &self,
                axis: Option<AxesArg>,
                out: Option<&Bound<'_, PyAny>>,
                correction: f64,
                keepdims: bool,
            ) -> PyResult<Out> {
                no_out(out)?;
                let array = self.get();
                Ok(Out(match (axis, keepdims) {
                    (None, false) => array.$name(.., correction),
                    (None, true) => array.$kept(.., correction),
                    (Some(axes), false) => array.$name(axes.0, correction),
                    (Some(axes), true) => array.$kept(axes.0, correction),
                }))
            }
        )*}
    };
}

spreads!(var var_keepdim std std_keepdim);

#[pymethods]
impl PyArray {
    /// In another dtype. Floats become integers towards zero.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.array([1.9, -1.9]).astype(bm.int32)
    /// array([ 1, -1], dtype=int32)
    #[pyo3(signature = (dtype, /, *, copy = true))]
    fn astype(&self, dtype: DTypeArg, copy: bool) -> Out {
        // There is nothing that a copy would protect: arrays do not change.
        let _ = copy;
        Out(self.get().astype(dtype.0))
    }

    /// The same elements in another shape; -1 stands for whatever is left.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.arange(6).reshape(2, -1)
    /// array([[0, 1, 2],
    ///        [3, 4, 5]])
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: &Bound<'_, PyTuple>) -> PyResult<Out> {
        Ok(Out(self.get().reshape(&SizesArg::of_arguments(shape)?.0)))
    }

    /// All axes in reverse order, or in the order given.
    #[pyo3(signature = (*axes))]
    fn transpose(&self, axes: &Bound<'_, PyTuple>) -> PyResult<Out> {
        let array = self.get();
        if axes.is_empty() {
            return Ok(Out(array.transpose()));
        }
        Ok(Out(array.permute(&SizesArg::of_arguments(axes)?.0)))
    }

    /// All elements in one dimension.
    fn flatten(&self) -> Out {
        Out(self.get().flatten())
    }

    /// Without axes of size 1: those given, or all.
    #[pyo3(signature = (axis = None))]
    fn squeeze(&self, axis: Option<AxesArg>) -> Out {
        let array = self.get();
        Out(match axis {
            Some(axes) => array.squeeze(axes.0),
            None => array.squeeze(..),
        })
    }

    /// Its own handle to the same elements.
    fn copy(&self) -> Out {
        Out(self.get())
    }
}
