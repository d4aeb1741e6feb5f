"""Language models: loading, generating text, chatting, embeddings, sessions.

>>> from bessemer import llm
>>> model = llm.load("models/ember/ember.gguf")
>>> text = model.generate("Once upon a time", max_tokens=8, temperature=0)
>>> "".join(text)[:1]
','
>>> text.stop_reason
'length'
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, NamedTuple

from . import _bessemer
from ._bessemer import Device, Generation, Llm, Session
from ._progress import Progress

__all__ = [
    "Generation", "Llm", "Model", "Session", "Setting", "catalogue", "load", "models", "pull", "settings",
]  # fmt: skip


class Model(NamedTuple):
    """A model that is downloaded."""

    name: str
    path: Path
    bytes: int


class Setting(NamedTuple):
    """A setting of text generation."""

    name: str
    help: str
    default: str
    rule: str


def load(name: str | os.PathLike[str], /, *, device: Device | str | None = None) -> Llm:
    """Loads a model: a name such as ``"smollm2"`` that was pulled, or the path of a GGUF or safetensors
    file, or of a folder with either.

    Without a device the best one there is takes the model. If that is a GPU and fails, the CPU goes on.
    """
    return _bessemer._load(os.fspath(name), device=device)


def pull(name: str, /, *, force: bool = False, progress: bool = True) -> Path:
    """Downloads a model, unless it is here and intact: a name of the ``catalogue``, or
    ``"hf:OWNER/REPO"``. What an interrupted download left is used.
    """
    with Progress(name, shown=progress) as bar:
        return Path(_bessemer._pull(name, force=force, progress=bar.update))


def models() -> list[Model]:
    """The models that are downloaded."""
    return [Model(name, Path(path), size) for name, path, size in _bessemer._models()]


def catalogue() -> list[str]:
    """The names of models that can be pulled by a short name."""
    return list(_bessemer._catalogue())


def settings() -> list[Setting]:
    """The settings of text generation, which ``generate`` and ``chat`` take by name.

    >>> from bessemer import llm
    >>> [setting.rule for setting in llm.settings() if setting.name == "top_p"]
    ['a number from 0 to 1']
    """
    return [Setting(*setting) for setting in _bessemer._settings()]


async def _next(generation: Generation) -> str:
    """The next piece, while other tasks go on."""
    nothing: Any = object()
    try:
        piece = await asyncio.to_thread(next, generation, nothing)
    except asyncio.CancelledError:
        generation.cancel()
        raise
    if piece is nothing:
        raise StopAsyncIteration
    return piece
