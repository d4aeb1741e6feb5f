"""Least squares by gradient descent, and the programs that a step becomes: ``python arrays.py``."""

from __future__ import annotations

import bessemer as bm


def loss(a: bm.Array, b: bm.Array, x: bm.Array) -> bm.Array:
    """The mean of squared errors of ``a @ x`` against ``b``."""
    return bm.mean(bm.square(a @ x - b))


def main() -> float:
    """Fits a line through noise; returns how far it is from the one that made it."""
    wanted = bm.array([2.0, -1.0, 0.5])
    a = bm.random.normal(size=(1000, 3), seed=1)
    b = a @ wanted + bm.random.normal(scale=0.01, size=1000, seed=2)
    x = bm.zeros(3)
    for step in range(100):
        gradient = a.T @ (a @ x - b) / a.shape[0]
        x = (x - 0.3 * gradient).eval()
        if step % 25 == 0:
            print(f"step {step}: {loss(a, b, x):.6f}")
    print(loss(a, b, x).explain())
    return float(bm.max(bm.abs(x - wanted)))


if __name__ == "__main__":
    print(f"off by {main():.4f}")
