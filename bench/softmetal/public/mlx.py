"""Kernels from MLX's headers, instantiated as its own .metal files and its JIT do."""

import os

import numpy as np

from harness import bf16, case, close, rng, run, struct, wide
from sources import FOLDER, mlx

I, L, F = np.int32, np.int64, np.float32
KERNELS = "mlx/backend/metal/kernels"


def _file(name, headers, lines):
    path = os.path.join(FOLDER, f"mlx_{name}.metal")
    with open(path, "w") as f:
        for h in ["utils.h", *headers]:
            f.write(f'#include "{KERNELS}/{h}"\n')
        f.write("\n".join(f"instantiate_kernel({line})" for line in lines) + "\n")
    return path


def _run(file, *arguments, **options):
    return run(file, *arguments, options=["-I", mlx()], **options)


def _one(kind, *values):
    return np.array(values, kind)


@case
def unary():
    file = _file("unary", ["unary_ops.h", "unary.h"], [
        '"exp", unary_v, float, float, Exp', '"log1p", unary_v, float, float, Log1p',
        '"sigmoid", unary_v, bfloat16_t, bfloat16_t, Sigmoid', '"erfinv", unary_v, float, float, ErfInv',
        '"cexp", unary_v, complex64_t, complex64_t, Exp'])
    x = rng().uniform(-0.9, 0.9, 300).astype(F)
    n = _one(np.uint32, x.size)
    go = lambda kernel, a: _run(file, kernel, [a, a * 0, n], None, [64], 1, threads=[a.size])
    close(go("exp", x), np.exp(x), 1e-5, "exp")
    close(go("log1p", x), np.log1p(x), 1e-5, "log1p")
    close(wide(go("sigmoid", bf16(x))), 1 / (1 + np.exp(-x)), 1e-2, "sigmoid")
    pairs = rng(1).standard_normal(300).astype(F)
    n[0] = 150
    got = _run(file, "cexp", [pairs, pairs * 0, n], None, [64], 1, threads=[150])
    want = np.exp(pairs.view(np.complex64)).view(F)
    close(got, want, 1e-5, "complex exp")


@case
def softmax():
    file = _file("softmax", ["softmax.h"], ['"row", softmax_single_row, float, float', '"looped", softmax_looped, bfloat16_t, float'])
    for kernel, put, get, width, tolerance in [("row", F, F, 500, 1e-5), ("looped", bf16, wide, 3000, 1e-2)]:
        x = (rng(2).standard_normal((3, width)) * 3).astype(F)
        e = np.exp(x - x.max(1, keepdims=True))
        got = _run(file, kernel, [put(x), put(x) * 0, _one(I, width)], [3], [1024], 1)
        close(get(got), e / e.sum(1, keepdims=True), tolerance, kernel)


@case
def scan_sort_reduce():
    headers = ["atomic.h", "reduction/ops.h", "reduce.h", "binary_ops.h", "scan.h", "sort.h"]
    file = _file("order", headers, [
        '"sum", row_reduce_simple, float, float, Sum<float>', '"max", row_reduce_simple, float, float, Max<float>',
        '"cumsum", contiguous_scan, float, float, CumSum<float>, 4, true, false',
        '"sort", block_sort, float, float, false, 128, 4'])
    x = rng(3).standard_normal((5, 401)).astype(F)
    # A group reduces four rows; rows past the last are the last ones again.
    for kernel, want in [("sum", x[:4].sum(1)), ("max", x[:4].max(1))]:
        got = _run(file, kernel, [x[:4], np.zeros(4, F), _one(np.uint64, 401), _one(L, 4)], [1], [64], 1)
        close(got, want, 1e-5, kernel)
    got = _run(file, "cumsum", [x, x * 0, _one(np.uint64, 401)], [1, 5], [1024], 1)
    close(got, np.cumsum(x, 1), 1e-4, "cumsum")
    got = _run(file, "sort", [x, x * 0, _one(I, 401), _one(I, 1), _one(I, 1), _one(I, 401), _one(I, 401)], [1, 5], [128], 1)
    close(got, np.sort(x, 1), 0, "sort")


@case
def gemm():
    file = _file("gemm", ["steel/gemm/gemm.h", "steel/gemm/kernels/steel_gemm_fused.h"], [
        '"nn", gemm, float, 32, 32, 16, 2, 2, false, false, float',
        '"nt", gemm, bfloat16_t, 32, 32, 16, 2, 2, false, true, float'])
    for kernel, put, get, tolerance, (m, n, k) in [("nn", F, F, 1e-4, (45, 70, 33)), ("nt", bf16, wide, 1e-1, (64, 33, 64))]:
        a, b = rng(4).standard_normal((m, k)).astype(F), rng(5).standard_normal((k, n)).astype(F)
        tiles = (-(-n // 32), -(-m // 32))
        params = struct((I, m), (I, n), (I, k), (I, k), (I, n if kernel == "nn" else k), (I, n), (I, tiles[0]), (I, tiles[1]),
                        (L, m * k), (L, n * k), (L, m * n), (I, 0), (I, k // 16), (I, 1))
        buffers = [put(a), put(b if kernel == "nn" else b.T.copy()), None, put(np.zeros((m, n), F)), params]
        constants = {10: False, 100: False, 110: False, 200: m % 32 == 0, 201: n % 32 == 0, 202: k % 16 == 0}
        got = _run(file, kernel, buffers, [*tiles, 1], [32, 2, 2], 3, constants=constants)
        close(get(got), a @ b, tolerance, kernel)


@case
def quantised_matvec():
    file = _file("quantized", ["steel/gemm/gemm.h", "quantized_utils.h", "quantized.h"], [
        '"qmv", affine_qmv, float, 64, 4, 0', '"qmv_fast", affine_qmv_fast, float, 64, 4, 0'])
    for kernel, n, k in [("qmv", 20, 192), ("qmv_fast", 16, 512)]:
        q = rng(6).integers(0, 16, (n, k))
        scales, biases = rng(7).standard_normal((2, n, k // 64)).astype(F)
        packed = (q.reshape(n, -1, 8).astype(np.uint64) << (4 * np.arange(8, dtype=np.uint64))).sum(-1).astype(np.uint32)
        x = rng(8).standard_normal(k).astype(F)
        values = q * np.repeat(scales, 64, 1) + np.repeat(biases, 64, 1)
        none = [_one(I, 0), _one(I, 0), _one(L, 0)]
        buffers = [packed, scales, biases, x, np.zeros(n, F), _one(I, k), _one(I, n), *none, *none, _one(L, 0), _one(L, 0)]
        got = _run(file, kernel, buffers, [1, -(-n // 8), 1], [32, 2], 4)
        close(got, values @ x, 1e-3, kernel)


def _attention(q, k, v, scale):
    s = np.einsum("hqd,htd->hqt", q, k) * scale
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("hqt,htd->hqd", e / e.sum(-1, keepdims=True), v)


@case
def attention():
    heads, length, d = 4, 45, 64
    q = rng(9).standard_normal((heads, 1, d)).astype(F)
    k, v = rng(10).standard_normal((2, 2, length, d)).astype(F)
    file = _file("sdpa", ["sdpa_vector.h"], ['"sdpa", sdpa_vector, float, 64, 64'])
    z = lambda n: _one(np.uint64, n)
    buffers = [q, k, v, q * 0, _one(I, 2), _one(I, length), z(length * d), z(d), z(length * d), z(d), _one(F, d**-0.5)]
    off = {i: False for i in range(20, 26)}
    got = _run(file, "sdpa", buffers, [heads, 1, 1], [1024], 3, constants=off)
    wants = _attention(q, np.repeat(k, 2, 0), np.repeat(v, 2, 0), d**-0.5)
    close(got, wants, 1e-4, "one query")

    queries = 37
    q = rng(11).standard_normal((heads, queries, d)).astype(F)
    file = _file("attention", ["steel/attn/attn.h", "steel/attn/kernels/steel_attention.h"], ['"attention", attention, half, 32, 32, 64, 64, 4, 1, half, float'])
    strides = lambda n, h: [(L, n * d * h), (L, n * d), (L, d)]
    params = struct((I, 1), (I, heads), (I, d), (I, queries), (I, length), (I, 2), (F, d**-0.5), (I, 2), (I, 2), (I, 1), (I, 1),
                    (I, queries - 32), (I, length - 32), (I, length - queries), *strides(queries, heads),
                    *strides(length, 2), *strides(length, 2), *strides(queries, heads))
    h = np.float16
    buffers = [h(q), h(k), h(v), h(q * 0), params]
    constants = {200: False, 201: False, 300: False, 301: False, 302: False, 303: False}
    got = _run(file, "attention", buffers, [2, heads, 1], [32, 4, 1], 3, constants=constants)
    close(got, _attention(q, np.repeat(k, 2, 0), np.repeat(v, 2, 0), d**-0.5), 2e-2, "many queries")
