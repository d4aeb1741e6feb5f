"""Arrays to and from NumPy, ml_dtypes, buffers, Python's lists and numbers: bit for bit."""

from __future__ import annotations

import array
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FLOATS, NUMPY, arrays, same

import bessemer as bm


@given(arrays())
def test_numpy_and_back(x: np.ndarray) -> None:
    made = bm.asarray(x)
    assert (made.dtype.name, made.shape, made.ndim, made.size) == (
        x.dtype.name, x.shape, x.ndim, x.size,
    )  # fmt: skip
    same(made, x)
    same(np.array(made), x)
    assert made.tobytes() == x.tobytes()


@given(arrays())
def test_views_are_those_of_numpy(x: np.ndarray) -> None:
    made = bm.asarray(x)
    same(made.transpose(), x.transpose())
    for axis in range(x.ndim):
        same(bm.flip(made, axis=axis), np.flip(x, axis))


@given(arrays([name for name in NUMPY if name != "bfloat16"]))
def test_other_byte_orders(x: np.ndarray) -> None:
    same(bm.asarray(x.astype(x.dtype.newbyteorder(">"))), x)


@given(arrays())
def test_pickles(x: np.ndarray) -> None:
    made = bm.asarray(x)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        same(pickle.loads(pickle.dumps(made, protocol)), x)
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(made, 5, buffer_callback=buffers.append)
    same(pickle.loads(text, buffers=buffers), x)
    for name in NUMPY:
        dtype = getattr(bm, name)
        assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_damaged_pickles_are_refused() -> None:
    from bessemer import _bessemer

    for dtype, shape, data in [
        ("float32", (3,), b"12345678"),
        ("float32", (2**62, 8), b""),
        ("float33", (1,), b"1234"),
        ("float32", (-1,), b"1234"),
        ("float32", (1,) * 9, b"1234"),
    ]:
        with pytest.raises((ValueError, TypeError)):
            _bessemer._restore(dtype, shape, data)


@given(arrays())
def test_lists_and_back(x: np.ndarray) -> None:
    made = bm.asarray(x)
    assert repr(made.tolist()) == repr(x.tolist())
    if x.size:
        same(bm.array(x.tolist(), dtype=x.dtype.name).reshape(x.shape), x)


def test_lists() -> None:
    assert bm.array([]).dtype == bm.float32
    assert bm.array([]).shape == (0,)
    assert bm.array([[], []]).shape == (2, 0)
    assert bm.array([True, False]).dtype == bm.bool
    assert bm.array([True, 2]).dtype == bm.int64
    assert bm.array([1, 2.5]).tolist() == [1.0, 2.5]
    assert bm.array((1, (2)), dtype="float32").tolist() == [1.0, 2.0]
    assert bm.array(range(3)).tolist() == [0, 1, 2]
    assert bm.array([bm.ones(2), bm.zeros(2)]).shape == (2, 2)
    assert bm.array([[np.float32(1.5), 2.0]]).tolist() == [[1.5, 2.0]]
    assert bm.array([np.ones(2, "f4"), [2.0, 3.0]]).tolist() == [[1, 1], [2, 3]]
    for wrong in ([[1], [2, 3]], [[1, 2], 3], [1, [2]], [[1], 2], [[[1]], [2]]):
        with pytest.raises(ValueError, match="ragged"):
            bm.array(wrong)
    for wrong in ("text", ["a"], [None], None, object(), {1: 2}.items, b"a".join):
        with pytest.raises(TypeError, match="array"):
            bm.array(wrong)
    with pytest.raises(OverflowError, match="does not fit uint8"):
        bm.array([256], dtype=bm.uint8)
    with pytest.raises(OverflowError, match="64 bits"):
        bm.array([2**64])


def test_buffers_of_python() -> None:
    assert bm.asarray(b"abc").tolist() == [97, 98, 99]
    assert bm.asarray(bytearray(b"abc")).dtype == bm.uint8
    assert bm.asarray(array.array("f", [1.5, 2.5])).tolist() == [1.5, 2.5]
    assert bm.asarray(memoryview(b"abcd").cast("B", (2, 2))).shape == (2, 2)


@given(arrays([name for name in NUMPY if name != "bfloat16"]))
def test_buffers_for_python(x: np.ndarray) -> None:
    made = bm.asarray(x)
    view = memoryview(made)
    assert view.readonly and view.shape == x.shape and view.nbytes == x.nbytes
    assert view.tobytes() == x.tobytes()
    with pytest.raises((BufferError, TypeError), match="read-only|not writable"):
        from ctypes import c_char

        (c_char * max(1, x.nbytes)).from_buffer(made)


def test_a_buffer_keeps_its_elements() -> None:
    made = bm.asarray(np.arange(6, dtype="f4").reshape(2, 3))
    view = np.asarray(made.T)
    assert view.__array_interface__["data"][0] == np.asarray(made).__array_interface__["data"][0]
    made[:] = 0
    del made
    assert view.tolist() == [[0, 3], [1, 4], [2, 5]]
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1


def test_array_protocol() -> None:
    made = bm.array([1.5, 2.5])
    assert np.asarray(made, dtype="f2").dtype == "f2"
    copied = np.array(made)
    copied[0] = 9
    assert made.tolist() == [1.5, 2.5]
    with pytest.raises(ValueError):
        np.asarray(made.astype(bm.bfloat16), dtype="f4", copy=False)
    assert np.asarray(made.astype(bm.bfloat16)).dtype.name == "bfloat16"


def test_changes_of_numpy_are_not_seen() -> None:
    x = np.ones(3, "f4")
    for made in (bm.array(x), bm.asarray(x), bm.array(x) + 0):
        x[:] = 2
        assert made.tolist() == [1, 1, 1]
        x[:] = 1


@pytest.mark.parametrize("name", FLOATS)
@given(number=st.floats(-100, 100))
def test_numbers(name: str, number: float) -> None:
    x = bm.array(number, dtype=name)
    rounded = float(np.array(number).astype(NUMPY[name]))
    assert x.item() == float(x) == rounded
    assert int(x) == int(rounded)
    assert bool(x) == bool(rounded)
    assert complex(x) == rounded
    assert f"{x:.2f}" == f"{rounded:.2f}"


def test_numbers_of_integers() -> None:
    x = bm.array(3)
    assert [10, 20, 30, 40][x] == 40
    assert list(range(5))[: bm.array(2)] == [0, 1]
    for wrong in (bm.array([3]), bm.array(3.0)):
        with pytest.raises(TypeError):
            [1, 2, 3][wrong]
    with pytest.raises(ValueError, match="2 elements"):
        bool(bm.array([1, 2]))
    with pytest.raises(TypeError, match="rank 0"):
        len(x)
    with pytest.raises(TypeError, match="rank 0"):
        iter(x)


def test_dtypes() -> None:
    assert bm.float32 == "float32" == np.dtype("float32")
    assert bm.float32 == np.float32 and bm.bool == bool and bm.float32 != bm.int32
    assert np.zeros(2, dtype=bm.float16).dtype == "f2"
    assert bm.zeros(2, dtype=np.dtype("int32")).dtype is bm.int32
    assert bm.zeros(2, dtype=float).dtype is bm.float32
    assert bm.zeros(2, dtype="bf16").dtype is bm.bfloat16
    assert len({bm.float32, bm.int32, bm.float32}) == 2
    with pytest.raises(TypeError, match="dtype"):
        bm.zeros(2, dtype="text")
    for name, numpy in NUMPY.items():
        assert getattr(bm, name).dtype == numpy
        assert getattr(bm, name).itemsize == numpy.itemsize


def test_asarray_copy() -> None:
    x = bm.ones(2)
    assert bm.asarray(x, copy=False).tolist() == [1, 1]
    shared = np.ones(4, "f4")
    view = bm.asarray(shared, copy=False)
    shared[0] = 5
    assert view.tolist() == [5, 1, 1, 1]
    for wrong in ({"dtype": bm.float16}, {}):
        with pytest.raises((ValueError, TypeError)):
            bm.asarray(shared if wrong else [1, 2], copy=False, **wrong)
    copied = bm.asarray(view, copy=True)
    shared[0] = 7
    assert copied.tolist() == [5, 1, 1, 1]
