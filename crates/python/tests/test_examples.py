"""The examples of all docstrings and of the documentation run, and everything has one."""

from __future__ import annotations

import doctest
import inspect
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bessemer as bm
from bessemer import llm, scalar


def _public() -> Iterator[tuple[str, Any]]:
    """Everything that people can call, with its name."""
    for module in (bm, bm.random, llm, scalar):
        yield module.__name__, module
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            if name.startswith("_") or isinstance(value, types.ModuleType | types.MemberDescriptorType | bm.DType | float):
                continue
            yield f"{module.__name__}.{name}", value
            if inspect.isclass(value):
                for part in dir(value):
                    found = inspect.getattr_static(value, part)
                    if not part.startswith("_") and not inspect.ismemberdescriptor(found):
                        yield f"{module.__name__}.{name}.{part}", getattr(value, part)


PUBLIC = dict(_public())


@pytest.mark.parametrize("name", PUBLIC)
def test_examples(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    value = PUBLIC[name]
    text = inspect.getdoc(value)
    if value is None or isinstance(value, float | int | str):
        return
    assert text, f"{name} has no docstring"
    run(name, text)


def test_documentation(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(root)
    text = (root / "docs" / "python.md").read_text()
    blocks = text.split("```python\n")[1:]
    run("docs/python.md", "\n".join(block.split("```")[0] for block in blocks))


def run(name: str, text: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
