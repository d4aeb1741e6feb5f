"""Text for a folder of prompts, with Ray Data: ``python ray_data.py MODEL FOLDER OUT``.

Each ``.txt`` file of the folder is a prompt. Every worker loads the model once and writes on from the prompts
that come its way; the results are JSON lines in OUT.
"""

from __future__ import annotations

import sys
from typing import Any

import ray


class Writer:
    """A model in a worker."""

    def __init__(self, name: str, max_tokens: int) -> None:
        from bessemer import llm

        self._model = llm.load(name)
        self._session = self._model.session(context=1024)
        self._max_tokens = max_tokens

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """What follows the prompt of a row."""
        prompt = row["bytes"].decode()
        generation = self._model.generate(
            prompt, session=self._session, max_tokens=self._max_tokens, temperature=0
        )
        answer = generation.finish()
        return {"path": row["path"], "prompt": prompt, "answer": answer, "tokens": len(generation.tokens)}


def write(name: str, folder: str, *, workers: int = 2, max_tokens: int = 64) -> ray.data.Dataset:
    """The answers to all prompts of a folder, as a dataset."""
    prompts = ray.data.read_binary_files(folder, include_paths=True, file_extensions=["txt"])
    return prompts.map(
        Writer, fn_constructor_args=(name, max_tokens), compute=ray.data.ActorPoolStrategy(size=workers)
    )


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2]).write_json(sys.argv[3])
