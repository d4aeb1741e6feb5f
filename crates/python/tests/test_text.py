"""Arrays as text: exactly as NumPy writes them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from strategies import arrays, full_shapes, shapes

import bessemer as bm


@given(arrays(["bool", "uint8", "int32", "float32"], shapes))
def test_as_numpy(x: np.ndarray) -> None:
    assert repr(bm.asarray(x)) == repr(x)


@given(arrays(["float32"], full_shapes, small=True))
def test_str_as_numpy(x: np.ndarray) -> None:
    assert str(bm.asarray(x)) == str(x)


def test_long_arrays_and_lines() -> None:
    for x in (
        np.arange(1001, dtype="f4"),
        np.arange(1000, dtype="i4"),
        np.arange(40 * 40, dtype="i4").reshape(40, 40),
        np.arange(12 * 12 * 12, dtype="f4").reshape(12, 12, 12) / 7,
        np.linspace(0, 1, 30, dtype="f4").reshape(2, 15),
        np.zeros((0, 3), "f4"),
        np.zeros(0, "i4"),
        np.float32(1.5),
        # As long as a line may be, and by one longer.
        np.full((1, 1, 1, 3), 1.07462825e14, "f4"),
        np.full((1, 1, 3), 1.07462825e14, "f4"),
    ):
        assert repr(bm.asarray(x)) == repr(np.asarray(x))


def test_bfloat16() -> None:
    assert repr(bm.ones(2, dtype=bm.bfloat16)) == "array([1., 1.], dtype=bfloat16)"


def test_notebooks() -> None:
    x = bm.arange(400, dtype="float32").reshape(20, 20)
    table = x._repr_html_()
    assert table.count("<tr>") == 11 and "float32 [20, 20] on cpu" in table and "…" in table
    assert "<table>" in bm.ones(3)._repr_html_()
    assert "<pre>" in bm.ones((2, 2, 2))._repr_html_()
    assert "<pre>" in bm.zeros((0, 2))._repr_html_()


def test_plans_as_pictures() -> None:
    import xml.etree.ElementTree as xml

    a = bm.random.normal(size=(3, 4)).eval()
    plan = (bm.softmax(a @ a.T, axis=-1) * 2 + 1).sum(axis=0).explain()
    assert plan.startswith("#1 matmul")
    tree = xml.fromstring(plan._repr_html_())
    boxes = tree.findall(".//{http://www.w3.org/2000/svg}rect")
    arrows = [
        path for path in tree.findall(".//{http://www.w3.org/2000/svg}path") if path.get("marker-end")
    ]
    assert len(boxes) == plan.count("\n#") + 1 == 3
    assert len(arrows) == 2
    done = bm.ones(2).eval().explain()
    assert "nothing to do" in done._repr_html_()
