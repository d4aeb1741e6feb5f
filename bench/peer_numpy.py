#!/usr/bin/env python3
"""NumPy's f32 matmul, asked for over stdin so that it runs between our own measurements.

A line "m k n" is answered with the seconds of one `x @ w.T` (x: m×k, w: n×k), the best of a few.
"""

import sys
import time

import numpy as np

operands = {}
print(np.__version__, flush=True)
for line in sys.stdin:
    m, k, n = map(int, line.split())
    if (m, k, n) not in operands:
        rng = np.random.default_rng(1)
        operands[m, k, n] = (
            rng.standard_normal((m, k), dtype=np.float32),
            rng.standard_normal((n, k), dtype=np.float32),
            np.empty((m, n), dtype=np.float32),
        )
    x, w, out = operands[m, k, n]
    best = float("inf")
    for _ in range(max(3, int(4e9 / (m * k * n)))):
        start = time.perf_counter()
        np.matmul(x, w.T, out=out)
        best = min(best, time.perf_counter() - start)
    print(best, flush=True)
