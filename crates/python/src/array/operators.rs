//! Python's operators. What they compute is in `functions`, under the names of the array API.

// In code of macros, the lint finds what PyO3 generates.
#![allow(unsafe_op_in_unsafe_fn)]

use super::{Out, PyArray};
use crate::{
    errors::{exception, type_error, value_error},
    functions::arithmetic as f,
    operand::Operand,
};
use bessemer::Array;
use pyo3::{prelude::*, pyclass::CompareOp};

/// A function of two arrays.
type Binary = fn(&Array, &Array) -> Array;

/// `op` of an array and whatever is beside it; `NotImplemented` if that is no operand.
fn apply(
    array: &PyArray,
    other: &Bound<'_, PyAny>,
    op: impl FnOnce(&Array, &Array) -> Array,
) -> PyResult<Py<PyAny>> {
    let py = other.py();
    let Some(operand) = Operand::of(other)? else {
        return Ok(py.NotImplemented());
    };
    let array = array.get();
    let other = operand.beside(&array);
    Ok(Out(op(&array, &other)).into_pyobject(py)?.into_any().unbind())
}

/// Makes `array` a handle to the result, which must have its dtype and shape.
fn assign(array: &PyArray, name: &str, other: &Bound<'_, PyAny>, op: Binary) -> PyResult<()> {
    let Some(operand) = Operand::of(other)? else {
        return Err(type_error(format!(
            "{name}: the operand must be an array or a number, not {}",
            other.get_type().name()?
        )));
    };
    let old = array.get();
    let result = op(&old, &operand.beside(&old));
    if let Some(error) = result.error() {
        return Err(exception(&error.clone().into()));
    }
    if result.dtype() != old.dtype() {
        return Err(type_error(format!(
            "{name}: the result is {}, but the array is {}; write `x = x {name} y`",
            result.dtype(),
            old.dtype()
        )));
    }
    if result.shape() != old.shape() {
        return Err(value_error(format!(
            "{name}: the result has shape {}, but the array has {}; write `x = x {name} y`",
            result.shape(),
            old.shape()
        )));
    }
    array.set(result);
    Ok(())
}

macro_rules! operators {
    ($($sign:literal $forward:ident $reflected:ident $assigned:ident $op:path;)*) => {
        #[pymethods]
        impl PyArray {$(
            fn $forward(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                apply(self, other, $op)
            }

            fn $reflected(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                apply(self, other, |a, b| $op(b, a))
            }

            fn $assigned(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
                assign(self, $sign, other, $op)
            }
        )*}
    };
}

operators! {
    "+" __add__ __radd__ __iadd__ f::add;
    "-" __sub__ __rsub__ __isub__ f::subtract;
    "*" __mul__ __rmul__ __imul__ f::multiply;
    "/" __truediv__ __rtruediv__ __itruediv__ f::divide;
    "//" __floordiv__ __rfloordiv__ __ifloordiv__ f::floor_divide;
    "%" __mod__ __rmod__ __imod__ f::remainder;
    "@" __matmul__ __rmatmul__ __imatmul__ f::matmul;
    "&" __and__ __rand__ __iand__ f::bitwise_and;
    "|" __or__ __ror__ __ior__ f::bitwise_or;
    "^" __xor__ __rxor__ __ixor__ f::bitwise_xor;
    "<<" __lshift__ __rlshift__ __ilshift__ f::left_shift;
    ">>" __rshift__ __rrshift__ __irshift__ f::right_shift;
}

#[pymethods]
impl PyArray {
    fn __pow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        no_modulo(modulo)?;
        apply(self, other, f::pow)
    }

    fn __rpow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        no_modulo(modulo)?;
        apply(self, other, |a, b| f::pow(b, a))
    }

    fn __ipow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        no_modulo(modulo)?;
        assign(self, "**", other, f::pow)
    }

    fn __divmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        Ok((apply(self, other, f::floor_divide)?, apply(self, other, f::remainder)?))
    }

    fn __rdivmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let quotient = apply(self, other, |a, b| f::floor_divide(b, a))?;
        Ok((quotient, apply(self, other, |a, b| f::remainder(b, a))?))
    }

    fn __neg__(&self) -> Out {
        Out(-self.get())
    }

    fn __pos__(&self) -> Out {
        Out(self.get())
    }

    fn __abs__(&self) -> Out {
        Out(self.get().abs())
    }

    fn __invert__(&self) -> Out {
        Out(self.get().bitwise_invert())
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        apply(self, other, |a, b| match op {
            CompareOp::Lt => a.lt(b),
            CompareOp::Le => a.le(b),
            CompareOp::Eq => a.eq(b),
            CompareOp::Ne => a.ne(b),
            CompareOp::Gt => a.gt(b),
            CompareOp::Ge => a.ge(b),
        })
    }

    /// Arrays are compared by element, so they cannot be keys.
    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }

    fn __contains__(&self, py: Python<'_>, value: Operand) -> PyResult<bool> {
        let array = self.get();
        let value = value.beside(&array);
        let found = Out(array.eq(&value).any(..)).into_pyobject(py)?;
        found.is_truthy()
    }
}

fn no_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo.filter(|modulo| !modulo.is_none()) {
        Some(_) => Err(type_error("pow: arrays take no modulus; use `%` on the result")),
        None => Ok(()),
    }
}
