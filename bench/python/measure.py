"""Measures bessemer beside NumPy, torch and MLX on the CPU; `cargo xtask bench python` calls it.

Each library runs in a process of its own and waits while the others are measured. They take turns,
and another one goes first in each round. The fastest round of each counts.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from report import Report
from works import WORKS

HERE = Path(__file__).parent
LIBRARIES = ["bessemer", "numpy", "torch", "mlx"]
THREADS = 2
ROUND_SECONDS = 0.1
# Threads of one that spin for more work have gone to sleep by then.
PAUSE_SECONDS = 0.06
IMPORT_ROUNDS = 15
IMPORT_GOAL = 0.030


class Process:
    """A library in its process."""

    def __init__(self, library):
        self.process = subprocess.Popen(
            [sys.executable, HERE / "contender.py", library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            text=True,
        )
        self.version = self.answer()["version"]

    def ask(self, **request):
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[-1]} ended with an error")
        return json.loads(line)


def environment():
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
    return os.environ | dict.fromkeys(names, str(THREADS))


def hold(work, processes, rounds):
    """Seconds of every round of every library."""
    sides = [library for library in LIBRARIES if library in work.statements]
    magnitudes = {}
    for side in sides:
        setup, statement = work.setups.get(side, ""), work.statements[side]
        answer = processes[side].ask(operands=work.operands, setup=setup, statement=statement)
        magnitudes[side] = answer["magnitude"]
    for side in sides:
        if abs(magnitudes[side] - magnitudes["bessemer"]) > 1e-3 * magnitudes["bessemer"]:
            sys.exit(f"{work.name}: not the same result: {magnitudes}")
    times = {side: [] for side in sides}
    for i in range(rounds):
        for side in sides[i % len(sides) :] + sides[: i % len(sides)]:
            time.sleep(PAUSE_SECONDS)
            times[side].append(processes[side].ask(round=ROUND_SECONDS)["seconds"])
    return times


def imports():
    """Seconds that the interpreter takes for importing each of two, and ending."""
    times = {"bessemer": [], "numpy": []}
    for _ in range(IMPORT_ROUNDS):
        for library, all_of_it in times.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {library}"], env=environment(), check=True)
            all_of_it.append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each row (default 9)")
    parser.add_argument("--only", default="", help="only rows whose name contains this; writes no file")
    arguments = parser.parse_args()
    processes = {library: Process(library) for library in LIBRARIES}
    report = Report({library: process.version for library, process in processes.items()}, arguments.rounds)
    print(report.setting(), file=sys.stderr)
    for work in WORKS:
        if arguments.only in work.name:
            report.add(work, hold(work, processes, arguments.rounds))
    if arguments.only in "import":
        report.add_imports(imports(), IMPORT_GOAL)
    print(f"\n{report.verdict()}")
    if not arguments.only:
        report.write(HERE)


main()
