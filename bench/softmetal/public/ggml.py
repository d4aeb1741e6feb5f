"""Kernels of ggml-metal.metal, as llama-cpp-python carries it."""

import os

import numpy as np

from harness import case, close, rng, run, struct
from quants import q4_0, q4_k, q5_0, q5_k, q6_k, q8_0
from sources import ggml

I, L, F = np.int32, np.uint64, np.float32


def _run(kernel, *arguments, **options):
    folder = ggml()
    file = os.path.join(folder, "ggml-metal/ggml-metal.metal")
    include = ["-I", os.path.join(folder, "ggml-metal"), "-I", folder]
    return run(file, kernel, *arguments, options=include, **options)


@case
def unary():
    x = rng().standard_normal(256).astype(F)
    close(_run("kernel_silu", [x, x * 0], [8], [32], 1), x / (1 + np.exp(-x)), 1e-5, "silu")
    want = 0.5 * x * (1 + np.tanh(0.79788456080286535587989211986876 * x * (1 + 0.044715 * x * x)))
    close(_run("kernel_gelu", [x, x * 0], [8], [32], 1), want, 1e-5, "gelu")


@case
def quantised_matvec():
    n, k, m = 24, 512, 3
    x = rng(1).standard_normal((m, k)).astype(F)
    for name, make, bytes_of_row, rows in [
        ("q4_0", q4_0, k // 32 * 18, 8),
        ("q8_0", q8_0, k // 32 * 34, 8),
        ("q5_0", q5_0, k // 32 * 22, 8),
        ("q4_K", q4_k, k // 256 * 144, 8),
        ("q5_K", q5_k, k // 256 * 176, 4),
        ("q6_K", q6_k, k // 256 * 210, 2),
    ]:
        blocks, values = make(rng(2), n, k)
        row = bytes_of_row
        args = struct((I, k), (I, n), (I, 1), (L, 1), (L, row), (L, row * n), (L, row * n), (I, k), (I, m), (I, 1),
                      (L, 4), (L, 4 * k), (L, 4 * k * m), (L, 4 * k * m), (I, n), (I, m), (np.int16, 1), (np.int16, 1))
        got = _run(f"kernel_mul_mv_{name}_f32", [args, blocks, x, np.zeros((m, n), F)], [-(-n // rows), m, 1], [32, 2], 3)
        close(got, x @ values.T, 2e-3, name)


@case
def quantised_matmul():
    n, k, m = 72, 512, 37
    x = rng(3).standard_normal((m, k)).astype(F)
    for name, make, row in [("q4_0", q4_0, k // 32 * 18), ("q4_K", q4_k, k // 256 * 144), ("q6_K", q6_k, k // 256 * 210)]:
        blocks, values = make(rng(4), n, k)
        args = struct((I, k), (I, 1), (L, row), (L, row * n), (L, row * n), (I, 1),
                      (L, 4), (L, 4 * k), (L, 4 * k * m), (L, 4 * k * m), (I, n), (I, m), (np.int16, 1), (np.int16, 1))
        # Rows past the end are read as the last one; tiles at the edge go through threadgroup memory.
        got = _run(f"kernel_mul_mm_{name}_f32", [args, blocks, x, np.zeros((m, n), F)], [-(-m // 32), -(-n // 64), 1], [128], 3, threadgroup=[8192])
        want = x.astype(np.float16).astype(F) @ values.T
        close(got / np.abs(want).max(), want / np.abs(want).max(), 5e-3, name)


@case
def rms_norm():
    x = rng(5).standard_normal((5, 256)).astype(F)
    args = struct((I, 256), (I, 64), (L, 1024), (F, 1e-6))
    got = _run("kernel_rms_norm", [args, x, x * 0], [5], [64], 2, threadgroup=[128])
    close(got, x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6), 1e-5, "rms_norm")


@case
def soft_max():
    x = (rng(6).standard_normal((6, 100)) * 3).astype(F)
    args = struct((np.int64, 100), (np.int64, 6), (np.int64, 1), (F, 0.5), (F, 0), (F, 1), (F, 1), (np.uint32, 1))
    mask = np.where(rng(7).random((6, 100)) < 0.3, -np.inf, 0).astype(F)
    got = _run("kernel_soft_max_f32", [x, mask, x * 0, args], [6], [64], 2, threadgroup=[128])
    s = x * 0.5 + mask
    e = np.exp(s - s.max(1, keepdims=True))
    close(got, e / e.sum(1, keepdims=True), 1e-5, "soft_max")


@case
def rope():
    tokens, heads, d = 3, 2, 32
    x = rng(8).standard_normal((tokens, heads, d)).astype(F)
    at = np.array([0, 7, 100], I)
    strides = [(L, 4), (L, 4 * d), (L, 4 * d * heads), (L, 4 * d * heads * tokens)]
    sizes = [(I, d), (I, heads), (I, tokens), (I, 1)]
    args = struct(*sizes, *strides, *sizes, *strides, (I, 0), (I, d), (I, 4096), (F, 10000), (F, 1), (F, 0), (F, 1), (F, 32), (F, 1))
    theta = at[:, None, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    c, s = np.cos(theta), np.sin(theta)
    for name, a, b in [("neox", x[..., : d // 2], x[..., d // 2 :]), ("norm", x[..., 0::2], x[..., 1::2])]:
        # Without factors of its own it is given the source a second time.
        ones = np.ones(d // 2, F)
        got = _run(f"kernel_rope_{name}_f32", [args, x, at, ones, x * 0], [heads, tokens, 1], [16], 4)
        p, q = a * c - b * s, a * s + b * c
        want = np.concatenate([p, q], -1) if name == "neox" else np.stack([p, q], -1).reshape(x.shape)
        close(got, want, 1e-4, name)


@case
def flash_attention():
    heads, kv_heads, queries, length, d, nsg = 4, 2, 11, 64, 64, 2
    q = rng(9).standard_normal((heads, queries, d)).astype(F)
    k, v = rng(10).standard_normal((2, kv_heads, length, d)).astype(np.float16)
    mask = np.where(np.arange(length)[None] > np.arange(64)[:, None] + 40, -np.inf, 0).astype(np.float16)
    scale = d**-0.5
    kv = [(L, 2 * d), (L, 2 * d * length), (L, 2 * d * length * kv_heads)]
    args = struct((I, queries), (I, heads), (I, 1), (L, 4 * d), (L, 4 * d * queries), (L, 4 * d * queries * heads),
                  (I, length), (I, kv_heads), (I, 1), *kv, *kv, (L, 2 * length), (I, heads), (I, queries),
                  (F, scale), (F, 0), (F, 1), (F, 1), (np.uint16, 1), (F, 0))
    # Of this release the checker rightly says that lanes read what others of their SIMD-group have
    # stored with no barrier between (later ones have it): it runs unchecked.
    memory = (8 * (d + 2 * (2 * 32 + 8) * nsg) + 16 * 32 * nsg) * 2
    out = np.zeros((queries, heads, d), F)
    got = _run("kernel_flash_attn_ext_f16_h64", [args, q, k, v, mask, out], [-(-queries // 8), heads, 1], [32, nsg], 5, threadgroup=[memory], checked=False)
    wide = lambda x: np.repeat(x.astype(F), 2, 0)
    s = np.einsum("hqd,htd->hqt", q, wide(k)) * scale + mask[:queries].astype(F)
    e = np.exp(s - s.max(-1, keepdims=True))
    want = np.einsum("hqt,htd->qhd", e / e.sum(-1, keepdims=True), wide(v))
    close(got, want, 1e-2, "flash attention")


def _tensor(kind, x, size=4):
    """Four lengths and four strides of an array, as most argument structs have them."""
    lengths = ([1] * 4 + list(x.shape))[-4:][::-1]
    strides = [size * int(np.prod(lengths[:i])) for i in range(4)]
    return [(kind, n) for n in lengths] + [(L, n) for n in strides]


@case
def binary():
    x = rng(11).standard_normal((3, 5, 40)).astype(F)
    for name, f, y in [
        ("add", np.add, rng(12).standard_normal((3, 5, 40))),
        ("mul", np.multiply, rng(12).standard_normal((1, 1, 40))),
        ("div", np.divide, rng(12).uniform(1, 2, (1, 5, 40))),
        ("sub", np.subtract, rng(12).standard_normal((1, 1, 20))),
    ]:
        y = y.astype(F)
        args = struct(*_tensor(I, x), *_tensor(I, y), *_tensor(I, x), (L, 0))
        got = _run(f"kernel_{name}", [args, x, y, x * 0], [5, 3, 1], [16], 3)
        close(got, f(x, np.tile(y, (1, 1, 40 // y.shape[2]))), 1e-6, name)


@case
def rows():
    x = rng(13).standard_normal((6, 64)).astype(F)
    args = struct(*_tensor(L, x), *_tensor(L, x), *_tensor(L, x[:, :1]))
    close(_run("kernel_sum_rows", [x, np.zeros(6, F), args], [6], [1], 1), x.sum(1), 1e-5, "sum_rows")
    args = struct((I, 64), (I, 16), (L, 256), (F, 1e-5))
    got = _run("kernel_norm", [args, x, x * 0], [6], [32], 2, threadgroup=[128])
    centred = x - x.mean(1, keepdims=True)
    close(got, centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5), 1e-5, "norm")
    for order in ["asc", "desc"]:
        args = struct((L, 64), (L, 64))
        got = _run(f"kernel_argsort_f32_i32_{order}", [x, np.zeros((6, 64), I), args], [1, 6], [64], 1, threadgroup=[256])
        want = np.argsort(x if order == "asc" else -x, 1)
        assert (got == want).all(), order


@case
def get_rows():
    at = np.array([4, 0, 9, 9, 2], I)
    sizes = lambda k, row: struct((L, k), (L, row), (L, row * 10), (L, 5), (L, 4), (L, 20), (L, 4 * k), (L, 20 * k))
    x = rng(14).standard_normal((10, 48))
    for name, kind, size in [("f32", F, 4), ("f16", np.float16, 2)]:
        got = _run(f"kernel_get_rows_{name}", [x.astype(kind), at, np.zeros((5, 48), F), sizes(48, 48 * size)], [5], [32], 2)
        close(got, x.astype(kind)[at], 0, name)
    for name, make, row in [("q4_0", q4_0, 512 // 32 * 18), ("q5_0", q5_0, 512 // 32 * 22), ("q4_K", q4_k, 2 * 144), ("q5_K", q5_k, 2 * 176), ("q6_K", q6_k, 2 * 210)]:
        blocks, values = make(rng(15), 10, 512)
        got = _run(f"kernel_get_rows_{name}", [blocks, at, np.zeros((5, 512), F), sizes(512, row)], [5], [32], 2)
        close(got, values[at], 1e-3, name)


@case
def copies():
    x = rng(16).standard_normal((3, 4, 50)).astype(F)
    args = struct(*_tensor(L, x), *_tensor(L, x, 2))
    got = _run("kernel_cpy_f32_f16", [args, x, x.astype(np.float16) * 0], [4, 3, 1], [32], 2)
    close(got, x.astype(np.float16), 0, "to half")
    # From a transposed view.
    turned = _tensor(L, x.transpose(0, 2, 1))
    turned[4:7] = [(L, 4 * 50), (L, 4), (L, 4 * 200)]
    args = struct(*turned, *_tensor(L, x.transpose(0, 2, 1)))
    got = _run("kernel_cpy_f32_f32", [args, x, x * 0], [50, 3, 1], [32], 2)
    close(got.reshape(3, 50, 4), x.transpose(0, 2, 1), 0, "transposed")


@case
def matvec():
    n, m = 12, 5
    for k in [96, 256, 130]:
        a, x = rng(17).standard_normal((n, k)).astype(F), rng(18).standard_normal((m, k)).astype(F)
        for name, kind, size in [("f32", F, 4), ("f16", np.float16, 2)]:
            if k * size % (4 * size):
                continue
            args = struct((I, k), (I, n), (I, 1), (L, size), (L, size * k), (L, size * k * n), (L, size * k * n), (I, k), (I, m), (I, 1),
                          (L, 4), (L, 4 * k), (L, 4 * k * m), (L, 4 * k * m), (I, n), (I, m), (np.int16, 1), (np.int16, 1))
            got = _run(f"kernel_mul_mv_{name}_f32", [args, a.astype(kind), x, np.zeros((m, n), F)], [n, -(-m // 4), 1], [32], 3)
            close(got, x @ a.astype(kind).astype(F).T, 1e-4, f"{name} {k}")
