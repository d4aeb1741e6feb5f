"""Functions of neural networks, against NumPy in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrays, close, equal

import bessemer as bm

FLOATS = ["float32", "float16"]


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@given(arrays(["float32", "float16", "int32"]))
def test_relu(x: np.ndarray) -> None:
    equal(bm.relu(bm.asarray(x)), np.maximum(x, x.dtype.type(0)))


@given(st.data(), st.sampled_from([1e-5, 1e-3]))
def test_norms(data: st.DataObject, eps: float) -> None:
    rows, width = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 9))
    x = data.draw(arrays(["float32"], (rows, width), small=True))
    weight, bias = (data.draw(arrays(["float32"], (width,), small=True)) for _ in range(2))
    deep = wide(x)
    mean, variance = deep.mean(-1, keepdims=True), deep.var(-1, keepdims=True)
    plain = (deep - mean) / np.sqrt(variance + eps)
    # Where all elements are nearly equal, what is left of their differences is rounded.
    scale = 1e3 * np.maximum(1, np.abs(wide(weight)) * np.abs(plain) + np.abs(wide(bias)))
    made, w, b = map(bm.asarray, (x, weight, bias))
    close(bm.layer_norm(made, eps=eps), plain, scale=1e3)
    close(bm.layer_norm(made, w, eps=eps), plain * wide(weight), scale=scale)
    close(bm.layer_norm(made, w, b, eps=eps), plain * wide(weight) + wide(bias), scale=scale)
    root = deep / np.sqrt((deep * deep).mean(-1, keepdims=True) + eps) * wide(weight)
    close(bm.rms_norm(made, w, eps=eps), root, scale=np.abs(root) + 1)


@given(st.data(), st.booleans(), st.none() | st.sampled_from([0.25, 1.0]))
def test_attention(data: st.DataObject, causal: bool, scale: float | None) -> None:
    heads, queries, width = (data.draw(st.integers(1, 4)) for _ in range(3))
    keys = data.draw(st.integers(queries, queries + 3))
    shape = (2, heads)
    q = data.draw(arrays(["float32"], (*shape, queries, width), small=True)) / np.float32(8)
    k, v = (data.draw(arrays(["float32"], (*shape, keys, width), small=True)) / np.float32(8) for _ in range(2))
    scores = wide(q) @ wide(k).mT * (1 / math.sqrt(width) if scale is None else scale)
    if causal:
        # The last query sees all keys.
        seen = np.arange(keys) <= np.arange(queries)[:, None] + keys - queries
        scores = np.where(seen, scores, -np.inf)
    wanted = softmax(scores) @ wide(v)
    found = bm.attention(*map(bm.asarray, (q, k, v)), causal=causal, scale=scale)
    close(found, wanted, ulps=64, scale=np.maximum(np.abs(wanted), 1))


def correlate(x: np.ndarray, w: np.ndarray, stride: int, padding: int, dilation: int, groups: int) -> np.ndarray:
    """The convolution of any number of dimensions, one place of the kernel after another."""
    rank = x.ndim - 2
    x = np.pad(x, [(0, 0)] * 2 + [(padding, padding)] * rank)
    sizes = [(x.shape[2 + i] - dilation * (w.shape[2 + i] - 1) - 1) // stride + 1 for i in range(rank)]
    each = w.shape[0] // groups
    made = np.zeros((x.shape[0], w.shape[0], *sizes))
    for place in np.ndindex(*w.shape[2:]):
        part = x[(slice(None),) * 2 + tuple(
            slice(dilation * at, dilation * at + stride * (size - 1) + 1, stride) for at, size in zip(place, sizes, strict=True)
        )]  # fmt: skip
        for group in range(groups):
            channels = slice(group * w.shape[1], (group + 1) * w.shape[1])
            outputs = slice(group * each, (group + 1) * each)
            made[:, outputs] += np.einsum("bc...,oc->bo...", part[:, channels], w[(outputs, slice(None), *place)])
    return made


@pytest.mark.parametrize("rank", [1, 2])
@given(data=st.data())
def test_convolutions(rank: int, data: st.DataObject) -> None:
    groups, stride, dilation = (data.draw(st.integers(1, 2)) for _ in range(3))
    padding, batch = data.draw(st.integers(0, 2)), data.draw(st.integers(1, 2))
    channels, outputs = groups * data.draw(st.integers(1, 3)), groups * data.draw(st.integers(1, 3))
    kernel = tuple(data.draw(st.integers(1, 3)) for _ in range(rank))
    sizes = tuple(data.draw(st.integers(dilation * (k - 1) + 1, 8)) for k in kernel)
    x = data.draw(arrays(["float32"], (batch, channels, *sizes), small=True))
    w = data.draw(arrays(["float32"], (outputs, channels // groups, *kernel), small=True))
    wanted = correlate(wide(x), wide(w), stride, padding, dilation, groups)
    function = bm.conv1d if rank == 1 else bm.conv2d
    found = function(
        bm.asarray(x), bm.asarray(w), stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    close(found, wanted, ulps=32, scale=np.maximum(np.abs(wanted), 64))
