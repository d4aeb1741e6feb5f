"""One library in a process of its own.

Reads one request per line, as JSON, and answers each with one line. `measure.py` decides what is
measured and when, so that rounds of all libraries alternate; this file only knows how to time a
statement.
"""

import json
import sys
import time
import timeit

import numpy as np

CHUNK_SECONDS = 1e-3
FEWEST_CHUNKS = 3


def bessemer():
    import bessemer as bm

    return {"bm": bm, "array": lambda x: bm.array(x).eval(), "numpy": np.asarray}, bm.__version__


def numpy():
    return {"np": np, "array": np.asarray, "numpy": np.asarray}, np.__version__


def torch():
    import torch

    torch.set_grad_enabled(False)
    return {"torch": torch, "array": torch.from_numpy, "numpy": lambda x: x.numpy()}, torch.__version__


def mlx():
    import mlx.core as mx

    mx.set_default_device(mx.cpu)

    def done(x):
        mx.eval(x)
        return x

    return {"mx": mx, "done": done, "array": mx.array, "numpy": np.asarray}, mx.__version__


class Contest:
    """A statement to be timed, with its operands."""

    def __init__(self, names, operands, setup, statement):
        names = dict(names)
        rng = np.random.default_rng(1)
        for name, shape in operands.items():
            names[name] = names["array"](rng.uniform(-1, 1, shape).astype(np.float32))
        exec(setup, names)
        result = names["numpy"](eval(statement, names)).astype(np.float64)
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


def main():
    names, version = globals()[sys.argv[1]]()
    print(json.dumps({"version": version}), flush=True)
    contest = None
    for line in sys.stdin:
        request = json.loads(line)
        if "statement" in request:
            contest = None  # Frees the operands of the last one first.
            contest = Contest(names, **request)
            answer = {"magnitude": contest.magnitude}
        else:
            answer = {"seconds": contest.round(request["round"])}
        print(json.dumps(answer), flush=True)


main()
