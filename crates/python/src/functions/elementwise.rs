//! Functions of each element, of one array or of two, as tables.

use super::arithmetic as f;
use crate::{
    array::Out,
    device::DeviceArg,
    errors::value_error,
    operand::{ArrayArg, Operand},
};
use bessemer::{Array, Device};
use pyo3::prelude::*;

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $call:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, /))]
            fn $name(x: ArrayArg) -> Out {
                let call: fn(&Array) -> Array = $call;
                Out(call(&x.0))
            }
        )*

        fn register_unary(module: &Bound<'_, PyModule>) -> PyResult<()> {
            super::add!(module: $($name)*)
        }
    };
}

unary! {
    /// The angle whose cosine it is, in radians.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.acos(bm.array([1.0]))
    /// array([0.], dtype=float32)
    acos = Array::acos;
    /// The inverse of the hyperbolic cosine.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.acosh(bm.array([1.0]))
    /// array([0.], dtype=float32)
    acosh = Array::acosh;
    /// The angle whose sine it is, in radians.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.asin(bm.array([0.0]))
    /// array([0.], dtype=float32)
    asin = Array::asin;
    /// The inverse of the hyperbolic sine.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.asinh(bm.array([0.0]))
    /// array([0.], dtype=float32)
    asinh = Array::asinh;
    /// The angle whose tangent it is, in radians.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.atan(bm.array([0.0]))
    /// array([0.], dtype=float32)
    atan = Array::atan;
    /// The inverse of the hyperbolic tangent.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.atanh(bm.array([0.0, 1.0]))
    /// array([ 0., inf], dtype=float32)
    atanh = Array::atanh;
    /// The hyperbolic cosine.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.cosh(bm.array([0.0]))
    /// array([1.], dtype=float32)
    cosh = Array::cosh;
    /// `exp(x) - 1`, precisely near 0.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.expm1(bm.array([0.0]))
    /// array([0.], dtype=float32)
    expm1 = Array::expm1;
    /// The logarithm to base 10.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.log10(bm.array([1.0, 100.0]))
    /// array([0., 2.], dtype=float32)
    log10 = Array::log10;
    /// `log(1 + x)`, precisely near 0.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.log1p(bm.array([0.0]))
    /// array([0.], dtype=float32)
    log1p = Array::log1p;
    /// Whether the sign is that of negative numbers, also of -0.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.signbit(bm.array([-0.0, 1.0]))
    /// array([ True, False])
    signbit = Array::signbit;
    /// The hyperbolic sine.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.sinh(bm.array([0.0]))
    /// array([0.], dtype=float32)
    sinh = Array::sinh;
    /// The absolute value.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.abs(bm.array([-1.5, 2.0]))
    /// array([1.5, 2. ], dtype=float32)
    abs = Array::abs;
    /// The nearest whole number above.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.ceil(bm.array([1.2, -1.7]))
    /// array([ 2., -1.], dtype=float32)
    ceil = Array::ceil;
    /// The cosine of radians.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.cos(bm.array([0.0]))
    /// array([1.], dtype=float32)
    cos = Array::cos;
    /// The error function.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.erf(bm.array([0.0, 10.0]))
    /// array([0., 1.], dtype=float32)
    erf = Array::erf;
    /// e to the power x.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.exp(bm.array([0.0, 1.0]))
    /// array([1.       , 2.7182817], dtype=float32)
    exp = Array::exp;
    /// 2 to the power x.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.exp2(bm.array([0.0, 3.0]))
    /// array([1., 8.], dtype=float32)
    exp2 = Array::exp2;
    /// The nearest whole number below.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.floor(bm.array([1.7, -1.2]))
    /// array([ 1., -2.], dtype=float32)
    floor = Array::floor;
    /// The Gaussian error linear unit: `x * (1 + erf(x / sqrt(2))) / 2`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.gelu(bm.array([0.0, 100.0]))
    /// array([  0., 100.], dtype=float32)
    gelu = Array::gelu;
    /// `gelu` by its usual approximation with `tanh`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.gelu_tanh(bm.array([0.0, 100.0]))
    /// array([  0., 100.], dtype=float32)
    gelu_tanh = Array::gelu_tanh;
    /// Whether it is neither infinite nor NaN.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.isfinite(bm.array([1.0, bm.inf, bm.nan]))
    /// array([ True, False, False])
    isfinite = Array::is_finite;
    /// Whether it is infinite.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.isinf(bm.array([1.0, -bm.inf, bm.nan]))
    /// array([False,  True, False])
    isinf = Array::is_inf;
    /// Whether it is NaN.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.isnan(bm.array([1.0, bm.inf, bm.nan]))
    /// array([False, False,  True])
    isnan = Array::is_nan;
    /// The natural logarithm; NaN below 0.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.log(bm.array([1.0, 0.0]))
    /// array([  0., -inf], dtype=float32)
    log = Array::log;
    /// The logarithm to base 2.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.log2(bm.array([1.0, 8.0]))
    /// array([0., 3.], dtype=float32)
    log2 = Array::log2;
    /// Whether it is false: all but 0 is true.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.logical_not(bm.array([True, False]))
    /// array([False,  True])
    logical_not = Array::logical_not;
    /// With the sign turned.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.negative(bm.array([1.0, -2.0]))
    /// array([-1.,  2.], dtype=float32)
    negative = |x| -x;
    /// As it is.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.positive(bm.array([1.0, -2.0]))
    /// array([ 1., -2.], dtype=float32)
    positive = Array::clone;
    /// `1 / x`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.reciprocal(bm.array([2.0, -4.0]))
    /// array([ 0.5 , -0.25], dtype=float32)
    reciprocal = Array::recip;
    /// `max(x, 0)`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.relu(bm.array([-1.5, 2.0]))
    /// array([0., 2.], dtype=float32)
    relu = Array::relu;
    /// The nearest whole number, the even one of two.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.round(bm.array([0.5, 1.5, -1.7]))
    /// array([ 0.,  2., -2.], dtype=float32)
    round = Array::round;
    /// `1 / sqrt(x)`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.rsqrt(bm.array([4.0, 16.0]))
    /// array([0.5 , 0.25], dtype=float32)
    rsqrt = Array::rsqrt;
    /// `1 / (1 + exp(-x))`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.sigmoid(bm.array([0.0, 100.0]))
    /// array([0.5, 1. ], dtype=float32)
    sigmoid = Array::sigmoid;
    /// -1, 0 or 1; NaN stays NaN.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.sign(bm.array([-2.5, 0.0, 3.0]))
    /// array([-1.,  0.,  1.], dtype=float32)
    sign = Array::sign;
    /// `x * sigmoid(x)`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.silu(bm.array([0.0, 100.0]))
    /// array([  0., 100.], dtype=float32)
    silu = Array::silu;
    /// The sine of radians.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.sin(bm.array([0.0]))
    /// array([0.], dtype=float32)
    sin = Array::sin;
    /// The square root; NaN below 0.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.sqrt(bm.array([4.0, 9.0]))
    /// array([2., 3.], dtype=float32)
    sqrt = Array::sqrt;
    /// `x * x`.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.square(bm.array([3, -4]))
    /// array([ 9, 16])
    square = Array::square;
    /// The tangent of radians.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.tan(bm.array([0.0]))
    /// array([0.], dtype=float32)
    tan = Array::tan;
    /// The hyperbolic tangent.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.tanh(bm.array([0.0, 100.0]))
    /// array([0., 1.], dtype=float32)
    tanh = Array::tanh;
    /// The nearest whole number towards zero.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.trunc(bm.array([1.7, -1.7]))
    /// array([ 1., -1.], dtype=float32)
    trunc = Array::trunc;
    /// The bits turned; of booleans, whether it is false.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.bitwise_invert(bm.array([0, 1]))
    /// array([-1, -2])
    bitwise_invert = Array::bitwise_invert;
    /// The conjugate of complex numbers; real numbers as they are.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.conj(bm.array([1 + 2j]))
    /// array([1.-2.j], dtype=complex64)
    conj = Array::conj;
    /// The imaginary part of complex numbers; 0 for real ones.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.imag(bm.array([1 + 2j]))
    /// array([2.], dtype=float32)
    imag = Array::imag;
    /// The real part.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.real(bm.array([1 + 2j]))
    /// array([1.], dtype=float32)
    real = Array::real;
}

/// Both operands as arrays. One may be a number, which takes the other's dtype.
pub(super) fn both(py: Python<'_>, a: Operand, b: Operand) -> PyResult<(Array, Array)> {
    match (a, b) {
        (Operand::Array(a), b) => {
            let b = b.beside(&a);
            Ok((a, b))
        }
        (a, Operand::Array(b)) => Ok((a.beside(&b), b)),
        (a, b) => {
            let device: Device = DeviceArg::or_current(py, None)?;
            Ok((a.alone(&device), b.alone(&device)))
        }
    }
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $call:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x1, x2, /))]
            fn $name(py: Python<'_>, x1: Operand, x2: Operand) -> PyResult<Out> {
                let call: fn(&Array, &Array) -> Array = $call;
                let (a, b) = both(py, x1, x2)?;
                Ok(Out(call(&a, &b)))
            }
        )*

        fn register_binary(module: &Bound<'_, PyModule>) -> PyResult<()> {
            super::add!(module: $($name)*)
        }
    };
}

binary! {
    /// The first with the sign of the second.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.copysign(bm.array([3.0, -4.0]), -1.0)
    /// array([-3., -4.], dtype=float32)
    copysign = |a, b| a.copysign(b);
    /// The length of the hypotenuse, without overflow on the way.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.hypot(bm.array([3.0]), bm.array([4.0]))
    /// array([5.], dtype=float32)
    hypot = |a, b| a.hypot(b);
    /// `log(exp(x1) + exp(x2))`, without overflow on the way.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.logaddexp(bm.array([1000.0]), bm.array([0.0]))
    /// array([1000.], dtype=float32)
    logaddexp = |a, b| a.logaddexp(b);
    /// The next number that the dtype has in the direction of the second.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.nextafter(bm.array([0.0]), 1.0) > 0
    /// array([ True])
    nextafter = |a, b| a.nextafter(b);
    /// The sum; of booleans, whether either is true.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.add(bm.array([1, 2]), 10)
    /// array([11, 12])
    add = f::add;
    /// The angle of the point (`x2`, `x1`) in radians.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.atan2(bm.array([0.0, 0.0]), bm.array([1.0, -1.0]))
    /// array([0.       , 3.1415927], dtype=float32)
    atan2 = |a, b| a.atan2(b);
    /// The bits shifted to the left.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.bitwise_left_shift(bm.array([1, 3]), 2)
    /// array([ 4, 12])
    bitwise_left_shift = f::left_shift;
    /// The bits shifted to the right; of signed integers the sign stays.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.bitwise_right_shift(bm.array([8, -8]), 2)
    /// array([ 2, -2])
    bitwise_right_shift = f::right_shift;
    /// The bits that both have.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.bitwise_and(bm.array([6, 5]), 3)
    /// array([2, 1])
    bitwise_and = f::bitwise_and;
    /// The bits that either has.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.bitwise_or(bm.array([6, 5]), 3)
    /// array([7, 7])
    bitwise_or = f::bitwise_or;
    /// The bits that one of both has.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.bitwise_xor(bm.array([6, 5]), 3)
    /// array([5, 6])
    bitwise_xor = f::bitwise_xor;
    /// The quotient; integers give floats.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.divide(bm.array([1, 3]), 2)
    /// array([0.5, 1.5], dtype=float32)
    divide = f::divide;
    /// Whether both are equal.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.equal(bm.array([1, 2]), 2)
    /// array([False,  True])
    equal = |a, b| a.eq(b);
    /// The quotient rounded down.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.floor_divide(bm.array([7, -7]), 2)
    /// array([ 3, -4])
    floor_divide = f::floor_divide;
    /// Whether the first is greater.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.greater(bm.array([1, 2, 3]), 2)
    /// array([False, False,  True])
    greater = |a, b| a.gt(b);
    /// Whether the first is greater, or both are equal.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.greater_equal(bm.array([1, 2, 3]), 2)
    /// array([False,  True,  True])
    greater_equal = |a, b| a.ge(b);
    /// Whether the first is less.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.less(bm.array([1, 2, 3]), 2)
    /// array([ True, False, False])
    less = |a, b| a.lt(b);
    /// Whether the first is less, or both are equal.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.less_equal(bm.array([1, 2, 3]), 2)
    /// array([ True,  True, False])
    less_equal = |a, b| a.le(b);
    /// Whether both are true: all but 0 is.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.logical_and(bm.array([True, True]), bm.array([True, False]))
    /// array([ True, False])
    logical_and = |a, b| a.logical_and(b);
    /// Whether either is true.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.logical_or(bm.array([True, False]), bm.array([False, False]))
    /// array([ True, False])
    logical_or = |a, b| a.logical_or(b);
    /// Whether one of both is true.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.logical_xor(bm.array([True, True]), bm.array([True, False]))
    /// array([False,  True])
    logical_xor = |a, b| a.logical_xor(b);
    /// The larger of both; NaN if either is.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.maximum(bm.array([1, 5]), bm.array([4, 2]))
    /// array([4, 5])
    maximum = |a, b| a.maximum(b);
    /// The smaller of both; NaN if either is.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.minimum(bm.array([1, 5]), bm.array([4, 2]))
    /// array([1, 2])
    minimum = |a, b| a.minimum(b);
    /// The product; of booleans, whether both are true.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.multiply(bm.array([1, 2]), 10)
    /// array([10, 20])
    multiply = f::multiply;
    /// Whether both differ.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.not_equal(bm.array([1, 2]), 2)
    /// array([ True, False])
    not_equal = |a, b| a.ne(b);
    /// The first to the power of the second.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.pow(bm.array([1.0, 2.0, 3.0]), 2)
    /// array([1., 4., 9.], dtype=float32)
    pow = f::pow;
    /// What is left of a quotient rounded down: it has the sign of the divisor.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.remainder(bm.array([7, -7]), 2)
    /// array([1, 1])
    remainder = f::remainder;
    /// The difference.
    ///
    /// >>> import bessemer as bm
    /// >>> bm.subtract(bm.array([1, 2]), 10)
    /// array([-9, -8])
    subtract = f::subtract;
}

/// At least `min` and at most `max`, where they are given.
///
/// >>> import bessemer as bm
/// >>> bm.clip(bm.array([-2, 0, 7]), 0, 5)
/// array([0, 0, 5])
#[pyfunction]
#[pyo3(signature = (x, /, min = None, max = None))]
fn clip(x: ArrayArg, min: Option<Operand>, max: Option<Operand>) -> PyResult<Out> {
    let mut clipped = x.0.clone();
    for (limit, low) in [(min, true), (max, false)] {
        if let Some(limit) = limit {
            let limit = limit.beside(&x.0);
            if limit.dtype().is_float() && !x.0.dtype().is_float() {
                return Err(value_error("clip: the limits of integers must be integers"));
            }
            clipped = if low { clipped.maximum(&limit) } else { clipped.minimum(&limit) };
        }
    }
    Ok(Out(clipped.astype(x.0.dtype())))
}

/// Elements of `x1` where the condition is true, else of `x2`.
///
/// >>> import bessemer as bm
/// >>> a = bm.arange(-2, 3)
/// >>> bm.where(a > 0, a, 100)
/// array([100, 100, 100,   1,   2])
#[pyfunction]
#[pyo3(name = "where", signature = (condition, x1, x2, /))]
fn choose(py: Python<'_>, condition: ArrayArg, x1: Operand, x2: Operand) -> PyResult<Out> {
    let (a, b) = both(py, x1, x2)?;
    Ok(Out(Array::where_(&condition.0, &a, &b)))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_unary(module)?;
    register_binary(module)?;
    super::add!(module: clip choose)
}
