"""Files of arrays: ``.npy``, ``.npz`` and safetensors. The formats are read and written by the engine."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from . import _bessemer
from ._bessemer import Array

Path = str | os.PathLike[str]


def save(file: Path | BinaryIO, x: Any, /) -> None:
    """Writes an array to a ``.npy`` file.

    >>> import bessemer as bm, io
    >>> file = io.BytesIO()
    >>> bm.save(file, bm.arange(3))
    >>> _ = file.seek(0)
    >>> bm.load(file)
    array([0, 1, 2])
    """
    data = _bessemer._npy_write(_bessemer.asarray(x))
    if isinstance(file, (str, os.PathLike)):
        with open(file, "wb") as out:
            out.write(data)
    else:
        file.write(data)


def load(file: Path | BinaryIO, /, *, device: Any = None) -> Any:
    """Reads an array from a ``.npy`` file, or several by name from a ``.npz`` or safetensors file.

    Which one it is, its first bytes say. Nothing is unpickled.
    """
    if not isinstance(file, (str, os.PathLike)):
        return _load(file, device, None)
    with open(file, "rb") as opened:
        return _load(opened, device, file)


def _load(file: BinaryIO, device: Any, path: Path | None) -> Any:
    head = file.read(9)
    file.seek(-len(head), io.SEEK_CUR)
    if head.startswith(b"PK"):
        return Npz(file.read(), device, path)
    if not head.startswith(b"\x93NUMPY") and head[8:] == b"{":
        return _bessemer._safetensors_read(file.read(), device=device)
    return _bessemer._npy_read(file.read(), device=device)


class Npz(Mapping[str, Array]):
    """The arrays of a ``.npz`` file by name, each read when it is asked for.

    >>> import bessemer as bm, io
    >>> file = io.BytesIO()
    >>> bm.savez(file, a=bm.ones(2), b=bm.zeros(1))
    >>> _ = file.seek(0)
    >>> arrays = bm.load(file)
    >>> sorted(arrays), arrays["a"]
    (['a', 'b'], array([1., 1.], dtype=float32))
    """

    def __init__(self, data: bytes, device: Any, path: Path | None) -> None:
        self._device = device
        self._name = os.fspath(path) if path is not None else "npz"
        import zipfile

        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._members = {name.removesuffix(".npy"): name for name in self._zip.namelist()}
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise ValueError(f"{self._name}: {error}; the file is damaged or no .npz") from error

    def __getitem__(self, name: str) -> Array:
        if name not in self._members:
            raise KeyError(f"{self._name}: it has no array {name!r}; it has {', '.join(self)}")
        try:
            data = self._zip.read(self._members[name])
        except MemoryError:
            raise
        except Exception as error:  # What damaged zip files raise is not listed anywhere.
            raise ValueError(f"{self._name}: {name}: {error}; the file is damaged") from error
        return _bessemer._npy_read(data, device=self._device)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"Npz({', '.join(self)})"


def savez(file: Path | BinaryIO, /, *args: Any, **kwds: Any) -> None:
    """Writes arrays to a ``.npz`` file, by name; those without one are ``arr_0`` and so on."""
    _savez(file, args, kwds, compressed=False)


def savez_compressed(file: Path | BinaryIO, /, *args: Any, **kwds: Any) -> None:
    """Writes arrays to a compressed ``.npz`` file, by name."""
    _savez(file, args, kwds, compressed=True)


def _savez(
    file: Path | BinaryIO, args: tuple[Any, ...], kwds: Mapping[str, Any], *, compressed: bool
) -> None:
    arrays = {f"arr_{i}": array for i, array in enumerate(args)}
    for name in arrays.keys() & kwds.keys():
        raise ValueError(f"savez: {name!r} is the name of an array without one; use another")
    arrays |= kwds
    import zipfile

    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as out:
        for name, array in arrays.items():
            out.writestr(f"{name}.npy", _bessemer._npy_write(_bessemer.asarray(array)))


def save_safetensors(
    file: Path, arrays: Mapping[str, Any], /, metadata: Mapping[str, str] | None = None
) -> None:
    """Writes arrays to a safetensors file, by name.

    >>> import bessemer as bm, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "weights.safetensors")
    ...     bm.save_safetensors(path, {"w": bm.ones(2, dtype=bm.bfloat16)})
    ...     bm.load(path)
    {'w': array([1., 1.], dtype=bfloat16)}
    """
    made = {name: _bessemer.asarray(array) for name, array in arrays.items()}
    data = _bessemer._safetensors_write(made, None if metadata is None else dict(metadata))
    with open(file, "wb") as out:
        out.write(data)
