"""Progress bars: a line in terminals, a bar in notebooks, nothing where output goes to a file."""

from __future__ import annotations

import html
import importlib
import sys
import time
from types import TracebackType
from typing import Any

_UNITS = ("B", "kB", "MB", "GB", "TB")
_BETWEEN = 0.1
"""Seconds between two updates that people see."""


def _size(count: float) -> str:
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


class Progress:
    """Tells how far a download is."""

    def __init__(self, title: str, *, shown: bool = True) -> None:
        self._title = title
        self._place = _place() if shown else None
        self._last = 0.0
        self._what = ""
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._place is not None and self._drawn:
            self._place.end()

    def update(self, what: str, done: int, total: int | None) -> None:
        """What is being done, how many bytes are here, and how many there will be."""
        now = time.monotonic()
        complete = total is not None and done >= total
        if self._place is None or (what == self._what and now - self._last < _BETWEEN and not complete):
            return
        self._last, self._what, self._drawn = now, what, True
        share = done / total if total else None
        counts = f"{_size(done)} of {_size(total)}" if total else _size(done)
        self._place.draw(f"{self._title}: {what}", share, counts)


class _Terminal:
    def draw(self, what: str, share: float | None, counts: str) -> None:
        width = 24
        filled = int(width * share) if share is not None else 0
        bar = f" [{'=' * filled}{' ' * (width - filled)}] {share:4.0%}" if share is not None else ""
        sys.stderr.write(f"\r\x1b[K{what}{bar} {counts}")
        sys.stderr.flush()

    def end(self) -> None:
        sys.stderr.write("\n")
        sys.stderr.flush()


class _Notebook:
    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def draw(self, what: str, share: float | None, counts: str) -> None:
        value = f' value="{share:.3f}"' if share is not None else ""
        text = f"<div>{html.escape(what)} <progress{value}></progress> {html.escape(counts)}</div>"
        content = self._display.HTML(text)
        if self._handle is None:
            self._handle = self._display.display(content, display_id=True)
        else:
            self._handle.update(content)

    def end(self) -> None:
        pass


def _place() -> _Terminal | _Notebook | None:
    """Where people would see a bar."""
    # Notebooks have imported IPython; nobody else needs it.
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and type(shell).__name__ == "ZMQInteractiveShell":
        return _Notebook(importlib.import_module("IPython.display"))
    return _Terminal() if sys.stderr.isatty() else None
