"""Every function of the package is named in a test of its own and in the stubs."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import bessemer as bm

HERE = Path(__file__).parent


def test_every_function_is_tested() -> None:
    text = "".join(
        path.read_text() for path in HERE.glob("test_*.py") if path.stem not in ("test_standard", Path(__file__).stem)
    )
    names = {
        f"{module}.{name}".lstrip(".")
        for module in ("", "linalg", "fft", "random")
        for name in (getattr(bm, module) if module else bm).__all__
        if inspect.isroutine(getattr(getattr(bm, module) if module else bm, name))
    }
    tested = {name for name in names if re.search(rf'bm\.{re.escape(name)}\b|"{name.split(".")[-1]}"', text)}
    assert len(names) > 150
    assert names - tested == set()
