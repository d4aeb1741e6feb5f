"""Programs: the text form, traced functions, and the executor on every device there is."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bessemer as bm
from bessemer import scalar as s

SCALE = """
program scale(in view a: f32, out view c: f32, uniform k: f32) {
    %x = load a[@]
    %y = fma %x, k, 1.0
    store c[@], %y
}
"""

TURNED = """
program turned(in buffer x: f32, out buffer y: f32, inout buffer above: u32, uniform limit: f32) {
    shared part: f32[64]
    %t = linear
    %group = group.x
    %first = mul %group, 64u
    %i = add %first, %t
    %x = load x[%i]
    store part[%t], %x
    barrier
    %other = sub 63u, %t
    %x = load part[%other]
    %high = gt %x, limit
    if %high {
        %old = atomic_add above[0u], 1u
    } else {
        %x = add %x, %x
    }
    store y[%i], %x
}
"""


def test_text() -> None:
    program = bm.Program(SCALE)
    assert (program.name, program.form, program.flops) == ("scale", "map", 2)
    assert program.params == (
        ("a", "in view", bm.float32), ("c", "out view", bm.float32), ("k", "uniform", bm.float32),
    )  # fmt: skip
    assert str(bm.Program(str(program))) == str(program) == str(pickle.loads(pickle.dumps(program)))
    with pytest.raises(ValueError, match=r"bad.bp:1:\d+: .*the operands are f32 and i32"):
        bm.Program("program p() { %x = add 1.0, 2 }", file="bad.bp")


def test_maps_run_over_arrays() -> None:
    scale = bm.Program(SCALE)
    x = np.arange(6, dtype="f4").reshape(2, 3)
    np.testing.assert_array_equal(np.asarray(scale(bm.asarray(x).T, 2)), x.T * 2 + 1)
    with pytest.raises(ValueError, match=r"1 arguments were given; it takes 2 \(a, k\)"):
        scale(bm.ones(2))
    with pytest.raises(ValueError, match="must be f32"):
        scale(bm.ones(2, dtype=bm.float16), 2)
    with pytest.raises(ValueError, match="nothing to run over"):
        scale(1, 2)
    with pytest.raises(ValueError, match="k must be a number"):
        scale(bm.ones(2), bm.ones(2))
    add = bm.Program("program add(inout view a: f32, in view b: f32) {\n%x = load a[@]\n%y = load b[@]\n"
                     "%z = add %x, %y\nstore a[@], %z\n}")  # fmt: skip
    a = bm.ones((2, 1))
    assert add(a, bm.array([1.0, 2.0])).tolist() == [[2, 3], [2, 3]]
    assert a.tolist() == [[1], [1]]


def test_traced_functions() -> None:
    @bm.program
    def axpy(a: float, x, y):  # type: ignore[no-untyped-def]
        return a * x + y

    assert axpy.name == "axpy" and axpy.params[0] == ("a", "uniform", bm.float32)
    assert axpy(2, bm.array([1.0, 2.0]), bm.array(10.0)).tolist() == [12, 14]

    @bm.program(dtype=bm.int32, out=(bm.int32, "uint8"))
    def both(x, y: bm.int32):  # type: ignore[no-untyped-def, valid-type]
        return x // y, s.abs(x % y) + 1

    x, y = np.array([-7, 7, -7, 7], "i4"), np.array([2, 2, -2, -2], "i4")
    quotient, rest = both(bm.asarray(x), bm.asarray(y))
    assert quotient.tolist() == (x // y).tolist()
    assert rest.dtype == bm.uint8 and rest.tolist() == (abs(x % y) + 1).tolist()

    @bm.program
    def newton(x, steps=None):  # type: ignore[no-untyped-def]
        guess = x
        for _ in range(6):
            guess = (guess + x / guess) * 0.5
        return s.where(x > 0.0, guess, 0.0)

    z = np.array([4.0, 2.0, 9.0], "f4")
    np.testing.assert_allclose(np.asarray(newton(bm.asarray(z), bm.asarray(z))), np.sqrt(z), rtol=1e-6)


UNARY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "floor": np.floor, "ceil": np.ceil, "round": np.round, "trunc": np.trunc, "abs": np.abs,
    "sign": np.sign, "exp2": np.exp2, "log2": np.log2, "tan": np.tan, "recip": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)), "float32": lambda x: x,
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_scalars(name: str) -> None:
    function = getattr(s, name)

    @bm.program
    def apply(x):  # type: ignore[no-untyped-def]
        return function(x)

    x = np.array([0.5, 1.0, 2.25, 3.0], "f4")
    np.testing.assert_allclose(np.asarray(apply(bm.asarray(x))), UNARY[name](x), rtol=2e-6)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_operators_of_integers(a: int, b: int) -> None:
    x, y = np.array([a], "i4"), np.array([b], "i4")
    found = _integers(bm.asarray(x), bm.asarray(y))
    wanted = (x + y, x - y, x * y, x & y, x | y, x ^ y, ~x, -x, np.minimum(x, y), np.maximum(x, y))
    assert [r.tolist() for r in found] == [w.tolist() for w in wanted]


@bm.program(dtype=bm.int32)
def _integers(x, y):  # type: ignore[no-untyped-def]
    return x + y, x - y, x * y, x & y, x | y, x ^ y, ~x, -x, s.minimum(x, y), s.maximum(x, y)


def test_what_cannot_be_traced() -> None:
    with pytest.raises(TypeError, match="cannot branch"):
        bm.program(lambda x: 1.0 if x > 0 else 2.0)
    with pytest.raises(TypeError, match="no scalar"):
        bm.program(lambda x: x + "text")
    with pytest.raises(TypeError, match="cannot be a parameter"):
        bm.program(lambda *x: x)
    with pytest.raises(TypeError, match="no program is being traced"):
        s.exp(1.0)
    with pytest.raises(OverflowError, match="does not fit"):
        bm.program(dtype=bm.uint32)(_too_large)
    kept = []

    @bm.program
    def first(x):  # type: ignore[no-untyped-def]
        kept.append(x)
        return x

    with pytest.raises(TypeError, match="different programs"):
        bm.program(_adds(kept[0]))


def _too_large(x):  # type: ignore[no-untyped-def]
    return x + 2**40


def _adds(other: object) -> Callable[..., object]:
    def second(x):  # type: ignore[no-untyped-def]
        return x + other

    return second


def _devices() -> list[str]:
    found = []
    for name in ("cpu", "reference", "metal", "webgpu"):
        try:
            bm.device(name)
        except RuntimeError:
            continue
        found.append(name)
    return found


@pytest.mark.parametrize("backend", _devices())
def test_the_executor_gives_the_same_everywhere(backend: str) -> None:
    executor = bm.Executor(backend=backend)
    assert executor.device == backend
    turned = bm.Program(TURNED)
    values = ((np.arange(6 * 64) * 37 % 101) - 50.5).astype("f4")
    x, y, above = executor.allocate(values), executor.allocate(values.nbytes), executor.allocate(4)
    launch = bm.LaunchConfig(grid=6, block=(16, 4))
    for _ in range(2):
        executor.execute(turned, launch, x, y, above, 0)
    mirrored = values.reshape(6, 64)[:, ::-1].reshape(-1)
    found = np.frombuffer(executor.copy_out(y), "f4")
    np.testing.assert_array_equal(found, np.where(mirrored > 0, mirrored, 2 * mirrored))
    assert struct.unpack("I", executor.copy_out(above)) == (2 * (values > 0).sum(),)
    executor.copy_in(x, b"\0" * 8)
    assert executor.copy_out(x, 8) == b"\0" * 8
    for handle in (x, y, above):
        executor.free(handle)
    with pytest.raises(ValueError, match="freed"):
        executor.copy_out(x)


def test_misuse_of_the_executor() -> None:
    executor = bm.Executor(backend="cpu")
    turned, launch = bm.Program(TURNED), bm.LaunchConfig.linear(64, 64)
    x = executor.allocate(16)
    assert x.nbytes == 16
    with pytest.raises(ValueError, match="it takes 4"):
        executor.execute(turned, launch, x)
    with pytest.raises(TypeError, match="handles"):
        executor.execute(turned, launch, x, x, x, "text")
    with pytest.raises(ValueError, match="the memory has 16"):
        executor.copy_out(x, 17)
    with pytest.raises(ValueError):
        executor.copy_in(x, b"a" * 17)
    with pytest.raises(ValueError, match="1024 threads"):
        bm.LaunchConfig(1, 2048)
    with pytest.raises(ValueError, match="1 to 3"):
        bm.LaunchConfig((1, 1, 1, 1), 1)
    with pytest.raises(TypeError, match="kernel form"):
        turned(bm.ones(2))
    launch = bm.LaunchConfig(grid=(4, 2), block=16)
    assert (launch.grid, launch.block, launch.threads) == ((4, 2, 1), (16, 1, 1), 128)
    assert launch == pickle.loads(pickle.dumps(launch)) and hash(launch) == hash(launch)
