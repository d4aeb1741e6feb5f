"""Threads that share arrays, memory that does not grow, and computations that are interrupted."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import bessemer as bm

SECONDS = float(os.environ.get("BESSEMER_HAMMER_SECONDS", "5"))


def test_threads_share_arrays() -> None:
    shared = [bm.asarray(np.arange(100, dtype="f4").reshape(10, 10) + i) for i in range(8)]
    wanted = [np.asarray(x).copy() for x in shared]
    lazy = [x * 2 + 1 for x in shared]
    counter = bm.zeros(4)
    end = time.monotonic() + SECONDS
    errors: list[BaseException] = []

    def hammer(seed: int) -> None:
        choose = random.Random(seed)
        try:
            while time.monotonic() < end and not errors:
                i, j = choose.randrange(8), choose.randrange(8)
                np.testing.assert_array_equal(np.asarray(lazy[i]), wanted[i] * 2 + 1)
                both = (shared[i] + lazy[j]).sum(axis=choose.randrange(2))
                assert both.shape == (10,)
                np.testing.assert_allclose(
                    np.asarray(shared[i] @ shared[j]), wanted[i] @ wanted[j], rtol=1e-5
                )
                np.from_dlpack(shared[i])[0, 0]
                bm.from_dlpack(wanted[j])[choose.randrange(10)].tolist()
                memoryview(shared[j].T).tobytes()
                repr(lazy[i]), lazy[j].explain(), bm.eval(both, shared[i])
                counter[:] = float(i)
                assert len(set(counter.tolist())) == 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=hammer, args=(seed,)) for seed in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")
def test_nothing_leaks() -> None:
    foreign = np.arange(256, dtype="f4")

    def round_(count: int) -> None:
        for i in range(count):
            x = bm.asarray(foreign)
            y = (x + i) * 2
            y[0] = 1
            np.asarray(y), memoryview(x), np.from_dlpack(x), x.tolist(), x[1:3], repr(x[:2])
            bm.from_dlpack(foreign).sum().item()
            x.__dlpack__(max_version=(1, 0)), x.explain(), x.dtype, x.device

    round_(2000)
    gc.collect()
    before = _resident()
    round_(10_000)
    gc.collect()
    assert _resident() - before < 8 << 20


def test_the_interpreter_is_free_while_computing() -> None:
    x = bm.random.normal(size=(700, 700))
    beats = 0
    done = threading.Event()

    def work() -> None:
        y = x
        for _ in range(12):
            y = y @ x
            y.eval()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        beats += 1
        time.sleep(0.001)
    thread.join()
    assert beats > 3


def test_ctrl_c_ends_a_generation(ember: str) -> None:
    code = f"""
import bessemer as bm, signal, sys, threading, time, os
signal.signal(signal.SIGINT, signal.default_int_handler)  # A job in the background ignores it.
model = bm.llm.load({ember!r}, device="cpu")
session = model.session(context=512)
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        model.generate("Once", session=session, max_tokens=400, ignore_end=True).finish()
except KeyboardInterrupt:
    print("interrupted", len(session.tokens) > 0)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False,
        cwd=Path(__file__).parent,
    )  # fmt: skip
    assert run.stdout == "interrupted True\n", run


def test_ctrl_c_ends_the_wait_for_a_long_computation() -> None:
    code = """
import bessemer as bm, os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # A job in the background ignores it.
with bm.device("cpu"):
    x = bm.random.normal(size=(1500, 1500)).eval()
    y = x
    for _ in range(400):
        y = y @ x * 0.01
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    y.eval()
except KeyboardInterrupt:
    print("interrupted before it was done:", not y.is_evaluated, flush=True)
    os._exit(0)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False,
        cwd=Path(__file__).parent,
    )  # fmt: skip
    assert run.stdout == "interrupted before it was done: True\n", run
