"""Sorting, searching, running totals, sets, rearrangements, products: against NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FLOATS, INTEGERS, NUMPY, arrays, close, equal, full_shapes, same

import bessemer as bm

HYPERBOLIC: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float, float]] = {
    "acos": (np.arccos, -1, 1), "acosh": (np.arccosh, 1.01, 60), "asin": (np.arcsin, -1, 1),
    "asinh": (np.arcsinh, -60, 60), "atan": (np.arctan, -60, 60), "atanh": (np.arctanh, -0.99, 0.99),
    "cosh": (np.cosh, -10, 10), "sinh": (np.sinh, -10, 10), "expm1": (np.expm1, -10, 10),
    "log1p": (np.log1p, -0.99, 60), "log10": (np.log10, 0.01, 60),
}  # fmt: skip


@pytest.mark.parametrize("name", HYPERBOLIC)
@given(data=st.data())
def test_functions(name: str, data: st.DataObject) -> None:
    function, low, high = HYPERBOLIC[name]
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    x = np.array(data.draw(st.lists(st.floats(low, high), min_size=1, max_size=8)), dtype)
    close(getattr(bm, name)(bm.asarray(x)), function(x.astype("f8")), ulps=8)


@given(st.data())
def test_signs(data: st.DataObject) -> None:
    x = data.draw(arrays(["float32", "float64"], (5,)))
    y = data.draw(arrays([x.dtype.name], (5,)))
    same(bm.signbit(bm.asarray(x)), np.signbit(x))
    equal(bm.copysign(bm.asarray(x), bm.asarray(y)), np.copysign(x, y))
    equal(bm.nextafter(bm.asarray(x), bm.asarray(y)), np.nextafter(x, y))
    with np.errstate(all="ignore"):
        close(bm.hypot(bm.asarray(x), bm.asarray(y)), np.hypot(x, y), ulps=4)
    small = np.nan_to_num(x, nan=1, posinf=3, neginf=-3) % 50
    close(bm.logaddexp(bm.asarray(small), 1.0), np.logaddexp(small, x.dtype.type(1)), ulps=8, scale=50)


@given(st.data())
def test_sorting(data: st.DataObject) -> None:
    x = data.draw(arrays([*INTEGERS, *FLOATS], full_shapes))
    if not x.ndim:
        return
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    plain = x.astype("f4") if x.dtype.kind == "V" else x
    made = bm.asarray(x)
    equal(bm.sort(made, axis=axis), np.sort(plain, axis=axis).astype(x.dtype))
    order = np.asarray(bm.argsort(made, axis=axis))
    np.testing.assert_array_equal(order, np.argsort(plain, axis=axis, kind="stable"))
    equal(bm.take_along_axis(made, bm.asarray(order), axis=axis), np.take_along_axis(x, order, axis))
    falling = np.asarray(bm.sort(made, axis=axis, descending=True))
    real = ~np.isnan(plain).any() if plain.dtype.kind == "f" else True
    if real:
        equal(falling, np.flip(np.sort(plain, axis=axis), axis).astype(x.dtype))


@given(st.data())
def test_searching(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["int32", "float32", "uint8"]))
    x = np.sort(data.draw(arrays([name], (data.draw(st.integers(0, 9)),), small=True)))
    values = data.draw(arrays([name], small=True))
    for side in ("left", "right"):
        found = bm.searchsorted(bm.asarray(x), bm.asarray(values), side=side)
        np.testing.assert_array_equal(np.asarray(found), np.searchsorted(x, values, side))
    y = data.draw(arrays(["bool", "int32", "float32"], full_shapes, small=True))
    if y.ndim:
        for found, wanted in zip(bm.nonzero(bm.asarray(y)), np.nonzero(y), strict=True):
            np.testing.assert_array_equal(np.asarray(found), wanted)
    assert int(bm.count_nonzero(bm.asarray(y))) == np.count_nonzero(y)


@given(arrays(["int32", "uint8", "int64", "float32"], small=True))
def test_sets(x: np.ndarray) -> None:
    made = bm.asarray(x)
    found = bm.unique_all(made)
    wanted = np.unique_all(x)
    same(found.values, wanted.values)
    for ours, theirs in zip(found[1:], wanted[1:], strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)
    same(bm.unique_values(made), np.unique(x))
    assert bm.unique_counts(made).counts.tolist() == wanted.counts.tolist()
    assert bm.unique_inverse(made).inverse_indices.shape == x.shape


@given(st.data())
def test_running_totals(data: st.DataObject) -> None:
    x = data.draw(arrays(["int32", "float32", "float64"], full_shapes, small=True))
    if not x.ndim:
        return
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    for ours, theirs in ((bm.cumulative_sum, np.cumulative_sum), (bm.cumulative_prod, np.cumulative_prod)):
        for initial in (False, True):
            found = ours(bm.asarray(x), axis=axis, include_initial=initial)
            with np.errstate(all="ignore"):
                wanted = theirs(x.astype("f8"), axis=axis, include_initial=initial)
            close(found, wanted, ulps=8, scale=np.maximum(np.abs(wanted), 100))
    same(bm.diff(bm.asarray(x), axis=axis), np.diff(x, axis=axis))
    same(bm.diff(bm.asarray(x), axis=axis, n=2, append=bm.asarray(x)), np.diff(x, 2, axis, append=x))


@pytest.mark.parametrize("name", ["var", "std"])
@given(data=st.data())
def test_spread(name: str, data: st.DataObject) -> None:
    x = data.draw(arrays(["float32", "float64"], full_shapes, small=True))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1)) if x.ndim else None
    with np.errstate(all="ignore"):
        for correction in (0, 1, 0.5):
            if np.size(x) <= correction or (axis is not None and x.shape[axis] <= correction):
                continue
            wanted = getattr(np, name)(x.astype("f8"), axis=axis, ddof=correction)
            close(getattr(bm, name)(bm.asarray(x), axis=axis, correction=correction), np.asarray(wanted), scale=64)
    assert getattr(bm.asarray(x), name)(keepdims=True).shape == (1,) * x.ndim


@given(st.data())
def test_rearranging(data: st.DataObject) -> None:
    x = data.draw(arrays(list(NUMPY), full_shapes))
    made = bm.asarray(x)
    counts = tuple(data.draw(st.lists(st.integers(0, 3), max_size=3)))
    same(bm.tile(made, counts), np.tile(x, counts))
    same(bm.repeat(made, 2), np.repeat(x, 2))
    same(bm.roll(made, 3), np.roll(x, 3))
    if x.ndim:
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        same(bm.roll(made, -2, axis=axis), np.roll(x, -2, axis))
        same(bm.roll(made, (1, 2), axis=(axis, axis)), np.roll(x, (1, 2), (axis, axis)))
        same(bm.repeat(made, 3, axis=axis), np.repeat(x, 3, axis))
        each = np.array(data.draw(st.lists(st.integers(0, 3), min_size=x.shape[axis], max_size=x.shape[axis])), "i4")
        same(bm.repeat(made, bm.asarray(each), axis=axis), np.repeat(x, each, axis))
    if x.ndim >= 2:
        k = data.draw(st.integers(-4, 4))
        same(bm.tril(made, k=k), np.tril(x, k))
        same(bm.triu(made, k=k), np.triu(x, k))
    mode = data.draw(st.sampled_from(["constant", "edge", "reflect", "symmetric", "wrap"]))
    if x.dtype.kind != "V" and min(x.shape, default=1) > 2:
        same(bm.pad(made, 2, mode), np.pad(x, 2, mode))
        same(bm.pad(made, (1, 0), "constant", constant_values=1), np.pad(x, (1, 0), constant_values=1))


@given(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["xy", "ij"]))
def test_meshgrid(a: int, b: int, indexing: str) -> None:
    x, y = np.arange(a, dtype="i4"), np.arange(b, dtype="f4")
    found = bm.meshgrid(bm.asarray(x), bm.asarray(y), indexing=indexing)
    for ours, theirs in zip(found, np.meshgrid(x, y, indexing=indexing), strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)


@given(st.data())
def test_products(data: st.DataObject) -> None:
    m, k, n = (data.draw(st.integers(1, 5)) for _ in range(3))
    a = data.draw(arrays(["float32", "float64"], (m, k, n), small=True))
    b = data.draw(arrays([a.dtype.name], (k, n, m), small=True))
    A, B = bm.asarray(a), bm.asarray(b)
    scale = 1e3
    close(bm.tensordot(A, B), np.tensordot(a, b), scale=scale) if m == k == n else None
    close(bm.tensordot(A, B, axes=([1, 2], [0, 1])), np.tensordot(a, b, ([1, 2], [0, 1])), scale=scale)
    close(bm.tensordot(A, B, axes=0), np.tensordot(a, b, 0), scale=scale)
    close(bm.vecdot(A, A), np.vecdot(a, a), scale=scale)
    close(bm.einsum("ijk,jkl->il", A, B), np.einsum("ijk,jkl->il", a, b), scale=scale)
    close(bm.einsum("ijk->ki", A), np.einsum("ijk->ki", a), scale=scale)


@given(st.integers(0, 2**40))
def test_random(seed: int) -> None:
    order = bm.random.permutation(20, seed=seed)
    assert sorted(order.tolist()) == list(range(20))
    x = bm.arange(20) * 10
    assert sorted(bm.random.permutation(x, seed=seed).tolist()) == x.tolist()
    numbers = np.asarray(bm.random.integers(-5, 5, (50,), seed=seed))
    assert numbers.min() >= -5 and numbers.max() < 5
    drawn = bm.random.choice(x, 10, replace=False, seed=seed).tolist()
    assert len(set(drawn)) == 10 and set(drawn) <= set(x.tolist())
    weights = bm.array([0.0, 1.0, 0.0])
    assert set(bm.random.choice(bm.arange(3), 9, p=weights, seed=seed).tolist()) == {1}
    same(bm.random.normal(size=8, seed=seed), np.asarray(bm.random.normal(size=8, seed=seed, device="cpu")))


def test_convolutions() -> None:
    x = np.random.default_rng(1).normal(size=(2, 3, 9)).astype("f4")
    w = np.random.default_rng(2).normal(size=(4, 3, 3)).astype("f4")
    wanted = np.stack([
        np.stack([sum(np.correlate(x[b, c], w[o, c], "valid") for c in range(3)) for o in range(4)])
        for b in range(2)
    ])  # fmt: skip
    np.testing.assert_allclose(np.asarray(bm.conv1d(bm.asarray(x), bm.asarray(w))), wanted, atol=1e-5)
    assert bm.conv1d(bm.asarray(x), bm.asarray(w), stride=2, padding=1).shape == (2, 4, 5)
    image = bm.ones((1, 4, 6, 6))
    assert bm.conv2d(image, bm.ones((8, 2, 3, 3)), padding=(1, 0), groups=2).shape == (1, 8, 6, 4)
    with pytest.raises(ValueError, match="stride"):
        bm.conv2d(image, bm.ones((8, 4, 3, 3)), stride=(1, 2, 3))


def test_what_is_refused() -> None:
    x = bm.ones((2, 3))
    for call in (
        lambda: bm.cumulative_sum(x), lambda: bm.meshgrid(x[0], indexing="text"), lambda: bm.pad(x, 1, "text"),
        lambda: bm.searchsorted(x[0], x[0], side="text"), lambda: bm.tensordot(x, x, axes=3),
        lambda: bm.roll(x, (1, 2, 3), axis=(0, 1)), lambda: bm.random.choice(x, 9, replace=False),
        lambda: bm.random.choice(x, 1, replace=False, p=bm.ones(2)), lambda: bm.einsum("ij,jk", x),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            call()
