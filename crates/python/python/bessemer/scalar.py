"""Functions of the scalars of a traced program: what a function under ``bessemer.program`` computes with.

They take traced scalars and Python's numbers, and note down one instruction each. The instructions,
and what they mean to the last bit, are those of ``docs/programs.md``.

>>> import bessemer as bm
>>> from bessemer import scalar as s
>>> @bm.program
... def soft_clip(x):
...     return s.where(s.abs(x) > 1.0, s.sign(x), s.tanh(x))
>>> soft_clip(bm.array([-5.0, 0.0, 5.0]))
array([-1.,  0.,  1.], dtype=float32)
"""

from __future__ import annotations

from ._program import Number, Scalar, operation

__all__ = [
    "Scalar", "abs", "atan2", "bool_", "ceil", "cos", "erf", "exp", "exp2", "float32", "floor", "fma",
    "gelu", "gelu_tanh", "index", "int32", "log", "log2", "maximum", "minimum", "pow", "recip", "round",
    "rsqrt", "sigmoid", "sign", "silu", "sin", "sqrt", "tan", "tanh", "trunc", "uint32", "where",
]  # fmt: skip


def sqrt(x: Number) -> Scalar:
    """The square root."""
    return operation("sqrt", x, floats=True)


def rsqrt(x: Number) -> Scalar:
    """``1 / sqrt(x)``."""
    return operation("rsqrt", x, floats=True)


def recip(x: Number) -> Scalar:
    """``1 / x``."""
    return operation("recip", x, floats=True)


def exp(x: Number) -> Scalar:
    """e to the power x."""
    return operation("exp", x, floats=True)


def exp2(x: Number) -> Scalar:
    """2 to the power x."""
    return operation("exp2", x, floats=True)


def log(x: Number) -> Scalar:
    """The natural logarithm."""
    return operation("log", x, floats=True)


def log2(x: Number) -> Scalar:
    """The logarithm to base 2."""
    return operation("log2", x, floats=True)


def sin(x: Number) -> Scalar:
    """The sine of radians."""
    return operation("sin", x, floats=True)


def cos(x: Number) -> Scalar:
    """The cosine of radians."""
    return operation("cos", x, floats=True)


def tan(x: Number) -> Scalar:
    """The tangent of radians."""
    return operation("tan", x, floats=True)


def tanh(x: Number) -> Scalar:
    """The hyperbolic tangent."""
    return operation("tanh", x, floats=True)


def sigmoid(x: Number) -> Scalar:
    """``1 / (1 + exp(-x))``."""
    return operation("sigmoid", x, floats=True)


def silu(x: Number) -> Scalar:
    """``x * sigmoid(x)``."""
    return operation("silu", x, floats=True)


def gelu(x: Number) -> Scalar:
    """``x * (1 + erf(x / sqrt(2))) / 2``."""
    return operation("gelu", x, floats=True)


def gelu_tanh(x: Number) -> Scalar:
    """``gelu`` by its usual approximation."""
    return operation("gelu_tanh", x, floats=True)


def erf(x: Number) -> Scalar:
    """The error function."""
    return operation("erf", x, floats=True)


def floor(x: Number) -> Scalar:
    """The nearest whole number below."""
    return operation("floor", x, floats=True)


def ceil(x: Number) -> Scalar:
    """The nearest whole number above."""
    return operation("ceil", x, floats=True)


def round(x: Number) -> Scalar:
    """The nearest whole number, the even one of two."""
    return operation("round", x, floats=True)


def trunc(x: Number) -> Scalar:
    """The nearest whole number towards zero."""
    return operation("trunc", x, floats=True)


def abs(x: Number) -> Scalar:
    """Without its sign."""
    return operation("abs", x)


def sign(x: Number) -> Scalar:
    """-1, 0 or 1."""
    return operation("sign", x)


def minimum(x: Number, y: Number) -> Scalar:
    """The smaller of both; NaN if either is."""
    return operation("min", x, y)


def maximum(x: Number, y: Number) -> Scalar:
    """The larger of both; NaN if either is."""
    return operation("max", x, y)


def pow(x: Number, y: Number) -> Scalar:
    """To a power."""
    return operation("pow", x, y, floats=True)


def atan2(y: Number, x: Number) -> Scalar:
    """The angle of the point (x, y) in radians."""
    return operation("atan2", y, x, floats=True)


def fma(x: Number, y: Number, z: Number) -> Scalar:
    """``x * y + z``, rounded once where the device can."""
    return operation("fma", x, y, z, floats=True)


def where(condition: Number, x: Number, y: Number) -> Scalar:
    """``x`` where the condition is true, else ``y``."""
    return operation("select", condition, x, y)


def float32(x: Number) -> Scalar:
    """As a float."""
    return operation("f32", x)


def int32(x: Number) -> Scalar:
    """As a signed integer, towards zero."""
    return operation("i32", x)


def uint32(x: Number) -> Scalar:
    """As an unsigned integer, towards zero."""
    return operation("u32", x)


def bool_(x: Number) -> Scalar:
    """Whether it is not 0."""
    return operation("bool", x)


def index() -> Scalar:
    """Which element of the result it is, counted in row-major order."""
    return operation("index")
