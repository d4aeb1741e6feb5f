"""Files: round trips, NumPy as partner, and files that are damaged."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NUMPY, arrays, same

import bessemer as bm

SAVED = [name for name in NUMPY if name != "bfloat16"]


@given(arrays(SAVED))
def test_npy(x: np.ndarray) -> None:
    ours, theirs = io.BytesIO(), io.BytesIO()
    bm.save(ours, bm.asarray(x))
    np.save(theirs, x)
    same(np.load(io.BytesIO(ours.getvalue())), x)
    same(bm.load(io.BytesIO(theirs.getvalue())), x)
    same(bm.load(io.BytesIO(ours.getvalue())), x)


def test_npy_of_files(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    bm.save(path, [1.5, 2.5])
    assert bm.load(str(path)).tolist() == [1.5, 2.5]
    assert bm.load(path, device="reference").device == "reference"
    with pytest.raises(FileNotFoundError):
        bm.load(tmp_path / "none.npy")
    with pytest.raises(ValueError, match="bf16 has no type"):
        bm.save(path, bm.ones(2, dtype=bm.bfloat16))


@given(st.dictionaries(st.text("abcxyz_", min_size=1), arrays(SAVED), max_size=4))
def test_npz(x: dict[str, np.ndarray]) -> None:
    for save, compressed in ((bm.savez, False), (bm.savez_compressed, True)):
        file = io.BytesIO()
        save(file, bm.ones(2), **{f"k_{name}": bm.asarray(value) for name, value in x.items()})
        for load in (np.load, bm.load):
            found = load(io.BytesIO(file.getvalue()))
            assert sorted(found) == sorted(["arr_0", *(f"k_{name}" for name in x)])
            for name, value in x.items():
                same(found[f"k_{name}"], value)
        assert compressed or len(file.getvalue()) > 0


def test_npz_refuses(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    bm.savez(path, a=bm.ones(2))
    found = bm.load(path)
    assert repr(found) == "Npz(a)" and len(found) == 1
    with pytest.raises(KeyError, match="it has a"):
        found["b"]
    with pytest.raises(ValueError, match="arr_0"):
        bm.savez(path, bm.ones(2), arr_0=bm.ones(2))


@given(st.data())
def test_damaged_files(data: st.DataObject) -> None:
    """A damaged file is an error, or another array; never more."""
    file = io.BytesIO()
    kind = data.draw(st.sampled_from(["npy", "npz", "compressed", "safetensors"]))
    x = bm.arange(40, dtype="float32").reshape(5, 8)
    if kind == "npy":
        bm.save(file, x)
    elif kind == "safetensors":
        from bessemer import _bessemer

        file.write(_bessemer._safetensors_write({"a": x, "b": x[0]}, None))
    else:
        (bm.savez if kind == "npz" else bm.savez_compressed)(file, a=x, b=x[0])
    broken = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(broken) - 1))
        what = data.draw(st.sampled_from(["change", "cut", "remove", "insert"]))
        if what == "change":
            broken[place] = data.draw(st.integers(0, 255))
        elif what == "cut":
            del broken[max(place, 1) :]
        elif what == "remove":
            del broken[place : place + data.draw(st.integers(1, 9))]
        else:
            broken[place:place] = data.draw(st.binary(max_size=9))
        if not broken:
            return
    try:
        found = bm.load(io.BytesIO(bytes(broken)))
        for value in [found] if isinstance(found, bm.Array) else [found[name] for name in found]:
            value.eval()
    except (ValueError, TypeError, KeyError, MemoryError, OverflowError, NotImplementedError):
        pass


def test_an_npz_of_something_else() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("a.npy", b"no array")
    found = bm.load(io.BytesIO(file.getvalue()))
    with pytest.raises(ValueError, match=r"\.npy"):
        found["a"]


def test_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    made = {name: bm.arange(6).reshape(2, 3).astype(name) for name in NUMPY if name != "complex64"}
    bm.save_safetensors(path, made, {"made": "here"})
    found = bm.load(path)
    assert found.keys() == made.keys()
    for name, value in made.items():
        assert found[name].dtype == value.dtype
        same(found[name], np.asarray(value))
    with pytest.raises(ValueError, match="safetensors"):
        bm.load(io.BytesIO(b"\x10\0\0\0\0\0\0\0{nothing"))
