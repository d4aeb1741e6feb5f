"""Indexing and assignment as NumPy's: integers, slices, arrays, masks, and any mix of them."""

from __future__ import annotations

from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NUMPY, arrays, full_shapes, same

import bessemer as bm


def _ours(key: Any) -> Any:
    """The same subscript with our arrays for NumPy's."""
    if isinstance(key, tuple):
        return tuple(_ours(part) for part in key)
    return bm.asarray(key) if isinstance(key, np.ndarray) else key


@st.composite
def keys(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """A subscript of an array of a shape."""
    kind = draw(st.sampled_from(["basic", "basic", "integers", "mask", "mixed"]))
    if kind == "basic" or not shape:
        return draw(hnp.basic_indices(shape, allow_newaxis=True))
    if kind == "integers" and 0 not in shape:
        return draw(hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(max_dims=2, max_side=3), dtype=np.int64))
    if kind in ("mask", "integers"):
        count = draw(st.integers(1, len(shape)))
        return draw(hnp.arrays(bool, shape[:count]))
    axis = draw(st.integers(0, len(shape) - 1))
    if not shape[axis]:
        return ...
    index = draw(hnp.arrays(np.int32, (3,), elements=st.integers(-shape[axis], shape[axis] - 1)))
    return (slice(None),) * axis + (index,) + ((slice(None, None, 2),) if axis + 1 < len(shape) else ())


@given(st.data())
def test_reading(data: st.DataObject) -> None:
    x = data.draw(arrays(list(NUMPY)))
    key = data.draw(keys(x.shape))
    try:
        wanted = x[key]
    except IndexError:
        with pytest.raises(IndexError):
            bm.asarray(x)[_ours(key)]
        return
    same(bm.asarray(x)[_ours(key)], np.asarray(wanted))


@given(st.data())
def test_assigning(data: st.DataObject) -> None:
    x = data.draw(arrays(["int32", "float32", "bool", "int64"], full_shapes)).copy()
    key = data.draw(keys(x.shape))
    made = bm.asarray(x)
    before = made[...]
    old = x.copy()
    part = np.asarray(x[key])
    value = data.draw(st.one_of(st.just(1), st.just(part[::-1] if part.ndim else part)))
    if isinstance(value, np.ndarray):
        value = value.copy()
    x[key] = value
    made[_ours(key)] = bm.asarray(value) if isinstance(value, np.ndarray) else value
    if not isinstance(key, tuple) or len({id(part) for part in key}) == len(key):
        same(made, x)
    same(before, old)


def test_what_cannot_be() -> None:
    x = bm.arange(6).reshape(2, 3)
    for key in (2, -3, (0, 3), (0, 0, 0), "text", 1.5, (..., ...), bm.ones(2), np.ones(2), [0.5]):
        with pytest.raises((IndexError, ValueError)):
            x[key]
    for key in (bm.asarray([True]), bm.ones((3, 2), dtype=bm.bool)):
        with pytest.raises((IndexError, ValueError)):
            x[key]
    with pytest.raises((IndexError, ValueError)):
        x[::0]
    with pytest.raises(ValueError, match="broadcast"):
        x[0] = bm.arange(4)
    with pytest.raises(IndexError):
        x[5] = 1
    with pytest.raises(TypeError):
        x[0] = "text"
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises((TypeError, NotImplementedError)):
        del x[0]


def test_numbers_of_any_kind_are_indices() -> None:
    x = bm.arange(6)
    assert x[np.int64(2)].item() == x[bm.asarray(2)].item() == 2
    assert x[10**30 :].shape == (0,) and x[-(10**30) :].shape == (6,)
    assert x[[1, 2]].tolist() == [1, 2]
    assert x[[True, False] * 3].tolist() == [0, 2, 4]
    assert x[x > 3].tolist() == [4, 5]
    x[x > 3] = 0
    x[[0, 1]] += 7
    assert x.tolist() == [7, 8, 2, 3, 0, 0]
