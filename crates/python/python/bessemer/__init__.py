"""Lazy arrays, programs and language models on Metal, WebGPU and the CPU.

>>> import bessemer as bm
>>> a = bm.array([[1.0, 2.0], [3.0, 4.0]])
>>> (a * 2 + 1).sum(axis=0)
array([10., 14.], dtype=float32)

The functions are those of the Python array API standard, under its names; ``bessemer.llm`` has
language models, ``bessemer.Program`` and ``bessemer.Executor`` programs of your own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# Type checkers take names as exported that are imported under their own.
from . import _bessemer
from . import fft as fft
from . import linalg as linalg
from . import random as random
from ._bessemer import *  # noqa: F403
from ._bessemer import __version__ as __version__
from ._info import __array_namespace_info__ as __array_namespace_info__
from ._files import load as load
from ._files import save as save
from ._files import save_safetensors as save_safetensors
from ._files import savez as savez
from ._files import savez_compressed as savez_compressed
from ._namespace import e as e
from ._namespace import inf as inf
from ._namespace import nan as nan
from ._namespace import newaxis as newaxis
from ._namespace import pi as pi
from ._program import program as program

__array_api_version__ = "2024.12"

__all__ = sorted(  # pyright: ignore[reportUnsupportedDunderAll]
    [name for name in dir(_bessemer) if not name.startswith("_")]
    + ["e", "fft", "inf", "linalg", "llm", "load", "nan", "newaxis", "pi", "program", "random", "save"]
    + ["save_safetensors", "savez", "savez_compressed", "scalar"]
)

if TYPE_CHECKING:
    from . import llm as llm
    from . import scalar as scalar
else:

    def __getattr__(name: str) -> object:
        # Not everybody needs these: they are imported when they are first asked for.
        if name in ("llm", "scalar"):
            import importlib

            return importlib.import_module(f"bessemer.{name}")
        raise AttributeError(f"module 'bessemer' has no attribute {name!r}")
