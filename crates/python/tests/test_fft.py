"""Fourier transforms against NumPy."""

from __future__ import annotations

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrays, close, equal

import bessemer as bm

NORMS = st.sampled_from(["backward", "ortho", "forward"])
shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=7)


def near(found: bm.Array, wanted: np.ndarray) -> None:
    close(found, wanted, ulps=64, scale=np.maximum(np.max(np.abs(wanted), initial=0), 1e-3))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@given(data=st.data(), norm=NORMS)
def test_along_one_axis(name: str, data: st.DataObject, norm: str) -> None:
    real = name in ("rfft", "ihfft")
    x = data.draw(arrays(["float32"] if real else ["complex64", "float32"], shapes, small=True))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    sizes = st.integers(1, 9) if name in ("irfft", "hfft") and x.shape[axis] == 1 else st.none() | st.integers(1, 9)
    n = data.draw(sizes)
    wanted = getattr(np.fft, name)(x.astype("f8" if x.dtype.kind == "f" else "c16"), n, axis, norm)
    found = getattr(bm.fft, name)(bm.asarray(x), n=n, axis=axis, norm=norm)
    assert found.dtype == ("complex64" if wanted.dtype.kind == "c" else "float32")
    near(found, wanted)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@given(data=st.data(), norm=NORMS)
def test_along_several(name: str, data: st.DataObject, norm: str) -> None:
    x = data.draw(arrays(["float32"] if name == "rfftn" else ["complex64"], shapes, small=True))
    axes = data.draw(st.none() | st.permutations(range(x.ndim)).flatmap(
        lambda order: st.integers(1, x.ndim).map(lambda count: tuple(order[:count]))
    ))  # fmt: skip
    along = range(x.ndim) if axes is None else axes
    s = data.draw(st.tuples(*(st.integers(1, 7) for _ in along)))
    if data.draw(st.booleans()) and (name != "irfftn" or x.shape[list(along)[-1]] > 1):
        wanted = getattr(np.fft, name)(x, axes=axes, norm=norm)
        near(getattr(bm.fft, name)(bm.asarray(x), axes=axes, norm=norm), wanted)
    wanted = getattr(np.fft, name)(x, s, tuple(along), norm)
    near(getattr(bm.fft, name)(bm.asarray(x), s=s, axes=axes, norm=norm), wanted)


@given(st.integers(1, 40), st.sampled_from([1.0, 0.25, 3.0]))
def test_frequencies(n: int, d: float) -> None:
    for name in ("fftfreq", "rfftfreq"):
        wanted = getattr(np.fft, name)(n, d)
        close(getattr(bm.fft, name)(n, d=d, dtype=bm.float64), np.asarray(wanted), ulps=2)
        close(getattr(bm.fft, name)(n, d=d), np.asarray(wanted), ulps=1)


@given(st.data())
def test_shifts(data: st.DataObject) -> None:
    x = data.draw(arrays(["float32", "complex64", "int32"], shapes))
    axis = data.draw(st.none() | st.integers(0, x.ndim - 1))
    for name in ("fftshift", "ifftshift"):
        equal(getattr(bm.fft, name)(bm.asarray(x), axes=axis), getattr(np.fft, name)(x, axis))


def test_what_cannot_be() -> None:
    x = bm.ones((2, 3))
    for call in (
        lambda: bm.fft.fft(x, norm="text"), lambda: bm.fft.fft(x, n=0), lambda: bm.fft.fftn(x, s=(1,), axes=(0, 1)),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            call()
    with pytest.raises(IndexError):
        bm.fft.fft(x, axis=2)
    for call in (
        lambda: bm.fft.fftfreq(3, dtype=bm.int32), lambda: bm.fft.fft(x.astype(bm.float64)),
        lambda: bm.fft.rfft(x.astype(bm.complex64)),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call()


def test_by_way_of_numpy() -> None:
    x = bm.ones(4)
    assert isinstance(np.fft.rfft(x), bm.Array)
    # Doubles, and arguments in NumPy's order.
    assert np.fft.fft(x.astype(bm.float64)).dtype == np.complex128
    assert isinstance(np.fft.fft(x, 3), np.ndarray)
