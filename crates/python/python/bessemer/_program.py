"""Python functions of scalars as programs. They are traced: called once, with scalars that note down
the instructions. The text that comes out is parsed and verified by the engine."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, ClassVar, overload

from . import _bessemer
from ._bessemer import DType, Program

Number = Any
"""A traced scalar, or one of Python's numbers."""

_UNIFORMS = {bool: "bool", int: "i32", float: "f32"}
_TYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "int32": "i32", "uint32": "u32"}
_TYPES |= {"uint8": "u8", "bool": "bool"}
# What narrow dtypes are in registers.
_REGISTERS = {"f16": "f32", "bf16": "f32", "u8": "u32"}
_NAMES = {short: long for long, short in _TYPES.items()}
_CONVERSIONS = ("f32", "i32", "u32", "bool")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


class _Trace:
    """The instructions of a program in the making."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []

    def emit(self, type_: str, text: str) -> Scalar:
        name = f"%{len(self.lines)}"
        self.lines.append(f"    {name} = {text}")
        return Scalar(self, name, type_)


_current: ContextVar[_Trace | None] = ContextVar("bessemer_trace", default=None)


class Scalar:
    """A scalar of a program in the making: operators and ``bessemer.scalar`` note down instructions."""

    __slots__ = ("_name", "_trace", "type")
    type: str
    """Its type: ``f32``, ``i32``, ``u32`` or ``bool``."""

    def __init__(self, trace: _Trace, name: str, type_: str) -> None:
        self._trace = trace
        self._name = name
        self.type = type_

    def __repr__(self) -> str:
        return f"<scalar {self._name}: {self.type}>"

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self._trace.name}: it is not known yet whether {self!r} is true, so Python cannot branch "
            "on it; use bessemer.scalar.where"
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __add__(self, other: Number) -> Scalar:
        return operation("add", self, other)

    def __radd__(self, other: Number) -> Scalar:
        return operation("add", other, self)

    def __sub__(self, other: Number) -> Scalar:
        return operation("sub", self, other)

    def __rsub__(self, other: Number) -> Scalar:
        return operation("sub", other, self)

    def __mul__(self, other: Number) -> Scalar:
        return operation("mul", self, other)

    def __rmul__(self, other: Number) -> Scalar:
        return operation("mul", other, self)

    def __truediv__(self, other: Number) -> Scalar:
        return operation("div", self, other, floats=True)

    def __rtruediv__(self, other: Number) -> Scalar:
        return operation("div", other, self, floats=True)

    def __floordiv__(self, other: Number) -> Scalar:
        return _floor_divide(self, other)[0]

    def __rfloordiv__(self, other: Number) -> Scalar:
        return _floor_divide(other, self)[0]

    def __mod__(self, other: Number) -> Scalar:
        return _floor_divide(self, other)[1]

    def __rmod__(self, other: Number) -> Scalar:
        return _floor_divide(other, self)[1]

    def __pow__(self, other: Number) -> Scalar:
        return operation("pow", self, other, floats=True)

    def __rpow__(self, other: Number) -> Scalar:
        return operation("pow", other, self, floats=True)

    def __and__(self, other: Number) -> Scalar:
        return operation("and", self, other)

    def __rand__(self, other: Number) -> Scalar:
        return operation("and", other, self)

    def __or__(self, other: Number) -> Scalar:
        return operation("or", self, other)

    def __ror__(self, other: Number) -> Scalar:
        return operation("or", other, self)

    def __xor__(self, other: Number) -> Scalar:
        return operation("xor", self, other)

    def __rxor__(self, other: Number) -> Scalar:
        return operation("xor", other, self)

    def __lshift__(self, other: Number) -> Scalar:
        return operation("shl", self, other)

    def __rshift__(self, other: Number) -> Scalar:
        return operation("shr", self, other)

    def __eq__(self, other: object) -> Scalar:  # type: ignore[override]
        return operation("eq", self, other)

    def __ne__(self, other: object) -> Scalar:  # type: ignore[override]
        return operation("ne", self, other)

    def __lt__(self, other: Number) -> Scalar:
        return operation("lt", self, other)

    def __le__(self, other: Number) -> Scalar:
        return operation("le", self, other)

    def __gt__(self, other: Number) -> Scalar:
        return operation("gt", self, other)

    def __ge__(self, other: Number) -> Scalar:
        return operation("ge", self, other)

    def __neg__(self) -> Scalar:
        return operation("neg", self)

    def __pos__(self) -> Scalar:
        return self

    def __abs__(self) -> Scalar:
        return operation("abs", self)

    def __invert__(self) -> Scalar:
        return operation("not", self)


def _floor_divide(a: Number, b: Number) -> tuple[Scalar, Scalar]:
    """The quotient rounded down, and a remainder with the sign of the divisor, as in Python."""
    rest = operation("rem", a, b)
    zero = 0.0 if rest.type == "f32" else 0
    if rest.type == "u32":
        return operation("div", a, b), rest
    wrong = (rest != zero) & ((rest < zero) ^ (_beside(b, rest) < zero))
    floored = operation("select", wrong, rest + b, rest)
    quotient = operation("div", a - floored, b)
    if rest.type == "f32":
        quotient = operation("round", quotient)
    return quotient, floored


def _beside(value: Number, other: Scalar) -> Scalar:
    return value if isinstance(value, Scalar) else operation("mov", value, like=other)


def operation(
    name: str, *operands: Number, floats: bool = False, like: Scalar | None = None
) -> Scalar:
    """Notes down an instruction. Python's numbers take the type of the scalar beside them."""
    trace = next((x._trace for x in operands if isinstance(x, Scalar)), None) or _current.get()
    if trace is None:
        raise TypeError(f"{name}: no program is being traced; use it under `bessemer.program`")
    if any(isinstance(x, Scalar) and x._trace is not trace for x in operands):
        raise TypeError(f"{name}: the scalars belong to different programs")
    # A condition has its own type.
    free = 1 if name == "select" else 0
    types = [x.type for x in operands[free:] if isinstance(x, Scalar)]
    if like is not None:
        types.append(like.type)
    if name in _CONVERSIONS or name == "index":
        wanted = None
    elif floats or "f32" in types or any(type(x) is float for x in operands[free:]):
        wanted = "f32"
    elif types:
        wanted = next((type_ for type_ in types if type_ != "bool"), "bool")
        if wanted == "bool" and any(type(x) is int for x in operands[free:]):
            wanted = "i32"
    else:
        wanted = "bool" if all(type(x) is bool for x in operands[free:]) else "i32"
    words = [
        _word(trace, x, "bool" if i < free else wanted) for i, x in enumerate(operands)
    ]
    if name in _CONVERSIONS:
        if isinstance(operands[0], Scalar) and operands[0].type == name:
            return operands[0]
        result = name
    elif name == "index":
        result = "u32"
    elif name in _COMPARISONS:
        result = "bool"
    else:
        result = wanted or "f32"
    return trace.emit(result, f"{name} {', '.join(words)}".rstrip())


def _word(trace: _Trace, value: Number, wanted: str | None) -> str:
    """An operand as text, converted to the type it has to have."""
    if isinstance(value, Scalar):
        if wanted is None or value.type == wanted:
            return value._name
        return trace.emit(wanted, f"{wanted} {value._name}")._name
    if not isinstance(value, (bool, int, float)):
        raise TypeError(
            f"{trace.name}: {type(value).__name__} is no scalar; use numbers, the function's parameters, "
            "and what bessemer.scalar makes of them"
        )
    wanted = wanted or ("bool" if isinstance(value, bool) else _UNIFORMS[type(value)])
    if wanted == "bool":
        return "true" if value else "false"
    if wanted == "f32":
        number = float(value)
        if number != number:
            return "nan"
        if number in (float("inf"), float("-inf")):
            return "inf" if number > 0 else "-inf"
        return repr(number)
    whole = int(value)
    low, high = (0, 2**32 - 1) if wanted == "u32" else (-(2**31), 2**31 - 1)
    if not low <= whole <= high:
        raise OverflowError(f"{trace.name}: {value} does not fit {_NAMES[wanted]}")
    return f"{whole}u" if wanted == "u32" else str(whole)


@overload
def program(function: Callable[..., Any], /) -> Program: ...


@overload
def program(
    *, dtype: DType | str | None = None, out: DType | str | tuple[DType | str, ...] | None = None
) -> Callable[[Callable[..., Any]], Program]: ...


def program(
    function: Callable[..., Any] | None = None,
    /,
    *,
    dtype: DType | str | None = None,
    out: DType | str | tuple[DType | str, ...] | None = None,
) -> Program | Callable[[Callable[..., Any]], Program]:
    """Turns a small function of scalars into a program that runs over arrays.

    A parameter annotated with ``float``, ``int`` or ``bool`` is a number, the same for all elements. All
    others are elements of arrays: of the dtype they are annotated with, else (also with ``Scalar``) of
    ``dtype``, which is ``float32`` unless told otherwise. The results are stored as ``out``, or as what they come out as.

    >>> import bessemer as bm
    >>> @bm.program
    ... def axpy(a: float, x, y):
    ...     return a * x + y
    >>> axpy(2.0, bm.array([1.0, 2.0]), bm.array([10.0, 20.0]))
    array([12., 24.], dtype=float32)
    >>> print(axpy)
    program axpy(uniform a: f32, in view x: f32, in view y: f32, out view result: f32) {
        %0 = load x[@]
        %1 = load y[@]
        %2 = mul a, %0
        %3 = add %2, %1
        store result[@], %3
    }
    <BLANKLINE>

    The function is called once, to note down what it does; loops are unrolled, and Python's ``if`` cannot
    depend on elements. ``bessemer.scalar`` has the functions, ``where`` among them.
    """
    if function is None:
        return lambda function: _program(function, dtype, out)
    return _program(function, dtype, out)


def _short(dtype: DType | str, what: str) -> str:
    name = _bessemer.result_type(dtype).name
    if name not in _TYPES:
        known = ", ".join(_TYPES)
        raise TypeError(f"program: {what} is {name}, which programs do not have; use one of {known}")
    return _TYPES[name]


def _program(
    function: Callable[..., Any],
    dtype: DType | str | None,
    out: DType | str | tuple[DType | str, ...] | None,
) -> Program:
    import inspect

    trace = _Trace(function.__name__)
    params, inputs = [], []
    for param in inspect.signature(function, eval_str=True).parameters.values():
        if param.kind not in (param.POSITIONAL_ONLY, param.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"{trace.name}: {param} cannot be a parameter of a program")
        if param.annotation in _UNIFORMS:
            type_ = _UNIFORMS[param.annotation]
            params.append(f"uniform {param.name}: {type_}")
            inputs.append(Scalar(trace, param.name, type_))
            continue
        asked = dtype if param.annotation in (param.empty, Scalar) else param.annotation
        type_ = _short("float32" if asked is None else asked, param.name)
        params.append(f"in view {param.name}: {type_}")
        inputs.append(trace.emit(_REGISTERS.get(type_, type_), f"load {param.name}[@]"))
    token = _current.set(trace)
    try:
        results = function(*inputs)
    finally:
        _current.reset(token)
    results = results if isinstance(results, tuple) else (results,)
    dtypes = out if isinstance(out, tuple) else (out,) * len(results)
    if len(dtypes) != len(results) or not results:
        raise TypeError(f"{trace.name}: it returns {len(results)} scalars, but `out` has {len(dtypes)}")
    stores = []
    for i, (result, asked) in enumerate(zip(results, dtypes, strict=True)):
        name = "result" if len(results) == 1 else f"result{i}"
        if not isinstance(result, Scalar):
            result = operation("mov", result)
        type_ = result.type if asked is None else _short(asked, name)
        word = _word(trace, result, _REGISTERS.get(type_, type_))
        params.append(f"out view {name}: {type_}")
        stores.append(f"    store {name}[@], {word}")
    lines = "\n".join(trace.lines + stores)
    text = f"program {trace.name}({', '.join(params)}) {{\n{lines}\n}}"
    return Program(text, file=trace.name)
