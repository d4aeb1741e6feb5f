"""Complex numbers against NumPy, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrays, close, equal, same

import bessemer as bm

shapes = (7,)
small = arrays(["complex64"], shapes, small=True)

FUNCTIONS = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log10", "log1p",
    "log2", "reciprocal", "sin", "sinh", "sqrt", "square", "tan", "tanh",
]  # fmt: skip
NAMES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atanh": "arctanh",
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@given(x=small)
def test_functions(name: str, x: np.ndarray) -> None:
    found = bm.asarray(getattr(bm, name)(bm.asarray(x)))
    assert found.dtype == bm.complex64
    with np.errstate(all="ignore"):
        wanted = getattr(np, NAMES.get(name, name))(x.astype("c16"))
    got = np.asarray(found)
    # Where the exact result has no place in single precision, or is at a pole, anything goes.
    inside = np.isfinite(wanted) & (np.abs(wanted) < 1e37) & np.isfinite(got)
    bound = 1e-5 * np.maximum(np.abs(wanted[inside]), 1e-3)
    # On a branch cut the sign of a zero decides, which NumPy keeps and we keep too.
    assert (np.abs(got[inside] - wanted[inside]) <= bound).all(), (x, got, wanted)


@given(arrays(["complex64"]))
def test_parts(x: np.ndarray) -> None:
    made = bm.asarray(x)
    equal(bm.conj(made), np.conj(x))
    same(bm.real(made), np.real(x))
    same(bm.imag(made), np.imag(x))
    for name in ("isnan", "isinf", "isfinite"):
        same(getattr(bm, name)(made), getattr(np, name)(x))
    same(made == made, x == x)
    equal(-made, -x)
    same(bm.astype(bm.real(made), bm.complex64), np.real(x).astype("c8"))


@given(small, small)
def test_arithmetic(x: np.ndarray, y: np.ndarray) -> None:
    a, b, u, v = bm.asarray(x), bm.asarray(y), x.astype("c16"), y.astype("c16")
    equal(a + b, x + y)
    equal(a - b, x - y)
    close(a * b, u * v, scale=np.abs(u) * np.abs(v))
    close(bm.abs(a), np.abs(u))
    some = np.where(y == 0, np.complex64(1), y)
    close(a / bm.asarray(some), u / some.astype("c16"), scale=np.abs(u) / np.abs(some))
    close(bm.sum(a), np.asarray(u.sum()), scale=np.abs(u).sum())
    close(bm.prod(a[:3]), np.asarray(u[:3].prod()), scale=np.abs(u[:3]).prod())
    close(bm.mean(a), np.asarray(u.mean()), scale=np.abs(u).mean())
    close(bm.cumulative_sum(a), np.cumulative_sum(u), ulps=16, scale=np.abs(u).sum())
    close(bm.sign(bm.asarray(some)), some / np.abs(some), scale=1)


@given(small, st.sampled_from([2, 0.5, -1, 1 + 1j]))
def test_powers(x: np.ndarray, power: Any) -> None:
    base = np.where(x == 0, np.complex64(1 + 2j), x)
    wanted = base.astype("c16") ** power
    close(bm.pow(bm.asarray(base), power), wanted, ulps=256)


def test_what_has_no_order() -> None:
    x = bm.asarray([1 + 1j])
    for function in (bm.max, bm.argmin, bm.sort, bm.var, bm.floor, bm.signbit, bm.atan2):
        with pytest.raises(TypeError):
            function(*([x] * (2 if function is bm.atan2 else 1)))
    for call in (lambda: x < x, lambda: float(x), lambda: x + bm.ones(1, dtype=bm.float64)):
        with pytest.raises(TypeError):
            call()
