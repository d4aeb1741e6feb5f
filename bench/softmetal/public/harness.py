"""Runs kernels of public shader libraries through `softmetal run` and holds them against NumPy.

Cases are functions registered with `case`; `main` of run.py picks and runs them.
"""

import json
import os
import subprocess
import tempfile

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SOFTMETAL = os.environ.get("SOFTMETAL", os.path.join(ROOT, "target/release/softmetal"))
CASES = []


def case(function):
    CASES.append(function)
    return function


def rng(seed=1):
    return np.random.default_rng(seed)


def bf16(x):
    """float32 to the bits of bfloat, to the nearest."""
    u = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)


def wide(x):
    """The bits of bfloat as float32."""
    return (x.astype(np.uint32) << 16).view(np.float32)


def struct(*fields):
    """Bytes of a C struct from (NumPy type, value) pairs, with C's alignment."""
    out = b""
    for kind, value in fields:
        value = np.asarray(value, kind)
        out += b"\0" * (-len(out) % value.itemsize)
        out += value.tobytes()
    out += b"\0" * (-len(out) % 8)
    return np.frombuffer(out, np.uint8)


def run(file, kernel, buffers, groups, group, out, constants=(), threadgroup=(), options=(), checked=True, threads=None):
    """Dispatches whole threadgroups, or exactly `threads`; `buffers` is a list (None: unbound), `out` an index."""
    grid = threads or [a * b for a, b in zip(list(groups) + [1] * 3, list(group) + [1] * 3)][:3]
    with tempfile.TemporaryDirectory() as folder:
        command = [SOFTMETAL, "run", file, kernel, "--json", *options]
        command += ["--checked"] if checked else []
        command += ["--grid", ",".join(map(str, grid)), "--group", ",".join(map(str, group))]
        for i, b in enumerate(buffers):
            if b is not None:
                path = os.path.join(folder, f"{i}.npy")
                np.save(path, np.atleast_1d(np.ascontiguousarray(b)))
                command += ["--buffer", f"{i}={path}"]
        for name, value in dict(constants).items():
            command += ["--constant", f"{name}={str(value).lower()}"]
        for i, n in enumerate(threadgroup):
            command += ["--threadgroup", f"{i}={n}"]
        result = os.path.join(folder, "out.npy")
        command += ["--out", f"{out}={result}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            try:
                errors = [e["message"] for e in json.loads(done.stdout)["errors"]]
            except (ValueError, KeyError):
                errors = [done.stdout + done.stderr]
            raise AssertionError(f"{kernel}: " + "\n".join(errors)[:1500])
        return np.load(result)


def check(file, folders=()):
    """Compiles every kernel of a file; how many there are."""
    command = [SOFTMETAL, "check", file, "--json"]
    for folder in folders:
        command += ["-I", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{file}: {(done.stdout + done.stderr)[:1500]}"
    return len(json.loads(done.stdout)["kernels"])


def close(got, want, tolerance, what=""):
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    assert got.shape == want.shape, f"{what}: {got.shape} is not {want.shape}"
    worst = np.max(np.abs(got - want) / np.maximum(np.abs(want), 1.0)) if got.size else 0.0
    assert worst <= tolerance, f"{what}: off by {worst:.3g}"
