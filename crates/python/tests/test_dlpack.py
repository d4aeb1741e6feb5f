"""DLPack: with NumPy as partner, and with capsules that lie."""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NUMPY, arrays, same

import bessemer as bm

KNOWN = [name for name in NUMPY if name != "bfloat16"]


@given(arrays(KNOWN))
def test_numpy_reads_ours(x: np.ndarray) -> None:
    made = bm.asarray(x)
    view = np.from_dlpack(made)
    same(view, x)
    assert x.size == 0 or not view.flags.writeable
    same(np.from_dlpack(made.transpose()), x.transpose())
    copied = np.from_dlpack(made, copy=True)
    same(copied, x)
    assert copied.flags.writeable


@given(arrays(KNOWN))
def test_we_read_numpys(x: np.ndarray) -> None:
    same(bm.from_dlpack(x), x)
    same(bm.from_dlpack(x, copy=True), x)
    same(bm.from_dlpack(x) if x.ndim == 0 else bm.from_dlpack(x)[::-1], x if x.ndim == 0 else x[::-1])


@given(arrays())
def test_ours_and_back(x: np.ndarray) -> None:
    made = bm.asarray(x)
    for version in (None, (0, 8), (1, 0), (1, 3), (2, 0)):
        same(bm.from_dlpack(made.__dlpack__(max_version=version)), x)


def test_nothing_is_copied() -> None:
    x = np.arange(64, dtype="f4")
    made = bm.from_dlpack(x)
    x[3] = 100
    assert made[3].item() == 100
    ours = bm.arange(64, dtype="float32").eval()
    first, second = np.from_dlpack(ours), np.from_dlpack(ours[::2])
    assert first.__array_interface__["data"][0] == second.__array_interface__["data"][0]


def test_memory_lives_as_long_as_needed() -> None:
    class Counted(np.ndarray):
        pass

    x = np.arange(1000, dtype="f4").view(Counted)
    gone = weakref.ref(x)
    made = bm.from_dlpack(x)
    del x
    gc.collect()
    assert gone() is not None and made.sum().item() == 499500
    del made
    gc.collect()
    bm.ones(1)
    assert gone() is None


def test_devices() -> None:
    x = bm.ones(3)
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError, match="cannot be shared"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="streams"):
        x.__dlpack__(stream=1)
    assert bm.from_dlpack(np.ones(2, "f4"), device="reference").device == "reference"


def test_a_capsule_is_taken_once() -> None:
    capsule = bm.ones(3).__dlpack__()
    bm.from_dlpack(capsule)
    with pytest.raises(ValueError, match="consumed"):
        bm.from_dlpack(capsule)
    for wrong in (3, object(), "text"):
        with pytest.raises(TypeError, match="__dlpack__"):
            bm.from_dlpack(wrong)
    # Nobody takes these: they free what they have.
    for version in (None, (1, 0)):
        for _ in range(1000):
            bm.ones(3).__dlpack__(max_version=version)


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]  # fmt: skip


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

wild = st.one_of(
    st.integers(-3, 9), st.sampled_from([2**31 - 1, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63)])
)


@given(
    st.data(), st.sampled_from([0, 1, 2, 4, 5, 6, 99]), st.sampled_from([0, 8, 16, 32, 64, 255]),
    st.sampled_from([0, 1, 2]), st.sampled_from([1, 1, 1, 2, 8]), st.integers(-2, 10), st.booleans(),
    st.sampled_from([0, 1, 2, 2**32 - 1]), st.booleans(), st.booleans(), st.booleans(),
    st.sampled_from([0, 0, 4, 2**40, 2**64 - 4]),
)  # fmt: skip
def test_capsules_that_lie(
    data: st.DataObject, code: int, bits: int, lanes: int, device: int, ndim: int, versioned: bool,
    major: int, with_data: bool, with_shape: bool, with_strides: bool, byte_offset: int,
) -> None:  # fmt: skip
    """Whatever a capsule says, it is an error or an array of memory that is there."""
    memory = (ctypes.c_double * 4096)()
    sizes = [data.draw(wild) for _ in range(max(ndim, 0))]
    steps = [data.draw(wild) for _ in range(max(ndim, 0))]
    shape, strides = ((ctypes.c_int64 * max(len(x), 1))(*x) for x in (sizes, steps))
    address = ctypes.addressof(memory) + 2048 * 8
    tensor = Tensor(
        address if with_data else None, device, 0, ndim, code, bits, lanes,
        ctypes.addressof(shape) if with_shape else None,
        ctypes.addressof(strides) if with_strides else None, byte_offset,
    )  # fmt: skip
    if versioned:
        managed, name = Versioned(major, 0, None, None, 0, tensor), b"dltensor_versioned"
    else:
        managed, name = Managed(tensor, None, None), b"dltensor"
    if with_strides or byte_offset:
        # In range of the memory, or refused: an honest consumer cannot know more.
        reach = sum(abs((size - 1) * step) for size, step in zip(sizes, steps, strict=True))
        if with_strides and with_shape and reach < 2**40 and (reach > 200 or byte_offset > 4):
            return
        if byte_offset == 2**40:
            return
    elif with_shape and np.prod([max(size, 0) for size in sizes], dtype=object) > 200:
        total = np.prod([max(size, 0) for size in sizes], dtype=object)
        if total < 2**60:
            return
    capsule = _new(ctypes.addressof(managed), name, None)
    try:
        made = bm.from_dlpack(capsule)
    except (ValueError, BufferError, MemoryError, TypeError):
        return
    assert made.size < 4096
    made.tolist()
    del made, capsule
    bm.ones(1)
