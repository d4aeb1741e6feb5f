"""What the array API asks of a library: capabilities, devices, dtypes."""

from __future__ import annotations

from typing import Any

from . import _bessemer

_KINDS = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class __array_namespace_info__:  # noqa: N801
    """What this library can do, as the array API asks."""

    def capabilities(self) -> dict[str, Any]:
        """Which optional parts of the standard are there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> _bessemer.Device:
        """The device that arrays are created on."""
        return _bessemer.default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The dtypes of results where nothing else says so."""
        return {
            "real floating": _bessemer.float32,
            "complex floating": _bessemer.complex64,
            "integral": _bessemer.int64,
            "indexing": _bessemer.int64,
        }

    def devices(self) -> list[Any]:
        """The devices that can be opened here."""
        return _bessemer._devices()

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, Any]:
        """The dtypes of the standard that arrays have, of a kind or of all."""
        if kind is None:
            names = _KINDS["bool"] + _KINDS["numeric"]
        elif isinstance(kind, tuple):
            found: dict[str, Any] = {}
            for one in kind:
                found |= self.dtypes(device=device, kind=one)
            return found
        elif kind in _KINDS:
            names = _KINDS[kind]
        else:
            raise ValueError(f"dtypes: {kind!r} is no kind; use one of {', '.join(_KINDS)}")
        return {name: getattr(_bessemer, name) for name in names if hasattr(_bessemer, name)}
