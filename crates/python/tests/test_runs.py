"""The examples in files run."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest


def _example(root: Path, name: str) -> ModuleType:
    path = root / "crates" / "python" / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_arrays(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _example(root, "arrays").main() < 0.01
    assert "step 75: 0.0001" in capsys.readouterr().out


def test_programs(root: Path) -> None:
    programs = _example(root, "programs")
    lines = programs.picture()
    assert len(lines) == 24 and lines[12].count("@") > 10 and lines == lines[::-1]
    data = b"to be or not to be" * 100
    found = {byte: count for byte, count in enumerate(programs.histogram(data, "cpu")) if count}
    assert found == Counter(data)


def test_chat(root: Path, ember: str) -> None:
    # The toy model has no template: what it says is that.
    chat = _example(root, "chat")
    with pytest.raises(ValueError, match="the model has none"):
        import io
        import sys

        saved, sys.stdin = sys.stdin, io.StringIO("Hello\n")
        try:
            chat.main(ember)
        finally:
            sys.stdin = saved
