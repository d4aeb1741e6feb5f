"""Arrays for property tests: of every dtype, shape, memory order and with strides of both signs."""

from __future__ import annotations

from typing import Any

import hypothesis.extra.numpy as hnp
import ml_dtypes
import numpy as np
from hypothesis import strategies as st

import bessemer as bm

NUMPY = {
    name: np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)
    for name in (
        "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
        "float16", "bfloat16", "float32", "float64", "complex64",
    )
    if hasattr(bm, name)
}  # fmt: skip
"""The dtypes of this build, and NumPy's for them."""

INTEGERS = [name for name in NUMPY if np.dtype(NUMPY[name]).kind in "iu"]
FLOATS = [name for name in NUMPY if name.startswith(("float", "bfloat"))]
REALS = ["bool", *INTEGERS, *FLOATS]

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
full_shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=6)


def elements(name: str, *, finite: bool = False, small: bool = False) -> st.SearchStrategy[Any]:
    """Elements of a dtype."""
    if name == "bool":
        return st.booleans()
    if name in INTEGERS:
        info = np.iinfo(name)
        low, high = (max(info.min, -9), min(info.max, 9)) if small else (info.min, info.max)
        return st.integers(int(low), int(high))
    if name == "complex64":
        part = elements("float32", finite=finite, small=small)
        return st.builds(complex, part, part)
    width = 64 if name == "float64" else 16 if name == "float16" else 32
    if small:
        return st.integers(-64, 64).map(lambda x: x / 8)
    return st.floats(width=width, allow_nan=not finite, allow_infinity=not finite)


@st.composite
def arrays(
    draw: st.DrawFn,
    names: list[str] | None = None,
    shape: Any = shapes,
    *,
    finite: bool = False,
    small: bool = False,
) -> np.ndarray:
    """NumPy's arrays in any memory order."""
    name = draw(st.sampled_from(list(NUMPY) if names is None else names))
    shape = shape if isinstance(shape, tuple) else draw(shape)
    plain = draw(
        hnp.arrays(
            np.float32 if name == "bfloat16" else NUMPY[name],
            shape,
            elements=elements(name, finite=finite, small=small),
        )
    )
    with np.errstate(over="ignore"):
        plain = plain.astype(NUMPY[name], copy=False)
    return draw(in_any_order(plain))


@st.composite
def in_any_order(draw: st.DrawFn, array: np.ndarray) -> np.ndarray:
    """The same elements, laid out in any way."""
    order = draw(st.permutations(range(array.ndim)))
    moved = np.ascontiguousarray(array.transpose(order)).reshape(
        [array.shape[axis] for axis in order]
    )
    array = moved.transpose(np.argsort(order)) if array.ndim else array
    for axis in range(array.ndim):
        how = draw(st.sampled_from(["as it is", "backwards", "every second"]))
        if how == "backwards":
            array = np.flip(np.flip(array, axis).copy(order="K"), axis)
        elif how == "every second":
            array = np.repeat(array, 2, axis).take(range(2 * array.shape[axis]), axis)
            index = [slice(None)] * array.ndim
            index[axis] = slice(None, None, 2)
            array = array[tuple(index)]
    return array


def same(found: Any, wanted: np.ndarray) -> None:
    """Both have the same dtype, shape and bits."""
    got = np.asarray(found)
    assert got.dtype == wanted.dtype, (got.dtype, wanted.dtype)
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    assert got.tobytes() == np.ascontiguousarray(wanted).tobytes(), (got, wanted)


def equal(found: Any, wanted: np.ndarray) -> None:
    """Both have the same dtype, shape and values; NaN is equal to NaN."""
    got = np.asarray(found)
    assert got.dtype == wanted.dtype, (got.dtype, wanted.dtype)
    if got.dtype == NUMPY["bfloat16"]:
        got, wanted = got.astype(np.float32), wanted.astype(np.float32)
    np.testing.assert_array_equal(got, wanted, strict=True)


def close(found: Any, wanted: np.ndarray, *, ulps: float = 8, scale: Any = None) -> None:
    """Both have the same shape, and values within some units in the last place."""
    got = np.asarray(found)
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    if got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, wanted)
        return
    eps = float(bm.finfo(str(got.dtype)).eps) if got.dtype != np.complex64 else 2**-23
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    got, wanted = got.astype(wide), wanted.astype(wide)
    size = np.abs(wanted) if scale is None else np.broadcast_to(scale, wanted.shape)
    bound = ulps * eps * np.maximum(np.where(np.isfinite(size), size, 1), 1e-6)
    with np.errstate(invalid="ignore"):
        equal = (got == wanted) | (np.isnan(got) & np.isnan(wanted)) | (np.abs(got - wanted) <= bound)
    assert equal.all(), (got, wanted)
