"""Every function against NumPy, on arrays of every dtype, shape and memory order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FLOATS, INTEGERS, NUMPY, REALS, arrays, close, equal, full_shapes, same

import bessemer as bm

COMPLEX = ["complex64"] if "complex64" in NUMPY else []
NUMERIC = [*INTEGERS, *FLOATS, *COMPLEX]


def wide(x: np.ndarray) -> np.ndarray:
    """In double precision, which is exact for narrow floats."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + np.vectorize(__import__("math").erf, otypes=[float])(x / np.sqrt(2))) / 2


ERF = np.vectorize(__import__("math").erf, otypes=[float])

REAL_FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "cos": np.cos, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sin": np.sin,
    "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh, "erf": ERF, "gelu": gelu,
    "reciprocal": lambda x: 1 / x, "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu_tanh": lambda x: x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2,
}  # fmt: skip
"""Functions that give floats, within a few units in the last place."""


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
@given(data=st.data())
def test_real_functions(name: str, data: st.DataObject) -> None:
    x = data.draw(arrays(REALS, small=True))
    found = getattr(bm, name)(bm.asarray(x))
    assert found.dtype == (x.dtype.name if x.dtype.name in FLOATS else "float32")
    with np.errstate(all="ignore"):
        wanted = REAL_FUNCTIONS[name](wide(x))
    # Products with what is left of 1 lose what the 1 had.
    lost = np.abs(wide(x)) if name.startswith("gelu") else 0
    close(found, wanted, ulps=16, scale=np.maximum(np.abs(wanted), 1e-2) + lost)


SAME = {
    "abs": np.abs, "negative": np.negative, "positive": np.positive, "sign": np.sign, "square": np.square,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.round,
}  # fmt: skip
"""Functions that keep the dtype, exactly."""


@pytest.mark.parametrize("name", SAME)
@given(data=st.data())
def test_functions_that_keep_the_dtype(name: str, data: st.DataObject) -> None:
    x = data.draw(arrays([*INTEGERS, *FLOATS]))
    found = getattr(bm, name)(bm.asarray(x))
    assert found.dtype == x.dtype.name
    with np.errstate(all="ignore"):
        wanted = SAME[name](wide(x) if x.dtype.kind == "V" or x.dtype == np.float16 else x)
        wanted = wanted.astype(x.dtype)
    equal(found, wanted)


KINDS = {"isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan}


@pytest.mark.parametrize("name", KINDS)
@given(x=arrays(NUMERIC))
def test_kinds_of_numbers(name: str, x: np.ndarray) -> None:
    same(getattr(bm, name)(bm.asarray(x)), KINDS[name](wide(x) if x.dtype.kind == "V" else x))


@given(arrays([*REALS, *COMPLEX]))
def test_logical_not(x: np.ndarray) -> None:
    same(bm.logical_not(bm.asarray(x)), np.logical_not(wide(x) if x.dtype.kind == "V" else x))


@given(arrays(["bool", *INTEGERS]))
def test_bitwise_invert(x: np.ndarray) -> None:
    same(bm.bitwise_invert(bm.asarray(x)), ~x)


@st.composite
def pairs(draw: st.DrawFn, names: list[str], **how: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of one dtype that broadcast."""
    name = draw(st.sampled_from(names))
    shape = draw(full_shapes)
    # Some axes of size 1, and some leading ones left out.
    other = tuple(1 if draw(st.booleans()) else size for size in shape)[draw(st.integers(0, len(shape))) :]
    a = draw(arrays([name], shape, **how))
    b = draw(arrays([name], other, **how))
    return (a, b) if draw(st.booleans()) else (b, a)


ARITHMETIC = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum,
}  # fmt: skip


@pytest.mark.parametrize("name", ARITHMETIC)
@given(data=st.data())
def test_arithmetic(name: str, data: st.DataObject) -> None:
    a, b = data.draw(pairs([*INTEGERS, *FLOATS]))
    found = getattr(bm, name)(bm.asarray(a), bm.asarray(b))
    assert found.dtype == a.dtype.name
    with np.errstate(all="ignore"):
        if a.dtype.kind == "V" or a.dtype == np.float16:
            wanted = ARITHMETIC[name](a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
        else:
            wanted = ARITHMETIC[name](a, b)
    equal(found, wanted)


@given(pairs([*INTEGERS, *FLOATS], small=True))
def test_divide(ab: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = ab
    found = bm.divide(bm.asarray(a), bm.asarray(b))
    assert found.dtype == (a.dtype.name if a.dtype.name in FLOATS else "float32")
    with np.errstate(all="ignore"):
        close(found, wide(a) / wide(b), ulps=1)


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
@given(data=st.data())
def test_whole_quotients(name: str, data: st.DataObject) -> None:
    a, b = data.draw(pairs([*INTEGERS, "float32"], small=True))
    b = np.where(b == 0, np.ones_like(b), b)
    same(getattr(bm, name)(bm.asarray(a), bm.asarray(b)), np.asarray(getattr(np, name)(a, b)))


@given(pairs(INTEGERS), st.integers(0, 9))
def test_whole_powers(ab: tuple[np.ndarray, np.ndarray], power: int) -> None:
    a, b = ab
    b = b if b.dtype.kind == "u" else b & np.iinfo(b.dtype).max
    with np.errstate(all="ignore"):
        same(bm.pow(bm.asarray(a), bm.asarray(b)), np.asarray(a**b))
        same(bm.asarray(a) ** power, np.asarray(a ** a.dtype.type(power)))


@given(pairs(FLOATS, small=True))
def test_pow_and_atan2(ab: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = ab
    with np.errstate(all="ignore"):
        wanted = wide(np.abs(a)) ** wide(b)
        top = float(bm.finfo(a.dtype.name).max)
        wanted = np.where(wanted > top, np.inf, wanted)
        close(bm.pow(bm.asarray(np.abs(a)), bm.asarray(b)), wanted, ulps=64)
        close(bm.atan2(bm.asarray(a), bm.asarray(b)), np.arctan2(wide(a), wide(b)))


COMPARISONS = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARISONS)
@given(data=st.data())
def test_comparisons(name: str, data: st.DataObject) -> None:
    a, b = data.draw(pairs(REALS))
    found = getattr(bm, name)(bm.asarray(a), bm.asarray(b))
    same(found, COMPARISONS[name](*((wide(x) if x.dtype.kind == "V" else x) for x in (a, b))))


BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}


@pytest.mark.parametrize("name", BITS)
@given(data=st.data())
def test_bits(name: str, data: st.DataObject) -> None:
    a, b = data.draw(pairs(["bool", *INTEGERS]))
    same(getattr(bm, name)(bm.asarray(a), bm.asarray(b)), BITS[name](a, b))


@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
@given(data=st.data())
def test_shifts(name: str, data: st.DataObject) -> None:
    a, b = data.draw(pairs(INTEGERS))
    b = (np.abs(b.astype(np.int64)) % (8 * b.itemsize)).astype(b.dtype)
    same(getattr(bm, name)(bm.asarray(a), bm.asarray(b)), getattr(np, name)(a, b))


LOGIC = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}


@pytest.mark.parametrize("name", LOGIC)
@given(data=st.data())
def test_logic(name: str, data: st.DataObject) -> None:
    a, b = data.draw(pairs(["bool", "int32", "float32"]))
    same(getattr(bm, name)(bm.asarray(a), bm.asarray(b)), LOGIC[name](a, b))


@given(st.data())
def test_where_and_clip(data: st.DataObject) -> None:
    a, b = data.draw(pairs(list(NUMPY)))
    condition = data.draw(arrays(["bool"], np.broadcast_shapes(a.shape, b.shape)))
    same(bm.where(*map(bm.asarray, (condition, a, b))), np.where(condition, a, b))
    x = data.draw(arrays(["int32", "float32"], small=True))
    low, high = sorted((data.draw(st.integers(-5, 5)), data.draw(st.integers(-5, 5))))
    same(bm.clip(bm.asarray(x), low, high), np.clip(x, low, high))
    same(bm.clip(bm.asarray(x), min=low), np.maximum(x, x.dtype.type(low)))
    same(bm.clip(bm.asarray(x), None, high), np.minimum(x, x.dtype.type(high)))


@given(arrays(REALS), st.sampled_from(list(NUMPY)))
def test_astype(x: np.ndarray, name: str) -> None:
    found = bm.asarray(x).astype(name)
    assert found.dtype == name
    source = wide(x) if x.dtype.kind == "V" else x
    if NUMPY[name].kind in "iu" and source.dtype.kind in "fc":
        # What NumPy does beyond the range is undefined; we saturate, and NaN is 0.
        info = np.iinfo(name)
        clean = np.nan_to_num(wide(source), nan=0.0, posinf=np.inf, neginf=-np.inf)
        inside = (clean >= float(info.min)) & (clean < float(info.max))
        got = np.asarray(found)
        np.testing.assert_array_equal(got[inside], clean[inside].astype(name))
        assert (got[clean >= float(info.max)] == info.max).all()
        assert (got[clean <= float(info.min)] == info.min).all()
        return
    with np.errstate(all="ignore"):
        if name in ("float16", "bfloat16") and source.dtype == np.float64:
            # In one step, as we round; NumPy's bfloat16 goes through float32.
            close(found, source.astype(NUMPY[name]).astype(np.float64), ulps=1)
            return
        wanted = source.astype(NUMPY[name])
    equal(found, wanted)


@st.composite
def with_axes(draw: st.DrawFn, names: list[str], **how: Any) -> tuple[np.ndarray, Any, bool]:
    x = draw(arrays(names, full_shapes, **how))
    axes: Any = None
    if x.ndim:
        axis = st.integers(-x.ndim, x.ndim - 1)
        several = st.lists(axis, unique_by=lambda axis: axis % x.ndim, max_size=x.ndim).map(tuple)
        axes = draw(st.none() | axis | several)
    return x, axes, draw(st.booleans())


@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
@given(data=st.data())
def test_sums(name: str, data: st.DataObject) -> None:
    names = FLOATS if name == "mean" else ["bool", *INTEGERS, *FLOATS]
    x, axis, keepdims = data.draw(with_axes(names, small=True))
    if name == "prod" and x.size > 64:
        return
    found = getattr(bm, name)(bm.asarray(x), axis=axis, keepdims=keepdims)
    if x.dtype.kind in "biu":
        wanted = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        assert found.dtype == ("uint64" if wanted.dtype.kind == "u" else "int64")
        np.testing.assert_array_equal(np.asarray(found), wanted)
        return
    assert found.dtype == x.dtype.name
    with np.errstate(all="ignore"):
        wanted = np.asarray(getattr(np, name)(wide(x), axis=axis, keepdims=keepdims))
        wanted = np.where(np.abs(wanted) > float(bm.finfo(x.dtype.name).max), np.inf * np.sign(wanted), wanted)
    scale = np.max(np.abs(wide(x)), initial=1) if name != "prod" else None
    close(found, wanted, ulps=4, scale=None if scale is None else np.maximum(np.abs(wanted), scale * 1e-6))
    method = getattr(bm.asarray(x), name)(axis, keepdims=keepdims)
    np.testing.assert_array_equal(np.asarray(method), np.asarray(found))


@pytest.mark.parametrize("name", ["min", "max", "any", "all"])
@given(data=st.data())
def test_extremes(name: str, data: st.DataObject) -> None:
    names = REALS if name in ("any", "all") else [*INTEGERS, *FLOATS]
    x, axis, keepdims = data.draw(with_axes(names))
    found = getattr(bm, name)(bm.asarray(x), axis=axis, keepdims=keepdims)
    plain = wide(x) if x.dtype.kind == "V" else x
    wanted = np.asarray(getattr(np, name)(plain, axis=axis, keepdims=keepdims))
    if name in ("min", "max"):
        wanted = wanted.astype(x.dtype)
    equal(found, wanted)


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@given(data=st.data())
def test_places_of_extremes(name: str, data: st.DataObject) -> None:
    x = data.draw(arrays([*INTEGERS, *FLOATS], full_shapes))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1)) if x.ndim else None
    keepdims = data.draw(st.booleans())
    found = getattr(bm, name)(bm.asarray(x), axis=axis, keepdims=keepdims)
    plain = wide(x) if x.dtype.kind == "V" else x
    np.testing.assert_array_equal(np.asarray(found), getattr(np, name)(plain, axis=axis, keepdims=keepdims))


@given(st.data())
def test_matmul(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["float32", "float16", "float64", "int32"]))
    if name not in NUMPY:
        return
    m, k, n = (data.draw(st.integers(1, 6)) for _ in range(3))
    stack = data.draw(st.sampled_from([(), (3,), (2, 1)]))
    a = data.draw(arrays([name], data.draw(st.sampled_from([(*stack, m, k), (m, k), (k,)])), small=True))
    b = data.draw(arrays([name], data.draw(st.sampled_from([(k, n), (*stack[:1], k, n), (k,)])), small=True))
    found = bm.matmul(bm.asarray(a), bm.asarray(b))
    close(found, np.asarray(wide(a) @ wide(b)), ulps=8, scale=np.asarray(wide(np.abs(a)) @ wide(np.abs(b))) + 1)
    if min(a.ndim, b.ndim) >= 2:
        same(bm.matrix_transpose(bm.asarray(a)), np.matrix_transpose(a))
        same(bm.asarray(a).mT, np.matrix_transpose(a))


@given(st.data())
def test_softmax(data: st.DataObject) -> None:
    x = data.draw(arrays(["float32", "float16"], full_shapes, small=True))
    if x.ndim == 0:
        return
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shifted = wide(x) - wide(x).max(axis=axis, keepdims=True)
    total = np.exp(shifted).sum(axis=axis, keepdims=True)
    close(bm.softmax(bm.asarray(x), axis=axis), np.exp(shifted) / total, scale=1)
    close(bm.log_softmax(bm.asarray(x), axis=axis), shifted - np.log(total), scale=np.abs(shifted) + 1)


@given(st.data())
def test_moving(data: st.DataObject) -> None:
    x = data.draw(arrays(list(NUMPY)))
    made = bm.asarray(x)
    order = data.draw(st.permutations(range(x.ndim)))
    same(bm.permute_dims(made, tuple(order)), x.transpose(order))
    same(made.transpose(*order), x.transpose(order))
    same(made.flatten(), x.flatten())
    same(bm.reshape(made, (-1,)), x.reshape(-1))
    same(bm.reshape(made, (*x.shape, 1)), x[..., None])
    place = data.draw(st.integers(-x.ndim - 1, x.ndim))
    same(bm.expand_dims(made, axis=place), np.expand_dims(x, place))
    same(bm.expand_dims(made, axis=(0, -1)), np.expand_dims(x, (0, -1)))
    same(bm.squeeze(bm.expand_dims(made, axis=place), axis=place), x)
    same(bm.broadcast_to(made, (2, *x.shape)), np.broadcast_to(x, (2, *x.shape)))
    same(bm.flip(made), np.flip(x))
    if x.ndim:
        a, b = (data.draw(st.integers(-x.ndim, x.ndim - 1)) for _ in range(2))
        same(bm.moveaxis(made, a, b), np.moveaxis(x, a, b))
        same(bm.concat([made, made[:1]], axis=0), np.concatenate([x, x[:1]]))
        same(bm.stack([made, made], axis=a), np.stack([x, x], axis=a))
        same(bm.concat([made, made], axis=None), np.concatenate([x, x], axis=None))
        for found, wanted in zip(bm.unstack(made, axis=a), np.unstack(x, axis=a), strict=True):
            same(found, wanted)
        half = x.shape[a] // 2
        for found, wanted in zip(
            bm.split(made, [half, x.shape[a] - half], axis=a), np.split(x, [half], axis=a), strict=True
        ):
            same(found, wanted)
        if x.shape[a]:
            indices = data.draw(arrays(["int32", "uint8"], (4,), small=True)) % x.shape[a]
            same(bm.take(made, bm.asarray(indices.astype("i4")), axis=a), np.take(x, indices, axis=a))


def test_broadcasting() -> None:
    assert bm.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
    a, b = bm.broadcast_arrays(bm.ones((2, 1)), bm.ones(3))
    assert a.shape == b.shape == (2, 3)
    with pytest.raises(ValueError, match="broadcast"):
        bm.broadcast_shapes((2,), (3,))


@given(st.integers(-20, 20), st.integers(-20, 20), st.sampled_from([-3, -1, 1, 2, 5]))
def test_arange(start: int, stop: int, step: int) -> None:
    same(bm.arange(start, stop, step), np.arange(start, stop, step, dtype="i8"))
    same(bm.arange(start, stop, step, dtype="float32"), np.arange(start, stop, step, dtype="f4"))
    half = bm.arange(start / 2, stop / 2, step / 2)
    np.testing.assert_array_equal(np.asarray(half), np.arange(start / 2, stop / 2, step / 2, dtype="f4"))


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 9), st.booleans())
def test_linspace(start: int, stop: int, num: int, endpoint: bool) -> None:
    found = bm.linspace(start, stop, num, endpoint=endpoint)
    close(found, np.linspace(start, stop, num, endpoint=endpoint), scale=10)


@given(st.integers(0, 6), st.none() | st.integers(0, 6), st.integers(-8, 8))
def test_eye(rows: int, columns: int | None, k: int) -> None:
    same(bm.eye(rows, columns, k=k), np.eye(rows, columns, k=k, dtype="f4"))
    same(bm.eye(rows, columns, k=k, dtype=bm.bool), np.eye(rows, columns, k=k, dtype=bool))


@given(full_shapes, st.sampled_from(list(NUMPY)))
def test_constants(shape: tuple[int, ...], name: str) -> None:
    for ours, theirs in ((bm.zeros, np.zeros), (bm.ones, np.ones), (bm.empty, np.zeros)):
        same(ours(shape, dtype=name), theirs(shape, dtype=NUMPY[name]))
    x = bm.full(shape, 3, dtype=name)
    same(x, np.full(shape, 3, dtype=NUMPY[name]))
    same(bm.full_like(x, 1), np.full(shape, 1, dtype=NUMPY[name]))
    same(bm.zeros_like(x), np.zeros(shape, dtype=NUMPY[name]))
    same(bm.ones_like(x, dtype="float32"), np.ones(shape, dtype="f4"))
    assert bm.empty_like(x).shape == shape


@given(st.sampled_from(REALS), st.sampled_from(REALS))
def test_promotion(a: str, b: str) -> None:
    """Promotion is symmetric, the same for results and for `result_type`, and as the standard has it."""
    try:
        found = bm.result_type(a, b)
    except TypeError:
        with pytest.raises(TypeError, match="common dtype"):
            bm.ones(1, dtype=a) * bm.ones(1, dtype=b)
        return
    assert found == bm.result_type(b, a) == (bm.ones(1, dtype=a) * bm.ones(1, dtype=b)).dtype
    if NUMPY[a].kind == NUMPY[b].kind != "V" or (NUMPY[a].kind in "iu" and NUMPY[b].kind in "iu"):
        assert found == np.result_type(NUMPY[a], NUMPY[b])
    assert bm.can_cast(a, found) and bm.can_cast(b, found)


@pytest.mark.parametrize("name", NUMPY)
def test_limits(name: str) -> None:
    if name in INTEGERS:
        info, wanted = bm.iinfo(name), np.iinfo(name)
        assert (info.min, info.max, info.bits, info.dtype) == (wanted.min, wanted.max, wanted.bits, name)
        with pytest.raises(TypeError, match="no dtype of floats"):
            bm.finfo(name)
    elif name != "bool":
        info, wanted = bm.finfo(name), ml_dtypes.finfo(NUMPY[name])
        assert info.bits == wanted.bits
        for key in ("eps", "max", "min", "smallest_normal"):
            assert getattr(info, key) == float(getattr(wanted, key))
        with pytest.raises(TypeError, match="no dtype of integers"):
            bm.iinfo(name)


def test_kinds_of_dtypes() -> None:
    kinds = {"b": "bool", "i": "signed integer", "u": "unsigned integer", "f": "real floating",
             "c": "complex floating", "V": "real floating"}  # fmt: skip
    for name, dtype in NUMPY.items():
        assert bm.isdtype(name, kinds[dtype.kind]) and bm.isdtype(name, ("bool", "numeric"))
        assert bm.isdtype(name, "integral") == (dtype.kind in "iu")
        assert bm.isdtype(name, getattr(bm, name))
    with pytest.raises(ValueError, match="no kind"):
        bm.isdtype("float32", "text")


def test_namespace() -> None:
    info = bm.ones(1).__array_namespace__().__array_namespace_info__()
    assert info.capabilities()["max dimensions"] == 8
    assert info.default_device() == bm.default_device()
    assert info.default_dtypes()["real floating"] == bm.float32
    assert "cpu" in [str(device) for device in info.devices()]
    assert info.dtypes(kind=("bool", "real floating"))["float32"] is bm.float32
    assert bm.ones(1).__array_namespace__(api_version="2024.12") is bm
    with pytest.raises(ValueError, match="unknown"):
        bm.ones(1).__array_namespace__(api_version="1999.12")
    with pytest.raises(ValueError, match="no kind"):
        info.dtypes(kind="text")


@given(st.integers(0, 2**32), st.sampled_from(["float32", "float16", "int32"]))
def test_random(seed: int, name: str) -> None:
    x = bm.random.uniform(-3, 5, (40,), seed=seed, dtype=name)
    again = bm.random.uniform(-3, 5, (40,), seed=seed, dtype=name, device="reference")
    same(x, np.asarray(again))
    assert (np.asarray(x) >= -3).all() and (np.asarray(x) < 5).all()


def test_errors_of_functions() -> None:
    x = bm.ones((2, 3))
    for error, call in [
        (ValueError, lambda: bm.reshape(x, (4,))),
        (ValueError, lambda: bm.reshape(x, (-1, -1))),
        (IndexError, lambda: bm.sum(x, axis=2)),
        (IndexError, lambda: bm.flip(x, axis=5)),
        (IndexError, lambda: bm.expand_dims(x, axis=7)),
        (IndexError, lambda: bm.unstack(x, axis=2)),
        (ValueError, lambda: bm.permute_dims(x, (0, 0))),
        (IndexError, lambda: bm.moveaxis(x, 0, 5)),
        (ValueError, lambda: bm.moveaxis(x, (0, 0), (1, 0))),
        (ValueError, lambda: bm.concat([])),
        (ValueError, lambda: bm.concat([x, bm.ones((3, 4))])),
        (ValueError, lambda: bm.stack([x, bm.ones(2)])),
        (ValueError, lambda: bm.matmul(x, x)),
        (ValueError, lambda: bm.take(x, bm.asarray([0]))),
        (TypeError, lambda: bm.take(x, bm.ones(2), axis=0)),
        (TypeError, lambda: bm.bitwise_and(x, x)),
        (TypeError, lambda: bm.sum(x, axis="text")),
        (TypeError, lambda: bm.zeros("text")),
        (ValueError, lambda: bm.zeros((-1, 2))),
        (ValueError, lambda: bm.split(x, 2, axis=1)),
        (ValueError, lambda: bm.broadcast_to(x, (4, 4))),
        (ValueError, lambda: bm.max(bm.zeros((0, 2)))),
        (TypeError, lambda: bm.sin("text")),
        (TypeError, lambda: bm.full(2, "text")),
        (ValueError, lambda: bm.arange(0, 1, 0)),
        (ValueError, lambda: bm.ones((1,) * 9)),
    ]:
        with pytest.raises(error) as caught:
            call()
        assert caught.type is error, caught
