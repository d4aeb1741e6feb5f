"""Programs of one's own: a traced function, and a kernel on a device of choice: ``python programs.py [BACKEND]``."""

from __future__ import annotations

import sys

import bessemer as bm
from bessemer import scalar as s


@bm.program
def mandelbrot(real: s.Scalar, imaginary: s.Scalar) -> s.Scalar:
    """How many of 24 steps stay near the origin: the loop is unrolled into the program."""
    x, y, steps = s.float32(0), s.float32(0), s.float32(0)
    for _ in range(24):
        x, y = s.fma(x, x, real) - y * y, s.fma(2.0 * x, y, imaginary)
        steps = steps + s.where(x * x + y * y < 4.0, 1.0, 0.0)
    return steps


HISTOGRAM = bm.Program("""
program histogram(in buffer x: u8, inout buffer counts: u32, uniform len: u32) {
    %i = global.x
    %within = lt %i, len
    if %within {
        %value = load x[%i]
        %old = atomic_add counts[%value], 1u
    }
}
""")


def picture(width: int = 64, height: int = 24) -> list[str]:
    """The set in letters."""
    real = bm.linspace(-2.2, 0.8, width)
    imaginary = bm.linspace(-1.2, 1.2, height)[:, None]
    shades = " .:-=+*#%@"
    counts = mandelbrot(real, imaginary).tolist()
    return ["".join(shades[int(count) * 9 // 24] for count in row) for row in counts]


def histogram(data: bytes, backend: str = "auto") -> list[int]:
    """How often each byte occurs, counted by a kernel."""
    executor = bm.Executor(backend=backend)
    x, counts = executor.allocate(data), executor.allocate(256 * 4)
    executor.execute(HISTOGRAM, bm.LaunchConfig.linear(len(data)), x, counts, len(data))
    return memoryview(executor.copy_out(counts)).cast("I").tolist()


if __name__ == "__main__":
    print("\n".join(picture()))
    found = histogram(b"the quick brown fox", *sys.argv[1:2])
    print({chr(byte): count for byte, count in enumerate(found) if count})
