"""Python's operators: forward, reflected and in place."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import bessemer as bm

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.eq, operator.ne,
    operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("other", [2, 1.5, True, np.array([1, 2, 4], "f4"), np.float32(3)])
def test_with_numbers_and_numpy(op: object, other: object) -> None:
    x = np.array([1.0, 2.0, 3.0], "f4")
    made = bm.asarray(x)
    for found, wanted in ((op(made, other), op(x, other)), (op(other, made), op(other, x))):
        assert isinstance(found, bm.Array)
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-6)


@pytest.mark.parametrize("op", [operator.and_, operator.or_, operator.xor])
def test_bits(op: object) -> None:
    x, y = np.array([6, 5, 3], "i4"), np.array([3, 3, 8], "i4")
    assert op(bm.asarray(x), bm.asarray(y)).tolist() == op(x, y).tolist()
    assert op(bm.asarray(x), 3).tolist() == op(x, 3).tolist()
    assert op(3, bm.asarray(x)).tolist() == op(3, x).tolist()
    truths = np.array([True, False, True])
    assert op(bm.asarray(truths), True).tolist() == op(truths, True).tolist()
    with pytest.raises(TypeError, match="bitwise"):
        op(bm.ones(2), bm.ones(2))


def test_unary() -> None:
    x = np.array([1, -2, 3], "i4")
    made = bm.asarray(x)
    assert (-made).tolist() == (-x).tolist()
    assert (+made).tolist() == x.tolist()
    assert abs(made).tolist() == abs(x).tolist()
    assert (~made).tolist() == (~x).tolist()


def test_numbers_are_weak() -> None:
    assert (bm.ones(2, dtype=bm.float16) * 2.5).dtype == bm.float16
    assert (bm.ones(2, dtype=bm.uint8) + 1).dtype == bm.uint8
    assert (bm.ones(2, dtype=bm.uint8) + 1.5).dtype == bm.float32
    assert (bm.ones(2, dtype=bm.bool) + 1).dtype == bm.int64
    assert (bm.ones(2, dtype=bm.int32) / 2).dtype == bm.float32
    with pytest.raises(OverflowError, match="out of range for u8"):
        bm.ones(2, dtype=bm.uint8) + 256


def test_in_place_changes_the_handle() -> None:
    x = bm.array([1.0, 2.0])
    alias, part = x, x[:1]
    x += 1
    x *= bm.array([2.0, 3.0])
    x -= 1
    x /= 2
    x **= 2
    assert alias is x and alias.tolist() == [2.25, 16.0]
    assert part.tolist() == [1.0]
    bits = bm.array([6, 5])
    bits &= 3
    bits |= 8
    bits ^= 1
    assert bits.tolist() == [11, 8]
    square = bm.array([[1.0, 2.0], [3.0, 4.0]])
    square @= square
    assert square.tolist() == [[7, 10], [15, 22]]


def test_in_place_keeps_dtype_and_shape() -> None:
    x = bm.array([1, 2])
    with pytest.raises(TypeError, match="result is f32"):
        x /= 2
    with pytest.raises(ValueError, match="shape"):
        x += bm.array([[1], [2]])
    with pytest.raises(TypeError, match="operand"):
        x += "text"
    assert x.tolist() == [1, 2]


def test_what_is_no_operand() -> None:
    x = bm.ones(2)
    for other in ("text", None, object(), [1, 2]):
        with pytest.raises(TypeError):
            x + other
        with pytest.raises(TypeError):
            other - x
    assert (x == None) is False  # noqa: E711
    assert (x != "text") is True
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match="modulus"):
        pow(x, 2, 3)


def test_contains_and_iterates() -> None:
    x = bm.array([[1, 2], [3, 4]])
    assert 3 in x and 5 not in x
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    assert len(x) == 2
