"""Kernels of the candle-metal-kernels crate.

Its reductions share threadgroup memory behind barriers with mem_flags::mem_none, which the checker
rightly calls races: those run unchecked.
"""

import math

import numpy as np

from harness import bf16, case, close, rng, run, struct, wide
from sources import candle


def _file(name):
    return candle(f"{name}.metal")


def _erf(x):
    return np.vectorize(math.erf)(x.astype(np.float64))


@case
def unary():
    x = rng().standard_normal(1003).astype(np.float32)
    wants = {
        "gelu_erf": x * (1 + _erf(x / math.sqrt(2))) / 2,
        "silu": x / (1 + np.exp(-x)),
        "sqr": x * x,
        "exp": np.exp(x),
        "cos": np.cos(x),
        "tanh": np.tanh(x),
        "relu": np.maximum(x, 0),
        "round": np.trunc(x + np.copysign(0.5, x)),
    }
    n = np.array([x.size], np.uint64)  # a thread does as many elements as 8 bytes hold
    for name, want in wants.items():
        got = run(_file("unary"), f"{name}_f32", [n, x, x * 0], None, [32], 2, threads=[502])
        close(got, want, 3e-5, name)
        half = run(_file("unary"), f"{name}_f16", [n, x.astype(np.float16), x.astype(np.float16) * 0], None, [32], 2, threads=[251])
        close(half, want, 8e-3, name + " half")
        short = run(_file("unary"), f"{name}_bf16", [n, bf16(x), bf16(x) * 0], None, [32], 2, threads=[251])
        close(wide(short), want, 5e-2, name + " bfloat")


@case
def binary():
    x, y = rng(1).standard_normal((2, 515)).astype(np.float32)
    n = np.array([x.size], np.uint64)
    for name, f in {"badd": np.add, "bsub": np.subtract, "bmul": np.multiply, "bdiv": np.divide, "bmaximum": np.maximum}.items():
        got = run(_file("binary"), f"{name}_f32", [n, x, y, x * 0], None, [32], 3, threads=[258])
        close(got, f(x, y), 1e-5, name)
    got = run(_file("binary"), "lt_f32", [n, x, y, np.zeros(x.size, np.uint8)], None, [32], 3, threads=[258])
    assert (got == (x < y)).all()


@case
def reduce():
    rows, width = 7, 1000
    x = rng(2).standard_normal((rows, width)).astype(np.float32)
    u = lambda *v: np.array(v, np.uint32)
    for name, want in {"fast_sum_f32": x.sum(1), "fast_max_f32": x.max(1), "fast_min_f32": x.min(1)}.items():
        buffers = [u(x.size), u(2), u(rows, width), u(width), x, np.zeros(rows, np.float32)]
        close(run(_file("reduce"), name, buffers, [rows], [512], 5, checked=False), want, 1e-4, name)
    buffers = [u(x.size), u(2), u(rows, width), u(width), x, np.zeros(rows, np.uint32)]
    assert (run(_file("reduce"), "fast_argmax_f32", buffers, [rows], [512], 5, checked=False) == x.argmax(1)).all()


@case
def softmax():
    for width, threads in [(100, 64), (1000, 512), (33, 32)]:
        x = (rng(3).standard_normal((5, width)) * 4).astype(np.float32)
        e = np.exp(x - x.max(1, keepdims=True))
        want = e / e.sum(1, keepdims=True)
        u = lambda v: np.array([v], np.uint32)
        got = run(_file("reduce"), "softmax_f32", [u(x.size), u(width), x, x * 0], [5], [threads], 3, checked=False)
        close(got, want, 1e-5, f"softmax {width}")
        got = run(_file("reduce"), "softmax_bf16", [u(x.size), u(width), bf16(x), bf16(x) * 0], [5], [threads], 3, checked=False)
        close(wide(got), want, 2e-2, f"softmax bfloat {width}")


@case
def norms():
    x = rng(4).standard_normal((6, 192)).astype(np.float32)
    alpha, beta = rng(5).standard_normal((2, 192)).astype(np.float32)
    u = lambda v: np.array([v], np.uint32)
    eps = np.array([1e-5], np.float32)
    got = run(_file("reduce"), "rmsnorm_f32", [u(x.size), u(192), x, x * 0, alpha, eps], [6], [128], 3, checked=False)
    close(got, x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * alpha, 1e-4, "rms_norm")
    got = run(_file("reduce"), "layernorm_f32", [u(x.size), u(192), x, x * 0, alpha, beta, eps], [6], [128], 3, checked=False)
    centred = x - x.mean(1, keepdims=True)
    want = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * alpha + beta
    close(got, want, 1e-4, "layer_norm")


@case
def rope():
    bh, t, d = 3, 5, 16
    x = rng(6).standard_normal((bh, t, d)).astype(np.float32)
    angle = rng(7).standard_normal((t, d // 2)).astype(np.float32)
    c, s = np.cos(angle), np.sin(angle)
    n = lambda v: np.array([v], np.uint64)
    got = run(_file("reduce"), "rope_f32", [n(bh), n(t * d), n(d), n(0), x, c, s, x * 0], [4], [32], 7)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    close(got, np.concatenate([a * c - b * s, a * s + b * c], -1), 1e-5, "rope")
    got = run(_file("reduce"), "rope_i_f32", [n(bh), n(t * d), n(0), x, c, s, x * 0], [4], [32], 6)
    a, b = x[..., 0::2], x[..., 1::2]
    want = np.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)
    close(got, want, 1e-5, "interleaved rope")


@case
def gemm():
    for kind, (m, n, k) in [("nn", (33, 47, 20)), ("nt", (64, 32, 48)), ("tn", (31, 70, 17)), ("tt", (5, 6, 100))]:
        a, b = rng(8).standard_normal((m, k)).astype(np.float32), rng(9).standard_normal((k, n)).astype(np.float32)
        left, right = (a.T.copy() if kind[0] == "t" else a), (b.T.copy() if kind[1] == "t" else b)
        tiles = (-(-n // 32), -(-m // 32))
        lda, ldb = (m if kind[0] == "t" else k), (k if kind[1] == "t" else n)
        i, z = np.int32, np.uint64
        fields = [(i, m), (i, n), (i, k), (i, lda), (i, ldb), (i, n), (i, tiles[0]), (i, tiles[1])]
        fields += [(z, m * k), (z, n * k), (z, m * n), (i, 0), (i, k // 16), (i, 1)]
        constants = {10: False, 100: False, 110: False, 200: m % 32 == 0, 201: n % 32 == 0, 202: k % 16 == 0, 300: False}
        for name, put, get, tolerance in [
            ("f32", np.float32, np.float32, 1e-4),
            ("f16", np.float16, np.float32, 2e-2),
            ("bf16", bf16, wide, 1e-1),
        ]:
            buffers = [put(left), put(right), None, put(np.zeros((m, n), np.float32)), struct(*fields)]
            buffers += [None, np.array([1], i), np.array([m * k, n * k], z)]
            kernel = f"gemm_{kind}_{name}_{name}_32_32_16_2_2"
            got = run(_file("mlx_gemm"), kernel, buffers, [*tiles, 1], [32, 2, 2], 3, constants)
            close(get(got), a @ b, tolerance, kernel)


@case
def attention():
    heads, kv_heads, length, d = 4, 2, 37, 64
    q = rng(10).standard_normal((heads, d)).astype(np.float32)
    k, v = rng(11).standard_normal((2, kv_heads, length, d)).astype(np.float32)
    scale = d**-0.5
    one = lambda kind, value: np.array([value], kind)
    buffers = [q, k, v, q * 0, one(np.int32, heads // kv_heads), one(np.int32, length)]
    buffers += [one(np.uint64, length * d), one(np.uint64, length * d), one(np.float32, scale), one(np.float32, 1)]
    got = run(_file("scaled_dot_product_attention"), "sdpa_vector_float_64", buffers, [1, heads], [1024], 3, {20: False})
    s = np.einsum("hd,htd->ht", q, np.repeat(k, 2, 0)) * scale
    p = np.exp(s - s.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    close(got, np.einsum("ht,htd->hd", p, np.repeat(v, 2, 0)), 1e-4, "attention")


@case
def quantised_matvec():
    from quants import q4_0, q4_k, q6_k, q8_0

    n, k = 40, 512
    x = rng(12).standard_normal(k).astype(np.float32)
    for name, make, group, rows in [
        ("q4_0", q4_0, (8, 8), 8),
        ("q8_0", q8_0, (8, 8), 8),
        ("q4_K", q4_k, (4, 8), 4),
        ("q6_K", q6_k, (2, 32), 2),
    ]:
        blocks, values = make(rng(13), n, k)
        i, u = (lambda v: np.array([v], np.int64)), (lambda v: np.array([v], np.uint32))
        buffers = [blocks, x, np.zeros(n, np.float32), i(k), i(n), i(1), i(0), i(0), i(0), i(k), i(1), i(1), i(0), i(0), i(0), i(n), i(1), u(1), u(1)]
        got = run(_file("quantized"), f"kernel_mul_mv_{name}_f32", buffers, [-(-n // rows), 1, 1], group, 2)
        close(got, values @ x, 2e-3, name)
