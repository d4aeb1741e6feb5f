"""The array API standard, checked against our own list of what it asks for. The public suite is run by
`cargo xtask array-api`."""

from __future__ import annotations

import inspect
import itertools
import math
from typing import Any

import numpy as np
import pytest
import standard

import bessemer as bm

SIGNATURES = [
    pytest.param(module, name, parameters, id=f"{module}.{name}".lstrip("."))
    for module, table in (("", standard.FUNCTIONS), ("linalg", standard.LINALG), ("fft", standard.FFT))
    for parameters, names in table.items()
    for name in names.split()
]


def _parameters(text: str) -> list[tuple[str, Any, Any]]:
    found: dict[str, Any] = {}
    exec(f"def function({text}): pass", found)
    return _listed(inspect.signature(found["function"]))


def _listed(signature: inspect.Signature) -> list[tuple[str, Any, Any]]:
    return [(each.name, each.kind, each.default) for each in signature.parameters.values()]


def _agree(found: list[tuple[str, Any, Any]], wanted: list[tuple[str, Any, Any]]) -> None:
    """All that is wanted is there; there may be more keywords, and defaults where none are wanted."""
    names = [name for name, _, _ in found]
    for place, (name, kind, default) in enumerate(wanted):
        assert name in names, f"{name} is missing from {names}"
        got, got_kind, got_default = found[names.index(name)]
        if kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
            assert names.index(got) == place
            assert got_kind in (kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        elif kind is inspect.Parameter.KEYWORD_ONLY:
            assert got_kind in (kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        else:
            assert got_kind is kind
        # What stands for 1 or for a value that the call finds out is None in the text of a signature.
        if default is not inspect.Parameter.empty and got_default is not None:
            assert got_default == default, f"{name}={got_default!r} instead of {default!r}"
    for name, _, default in found[len(wanted) :]:
        assert name in [each for each, _, _ in wanted] or default is not inspect.Parameter.empty


@pytest.mark.parametrize(("module", "name", "parameters"), SIGNATURES)
def test_functions(module: str, name: str, parameters: str) -> None:
    function = getattr(getattr(bm, module) if module else bm, name)
    assert function.__doc__, "there is no documentation"
    _agree(_listed(inspect.signature(function)), _parameters(parameters))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [(name, parameters) for parameters, names in standard.METHODS.items() for name in names.split()],
)
def test_methods(name: str, parameters: str) -> None:
    method = getattr(bm.ones(1), name)
    found = _listed(inspect.signature(method))
    wanted = _parameters(parameters)
    assert len([each for each in found if each[2] is inspect.Parameter.empty]) <= len(wanted)
    for each in wanted:
        if each[1] is inspect.Parameter.KEYWORD_ONLY:
            assert each[0] in [other for other, _, _ in found]


def test_attributes_and_constants() -> None:
    x = bm.ones((2, 3))
    for name in standard.ATTRIBUTES.split():
        assert getattr(x, name) is not None
    assert bm.__array_api_version__ == "2024.12"
    assert (bm.e, bm.pi, bm.inf, bm.newaxis) == (math.e, math.pi, math.inf, None) and bm.nan != bm.nan
    info = bm.__array_namespace_info__()
    assert {"boolean indexing", "data-dependent shapes", "max dimensions"} <= set(info.capabilities())
    assert info.default_dtypes() == {
        "real floating": bm.float32, "complex floating": bm.complex64, "integral": bm.int64, "indexing": bm.int64,
    }  # fmt: skip


# Special cases.

_INF, _NAN = math.inf, math.nan
_SOME = [0.5, 1.0, 2.75, 3.0, 1e30]
_WORDS: dict[str, list[float]] = {
    "nan": [_NAN], "inf": [_INF], "-inf": [-_INF], "infs": [_INF, -_INF], "+0": [0.0], "-0": [-0.0],
    "0": [0.0, -0.0], "1": [1.0], "-1": [-1.0], "one": [1.0, -1.0], "+": _SOME, "-": [-x for x in _SOME],
    "some": [*_SOME, *(-x for x in _SOME)], "whole": [1.0, -1.0, 3.0, -7.0, 2.0**20, -(2.0**21)],
    ">0": [*_SOME, _INF], "<0": [*(-x for x in _SOME), -_INF], ">1": [1.5, 1e30, _INF],
    "<-1": [-1.5, -1e30, -_INF], "<1": [0.5, 0.0, -0.0, -3.0, -_INF], "large": [1.5, -1.5, 1e30],
    "small": [0.5, -0.5, 0.0, -0.0], "odd": [1.0, 3.0], "-odd": [-1.0, -3.0], "+even": [2.0, 0.5, 2.5],
    "-even": [-2.0, -0.5, -2.5], "half": [0.5, -0.5, 2.75],
}  # fmt: skip
_WORDS["finite"] = [*_WORDS["some"], 0.0, -0.0]
_WORDS["!nan"] = [*_WORDS["finite"], _INF, -_INF]
_WORDS["*"] = [*_WORDS["!nan"], _NAN]
_WORDS["!1"] = [x for x in _WORDS["*"] if x != 1]
_PI = {f"{sign}{text}": (-1 if sign else 1) * value for sign in ("", "-") for text, value in {
    "pi": math.pi, "pi/2": math.pi / 2, "pi/4": math.pi / 4, "3pi/4": 3 * math.pi / 4,
}.items()}  # fmt: skip


def _result(word: str, x: float, y: float = _NAN) -> float:
    named = {"x": x, "y": y, "|x|": math.copysign(x, 1), "-|x|": math.copysign(x, -1)}
    return named[word] if word in named else _PI[word] if word in _PI else float(word)


def _check(got: Any, cases: list[tuple[tuple[float, ...], float, bool]], rough: bool) -> None:
    for found, (operands, wanted, signed) in zip(got.tolist(), cases, strict=True):
        text = f"{operands} gives {found}, not {wanted}"
        if math.isnan(wanted):
            assert math.isnan(found), text
        elif wanted == 0 and not isinstance(found, bool):
            assert found == 0 and (not signed or math.copysign(1, found) == math.copysign(1, wanted)), text
        else:
            assert math.isclose(found, wanted, rel_tol=1e-6 if rough else 0), text


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", standard.UNARY)
def test_special_cases_of_one(name: str, dtype: str) -> None:
    cases = []
    for rule in standard.UNARY[name].split():
        operand, word = rule.split(":")
        cases += [((x,), _result(word, x), word[:1] in "+-x") for x in _WORDS[operand]]
    got = getattr(bm, name)(bm.asarray([x for (x,), _, _ in cases], dtype=dtype))
    _check(got, cases, rough=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", standard.BINARY)
def test_special_cases_of_two(name: str, dtype: str) -> None:
    cases = []
    for rule in standard.BINARY[name].split():
        operands, word = rule.split(":")
        first, second = operands.split(",")
        signed = word[:1] in "+-xy"
        for x, y in itertools.product(_WORDS[first], _WORDS[second]):
            x, y = (float(np.dtype(dtype).type(each)) for each in (x, y))
            cases.append(((x, y), _result(word, x, y), signed))
    x, y = (bm.asarray([each[0][i] for each in cases], dtype=dtype) for i in (0, 1))
    _check(getattr(bm, name)(x, y), cases, rough=name == "atan2")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_cases_of_reductions(dtype: str) -> None:
    empty = bm.zeros((0,), dtype=dtype)
    assert bm.sum(empty).item() == 0 and bm.prod(empty).item() == 1
    assert math.isnan(bm.mean(empty).item()) and math.isnan(bm.var(empty).item())
    assert bm.all(empty).item() is True and bm.any(empty).item() is False
    x = bm.asarray([1.0, _NAN, 3.0], dtype=dtype)
    for function in (bm.sum, bm.prod, bm.mean, bm.var, bm.std, bm.min, bm.max):
        assert math.isnan(function(x).item())
    assert bm.any(x).item() is True and bm.all(x).item() is True
    assert math.isnan(bm.var(bm.asarray([1.0], dtype=dtype), correction=1).item())


def test_special_cases_of_clip() -> None:
    x = bm.asarray([_NAN, 1.0, -_INF, _INF])
    got = bm.clip(x, -2.0, 3.0).tolist()
    assert math.isnan(got[0]) and got[1:] == [1.0, -2.0, 3.0]
    assert all(map(math.isnan, bm.clip(bm.ones(2), bm.asarray(_NAN), 3.0).tolist()))
    assert all(map(math.isnan, bm.clip(bm.ones(2), -2.0, bm.asarray(_NAN)).tolist()))


# Dtypes.

_KINDS = {
    "bool": ["bool"], "integer": [*standard.SIGNED, *standard.UNSIGNED], "float": ["float32", "float64"],
    "complex": ["complex64"],
}  # fmt: skip
REAL = [*_KINDS["integer"], *_KINDS["float"]]


@pytest.mark.parametrize("pair", standard.PROMOTION, ids="+".join)
def test_promotion(pair: tuple[str, str]) -> None:
    wanted = standard.PROMOTION[pair]
    a, b = (bm.ones(2, dtype=dtype) for dtype in pair)
    assert bm.result_type(*pair) == bm.result_type(a, b) == wanted
    assert bm.where(bm.asarray([True, False]), a, b).dtype == wanted
    assert bm.concat([a, b]).dtype == wanted
    for kind, dtypes in _KINDS.items():
        if pair[0] in dtypes and pair[1] in dtypes:
            for name in standard.COMMON_DTYPE[kind].split():
                if name == "divide" and kind == "integer":
                    continue
                assert getattr(bm, name)(a, b).dtype == ("bool" if name in standard.TRUTHS else wanted), name
    if "complex64" not in pair and "bool" not in pair:
        for name in standard.TRUTHS.split()[:6]:
            assert getattr(bm, name)(a, b).dtype == bm.bool


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in standard.SAME_DTYPE.items() for name in names.split()]
)
def test_dtypes_of_one(kind: str, name: str) -> None:
    for dtype in _KINDS[kind]:
        unsigned = dtype in standard.UNSIGNED and name == "negative"
        x = bm.ones(2, dtype=dtype)
        got = getattr(bm, name)(x)
        assert got.dtype == dtype and (unsigned or got.shape == x.shape)


def test_dtypes_of_truths() -> None:
    for dtype in [*REAL, "complex64", "bool"]:
        x = bm.ones(2, dtype=dtype)
        for name in ("isnan", "isinf", "isfinite"):
            if dtype != "bool":
                assert getattr(bm, name)(x).dtype == bm.bool
        assert bm.any(x).dtype == bm.all(x).dtype == bm.bool
        assert bm.equal(x, x).dtype == bm.not_equal(x, x).dtype == bm.bool


@pytest.mark.parametrize("dtype", [*REAL, "complex64"])
def test_dtypes_of_reductions(dtype: str) -> None:
    x = bm.ones((2, 2), dtype=dtype)
    total = "int64" if dtype in standard.SIGNED else "uint64" if dtype in standard.UNSIGNED else dtype
    for function in (bm.sum, bm.prod, bm.linalg.trace):
        assert function(x).dtype == total
    for function in (bm.cumulative_sum, bm.cumulative_prod):
        assert function(x, axis=0).dtype == total
        asked = "complex64" if dtype == "complex64" else "float32"
        assert function(x, axis=0, dtype=asked).dtype == asked
    assert bm.count_nonzero(x).dtype == bm.int64
    if dtype == "complex64":
        return
    for function in (bm.min, bm.max):
        assert function(x).dtype == dtype
    for function in (bm.argmin, bm.argmax, bm.argsort):
        assert function(x).dtype == bm.int64
    assert bm.searchsorted(x[0], x[0]).dtype == bm.int64
    assert [each.dtype for each in bm.nonzero(x)] == [bm.int64] * 2
    assert bm.sort(x).dtype == dtype
    if dtype.startswith("float"):
        assert bm.mean(x).dtype == bm.var(x).dtype == bm.std(x).dtype == dtype
    unique = bm.unique_all(x)
    assert unique._fields == ("values", "indices", "inverse_indices", "counts")
    assert [each.dtype for each in unique] == [bm.result_type(dtype), bm.int64, bm.int64, bm.int64]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_dtypes_of_linear_algebra(dtype: str) -> None:
    x = bm.eye(3, dtype=dtype)
    real = "float32" if dtype == "complex64" else dtype
    for name in "cholesky det inv pinv matrix_transpose".split():
        assert getattr(bm.linalg, name)(x).dtype == dtype, name
    for name in "eigvalsh matrix_norm svdvals vector_norm".split():
        assert getattr(bm.linalg, name)(x).dtype == real, name
    assert bm.linalg.matrix_rank(x).dtype == bm.int64
    results = {
        "eigh": {"eigenvalues": real, "eigenvectors": dtype}, "qr": {"Q": dtype, "R": dtype},
        "slogdet": {"sign": dtype, "logabsdet": real}, "svd": {"U": dtype, "S": real, "Vh": dtype},
    }  # fmt: skip
    for name, fields in results.items():
        found = getattr(bm.linalg, name)(x)
        assert {key: getattr(found, key).dtype.name for key in found._fields} == fields
    for name in "matmul outer solve tensordot vecdot cross".split():
        y = x[0] if name == "outer" else x
        assert getattr(bm.linalg, name)(y, y).dtype == dtype, name


def test_dtypes_of_transforms() -> None:
    real, complex_ = bm.ones((4, 4)), bm.ones((4, 4), dtype="complex64")
    for name in "fft ifft fftn ifftn".split():
        assert getattr(bm.fft, name)(complex_).dtype == bm.complex64
    for name in "rfft rfftn ihfft".split():
        assert getattr(bm.fft, name)(real).dtype == bm.complex64
    for name in "irfft irfftn hfft".split():
        assert getattr(bm.fft, name)(complex_).dtype == bm.float32
    assert bm.fft.fftfreq(4).dtype == bm.fft.rfftfreq(4).dtype == bm.float32
    assert bm.fft.fftfreq(4, dtype=bm.float64).dtype == bm.float64


@pytest.mark.parametrize("dtype", [*REAL, "complex64", "bool"])
def test_python_numbers_beside_arrays(dtype: str) -> None:
    x = bm.ones(2, dtype=dtype)
    numbers: list[Any] = [True] if dtype == "bool" else [2]
    if dtype.startswith(("float", "complex")):
        numbers.append(1.5)
    if dtype == "complex64":
        numbers.append(1.5j)
    for number in numbers:
        assert bm.result_type(x, number) == dtype
        if dtype != "bool":
            assert (x + number).dtype == (number + x).dtype == dtype
        assert bm.where(bm.asarray([True, False]), x, number).dtype == dtype
