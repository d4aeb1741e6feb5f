"""Linear algebra against NumPy: stacks of matrices of every dtype that it is computed in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrays, close, equal

import bessemer as bm

DTYPES = ["float32", "float64", "complex64"]


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@st.composite
def matrices(draw: st.DrawFn, rows: int | None = None, columns: int | None = None) -> np.ndarray:
    """Stacks of matrices."""
    stack = draw(st.sampled_from([(), (2,), (0,), (2, 3)]))
    rows = draw(st.integers(1, 5)) if rows is None else rows
    columns = draw(st.integers(1, 5)) if columns is None else columns
    return draw(arrays(DTYPES, (*stack, rows, columns), small=True))


@st.composite
def regular(draw: st.DrawFn) -> np.ndarray:
    """Stacks of square matrices far from singular: the diagonal is larger than all the rest."""
    size = draw(st.integers(1, 5))
    x = draw(matrices(size, size))
    large = (np.abs(x).sum(-1, keepdims=True) + 1) * np.eye(size)
    return (x + large).astype(x.dtype)


@st.composite
def hermitian(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(1, 5))
    x = draw(matrices(size, size))
    x = (x + np.conj(x.mT)) / 2
    return (x + (np.abs(x).sum(-1, keepdims=True) + 1) * np.eye(size)).astype(x.dtype)


def near(found: Any, wanted: Any, scale: float = 1.0) -> None:
    wanted = np.asarray(wanted)
    close(found, wanted, ulps=200, scale=np.maximum(np.max(np.abs(wanted), initial=0), scale))


@given(regular(), st.data())
def test_solve_inv_det(x: np.ndarray, data: st.DataObject) -> None:
    made, double = bm.asarray(x), wide(x)
    near(bm.linalg.inv(made), np.linalg.inv(double))
    near(bm.linalg.det(made), np.linalg.det(double))
    sign, logarithm = bm.linalg.slogdet(made)
    wanted = np.linalg.slogdet(double)
    near(sign, wanted.sign)
    near(logarithm, wanted.logabsdet)
    width = data.draw(st.integers(1, 3))
    b = data.draw(arrays([x.dtype.name], (x.shape[-1], width), small=True))
    near(bm.linalg.solve(made, bm.asarray(b)), np.linalg.solve(double, wide(b)), 64)
    vector = b[:, 0]
    near(bm.linalg.solve(made, bm.asarray(vector)), np.linalg.solve(double, wide(vector)), 64)


@given(hermitian())
def test_cholesky_and_eigh(x: np.ndarray) -> None:
    made, double = bm.asarray(x), wide(x)
    lower = np.linalg.cholesky(double)
    near(bm.linalg.cholesky(made), lower)
    near(bm.linalg.cholesky(made, upper=True), np.conj(lower.mT))
    values, vectors = bm.linalg.eigh(made)
    wanted = np.linalg.eigvalsh(double)
    near(values, wanted)
    near(bm.linalg.eigvalsh(made), wanted)
    v = wide(np.asarray(vectors))
    near(bm.asarray((v * np.asarray(values)[..., None, :] @ np.conj(v.mT)).astype(x.dtype)), double)


@given(matrices(), st.booleans())
def test_svd_and_qr(x: np.ndarray, whole: bool) -> None:
    made, double = bm.asarray(x), wide(x)
    values = np.linalg.svd(double, compute_uv=False)
    u, s, vh = bm.linalg.svd(made, full_matrices=whole)
    near(s, values)
    near(bm.linalg.svdvals(made), values)
    theirs = np.linalg.svd(double, full_matrices=whole)
    assert (u.shape, vh.shape) == (theirs.U.shape, theirs.Vh.shape)
    inner = min(x.shape[-2:])
    again = wide(np.asarray(u))[..., :inner] * np.asarray(s)[..., None, :] @ wide(np.asarray(vh))[..., :inner, :]
    near(bm.asarray(again.astype(x.dtype)), double)
    q, r = bm.linalg.qr(made, mode="complete" if whole else "reduced")
    theirs_qr = np.linalg.qr(double, mode="complete" if whole else "reduced")
    assert (q.shape, r.shape) == (theirs_qr.Q.shape, theirs_qr.R.shape)
    near(bm.asarray((wide(np.asarray(q)) @ wide(np.asarray(r))).astype(x.dtype)), double)
    one = np.broadcast_to(np.eye(q.shape[-1]), (*x.shape[:-2], q.shape[-1], q.shape[-1]))
    near(bm.asarray((np.conj(wide(np.asarray(q)).mT) @ wide(np.asarray(q))).astype(x.dtype)), one)
    equal(bm.triu(r), np.asarray(r))


@given(matrices())
def test_pinv_and_rank(x: np.ndarray) -> None:
    made, double = bm.asarray(x), wide(x)
    precision = float(np.finfo(x.dtype).eps)
    relative = 1e-3
    values = np.linalg.svd(double, compute_uv=False)
    largest = values.max(-1, keepdims=True, initial=0)
    if ((values > largest * relative / 2) & (values < largest * relative * 2)).any():
        return
    rank = np.linalg.matrix_rank(double, rtol=relative)
    np.testing.assert_array_equal(np.asarray(bm.linalg.matrix_rank(made, rtol=relative)), rank)
    each = bm.full(x.shape[:-2], relative, dtype="float32")
    np.testing.assert_array_equal(np.asarray(bm.linalg.matrix_rank(made, rtol=each)), rank)
    wanted = np.linalg.pinv(double, rcond=relative)
    # The smallest singular value that counts loses three digits.
    near(bm.linalg.pinv(made, rtol=relative), wanted, 2e-6 / precision * np.max(np.abs(wanted), initial=0))
    assert bm.linalg.pinv(made, rtol=each).shape == wanted.shape


@given(matrices(), st.booleans())
def test_norms(x: np.ndarray, keepdims: bool) -> None:
    made, double = bm.asarray(x), wide(x)
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        wanted = np.linalg.matrix_norm(double, ord=order, keepdims=keepdims)
        near(bm.linalg.matrix_norm(made, ord=order, keepdims=keepdims), wanted, 16)
    for order in (0, 1, 2, 3, 0.5, -1, np.inf, -np.inf):
        for axis in (-1, -2, (-1, -2), None):
            if not np.size(x) and np.isinf(order):
                continue
            with np.errstate(all="ignore"):
                wanted = np.linalg.vector_norm(double, axis=axis, ord=order, keepdims=keepdims)
            near(bm.linalg.vector_norm(made, axis=axis, ord=order, keepdims=keepdims), wanted, 16)


@given(st.data(), st.integers(-3, 3))
def test_products_and_diagonals(data: st.DataObject, offset: int) -> None:
    x = data.draw(matrices())
    made, double = bm.asarray(x), wide(x)
    equal(bm.linalg.diagonal(made, offset=offset), np.linalg.diagonal(x, offset=offset))
    near(bm.linalg.trace(made, offset=offset), np.linalg.trace(double, offset=offset), 64)
    equal(bm.linalg.matrix_transpose(made), x.mT)
    a, b = (data.draw(arrays([x.dtype.name], (data.draw(st.integers(0, 4)),), small=True)) for _ in range(2))
    near(bm.linalg.outer(bm.asarray(a), bm.asarray(b)), np.linalg.outer(wide(a), wide(b)), 64)
    c, d = (data.draw(arrays([x.dtype.name], (2, 3), small=True)) for _ in range(2))
    near(bm.linalg.cross(bm.asarray(c), bm.asarray(d)), np.linalg.cross(wide(c), wide(d)), 64)
    near(bm.linalg.vecdot(bm.asarray(c), bm.asarray(d)), np.linalg.vecdot(wide(c), wide(d)), 256)
    near(bm.linalg.matmul(made, bm.asarray(x.mT)), double @ double.mT, 512)
    near(bm.linalg.tensordot(made, made, axes=0), np.linalg.tensordot(double, double, axes=0), 64)


@given(regular(), st.integers(-2, 3))
def test_powers(x: np.ndarray, power: int) -> None:
    wanted = np.linalg.matrix_power(wide(x), power)
    near(bm.linalg.matrix_power(bm.asarray(x), power), wanted, 1 if power >= 0 else 0.1)


def test_what_cannot_be() -> None:
    square, flat = bm.ones((2, 2)), bm.ones((2, 3))
    for call in (
        lambda: bm.linalg.inv(square).eval(), lambda: bm.linalg.solve(square, bm.ones(2)).eval(),
        lambda: bm.linalg.cholesky(-bm.eye(2)).eval(), lambda: bm.linalg.inv(flat), lambda: bm.linalg.det(flat),
        lambda: bm.linalg.eigh(flat), lambda: bm.linalg.solve(square, bm.ones(3)), lambda: bm.linalg.qr(bm.ones(2)),
        lambda: bm.linalg.qr(square, mode="raw"), lambda: bm.linalg.matrix_norm(square, ord=3),
        lambda: bm.linalg.matrix_norm(square, ord="max"), lambda: bm.linalg.matrix_power(flat, 2),
        lambda: bm.linalg.cross(square, square), lambda: bm.linalg.vector_norm(square, axis=(0, 0)),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            call()
    with pytest.raises(IndexError):
        bm.linalg.vector_norm(square, axis=2, keepdims=True)


def test_what_is_copied_is_explained() -> None:
    assert "inv" in str(bm.linalg.inv(bm.eye(2)).explain())


def test_by_way_of_numpy() -> None:
    x = bm.asarray(np.array([[2, 1], [1, 3]], "f4"))
    near(np.linalg.inv(x), np.linalg.inv(np.asarray(x)))
    assert isinstance(np.linalg.inv(x), bm.Array) and isinstance(np.linalg.svd(x, full_matrices=False).S, bm.Array)
    # Arguments that only NumPy knows.
    assert isinstance(np.linalg.svd(x, compute_uv=False), np.ndarray)
    assert isinstance(np.linalg.norm(x), np.floating)
