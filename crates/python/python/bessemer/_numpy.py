"""NumPy's functions called with our arrays: those that bessemer has are computed by it and give its
arrays; for all others the arrays are converted to NumPy's. NumPy itself calls this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bessemer as bm

from ._bessemer import Array

_UFUNCS = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
    "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "conjugate": "conj", "float_power": "pow",
    "invert": "bitwise_invert", "left_shift": "bitwise_left_shift", "power": "pow", "rint": "round",
    "right_shift": "bitwise_right_shift", "true_divide": "divide",
}  # fmt: skip
"""NumPy's names of functions that the array API calls something else."""

_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
    "logical_or": "any",
}  # fmt: skip


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of each element, or a reduction by one."""
    name: str = ufunc.__name__
    dtype = kwargs.get("dtype")
    plain = all(value is None for key, value in kwargs.items() if key != "dtype")
    if method == "__call__" and plain:
        function = getattr(bm, _UFUNCS.get(name, name), None)
        if function is not None:
            result = function(*inputs)
            return result if dtype is None else result.astype(dtype)
    if method == "reduce" and name in _REDUCTIONS:
        options = {key: kwargs[key] for key in ("axis", "keepdims") if key in kwargs}
        options.setdefault("axis", 0)
        rest = {key: value for key, value in kwargs.items() if key not in ("axis", "keepdims", "dtype")}
        if all(value is None for value in rest.values()):
            x = inputs[0] if dtype is None else inputs[0].astype(dtype)
            return getattr(bm, _REDUCTIONS[name])(x, **options)
    return getattr(ufunc, method)(*_converted(inputs), **_converted(kwargs))


def array_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Any other function of NumPy."""
    ours = _FUNCTIONS.get(_name(function))
    if ours is not None:
        try:
            return ours(*args, **kwargs)
        except _Other:
            pass
    return function(*_converted(args), **_converted(kwargs))


class _Other(Exception):
    """Arguments that only NumPy's function knows."""


def _name(function: Any) -> str:
    module = getattr(function, "__module__", "").removeprefix("numpy").strip(".")
    return f"{module}.{function.__name__}" if module else function.__name__


def _converted(value: Any) -> Any:
    """The same with NumPy's arrays for ours."""
    if isinstance(value, Array):
        import numpy as np

        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        items = [_converted(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _converted(item) for key, item in value.items()}
    return value


def _none(*values: Any) -> None:
    """Refuses arguments that we have nothing for."""
    if any(value is not None and repr(value) != "<no value>" for value in values):
        raise _Other


def _reduction(name: str) -> Callable[..., Any]:
    def reduce(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **more: Any
    ) -> Any:
        _none(out, *more.values())
        x = a if dtype is None else bm.astype(bm.asarray(a), dtype)
        return getattr(bm, name)(x, axis=axis, keepdims=keepdims is True)

    return reduce


def _selection(name: str) -> Callable[..., Any]:
    def select(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **more: Any) -> Any:
        _none(out, *more.values())
        return getattr(bm, name)(a, axis=axis, keepdims=keepdims is True)

    return select


def _spread(name: str) -> Callable[..., Any]:
    def spread(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False, **more: Any,
    ) -> Any:  # fmt: skip
        _none(dtype, out, *more.values())
        return getattr(bm, name)(a, axis=axis, correction=ddof, keepdims=keepdims is True)

    return spread


def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Any:
    _none(out, casting)
    joined = bm.concat(list(arrays), axis=axis)
    return joined if dtype is None else joined.astype(dtype)


def _stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Any:
    _none(out, dtype, casting)
    return bm.stack(list(arrays), axis=axis)


def _transpose(a: Any, axes: Any = None) -> Any:
    return a.transpose() if axes is None else bm.permute_dims(a, tuple(axes))


def _where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise _Other
    return bm.where(bm.asarray(condition), *choices)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **more: Any) -> Any:
    _none(out, *more.values())
    limits = [None if repr(limit) == "<no value>" else limit for limit in (a_min, a_max)]
    return bm.clip(a, *limits)


def _full_like(value: Any) -> Callable[..., Any]:
    def like(a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, **more: Any) -> Any:
        _none(*(item for key, item in more.items() if key != "device"))
        shape = a.shape if shape is None else shape
        return bm.full(shape, value, dtype=a.dtype if dtype is None else dtype, device=a.device)

    return like


def _as_is(name: str) -> Callable[..., Any]:
    def same(*args: Any, **kwargs: Any) -> Any:
        return getattr(bm, name)(*args, **kwargs)

    return same


def _tables() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {
        "concatenate": _concatenate,
        "stack": _stack,
        "transpose": _transpose,
        "where": _where,
        "clip": _clip,
        "zeros_like": _full_like(0),
        "ones_like": _full_like(1),
        "empty_like": _full_like(0),
        "reshape": lambda a, shape, **_: bm.reshape(a, shape),
        "ravel": lambda a, order="C": a.flatten(),
        "swapaxes": lambda a, first, second: _swapped(a, first, second),
        "dot": lambda a, b, out=None: bm.matmul(a, b),
        "ndim": lambda a: a.ndim,
        "shape": lambda a: a.shape,
        "size": lambda a, axis=None: a.size if axis is None else a.shape[axis],
        "expand_dims": lambda a, axis: bm.expand_dims(a, axis=axis),
        "squeeze": lambda a, axis=None: bm.squeeze(a, axis),
    }
    for name in ("sum", "prod", "mean"):
        found[name] = _reduction(name)
    for ours, theirs in (("min", "amin"), ("max", "amax")):
        found[ours] = found[theirs] = _selection(ours)
    for name in ("any", "all", "argmin", "argmax"):
        found[name] = _selection(name)
    for name in ("broadcast_to", "broadcast_arrays", "flip", "moveaxis", "result_type", "can_cast"):
        found[name] = _as_is(name)
    # What is computed the same way under the same name.
    for name in ("var", "std"):
        found[name] = _spread(name)
    for name in ("einsum", "tensordot", "tile", "roll", "diff", "tril", "triu", "vecdot"):
        found[name] = _as_is(name)
    for module in (bm.linalg, bm.fft):
        for name in module.__all__:
            short = module.__name__.removeprefix("bessemer.")
            found[f"{short}.{name}"] = _standard(getattr(module, name))
    return found


def _standard(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the standard, for calls that mean the same to it as to NumPy's."""

    def call(*args: Any, **kwargs: Any) -> Any:
        import inspect

        try:
            inspect.signature(function).bind(*args, **kwargs)
        except TypeError:
            raise _Other from None
        # Transforms of doubles have the precision of doubles in NumPy only.
        if function in _TRANSFORMS and any(isinstance(x, Array) and x.dtype == "float64" for x in args):
            raise _Other
        return function(*args, **kwargs)

    return call


_TRANSFORMS = [getattr(bm.fft, name) for name in bm.fft.__all__ if not name.endswith("shift")]


def _swapped(a: Any, first: int, second: int) -> Any:
    axes = list(range(a.ndim))
    axes[first], axes[second] = axes[second], axes[first]
    return bm.permute_dims(a, tuple(axes))


_FUNCTIONS = _tables()
