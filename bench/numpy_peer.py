"""The NumPy side of `cargo xtask bench`.

Reads one request per line, as JSON, and answers each with one line. The other side decides what
is measured and when, so that rounds of both alternate; this file only knows how to time a
statement, by the same rule as `peers/src/timing.rs`.
"""

import json
import sys
import time
import timeit

import numpy as np

CHUNK_SECONDS = 1e-3
FEWEST_CHUNKS = 3


def numbers(seed, *shape):
    """The same numbers as `peers/src/numbers.rs` makes, between -1 and 1."""
    bits = np.arange(np.prod(shape), dtype=np.uint32)
    bits += np.uint32(seed * 0x9E3779B9 % 2**32)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        bits = (bits ^ bits >> np.uint32(shift)) * np.uint32(factor)
    values = (bits ^ bits >> np.uint32(16)) / 2.0**31 - 1.0
    return values.astype(np.float32).reshape(shape)


class Contest:
    """A statement to be timed, with its operands."""

    def __init__(self, setup, statement):
        names = {"np": np, "numbers": numbers}
        exec(setup, names)
        result = np.asarray(eval(statement, names), dtype=np.float64)
        self.magnitude = float(np.abs(result).sum())
        self.timer = timeit.Timer(statement, globals=names)
        self.calls = 1
        while self.timer.timeit(self.calls) < CHUNK_SECONDS:
            self.calls *= 2

    def round(self, seconds):
        """Seconds of a call, in the fastest chunk of a round."""
        best, chunks, end = float("inf"), 0, time.perf_counter() + seconds
        while chunks < FEWEST_CHUNKS or time.perf_counter() < end:
            best = min(best, self.timer.timeit(self.calls) / self.calls)
            chunks += 1
        return best


def blas():
    """The name and version of the library behind `@`."""
    found = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{found['name']} {found['version']}"


def main():
    contest = None
    for line in sys.stdin:
        request = json.loads(line)
        if "setup" in request:
            contest = None  # Frees the operands of the last one first.
            contest = Contest(request["setup"], request["statement"])
            answer = {"magnitude": contest.magnitude}
        elif "round" in request:
            answer = {"seconds": contest.round(request["round"])}
        else:
            answer = {"numpy": np.__version__, "blas": blas()}
        print(json.dumps(answer), flush=True)


main()
